/**
 * One door to the strategies: pool and candles in, one signal a pair out; refuses candles that
 * close after `at`.
 */
import type { PoolId, TradingFrequency } from '../../contract/agents.ts';
import { DAY_MS, lastMonday, monthStart } from '../execution/schedule.ts';
import { VOLATILITY_DAYS } from './candle-series.ts';
import type { Series } from './candle-series.ts';
import { allPools } from '../strategies/all-pools.ts';
import { baseEcosystem } from '../strategies/base-ecosystem.ts';
import { momentum24h } from '../strategies/momentum-24h.ts';
import { stablecoinArbitrage } from '../strategies/stablecoin-arbitrage.ts';
import { LONG_HAUL_DAYS } from '../strategies/strategy.ts';
import type { StrategyInput } from '../strategies/strategy.ts';
import { weeklyLeaders } from '../strategies/weekly-leaders.ts';
import { ytdChampions, ytdDays } from '../strategies/ytd-champions.ts';
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
 * Longest history without which a strategy cannot begin: 90 days of return, and one day more so
 * that the first daily return has a close to start from. The monthly list also uses the year to
 * date where there is more; where there is less it waits for its next forming.
 */
export const LONGEST_WARM_UP_MS = (LONG_HAUL_DAYS + 1) * DAY_MS;

/**
 * How far back from `at` (ms) the signals of a pool can make use of; less only lowers their
 * quality.
 */
export function lookbackMs(pool: PoolId, at: number, horizon: Horizon = 'usual'): number {
  const margin = DAY_MS;
  // Correlation is read at the midnight before: a day more than volatility.
  const recent = (VOLATILITY_DAYS + 1) * DAY_MS;
  const month = at - monthStart(at);
  const longHaul = horizon === 'long-haul' ? LONG_HAUL_DAYS * DAY_MS : 0;
  switch (pool) {
    case 'base_ecosystem':
    case 'momentum_24h':
    case 'stablecoin_arbitrage':
      return Math.max(longHaul, recent) + margin;
    case 'weekly_leaders':
      return at - lastMonday(at) + Math.max(longHaul, recent) + margin;
    case 'ytd_champions':
    case 'all_pools':
      return month + ytdDays(monthStart(at)) * DAY_MS + margin;
  }
}

const STRATEGIES: Record<PoolId, (input: StrategyInput) => Map<string, Signal>> = {
  base_ecosystem: baseEcosystem,
  momentum_24h: momentum24h,
  weekly_leaders: weeklyLeaders,
  ytd_champions: ytdChampions,
  stablecoin_arbitrage: stablecoinArbitrage,
  all_pools: allPools,
};

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
  return STRATEGIES[pool]({ pairs: series, at, horizon });
}
