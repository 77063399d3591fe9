/** Candles for what happened while nobody watched, as fine as the source has them that far back. */
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Candle } from '../../engine/market-types.ts';
import { alignDown, alignUp } from './candle-building.ts';
import type { Market } from './market-source.ts';

const HOUR = INTERVAL_MS['1h'];

/**
 * From `since` (ms) to now: base candles, and hours before the first that the source still has. An
 * hour's extremes are those of its base candles. The first candle may begin before `since`.
 */
export async function candlesSince(
  market: Market,
  pair: string,
  since: number,
): Promise<{ hours: Candle[]; base: Candle[] }> {
  const interval = market.baseInterval;
  const start = alignDown(since, INTERVAL_MS[interval]);
  const baseFrom = Math.max(start, alignUp(market.oldest?.(interval) ?? 0, HOUR));
  const [hours, base] = await Promise.all([
    baseFrom > start ? market.candles(pair, '1h', alignDown(start, HOUR), baseFrom) : [],
    market.candles(pair, interval, baseFrom, market.now()),
  ]);
  return { hours, base };
}
