/**
 * The ranges that charts offer and where each begins. The server keeps the last mark before each, so
 * that a range has no result from before it.
 */

const DAY_MS = 86_400_000;

export const RANGES = ['1D', '1W', '1M', '3M', 'YTD', 'ALL'] as const;
export type Range = (typeof RANGES)[number];
const SPAN_MS: Record<Exclude<Range, 'YTD' | 'ALL'>, number> = {
  '1D': DAY_MS,
  '1W': 7 * DAY_MS,
  '1M': 30 * DAY_MS,
  '3M': 91 * DAY_MS,
};

/** The first moment (ms) of a range that ends at `end` (market clock). */
export function rangeStart(range: Range, end: number): number {
  if (range === 'ALL') return -Infinity;
  if (range === 'YTD') return Date.UTC(new Date(end).getUTCFullYear(), 0, 1);
  return end - SPAN_MS[range];
}
