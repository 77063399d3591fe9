/**
 * What a strategy is: its rule, its coins and its words; and what a signal is built from. A
 * strategy knows nothing of agents and their thresholds.
 */
import type { PoolId, UserRiskProfile } from '../../contract/agents.ts';
import { DAY_MS } from '../execution/schedule.ts';
import { strengthOf } from '../signals/normal-distribution.ts';
import { closeAt, VOLATILITY_DAYS } from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import type { Signal } from '../signals/signal.ts';

export interface StrategyInput {
  /** Pairs to judge; rankings are among these. */
  pairs: ReadonlyMap<string, Series>;
  /** Nothing that closes after this moment (ms) is read. */
  at: number;
  /** `long-haul` judges by 90 days in place of the strategy's own windows. */
  horizon: 'usual' | 'long-haul';
}

/**
 * A list of base symbols as curated at a date, so that a backtest trades what was listed then.
 */
export interface UniverseVersion {
  version: number;
  /** In force from this moment, ms UTC. */
  from: number;
  bases: readonly string[];
}

/** A strategy and the pool that trades by it. */
export interface Strategy {
  readonly id: PoolId;
  readonly name: string;
  readonly risk: 'Low' | 'Medium' | 'High';
  readonly universe: readonly UniverseVersion[];
  readonly description: string;
  /** What the strategy does, in words that promise nothing. */
  readonly about: {
    readonly enters: string;
    readonly leaves: string;
    readonly looks: string;
    readonly risks: readonly string[];
  };
  /** The most careful profile that it suits; it suits the bolder ones too. */
  readonly suits: UserRiskProfile;
  /** One signal for each pair of the input. */
  readonly signals: (input: StrategyInput) => Map<string, Signal>;
  /**
   * How far back from `at` (ms) candles can change a signal; without it, as far as volatility and
   * the horizon do.
   */
  readonly lookbackMs?: (at: number, horizon: StrategyInput['horizon']) => number;
}

/** History of volatility and correlation, and of the 90 days that `long-haul` judges by. */
export function recentHistoryMs(horizon: StrategyInput['horizon']): number {
  // Correlation is read at the midnight before: a day more than volatility.
  const recent = (VOLATILITY_DAYS + 1) * DAY_MS;
  return horizon === 'long-haul' ? Math.max(LONG_HAUL_DAYS * DAY_MS, recent) : recent;
}

/**
 * A strategy over a whole tape: it precomputes what it can, and returns the same signals as the
 * strategy at each moment (ms). Moments must be read in order; a signal is valid until the next
 * moment is read.
 */
export type Sweep = (
  pairs: ReadonlyMap<string, Series>,
  horizon: StrategyInput['horizon'],
) => (at: number, pair: string) => Signal | null;

export const LONG_HAUL_DAYS = 90;

/** With less than this share of the days it needs, a strategy has no opinion. */
export const COVERAGE_MIN = 0.9;

export interface Verdict {
  z: number | null;
  quality: number;
  enter: boolean;
  leave: boolean;
  dailyVolatility: number | null;
  reason: string;
}

/** A verdict as a signal, with its strength and the close it is based on. */
export function signalOf(
  pair: string,
  series: Series,
  at: number,
  verdict: Verdict,
  more: Pick<Signal, 'formedAt' | 'deviation' | 'edge'> = {},
): Signal {
  const { dailyVolatility, enter, leave, quality, reason, z } = verdict;
  const signal: Signal = {
    pair,
    z,
    strength: strengthOf(z, quality),
    quality,
    enter,
    leave,
    dailyVolatility,
    reason,
  };
  const price = closeAt(series, at);
  if (price !== null) signal.price = price;
  if (more.formedAt !== undefined) signal.formedAt = more.formedAt;
  if (more.deviation !== undefined) signal.deviation = more.deviation;
  if (more.edge !== undefined) signal.edge = more.edge;
  return signal;
}

/** No opinion: neither entry nor exit. A position stays under its stop. */
export function noOpinion(reason: string, dailyVolatility: number | null = null): Verdict {
  return { z: null, quality: 0, enter: false, leave: false, dailyVolatility, reason };
}

/**
 * Rank of each pair by score, 0 the highest; ties by name, so that a rank never depends on the
 * order given.
 */
export function rankByScore(scores: ReadonlyMap<string, number>): Map<string, number> {
  const ordered = [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Map(ordered.map(([pair], rank) => [pair, rank]));
}
