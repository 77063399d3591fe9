/** Ranks pairs by return for their risk, at set moments and not in between. */
/*
 * Rule: a list formed at a moment, by return ÷ (daily σ·√days); z is the distance from its mean in
 * its own standard deviations. Enters the top fifth, leaves below the top two fifths, and holds in
 * between.
 * Source: Liu, Tsyvinski and Wu 2022, cross-sectional momentum; the buffer keeps a pair on the edge
 * from paying fees at each list.
 * Parameters: 0.2 and 0.4; at least 90 % of the window (strategy.ts); quality is its share.
 */
import {
  deviation,
  logReturn,
  mean,
  firstCloseAt,
  volatilityAt,
} from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import { DAY_MS } from '../execution/schedule.ts';
import type { Signal } from '../signals/signal.ts';
import { COVERAGE_MIN, noOpinion, rankByScore, signalOf } from './strategy.ts';
import type { StrategyInput, Verdict } from './strategy.ts';

export const ENTER_SHARE = 0.2;
export const KEEP_SHARE = 0.4;

interface Score {
  value: number;
  daily: number;
  quality: number;
}

/**
 * Ranks by return ÷ (daily σ·√days) at `formedAt`: enters the top fifth (rounded up), leaves below
 * the top two fifths. z is the distance from the mean of the list in its own standard deviations,
 * so a ranking takes two pairs at least.
 */
export function rankedAt(
  { pairs, at }: StrategyInput,
  formedAt: number,
  days: number,
): Map<string, Signal> {
  const { centre, ranks, scores, spread } = listAt(pairs, formedAt, days);
  const signals = new Map<string, Signal>();
  for (const [pair, series] of pairs) {
    const score = scores.get(pair);
    let verdict = noOpinion(score ? 'too_few_pairs' : 'too_little_history', score?.daily ?? null);
    if (score && centre !== null && spread !== null && spread > 0) {
      verdict = judge(
        score,
        (score.value - centre) / spread,
        ranks.get(pair) ?? ranks.size,
        ranks.size,
      );
    }
    verdict.dailyVolatility = volatilityAt(series, at)?.daily ?? verdict.dailyVolatility;
    signals.set(pair, signalOf(pair, series, at, verdict, { formedAt }));
  }
  return signals;
}

interface List {
  formedAt: number;
  days: number;
  scores: Map<string, Score>;
  ranks: Map<string, number>;
  centre: number | null;
  spread: number | null;
}

/**
 * The newest lists of each set of pairs, which must not change afterwards: a list holds until the
 * next one is formed.
 */
const LISTS = new WeakMap<StrategyInput['pairs'], List[]>();
const LISTS_MAX = 4;

function listAt(pairs: StrategyInput['pairs'], formedAt: number, days: number): List {
  const lists = LISTS.get(pairs) ?? [];
  const known = lists.find((list) => list.formedAt === formedAt && list.days === days);
  if (known) return known;
  const scores = new Map<string, Score>();
  for (const [pair, series] of pairs) {
    const score = scoreOf(series, formedAt, days);
    if (score) scores.set(pair, score);
  }
  const values = [...scores.values()].map((score) => score.value);
  const list: List = {
    formedAt,
    days,
    scores,
    ranks: rankByScore(new Map([...scores].map(([pair, score]) => [pair, score.value]))),
    centre: mean(values),
    spread: deviation(values),
  };
  LISTS.set(pairs, [list, ...lists].slice(0, LISTS_MAX));
  return list;
}

function judge(score: Score, z: number, rank: number, ranked: number): Verdict {
  const enter = rank < Math.ceil(ranked * ENTER_SHARE);
  const leave = rank >= Math.ceil(ranked * KEEP_SHARE);
  return {
    z,
    quality: score.quality,
    enter,
    leave,
    dailyVolatility: score.daily,
    reason: enter ? 'in_top' : 'not_in_top',
  };
}

/**
 * Where history begins inside the window it is used from there, at a quality of what there is; null
 * under 90 % of it.
 */
function scoreOf(series: Series, at: number, wantedDays: number): Score | null {
  const start = firstCloseAt(series);
  const volatility = volatilityAt(series, at);
  if (start === null || !volatility) return null;
  const days = Math.min(wantedDays, Math.floor((at - start) / DAY_MS));
  const coverage = days / wantedDays;
  const change = coverage < COVERAGE_MIN ? null : logReturn(series, at, days);
  if (change === null) return null;
  return {
    value: change / (volatility.daily * Math.sqrt(days)),
    daily: volatility.daily,
    quality: Math.min(coverage, volatility.quality),
  };
}
