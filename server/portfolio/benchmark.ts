/** What the account's first equity would be worth in one coin bought and held; refuses a price that was not there at the first moment. */
import { INTERVAL_MS, type CandleInterval } from '../../contract/market.ts';
import type { Benchmark } from '../../contract/trading.ts';
import { DAY_MS, HOUR_MS } from '../../engine/schedule.ts';
import type { Market } from '../market/market.ts';
import { closesOf } from '../market/series.ts';

const COIN = 'BTC';
/** A first price older than this is not the price of that moment: the source has a hole there. */
const FIRST_WITHIN_MS = 2 * HOUR_MS;
/** The finest candles are asked for in two short stretches alone: around the first moment and over the last day. */
const FINE_MS = DAY_MS;
const HOURLY_MS = 8 * DAY_MS;

type Points = readonly (readonly [number, string])[];

async function pricesOf(market: Market, pair: string, first: number, last: number): Promise<(at: number) => number | null> {
  const fine = market.baseInterval;
  const read = async (interval: CandleInterval, from: number, to: number) => closesOf(await market.candles(pair, interval, from, to), INTERVAL_MS[interval]);
  const fineFrom = Math.max(first, last - FINE_MS) - INTERVAL_MS[fine];
  const hourFrom = Math.max(first, last - HOURLY_MS) - HOUR_MS;
  const [start, recent, hourly, daily] = await Promise.all([
    read(fine, first - FIRST_WITHIN_MS, first), read(fine, fineFrom, last),
    hourFrom + HOUR_MS < fineFrom ? read('1h', hourFrom, last) : null,
    first < hourFrom ? read('1d', first - DAY_MS, last) : null,
  ]);
  return (at) => (at <= first ? start(at) : (at > fineFrom ? recent(at) : null) ?? (at > hourFrom ? hourly?.(at) : null) ?? daily?.(at) ?? start(first));
}

/** At the moments of the account's own curve, so that the two lines can be read at one place; null where the source cannot say. */
export async function readBenchmark(market: Market, quote: string, curve: Points): Promise<Benchmark | null> {
  const pair = `${COIN}/${quote}`;
  const [first] = curve;
  const last = curve.at(-1);
  if (first === undefined || last === undefined || market.rules(pair) === null) return null;
  const priceAt = await pricesOf(market, pair, first[0], last[0]);
  const price = priceAt(first[0]);
  if (price === null || price <= 0) return null;
  const equity = Number(first[1]);
  const points = curve.map(([at]): [number, string] => [at, (equity * ((priceAt(at) ?? price) / price)).toFixed(2)]);
  return { pair, since: first[0], price, points, totalReturn: (priceAt(last[0]) ?? price) / price - 1 };
}
