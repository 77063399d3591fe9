/** What the account would be worth if one coin had been bought and held since its first price. */
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Benchmark } from '../../contract/trading.ts';
import { DAY_MS, HOUR_MS } from '../../engine/execution/schedule.ts';
import type { Market } from '../market/market-source.ts';
import { candlesInTime } from '../market/candles-in-time.ts';
import { closesOf } from '../market/kept-series.ts';

const COIN = 'BTC';
/** A price older than this is not the price of the first moment: the source has a hole there. */
const FIRST_WITHIN_MS = 2 * HOUR_MS;
/**
 * The finest candles are asked for in two short stretches alone: around the first moment and over
 * the last day.
 */
const FINE_MS = DAY_MS;
/** As long as the curve has several marks a day: the last close of a day is not their price. */
const HOURLY_MS = 32 * DAY_MS;

type Points = readonly (readonly [number, string])[];
type PriceAt = (at: number) => number | null;

/** `unread`: not there in time. Null where the source does not offer the coin. */
export type HeldPrices = PriceAt | 'unread' | null;

const pairOf = (quote: string): string => `${COIN}/${quote}`;

/**
 * The coin's price at each moment of a curve, from the finest candles that reach it; null before the
 * first known price.
 */
export async function readHeldPrices(
  market: Market,
  quote: string,
  first: number,
  last: number,
): Promise<HeldPrices> {
  const pair = pairOf(quote);
  if (market.rules(pair) === null) return null;
  const fine = market.baseInterval;
  const oldest = first - FIRST_WITHIN_MS;
  const read = async (interval: CandleInterval, from: number, to: number) => {
    const length = INTERVAL_MS[interval];
    const candles = await candlesInTime(market, pair, interval, from, to);
    if (candles === null) return 'unread';
    // A close from before that says nothing of this account's time.
    return closesOf(
      candles.filter(({ time }) => time + length >= oldest),
      length,
    );
  };
  const fineFrom = Math.max(first, last - FINE_MS) - INTERVAL_MS[fine];
  const hourFrom = Math.max(first, last - HOURLY_MS) - HOUR_MS;
  const [start, recent, hourly, daily] = await Promise.all([
    read(fine, oldest, first),
    read(fine, fineFrom, last),
    hourFrom + HOUR_MS < fineFrom ? read('1h', hourFrom, last) : null,
    first < hourFrom ? read('1d', first - DAY_MS, last) : null,
  ]);
  if (start === 'unread' || recent === 'unread' || hourly === 'unread' || daily === 'unread')
    return 'unread';
  return (at) => {
    if (at <= first) return start(at);
    return (
      (at > fineFrom ? recent(at) : null) ??
      (at > hourFrom ? hourly?.(at) : null) ??
      daily?.(at) ??
      start(first)
    );
  };
}

/**
 * At the moments of the account's own curve, so that the two lines can be read at one place: from
 * its first moment on, or from the first one that has a price. Null where none has.
 */
export function benchmarkOf(quote: string, curve: Points, priceAt: PriceAt): Benchmark | null {
  const last = curve.at(-1)?.[0];
  if (last === undefined) return null;
  const from = curve.findIndex(([at]) => (priceAt(at) ?? 0) > 0);
  const [since, worth] = curve[from] ?? [];
  const price = since === undefined ? null : priceAt(since);
  if (since === undefined || price === null) return null;
  const equity = Number(worth);
  const points = curve
    .slice(from)
    .map(([at]): [number, string] => [at, (equity * ((priceAt(at) ?? price) / price)).toFixed(2)]);
  return {
    pair: pairOf(quote),
    since,
    price,
    points,
    totalReturn: (priceAt(last) ?? price) / price - 1,
  };
}
