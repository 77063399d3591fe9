/** Finds coins that lately were off their dollar peg, from the closes of stablecoin pairs. */
import { baseOf, quoteOf, STABLECOINS } from '../pair-coins.ts';
import { DAY_MS } from '../execution/schedule.ts';
import { indexAt } from './candle-series.ts';
import type { Series } from './candle-series.ts';

/** Further than this from one, a coin is off its peg. */
export const PEG_HALT = 0.01;
/** How long it has to be back before an agent may enter again. */
export const PEG_BACK_MS = DAY_MS;

/** The newest close that was off: of which pair, when (ms), at what price. */
interface PegBreak {
  at: number;
  witness: string;
  price: number;
}

/** By coin; null where its pairs could not be read, or not in time, and nobody knows. */
export type PegBreaks = ReadonlyMap<string, PegBreak | null>;

const NONE: PegBreaks = new Map();

/**
 * Whether a pair is one stablecoin against another or against the dollar: its price is about one
 * and tells of both.
 */
export function isPegPair(pair: string): boolean {
  const quote = quoteOf(pair);
  return STABLECOINS.has(baseOf(pair)) && (quote === 'USD' || STABLECOINS.has(quote));
}

/**
 * For every close, the index of the newest one up to it that was too low, and too high; −1 where
 * none was.
 */
interface OffAt {
  low: Int32Array;
  high: Int32Array;
}

/** Computed once per series; null where it was never off. */
const READ = new WeakMap<Series, OffAt | null>();

function offAt(series: Series): OffAt | null {
  const known = READ.get(series);
  if (known !== undefined) return known;
  const low = new Int32Array(series.length);
  const high = new Int32Array(series.length);
  let [newestLow, newestHigh] = [-1, -1];
  for (let i = 0; i < series.length; i += 1) {
    const price = series.close[i] ?? 1;
    if (price < 1 - PEG_HALT) newestLow = i;
    if (price > 1 + PEG_HALT) newestHigh = i;
    low[i] = newestLow;
    high[i] = newestHigh;
  }
  const read = newestLow < 0 && newestHigh < 0 ? null : { low, high };
  READ.set(series, read);
  return read;
}

/**
 * Reads the pegs over one tape. A coin is off its peg until all closes of a day were within one per
 * cent. For a pair's base its own closes count, low or high. A quote coin is off when at least half
 * of its stablecoin pairs are too high: such a coin breaks downwards, and prices quoted in it rise.
 * A single pair that is too high is a matter of its base.
 */
export function pegReader(series: Iterable<Series>): (at: number) => PegBreaks {
  const witnesses = [...series].filter((one) => isPegPair(one.pair));
  // Most tapes are never off: a shortcut.
  if (witnesses.every((one) => offAt(one) === null)) return () => NONE;
  return (at) => {
    const breaks = new Map<string, PegBreak>();
    const highs = new Map<string, { count: number; found: PegBreak[] }>();
    for (const one of witnesses) {
      const i = indexAt(one, at);
      const off = offAt(one);
      const low = newest(one, off?.low[i] ?? -1, at);
      const high = newest(one, off?.high[i] ?? -1, at);
      const latest =
        low !== null && high !== null ? (low.at > high.at ? low : high) : (low ?? high);
      if (latest !== null) breaks.set(baseOf(one.pair), latest);
      const quote = quoteOf(one.pair);
      if (!STABLECOINS.has(quote)) continue;
      const asked = highs.get(quote) ?? { count: 0, found: [] };
      highs.set(quote, {
        count: asked.count + 1,
        found: high === null ? asked.found : [...asked.found, high],
      });
    }
    for (const [quote, { count, found }] of highs) {
      // Since this close at least half of them have been too high.
      const since = found.sort((one, other) => other.at - one.at)[Math.ceil(count / 2) - 1];
      if (since !== undefined) breaks.set(quote, since);
    }
    return breaks.size === 0 ? NONE : breaks;
  };
}

/**
 * The same where some witnesses were not read: each one's base is unknown, and a quote coin is where
 * at least half of its pairs are.
 */
export function withUnread(
  breaks: PegBreaks,
  witnesses: readonly string[],
  unread: readonly string[],
): PegBreaks {
  if (unread.length === 0) return breaks;
  const all = new Map(breaks);
  for (const pair of unread) {
    const quote = quoteOf(pair);
    const isOf = (one: string): boolean => quoteOf(one) === quote;
    const isQuoteUnknown =
      STABLECOINS.has(quote) && unread.filter(isOf).length * 2 >= witnesses.filter(isOf).length;
    for (const coin of [baseOf(pair), ...(isQuoteUnknown ? [quote] : [])])
      all.set(coin, all.get(coin) ?? null);
  }
  return all;
}

function newest(series: Series, i: number, at: number): PegBreak | null {
  const closed = i < 0 ? Number.NEGATIVE_INFINITY : (series.closesAt[i] ?? 0);
  return at - closed >= PEG_BACK_MS
    ? null
    : { at: closed, witness: series.pair, price: series.close[i] ?? 0 };
}
