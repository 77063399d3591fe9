/**
 * What every strategy is given and what it builds its answer from; refuses to know agents or
 * thresholds.
 */
import { strengthOf } from '../signals/normal-distribution.ts';
import { closeAt } from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import type { Signal } from '../signals/signal.ts';

export interface StrategyInput {
  /** Pairs to judge; rankings are within these. */
  pairs: ReadonlyMap<string, Series>;
  /** Nothing that closes after this moment (ms) is read. */
  at: number;
  /** `long-haul` judges by 90 days in place of the strategy's own windows. */
  horizon: 'usual' | 'long-haul';
}

/**
 * A strategy over a whole tape: what is worth reckoning once is, and at any moment (ms, none before
 * the last asked for) it gives of each pair the signal that the strategy gives there. It is good
 * until the next moment is asked for.
 */
export type Sweep = (
  pairs: ReadonlyMap<string, Series>,
  horizon: StrategyInput['horizon'],
) => (at: number, pair: string) => Signal | null;

export const LONG_HAUL_DAYS = 90;

/** Under this share of the days it needs a strategy has no opinion. */
export const COVERAGE_MIN = 0.9;

export interface Verdict {
  z: number | null;
  quality: number;
  enter: boolean;
  leave: boolean;
  dailyVolatility: number | null;
  reason: string;
}

/** A verdict as a signal, with its strength and the close it was judged on. */
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

/** No opinion: neither in nor out. Whatever is held stays under its stop. */
export function noOpinion(reason: string, dailyVolatility: number | null = null): Verdict {
  return { z: null, quality: 0, enter: false, leave: false, dailyVolatility, reason };
}

/**
 * Rank of each pair by score, 0 the highest; ties in order of name, so that a rank never depends on
 * the order given.
 */
export function rankByScore(scores: ReadonlyMap<string, number>): Map<string, number> {
  const ordered = [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Map(ordered.map(([pair], rank) => [pair, rank]));
}
