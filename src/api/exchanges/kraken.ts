/** Reads public prices from Kraken. */
import * as z from 'zod/mini';
import { EXCHANGES } from '../../../contract/exchanges.ts';
import { numeric, type ReadPrices } from './reading.ts';

const Pairs = z.object({
  result: z.record(z.string(), z.object({ wsname: z.optional(z.string()) })),
});
const Tickers = z.object({
  result: z.record(
    z.string(),
    z.object({
      a: z.array(numeric),
      b: z.array(numeric),
      c: z.array(numeric),
      v: z.array(numeric),
      l: z.array(numeric),
      h: z.array(numeric),
    }),
  ),
});

export const readKraken: ReadPrices = async (get, nowMs) => {
  const [pairs, tickers] = await Promise.all([
    get(`${EXCHANGES.kraken.priceOrigin}/0/public/AssetPairs`),
    get(`${EXCHANGES.kraken.priceOrigin}/0/public/Ticker`),
  ]);
  const names = Pairs.parse(pairs).result;
  return Object.entries(Tickers.parse(tickers).result).map(([id, t]) => ({
    symbol: (names[id]?.wsname ?? '').replace(/^XBT\//, 'BTC/').replace(/^XDG\//, 'DOGE/'),
    last: t.c[0] ?? NaN,
    bid: t.b[0] ?? NaN,
    ask: t.a[0] ?? NaN,
    high: t.h[1] ?? NaN,
    low: t.l[1] ?? NaN,
    volume: t.v[1] ?? NaN,
    // Kraken's open is today's, not that of 24 hours ago: no change is better than a wrong one.
    change: null,
    at: nowMs,
  }));
};
