/**
 * Which coins lately stood off their peg to the dollar, told by the closes of stablecoin pairs;
 * refuses to judge a market without one.
 */
import { baseOf, quoteOf, STABLECOINS } from '../pair-coins.ts';
import { DAY_MS } from '../execution/schedule.ts';
import { indexAt } from './candle-series.ts';
import type { Series } from './candle-series.ts';

/** Further than this from one a coin has lost its peg. */
export const PEG_HALT = 0.01;
/** It has to be back for this long before anybody enters again. */
export const PEG_BACK_MS = DAY_MS;

/** The newest close that was off: of which pair, when (ms), at what price. */
interface PegBreak {
  at: number;
  witness: string;
  price: number;
}

export type PegBreaks = ReadonlyMap<string, PegBreak>;

const NONE: PegBreaks = new Map();

/**
 * One stablecoin against another or against the dollar: its price is about one, and says something
 * of both.
 */
export function isPegPair(pair: string): boolean {
  const quote = quoteOf(pair);
  return STABLECOINS.has(baseOf(pair)) && (quote === 'USD' || STABLECOINS.has(quote));
}

/**
 * Of every close the index of the newest one at or before it that was too low, and too high; −1
 * where none was.
 */
interface OffAt {
  low: Int32Array;
  high: Int32Array;
}

/** One series, one reading of it: null where it never was off. */
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
 * A reader of the pegs over one tape. A coin is off until all closes of a day were within one per
 * cent. Of a pair's base that is its own closes, low or high. Of the quote, at least half of its
 * stablecoin pairs standing too high: such a coin breaks downwards, and what is quoted in it rises.
 * A pair that is high by itself is the base's own matter.
 */
export function pegReader(series: Iterable<Series>): (at: number) => PegBreaks {
  const witnesses = [...series].filter((one) => isPegPair(one.pair));
  // Most tapes never were off: nothing is looked at then.
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
      // Since this one, half of them have stood too high.
      const since = found.sort((one, other) => other.at - one.at)[Math.ceil(count / 2) - 1];
      if (since !== undefined) breaks.set(quote, since);
    }
    return breaks.size === 0 ? NONE : breaks;
  };
}

function newest(series: Series, i: number, at: number): PegBreak | null {
  const closed = i < 0 ? Number.NEGATIVE_INFINITY : (series.closesAt[i] ?? 0);
  return at - closed >= PEG_BACK_MS
    ? null
    : { at: closed, witness: series.pair, price: series.close[i] ?? 0 };
}
