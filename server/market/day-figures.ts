/** The 24 h figures of one pair from closed candles and the quotes since. */
import { DAY_LINE_POINTS, type DayLine } from '../../contract/market.ts';
import type { Candle } from '../../engine/market-types.ts';
import { alignDown } from './candle-building.ts';

const DAY = 86_400_000;
/** A day counts as known when its first candle begins at most this much after 24 h ago. */
const MISSING_MS = 3_600_000;
/** Figures of a point: more than any screen can draw apart. */
const DRAWN_DIGITS = 6;

export interface DayFigures {
  high: number | null;
  low: number | null;
  /** Base units, of closed candles. */
  volume: number | null;
  /** Price 24 h before the newest close; null when the candles do not reach that far. */
  before: number | null;
}

interface Bucket {
  start: number;
  high: number;
  low: number;
}

/**
 * The window is the 24 h up to the newest close, and the quotes after it. High and low include
 * those quotes; volume, which quotes do not carry, is that of the closed candles.
 */
export class DayWindow {
  private closed: DayFigures = { high: null, low: null, volume: null, before: null };
  private newestClose = -Infinity;
  private buckets: Bucket[] = [];
  private day: readonly Candle[] = [];
  private drawn: DayLine | null = null;

  constructor(private readonly baseMs: number) {}

  /** The closed candles of the last day, oldest first; older ones are left out here. */
  settle(candles: readonly Candle[]): void {
    const last = candles.at(-1);
    if (last === undefined) return;
    this.newestClose = last.time + this.baseMs;
    const start = this.newestClose - DAY;
    let [high, low, volume] = [-Infinity, Infinity, 0];
    let first: Candle | null = null;
    for (const candle of candles) {
      if (candle.time < start) continue;
      first ??= candle;
      high = Math.max(high, candle.high);
      low = Math.min(low, candle.low);
      volume += candle.volume;
    }
    const before = first !== null && first.time - start <= MISSING_MS ? first.open : null;
    this.closed = { high, low, volume, before };
    this.day = candles.slice(candles.findIndex((candle) => candle.time >= start));
    this.drawn = null;
    this.buckets = this.buckets.filter((bucket) => bucket.start >= this.newestClose);
  }

  /** A quote's price at `at` (market clock, ms). */
  see(price: number, at: number): void {
    const start = alignDown(at, this.baseMs);
    const bucket = this.buckets.at(-1);
    if (bucket?.start !== start) {
      this.buckets.push({ start, high: price, low: price });
      if (this.buckets.length > DAY / this.baseMs) this.buckets.shift();
      return;
    }
    bucket.high = Math.max(bucket.high, price);
    bucket.low = Math.min(bucket.low, price);
  }

  /**
   * The closed day as a line of equal steps; null where a day is missing. A hole keeps the close
   * before it.
   */
  line(): DayLine | null {
    if (this.closed.before === null) return null;
    this.drawn ??= { to: this.newestClose, points: this.points(this.closed.before) };
    return this.drawn;
  }

  private points(before: number): number[] {
    const start = this.newestClose - DAY;
    let next = 0;
    let price = before;
    return Array.from({ length: DAY_LINE_POINTS }, (_, index) => {
      const at = start + (DAY * index) / (DAY_LINE_POINTS - 1);
      for (; next < this.day.length; next += 1) {
        const candle = this.day[next];
        if (candle === undefined || candle.time + this.baseMs > at) break;
        price = candle.close;
      }
      return Number(price.toPrecision(DRAWN_DIGITS));
    });
  }

  figures(): DayFigures {
    let { high, low } = this.closed;
    for (const bucket of this.buckets) {
      if (bucket.start < this.newestClose) continue;
      high = high === null ? bucket.high : Math.max(high, bucket.high);
      low = low === null ? bucket.low : Math.min(low, bucket.low);
    }
    return { ...this.closed, high, low };
  }
}
