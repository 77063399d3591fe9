/** Builds candles from finer candles, aligned to the epoch. A gap in the finer ones stays a gap. */
import { faultOf } from '../../engine/signals/candle-gate.ts';
import type { Candle } from '../../engine/market-types.ts';

/** The last multiple of `intervalMs` at or before `at`. */
export const alignDown = (at: number, intervalMs: number): number =>
  Math.floor(at / intervalMs) * intervalMs;

/** The first multiple of `intervalMs` at or after `at`. */
export const alignUp = (at: number, intervalMs: number): number =>
  Math.ceil(at / intervalMs) * intervalMs;

/**
 * Groups fine candles (oldest first) into candles of `intervalMs`. A group with at least one fine
 * candle becomes a candle; an empty one stays a gap. The caller gives whole groups only: a group
 * that is cut off would look complete.
 */
export function coarser(fine: readonly Candle[], intervalMs: number): Candle[] {
  const built: Candle[] = [];
  let current: Candle | null = null;
  for (const candle of fine) {
    const time = alignDown(candle.time, intervalMs);
    if (current === null || current.time !== time) {
      current = { ...candle, time };
      built.push(current);
      continue;
    }
    current.high = Math.max(current.high, candle.high);
    current.low = Math.min(current.low, candle.low);
    current.close = candle.close;
    current.volume += candle.volume;
  }
  return built;
}

/** Index of the first candle whose `time` is at or after `time`. */
export function firstAtOrAfter(candles: readonly Candle[], time: number): number {
  let low = 0;
  let high = candles.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((candles[middle]?.time ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A candle a venue may have sent: finite, positive prices, `low <= open, close <= high`, volume not
 * negative.
 */
export function isSaneCandle(candle: Candle): boolean {
  return faultOf(candle) === null;
}
