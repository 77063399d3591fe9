/**
 * Replays a recording of candles on a clock of its own, and no moment twice, also across restarts.
 *
 * The clock is reserved ahead: before any price at or after a stored time is published, a later
 * time is stored. `now()` is always below the stored time, so a process that starts from it begins
 * with prices that nobody has seen. A reservation ends at or before a candle's close. A restart may
 * skip the rest of a candle, whose stop losses the scheduler checks against the candle itself, but
 * at usual speeds never a whole one. Several processes can replay one recording: each reserves for
 * itself, one that is behind catches up, and they stay within one reservation of each other.
 */
import { basename } from 'node:path';
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { fixedFromNumber, parseFixed } from '../../contract/money.ts';
import { STABLECOINS } from '../../engine/pair-coins.ts';
import type { Candle, PairRules } from '../../engine/market-types.ts';
import type { Log } from '../log.ts';
import { alignDown, alignUp, coarser, firstAtOrAfter } from './candle-building.ts';
import type { MarketFeed, RawTick } from './feed.ts';
import { decimalText } from './price-text.ts';
import { QUOTES_A_CANDLE, quoteOffset, quotePrices } from './replay-quotes.ts';
import { tapeSlice, type Tape } from './replay-tape.ts';

export interface ClockStore {
  /** Market clock of a source, ms UTC, or null when there is none yet. */
  load(id: string): Promise<number | null>;
  /**
   * Durable when it resolves. Answers the time that is stored: a later one where another process
   * tells this tape too and is ahead.
   */
  save(id: string, ms: number): Promise<number>;
}

export interface ReplayOptions {
  folder: string;
  tape: Tape;
  /** Market seconds a real second. */
  speed: number;
  /** ms UTC of the very first start; a stored clock wins. */
  startAt: number;
  clockStore: ClockStore;
  log: Log;
  /** Milliseconds of a clock that only runs forward; for tests. */
  elapsed?: () => number;
}

/** Real time between two looks at the clock. */
const BEAT_MS = 20;
/**
 * Longer pauses (a slow database, a sleeping machine) slow the tape down instead of making it jump.
 */
const LONGEST_BEAT_MS = 1_000;
/** Real time one reservation should last, where a candle is longer than that. */
const RESERVE_MS = 1_000;
/** And at least, however fast the tape: so many writes a second are enough. */
const LEAST_RESERVE_MS = 100;

export class ReplayFeed implements MarketFeed {
  readonly id: string;
  readonly kind = 'replay';
  readonly quote: string;
  readonly pairs: readonly PairRules[];
  readonly baseInterval: CandleInterval;
  private readonly lengthMs: number;
  private readonly elapsed: () => number;
  private clock: number;
  private reserved: number;
  private fraction = 0;
  private ended = false;
  private running: Promise<void> | null = null;
  private stopping = false;
  private wake: (() => void) | null = null;
  private onTick: (tick: RawTick) => void = () => undefined;
  private readonly cursor = new Map<string, number>();

  constructor(private readonly options: ReplayOptions) {
    const { tape, folder } = options;
    this.id = `replay:${basename(folder)}`;
    this.quote = tape.quote;
    this.baseInterval = tape.interval;
    this.lengthMs = INTERVAL_MS[tape.interval];
    this.pairs = [...tape.candles].map(([pair, candles]) => rulesOf(pair, candles));
    this.elapsed = options.elapsed ?? (() => performance.now());
    this.clock = options.startAt - 1;
    this.reserved = options.startAt;
  }

  get label(): string {
    return this.ended
      ? `Replay of ${this.baseInterval} candles (ended)`
      : `Replay of ${this.baseInterval} candles`;
  }

  get speed(): number {
    return this.options.speed;
  }

  now(): number {
    return this.clock;
  }

  exhausted(): boolean {
    return this.ended;
  }

  async start(onTick: (tick: RawTick) => void): Promise<void> {
    this.onTick = onTick;
    await this.open();
    this.stopping = false;
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wake?.();
    await this.running;
    this.running = null;
  }

  /**
   * Takes up the stored clock and tells the first prices. Part of `start`; alone for tests and for
   * measuring.
   */
  async open(onTick = this.onTick): Promise<void> {
    this.onTick = onTick;
    const stored = await this.options.clockStore.load(this.id);
    const from = Math.max(stored ?? this.options.startAt, this.options.tape.first);
    this.clock = from - 1;
    this.reserved = from;
    if (from > this.options.tape.end) {
      this.tellLast();
      this.finish();
      return;
    }
    await this.advance(2);
    if (from % this.lengthMs !== 0) this.tellPresent();
  }

  /**
   * Taken up behind the end: the last prices there were, so that what is held still has a value,
   * marked stale.
   */
  private tellLast(): void {
    for (const [pair, candles] of this.options.tape.candles) {
      const last = candles.at(-1);
      if (last === undefined) continue;
      this.tellOne(
        pair,
        last.time,
        QUOTES_A_CANDLE - 1,
        Math.min(last.time + this.lengthMs - 1, this.clock),
        new Map(),
      );
    }
  }

  /**
   * Taken up in the middle of a candle: the price it stands at, as of now, so that nobody waits for
   * the next.
   */
  private tellPresent(): void {
    const open = alignDown(this.clock, this.lengthMs);
    const index = Math.floor(((this.clock - open) / this.lengthMs) * (QUOTES_A_CANDLE - 1));
    for (const pair of this.options.tape.candles.keys())
      this.tellOne(pair, open, index, this.clock, new Map(), 0.5);
  }

