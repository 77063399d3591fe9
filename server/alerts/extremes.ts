/**
 * The lowest and highest price of each minute of the last day for one symbol, and so of any window
 * up to a day.
 */
import type { Fixed } from '../../contract/money.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

interface Bucket {
  low: Fixed;
  high: Fixed;
}

export interface Range {
  low: Fixed;
  high: Fixed;
}

/**
 * A window of W minutes at a moment is that moment's minute and the W − 1 before it. It is
 * therefore never longer than asked for, and up to a minute shorter: what fires within an hour did
 * happen within an hour.
 */
export class Extremes {
  private readonly minutes = new Map<number, Bucket>();
  /** The closed minutes of a window are looked through once a minute. */
  private readonly closed = new Map<number, { minute: number; range: Range | null }>();
  private newest = -Infinity;

  see(price: Fixed, at: number): void {
    this.widen(Math.floor(at / MINUTE_MS), price, price);
  }

  /**
   * A candle's extremes, laid where it began: they leave a window too early rather than too late.
   */
  seeCandle(low: Fixed, high: Fixed, time: number): void {
    this.widen(Math.floor(time / MINUTE_MS), low, high);
    this.closed.clear();
  }

  /** Null before the first price. */
  within(windowMinutes: number, at: number): Range | null {
    const minute = Math.floor(at / MINUTE_MS);
    const known = this.closed.get(windowMinutes);
    let before = known?.minute === minute ? known.range : undefined;
    if (before === undefined) {
      before = this.scan(minute - windowMinutes + 1, minute - 1);
      this.closed.set(windowMinutes, { minute, range: before });
    }
    return wider(before, this.minutes.get(minute) ?? null);
  }

  private widen(minute: number, low: Fixed, high: Fixed): void {
    const bucket = this.minutes.get(minute);
    if (bucket === undefined) this.minutes.set(minute, { low, high });
    else {
      if (low < bucket.low) bucket.low = low;
      if (high > bucket.high) bucket.high = high;
    }
    if (minute <= this.newest) return;
    this.newest = minute;
    for (const old of this.minutes.keys())
      if (old <= minute - DAY_MINUTES) this.minutes.delete(old);
  }

  private scan(from: number, to: number): Range | null {
    let range: Range | null = null;
    for (let minute = from; minute <= to; minute += 1) {
      range = wider(range, this.minutes.get(minute) ?? null);
    }
    return range;
  }
}

function wider(a: Range | null, b: Range | null): Range | null {
  if (a === null || b === null) return a ?? b;
  return { low: a.low < b.low ? a.low : b.low, high: a.high > b.high ? a.high : b.high };
}

/** How far a price is above the lowest of a window and below its highest, whole basis points. */
export function movesOf(price: Fixed, { low, high }: Range): { up: bigint; down: bigint } {
  return { up: ((price - low) * 10_000n) / low, down: ((high - price) * 10_000n) / high };
}
