/**
 * The moments at which candles open, over every pair, and the candle each pair has there, in typed
 * arrays.
 */
import { indexAt } from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';

export interface Timeline {
  /** ms, ascending. */
  readonly opens: Float64Array;
  /**
   * How long the longest candle lasts that opens there, ms, and no longer than until the next
   * moment.
   */
  readonly lengths: Float64Array;
  /** How long it is until the next moment, ms: longer than the candle where some are missing. */
  readonly spans: Float64Array;
  /**
   * By pair, in the order given: index of its newest candle that opens there or before; −1 before
   * its first.
   */
  readonly bars: readonly Int32Array[];
  /** Candles in all. */
  readonly candles: number;
}

/** Every moment in [from, to) at which some pair's candle opens. */
export function makeTimeline(series: readonly Series[], from: number, to: number): Timeline {
  const first = series.map((one) => firstOpening(one, from));
  const [only] = series;
  const opens =
    series.length === 1 && only
      ? only.opensAt.subarray(first[0] ?? 0, firstOpening(only, to))
      : merged(series, first, to);
  const lengths = new Float64Array(opens.length);
  const bars = series.map(() => new Int32Array(opens.length));
  let candles = 0;
  series.forEach(({ closesAt, opensAt }, pair) => {
    const mine = bars[pair] ?? new Int32Array(0);
    let next = first[pair] ?? 0;
    for (let k = 0; k < opens.length; k += 1) {
      const open = opens[k] ?? 0;
      if (opensAt[next] === open) {
        const length = (closesAt[next] ?? open) - open;
        if (length > (lengths[k] ?? 0)) lengths[k] = length;
        next += 1;
        candles += 1;
      }
      mine[k] = next > (first[pair] ?? 0) ? next - 1 : -1;
    }
  });
  const spans = new Float64Array(opens.length);
  for (let k = 0; k < opens.length; k += 1) {
    const length = lengths[k] ?? 0;
    const span = k + 1 < opens.length ? (opens[k + 1] ?? 0) - (opens[k] ?? 0) : length;
    spans[k] = span;
    if (span < length) lengths[k] = span;
  }
  return { opens, lengths, spans, bars, candles };
}

/** Index of the first candle that opens at or after `at`. */
function firstOpening(series: Series, at: number): number {
  let i = indexAt(series, at) + 1;
  while (i < series.length && (series.opensAt[i] ?? 0) < at) i += 1;
  return i;
}

function merged(series: readonly Series[], first: readonly number[], to: number): Float64Array {
  const next = [...first];
  const opens = new Float64Array(
    series.reduce((total, one, pair) => total + Math.max(0, one.length - (first[pair] ?? 0)), 0),
  );
  let count = 0;
  for (;;) {
    let open = to;
    for (let pair = 0; pair < series.length; pair += 1)
      open = Math.min(open, series[pair]?.opensAt[next[pair] ?? 0] ?? to);
    if (open >= to) return opens.subarray(0, count);
    opens[count] = open;
    count += 1;
    for (let pair = 0; pair < series.length; pair += 1)
      if (series[pair]?.opensAt[next[pair] ?? 0] === open) next[pair] = (next[pair] ?? 0) + 1;
  }
}