  /** Moves the clock on by `marketMs`, telling every quote on the way in order. */
  async advance(marketMs: number): Promise<void> {
    let target = Math.min(this.clock + marketMs, this.options.tape.end);
    while (this.clock < target && !this.stopping) {
      if (this.clock + 1 >= this.reserved) {
        const before = this.reserved;
        const stored = await this.reserve();
        // Another process is ahead on this tape: come up to where it has been for certain, telling
        // what lies between.
        if (stored > this.reserved)
          target = Math.max(
            target,
            Math.min(stored - (this.reserved - before), this.options.tape.end),
          );
      }
      const stop = Math.min(target, this.reserved - 1);
      this.emit(this.clock, stop);
      this.clock = stop;
    }
    if (this.clock >= this.options.tape.end) this.finish();
  }

  private async run(): Promise<void> {
    let last = this.elapsed();
    while (!this.stopping && !this.ended) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, BEAT_MS);
      });
      if (this.stopping) return;
      const now = this.elapsed();
      const exact = Math.min(now - last, LONGEST_BEAT_MS) * this.options.speed + this.fraction;
      last = now;
      this.fraction = exact - Math.floor(exact);
      try {
        await this.advance(Math.floor(exact));
      } catch (error) {
        // Without a stored clock nothing may be told: the tape stands still until the store is
        // back.
        this.options.log.error(
          { source: this.id, error: String(error) },
          'The market clock could not be stored',
        );
        await new Promise((resolve) => setTimeout(resolve, LONGEST_BEAT_MS));
        last = this.elapsed();
      }
    }
  }

  private async reserve(): Promise<number> {
    const { speed, clockStore } = this.options;
    const wanted = Math.max(1, speed * RESERVE_MS);
    const least = speed * LEAST_RESERVE_MS;
    const close = alignDown(this.reserved, this.lengthMs) + this.lengthMs;
    const next =
      least > this.lengthMs
        ? close + alignDown(least, this.lengthMs)
        : Math.min(close, Math.ceil(this.reserved + wanted));
    const stored = await clockStore.save(this.id, next);
    this.reserved = next;
    return stored;
  }

  /** Quotes with `after < at <= to`, candle by candle, pairs side by side. */
  private emit(after: number, to: number): void {
    for (
      let open = alignDown(Math.max(after, 0), this.lengthMs);
      open <= to;
      open += this.lengthMs
    ) {
      const prices = new Map<string, number[]>();
      for (let index = 0; index < QUOTES_A_CANDLE; index += 1) {
        const at = open + quoteOffset(index, this.lengthMs);
        if (at <= after || at > to) continue;
        this.clock = at;
        for (const pair of this.options.tape.candles.keys())
          this.tellOne(pair, open, index, at, prices);
      }
    }
  }

  private tellOne(
    pair: string,
    open: number,
    index: number,
    at: number,
    prices: Map<string, number[]>,
    between = 0,
  ): void {
    const candle = this.candleAt(pair, open);
    if (candle === undefined) return;
    const list = prices.get(pair) ?? quotePrices(pair, candle);
    prices.set(pair, list);
    this.onTick(this.tickOf(pair, open, index + between, at, list[index] ?? candle.close));
  }

  retell(pair: string, after: number, to: number): RawTick[] {
    const ticks: RawTick[] = [];
    for (
      let open = alignDown(Math.max(after, 0), this.lengthMs);
      open <= to;
      open += this.lengthMs
    ) {
      const candle = this.candleAt(pair, open);
      if (candle === undefined) continue;
      quotePrices(pair, candle).forEach((price, index) => {
        const at = open + quoteOffset(index, this.lengthMs);
        if (at > after && at <= to) ticks.push(this.tickOf(pair, open, index, at, price));
      });
    }
    return ticks;
  }

  private tickOf(pair: string, open: number, place: number, at: number, price: number): RawTick {
    const sequence = (open / this.lengthMs) * QUOTES_A_CANDLE + place;
    return { pair, at, last: decimalText(price), bid: null, ask: null, sequence };
  }

  private candleAt(pair: string, time: number): Candle | undefined {
    const list = this.options.tape.candles.get(pair) ?? [];
    let index = this.cursor.get(pair) ?? 0;
    if (list[index]?.time !== time)
      index = list[index + 1]?.time === time ? index + 1 : firstAtOrAfter(list, time);
    this.cursor.set(pair, index);
    const candle = list[index];
    return candle?.time === time ? candle : undefined;
  }

  private finish(): void {
    if (this.ended) return;
    this.ended = true;
    this.options.log.warn(
      { source: this.id, end: new Date(this.options.tape.end).toISOString() },
      'The recording has ended: its last prices are stale and no more will come',
    );
  }

  async candles(
    pair: string,
    interval: CandleInterval,
    from: number,
    to: number,
  ): Promise<Candle[]> {
    const length = INTERVAL_MS[interval];
    if (length < this.lengthMs) return [];
    const end = alignDown(Math.min(to, this.clock), length);
    const fine = tapeSlice(this.options.tape, pair, alignUp(from, length), end);
    return length === this.lengthMs ? fine : coarser(fine, length);
  }
}

/**
 * Tapes have no book and no rule book: the lot is worth about a cent, spread and fee are stated
 * here.
 */
export function rulesOf(pair: string, candles: readonly Candle[]): PairRules {
  const [base = '', quote = ''] = pair.split('/');
  const lotDecimals = Math.min(8, Math.max(0, Math.ceil(Math.log10(candles[0]?.open ?? 1)) + 2));
  const stable = STABLECOINS.has(base);
  return {
    pair,
    base,
    quote,
    lot: fixedFromNumber(10 ** -lotDecimals),
    minNotional: parseFixed('5'),
    halfSpreadBps: stable ? 1 : 2,
    feeBps: stable ? 1 : 10,
  };
}
