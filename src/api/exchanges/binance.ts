/** Reads public prices from Binance. */
import * as z from 'zod/mini';
import { EXCHANGES } from '../../../contract/exchanges.ts';
import { numeric, type ReadPrices } from './reading.ts';

const Tickers = z.array(
  z.object({
    symbol: z.string(),
    lastPrice: numeric,
    bidPrice: numeric,
    askPrice: numeric,
    volume: numeric,
    highPrice: numeric,
    lowPrice: numeric,
    priceChangePercent: numeric,
    closeTime: z.number(),
  }),
);
const { priceOrigin, quote } = EXCHANGES.binance;

export const readBinance: ReadPrices = async (get) => {
  const tickers = Tickers.parse(await get(`${priceOrigin}/api/v3/ticker/24hr`));
  return tickers
    .filter((t) => t.symbol.endsWith(quote))
    .map((t) => ({
      symbol: `${t.symbol.slice(0, -quote.length)}/${quote}`,
      last: t.lastPrice,
      bid: t.bidPrice,
      ask: t.askPrice,
      high: t.highPrice,
      low: t.lowPrice,
      volume: t.volume,
      change: t.priceChangePercent,
      at: t.closeTime,
    }));
};
