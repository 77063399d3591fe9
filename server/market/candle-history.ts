/** A cache of closed candles, so that a tick need not ask the feed for months of them. */
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Candle } from '../../engine/market-types.ts';
import { alignDown, alignUp, firstAtOrAfter } from './candle-building.ts';

export type CandleSource = (
  pair: string,
  interval: CandleInterval,
  from: number,
  to: number,
) => Promise<Candle[]>;

const HOUR = INTERVAL_MS['1h'];
const DAY = INTERVAL_MS['1d'];
/** How far back the base interval is used before hours take over. */
const FINE_MS = 2 * DAY;
const FINE_KEPT_MS = FINE_MS + DAY;

/**
 * One pair's candles at one interval: a stretch without holes of our own making, extended at either
 * end on demand.
 */
class Shelf {
  candles: Candle[] = [];
  version = 0;
  private from = Infinity;
  private to = -Infinity;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly ask: (from: number, to: number) => Promise<Candle[]>,
    private readonly intervalMs: number,
  ) {}

  /**
   * Holds, after it, every candle the source has with `from <= time` and close `<= to`. One request
   * at a time.
   */
  ensure(from: number, to: number): Promise<void> {
    const end = alignDown(to, this.intervalMs);
    if (from >= this.from && end <= this.to) return Promise.resolve();
    const mine = this.turn.then(() => this.fill(from, end));
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async fill(from: number, end: number): Promise<void> {
    if (this.from === Infinity) {
      this.take(await this.ask(from, end), false);
      this.from = from;
    } else if (from < this.from) {
      this.take(await this.ask(from, this.from), true);
      this.from = from;
    }
    const newest = this.candles.at(-1);
    const known = newest === undefined ? this.from : newest.time + this.intervalMs;
    if (known < end && this.to < end) this.take(await this.ask(known, end), false);
    // A source may be late with its newest candle: what has not come yet is asked for again.
    const last = this.candles.at(-1);
    if (last !== undefined) this.to = Math.max(this.to, last.time + this.intervalMs);
  }

  private take(found: Candle[], before: boolean): void {
    if (found.length === 0) return;
    const [oldest, newest] = [this.candles[0], this.candles.at(-1)];
    const fresh = before
      ? found.filter((candle) => oldest === undefined || candle.time < oldest.time)
      : found.filter((candle) => newest === undefined || candle.time > newest.time);
    if (fresh.length === 0) return;
    this.candles = before ? [...fresh, ...this.candles] : this.candles.concat(fresh);
    this.version += 1;
  }

  /** Candles with `from <= time` and close `<= to`. */
  slice(from: number, to: number): Candle[] {
    return this.candles.slice(
      firstAtOrAfter(this.candles, from),
      firstAtOrAfter(this.candles, to - this.intervalMs + 1),
    );
  }

  /** Opening of the first candle at or after `time`; Infinity where there is none. */
  firstAfter(time: number): number {
    return this.candles[firstAtOrAfter(this.candles, time)]?.time ?? Infinity;
  }

  forgetBefore(time: number): void {
    if (this.from >= time - DAY) return;
    this.candles = this.candles.slice(firstAtOrAfter(this.candles, time));
    this.from = time;
  }
}

interface Told {
  end: number;
  versions: string;
  candles: Candle[];
}

export class CandleHistory {
  private readonly shelves = new Map<string, Shelf>();
  private readonly told = new Map<string, Told>();
  private readonly baseMs: number;

  constructor(
    private readonly source: CandleSource,
    private readonly baseInterval: CandleInterval,
    /** When the oldest candle of a length opens that the source has. */
    private readonly oldest: (interval: CandleInterval) => number = () => 0,
  ) {
    this.baseMs = INTERVAL_MS[baseInterval];
  }

  private shelf(pair: string, interval: CandleInterval): Shelf {
    const key = `${interval} ${pair}`;
    const known = this.shelves.get(key);
    if (known !== undefined) return known;
    const fresh = new Shelf(
      (from, to) => this.source(pair, interval, from, to),
      INTERVAL_MS[interval],
    );
    this.shelves.set(key, fresh);
    return fresh;
  }

  /** Base candles with `from <= time` and close `<= to`, for stretches of at most two days. */
  async recent(pair: string, from: number, to: number): Promise<Candle[]> {
    const shelf = this.shelf(pair, this.baseInterval);
    await shelf.ensure(from, to);
    const found = shelf.slice(from, to);
    shelf.forgetBefore(alignDown(to - FINE_KEPT_MS, HOUR));
    return found;
  }

  /**
   * Hourly candles further back, base candles for the last two days, and days where hours do not
   * reach; the same array until a candle is added.
   */
  async mixed(pair: string, lookbackMs: number, to: number): Promise<Candle[]> {
    const end = alignDown(to, this.baseMs);
    const from = alignDown(to - lookbackMs, HOUR);
    const split = this.baseMs >= HOUR ? from : Math.max(from, this.fineFrom(end));
    const [fine, hours] = [this.shelf(pair, this.baseInterval), this.shelf(pair, '1h')];
    await fine.ensure(split, end);
    if (split > from) await hours.ensure(from, split);
    const days = split > from ? await this.daysBefore(pair, from, hours, split) : null;
    const key = `${lookbackMs} ${pair}`;
    const versions = `${fine.version} ${split > from ? hours.version : ''} ${days?.version ?? ''}`;
    const before = this.told.get(key);
    if (before?.end === end && before.versions === versions) return before.candles;
    const recent = fine.slice(split, end);
    const coarse = split > from ? hours.slice(from, split).concat(recent) : recent;
    const candles = days === null ? coarse : days.candles.concat(coarse);
    this.told.set(key, { end, versions, candles });
    if (this.baseMs < HOUR) fine.forgetBefore(alignDown(end - FINE_KEPT_MS, HOUR));
    return candles;
  }

  /** Two days before the end; later where the source has no base candles that far back. */
  private fineFrom(end: number): number {
    const wanted = alignDown(end - FINE_MS, HOUR);
    const reached = Math.ceil(this.oldest(this.baseInterval) / HOUR) * HOUR;
    return Math.max(wanted, Math.min(alignDown(end, HOUR), reached));
  }

  /**
   * Whole days before the first hour there is. A day and its last hour close at the same price, so
   * windows that begin at midnight are the same to the last digit. The day that the hours begin in is
   * left out: its midnights are the close of the day before it and an hour of its own.
   */
  private async daysBefore(
    pair: string,
    from: number,
    hours: Shelf,
    split: number,
  ): Promise<{ candles: Candle[]; version: number } | null> {
    if (from >= this.oldest('1h')) return null;
    const start = alignUp(from, DAY);
    const end = alignDown(Math.min(hours.firstAfter(from), split), DAY);
    if (start >= end) return null;
    const days = this.shelf(pair, '1d');
    await days.ensure(start, end);
    return { candles: days.slice(start, end), version: days.version };
  }
}
