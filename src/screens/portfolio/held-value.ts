/** Buy-and-hold for the equity chart, or the reason why there is none. */
import type { Analytics } from '../../../contract/trading.ts';

type Points = readonly (readonly [number, string])[];
type Read = Pick<Analytics, 'benchmark' | 'benchmarkUnread'> | null;

/** The price of a pair at a moment, market clock ms. */
export interface PriceNow {
  price: string;
  at: number;
}

/**
 * `priceNow`: the current price, if it is newer than the data: the line then ends with the
 * account's.
 */
export function heldOf(
  analytics: Read,
  priceNow: (pair: string) => PriceNow | null = () => null,
): { name: string; points: Points } | null {
  const benchmark = analytics?.benchmark;
  if (benchmark == null) return null;
  const { pair, price, points } = benchmark;
  const now = priceNow(pair);
  const [first, last] = [points[0], points.at(-1)];
  const later = now !== null && first !== undefined && last !== undefined && now.at > last[0];
  const end = later
    ? [[now.at, ((Number(first[1]) * Number(now.price)) / price).toFixed(2)] as const]
    : [];
  return { name: `${pair.split('/')[0] ?? ''} held`, points: [...points, ...end] };
}

export function whyNotHeld(analytics: Read, quote: string): string {
  if (analytics === null) return 'Buy-and-hold not loaded yet';
  if (analytics.benchmark === undefined) return 'Buy-and-hold available after the next update';
  if (analytics.benchmarkUnread === true) return 'Buy-and-hold prices unavailable right now';
  return `No BTC/${quote} price yet`;
}
