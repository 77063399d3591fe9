/** Points as lightweight-charts takes them. */
import type { UTCTimestamp } from 'lightweight-charts';

export const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1_000) as UTCTimestamp;

/** Ascending and without duplicates, as the library demands; the last of a second wins. */
export function ordered<T extends { time: UTCTimestamp }>(points: T[]): T[] {
  const bySecond = new Map<number, T>();
  for (const point of points) bySecond.set(point.time, point);
  return [...bySecond.values()].sort((a, b) => a.time - b.time);
}
