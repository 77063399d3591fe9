/** What an agent can lose with real money: at its stops, and where prices gap past them. */
import type { LiveAccount } from '../../../../contract/live.ts';
import type { LiveLimits } from '../../../../contract/live-state.ts';
import type { MarketSource } from '../../../../contract/market.ts';
import {
  add,
  basisPoints,
  formatFixed,
  minimum,
  multiply,
  negate,
  parseFixed,
  subtract,
  sum,
} from '../../../../contract/money.ts';
import { positionLimit, type RiskNumbers } from '../../agents/agent-risk.ts';

export interface LiveRisk {
  /** The most it holds of one pair. */
  position: string;
  /** The most it holds at once, over all pairs. */
  atOnce: string;
  /** Lost if every stop fills at its price, with the fee rate given on both sides; negative. */
  atStops: string;
  /** Lost if what is held becomes worthless before a stop fills; negative. */
  inGap: string;
}

/**
 * What a taker pays at the account's exchange, basis points. Null where it is not known: prices may
 * come from another exchange, and its rate says nothing of this one.
 */
export const takerFeeBps = (
  source: Pick<MarketSource, 'id' | 'feeBps'> | undefined,
  exchange: string | undefined,
): number | null => (source?.id === exchange ? (source?.feeBps ?? null) : null);

const percent = (value: number) => multiply(parseFixed(String(value)), parseFixed('0.01'), 'up');

/**
 * What agents of an account are sized by: its cash and what they hold. Coins that are the person's
 * own are left out, as the server leaves them out. Null where something held has no price.
 */
export function equityOfAgents({
  cash,
  positions,
  quote,
}: Pick<LiveAccount, 'cash' | 'positions' | 'quote'>): string | null {
  const values = positions.flatMap(({ value }) => value ?? []);
  if (values.length < positions.length) return null;
  const money = cash.find(({ asset }) => asset === quote)?.amount ?? '0';
  return formatFixed(sum([money, ...values].map(parseFixed)));
}

/** `equity`: what agents of the account are sized by, in its quote currency. */
export function liveRisk(
  agent: { max_position_size: number; trading_pairs: readonly unknown[] },
  equity: string,
  limits: LiveLimits,
  risk: Pick<RiskNumbers, 'position' | 'stop' | 'perTrade'>,
  feeBps: number,
): LiveRisk {
  const value = parseFixed(equity);
  const exposure = parseFixed(limits.maxExposure);
  const position = minimum(
    minimum(
      parseFixed(String(agent.max_position_size)),
      multiply(value, percent(positionLimit(risk)), 'up'),
    ),
    exposure,
  );
  const pairs = parseFixed(String(Math.max(1, agent.trading_pairs.length)));
  const atOnce = minimum(minimum(multiply(position, pairs, 'up'), exposure), value);
  const fall = multiply(atOnce, percent(risk.stop), 'up');
  const fee = parseFixed(String(feeBps));
  const bought = basisPoints(atOnce, fee, 'up');
  const sold = basisPoints(subtract(atOnce, fall), fee, 'up');
  return {
    position: formatFixed(position),
    atOnce: formatFixed(atOnce),
    atStops: formatFixed(negate(add(fall, add(bought, sold)))),
    inGap: formatFixed(negate(add(atOnce, bought))),
  };
}
