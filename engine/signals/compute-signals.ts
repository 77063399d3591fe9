/** Computes the signals of a pool, and says how much history they take. */
import type { PoolId, TradingFrequency } from '../../contract/agents.ts';
import { DAY_MS } from '../execution/schedule.ts';
import type { Series } from './candle-series.ts';
import { STRATEGIES } from '../strategies/registry.ts';
import { LONG_HAUL_DAYS, recentHistoryMs } from '../strategies/strategy.ts';
import type { StrategyInput } from '../strategies/strategy.ts';
import type { Signal } from './signal.ts';

/** `long-haul` agents judge by 90 days, whatever the pool's own windows are. */
export type Horizon = StrategyInput['horizon'];

export function horizonOf(frequency: TradingFrequency): Horizon {
  return frequency === 'long-haul' ? 'long-haul' : 'usual';
}

/** Agents with the same key share one computation per tick. */
export function signalKey(
  pool: PoolId,
  pairs: readonly string[],
  frequency: TradingFrequency,
): string {
  return `${pool}|${horizonOf(frequency)}|${[...pairs].sort().join(',')}`;
}

/**
 * The longest history that a strategy needs to begin: 90 days of returns, and one day more so that
 * the first daily return has a close to start from. The monthly list also uses the year to date
 * where there is more; where there is less it waits for its next ranking.
 */
export const LONGEST_WARM_UP_MS = (LONG_HAUL_DAYS + 1) * DAY_MS;

/**
 * How far back from `at` (ms) candles can change the signals of a pool; fewer only lower their
 * quality.
 */
export function lookbackMs(pool: PoolId, at: number, horizon: Horizon = 'usual'): number {
  const { lookbackMs: own } = STRATEGIES[pool];
  return (own?.(at, horizon) ?? recentHistoryMs(horizon)) + DAY_MS;
}

/**
 * Signals of every pair of the map at `at` (ms), on candles closed by then. Pairs are ranked within
 * the map.
 */
export function computeSignals(
  pool: PoolId,
  series: ReadonlyMap<string, Series>,
  at: number,
  horizon: Horizon = 'usual',
): Map<string, Signal> {
  return STRATEGIES[pool].signals({ pairs: series, at, horizon });
}
