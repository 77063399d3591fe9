/** Candles as a series of closes, without candles that have not closed. */

/** The last close at or before a time, of candles oldest first. */
export function closesOf(
  candles: readonly { time: number; close: number }[],
  intervalMs: number,
): (at: number) => number | null {
  return (at) => {
    let low = 0;
    let high = candles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((candles[middle]?.time ?? Infinity) + intervalMs <= at) low = middle + 1;
      else high = middle;
    }
    return candles[low - 1]?.close ?? null;
  };
}
