/** Reads public prices from Coinbase Exchange. */
import * as z from 'zod/mini';
import { EXCHANGES } from '../../../contract/exchanges.ts';
import { numeric, type ReadPrices } from './reading.ts';

const Stats = z.record(
  z.string(),
  z.object({
    stats_24hour: z.optional(
      z.object({ open: numeric, high: numeric, low: numeric, last: numeric, volume: numeric }),
    ),
  }),
);

export const readCoinbase: ReadPrices = async (get, nowMs) => {
  const stats = Stats.parse(await get(`${EXCHANGES.coinbaseexchange.priceOrigin}/products/stats`));
  return Object.entries(stats).flatMap(([id, { stats_24hour: day }]) =>
    day === undefined
      ? []
      : [
          {
            symbol: id.replace('-', '/'),
            last: day.last,
            high: day.high,
            low: day.low,
            volume: day.volume,
            change: day.open > 0 ? (day.last / day.open - 1) * 100 : null,
            at: nowMs,
          },
        ],
  );
};
