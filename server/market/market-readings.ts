/** Readings of the market: one chart page for everybody who looks at it within a second. */
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { pricesOf, type Readings } from '../reads/reading.ts';
import { chartTurnsOf } from './chart-turns.ts';
import { readCandles } from './market-handlers.ts';
import type { Market } from './market-source.ts';

/** A source may bring a candle late: a page is read again after this, on the market's clock. */
const LATE_MS = 60_000;

export function marketReadings(market: Market): Readings {
  const turns = chartTurnsOf(market);
  return {
    candles: async ({ caller, query }) => {
      const now = market.now();
      const closed = Math.floor(now / Math.min(LATE_MS, INTERVAL_MS[market.finestInterval]));
      return {
        validator: `${closed} ${query.before === undefined ? pricesOf(market, [query.symbol]) : ''}`,
        forEverybody: true,
        reply: () => readCandles(market, turns, caller.uid, query),
      };
    },
  };
}
