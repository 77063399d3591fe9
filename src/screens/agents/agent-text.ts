/** An agent's settings in words. */
import type { Agent, PoolId, TradingFrequency } from '../../../contract/agents.ts';
import { formatNumber } from '../../format/numbers.ts';

export const POOL_NAME: Record<PoolId, string> = {
  base_ecosystem: 'Base ecosystem',
  momentum_24h: '24 h momentum',
  weekly_leaders: 'Weekly leaders',
  ytd_champions: 'Year-to-date champions',
  stablecoin_arbitrage: 'Stablecoin arbitrage',
  all_pools: 'All pools',
};
/** The strategy of each pool in one line. */
export const POOL_LINE: Record<PoolId, string> = {
  base_ecosystem: 'Buys coins of a curated list while their 7, 14 and 28-day trend is up.',
  momentum_24h: 'Holds the three strongest coins of the last 24 hours if volume confirms the move.',
  weekly_leaders: 'Holds the strongest fifth of the week. Picks new coins on Mondays at 00:00 UTC.',
  ytd_champions: 'Holds the leaders of the year. Picks new coins on the first of each month.',
  stablecoin_arbitrage: 'Buys a stablecoin below its fair price and sells when the price recovers.',
  all_pools: 'All five strategies with equal risk, netted to one target per pair.',
};
export const FREQUENCY_NAME: Record<TradingFrequency, string> = {
  high: 'Every check',
  daily: 'Daily, 00:00 UTC',
  weekly: 'Weekly, Monday',
  'bi-weekly': 'Every second Monday',
  monthly: 'Monthly, the 1st',
  optimized: 'When drift exceeds cost',
  'long-haul': 'Quarterly',
};
const INTERVAL_NAME: Record<Agent['execution_interval'], string> = {
  '5-minute': 'every 5 minutes',
  '20-minute': 'every 20 minutes',
  daily: 'once a day',
};

export const intervalText = (interval: Agent['execution_interval']): string =>
  INTERVAL_NAME[interval];

/** `BTC/USDT, ETH/USDT` or `12 pairs`, or the pool's universe. */
export function pairsText(agent: Pick<Agent, 'trading_pairs' | 'pool'>): string {
  const { length } = agent.trading_pairs;
  if (length === 0) return `all pairs of ${POOL_NAME[agent.pool]}`;
  return length > 3 ? `${length} pairs` : agent.trading_pairs.join(', ');
}

/** What an agent checks, how often, by which strategy and with how much, before it is started. */
export function planText(
  agent: Pick<
    Agent,
    'trading_pairs' | 'pool' | 'execution_interval' | 'max_position_size' | 'quote' | 'risk_profile'
  >,
): string {
  return (
    `Checks ${pairsText(agent)} ${intervalText(agent.execution_interval)}. ` +
    `Strategy: ${POOL_NAME[agent.pool]}. ` +
    `Largest position: ${formatNumber(agent.max_position_size)} ${agent.quote}.`
  );
}

/** The first few names, and how many more there are. */
export function namesText(names: readonly string[], most = 6): string {
  return names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
