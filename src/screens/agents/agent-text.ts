/** An agent's settings in words. */
import type { Agent, PoolId, TradingFrequency } from '../../../contract/agents.ts';
import { POOL_IDS, POOL_TEXT } from '../../../contract/pools.ts';
import { formatNumber } from '../../format/numbers.ts';

const textOf = (part: 'name' | 'line'): Record<PoolId, string> =>
  Object.fromEntries(POOL_IDS.map((id) => [id, POOL_TEXT[id][part]])) as Record<PoolId, string>;

export const POOL_NAME = textOf('name');
/** What each pool looks for, in a line. */
export const POOL_LINE = textOf('line');
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
