/** Which candles were not read at an earlier tick, nor since: they are not waited for again. */
import type { Market } from '../market/market-source.ts';

/** By market, then by stretch and pair: the first tick at which they were not read, ms. */
const SINCE = new WeakMap<Market, Map<string, number>>();

export function noteUnread(market: Market, key: string, tick: number): void {
  const known = SINCE.get(market) ?? new Map<string, number>();
  SINCE.set(market, known);
  if (!known.has(key)) known.set(key, tick);
}

export function noteRead(market: Market, key: string): void {
  SINCE.get(market)?.delete(key);
}

/** That first tick; `Infinity` where they were read when they were last asked for. */
export const unreadSince = (market: Market, key: string): number =>
  SINCE.get(market)?.get(key) ?? Infinity;
