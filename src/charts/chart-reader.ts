/**
 * Keeps the candles of one chart current: loads them, extends them from the stream and loads again
 * where prices were missed.
 */
import type { CandleInterval, Candles } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { PriceEvent, PriceListener } from '../stores/price-news.ts';
import {
  NO_CANDLES,
  withNews,
  withOlder,
  withReading,
  type ChartCandles,
  type PriceNews,
} from './chart-candles.ts';

/** Enough candles for averages to settle before the first visible one. */
const COUNT = 400;
const REREAD_MS = 60_000;
/** Minimum time between two loads caused by the stream. */
const LEAST_BETWEEN_MS = 2_000;
/** Random delay after a close, because it is the same moment for all charts. */
const SPREAD_MS = 1_500;
/** Candles loaded in addition to new ones, because the market moves on meanwhile. */
const MARGIN = 20;
/** Limit of candles that can be reached by dragging back. */
const MOST = 6_000;
/** Delay after a failed load of older candles, ms. */
const REST_MS = 5_000;
/** An exchange has no candle where nothing was traded: stop asking after this many. */
const MOST_TRIES = 3;

export interface ChartReading extends ChartCandles {
  /** Whether there is anything to draw yet. */
  known: boolean;
  error: unknown;
  /** The server's last answer about these candles: device clock, ms. */
  heardAt: number | null;
  /** They are from the device's storage. */
  kept: boolean;
  /** The device's storage has been read. */
  storageRead: boolean;
}

export interface ChartPorts {
  read(
    query: { symbol: string; interval: CandleInterval; limit: number; before?: number },
    signal: AbortSignal,
  ): Promise<Candles>;
  hear(listener: PriceListener): () => void;
  kept(): Promise<{ savedAt: number; reading: Candles } | null>;
  keep(reading: Candles): void;
  /** Does work again and again while the page is seen. */
  whileSeen(everyMs: number, work: () => void): () => void;
  online(): boolean;
  /** Length of a bar of the stream, ms. */
  barMs(): number;
  random(): number;
}

const NOTHING: ChartReading = {
  ...NO_CANDLES,
  known: false,
  error: null,
  heardAt: null,
  kept: false,
  storageRead: false,
};

export class ChartReader {
  reading: ChartReading = NOTHING;
  private readonly intervalMs: number;
  private readonly stopped = new AbortController();
  /** Events heard while an answer is on its way: it may be older than they are. */
  private waiting: PriceNews[] | null = null;
  private askAgain = false;
  /** A short answer left a hole: the next one has to hold all of it. */
  private wantsAll = false;
  /** Readings since the last candle closed that did not bring it. */
  private tries = 0;
  private askedAt = -Infinity;
  private planned: ReturnType<typeof setTimeout> | undefined;
  private olderThan: number | null = null;
  private olderRestsTo = 0;
  private ends: (() => void)[] = [];

  constructor(
    private readonly chart: { symbol: string; interval: CandleInterval },
    private readonly ports: ChartPorts,
    private readonly changed: () => void,
  ) {
    this.intervalMs = INTERVAL_MS[chart.interval];
  }

  isOf(symbol: string, interval: CandleInterval): boolean {
    return this.chart.symbol === symbol && this.chart.interval === interval;
  }

  start(): void {
    this.ends = [
      this.ports.hear({
        onPrices: (event) => {
          this.hear(event);
        },
        onGap: () => {
          this.again();
        },
      }),
      this.ports.whileSeen(REREAD_MS, () => {
        this.again();
      }),
    ];
    this.ports.kept().then(
      (kept) => {
        if (this.stopped.signal.aborted) return;
        this.put({ storageRead: true });
        if (kept === null || this.reading.known) return;
        this.put({
          ...withReading(NO_CANDLES, kept.reading, this.intervalMs),
          known: true,
          heardAt: kept.savedAt,
          kept: true,
        });
      },
      () => undefined,
    );
    this.again();
  }

  stop(): void {
    this.stopped.abort();
    clearTimeout(this.planned);
    for (const end of this.ends) end();
  }

  /** Reads the newest candles now, or once more after the reading that is under way. */
  again(): void {
    if (this.stopped.signal.aborted || !this.ports.online()) return;
    if (this.waiting !== null) {
      this.askAgain = true;
      return;
    }
    clearTimeout(this.planned);
    this.planned = undefined;
    void this.ask(this.count());
  }

  private async ask(limit: number): Promise<void> {
    this.waiting = [];
    this.askedAt = Date.now();
    this.askAgain = false;
    try {
      const reply = await this.ports.read({ ...this.chart, limit }, this.stopped.signal);
      if (this.stopped.signal.aborted) return;
      this.wantsAll = limit < COUNT && this.isApart(reply);
      if (this.wantsAll) this.askAgain = true;
      else this.take(reply);
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      this.put({ error });
    } finally {
      this.waiting = null;
    }
    if (this.askAgain) this.plan(0);
    else if (this.isWanting()) this.plan(this.spread());
  }

  /** Prices were missed, or a candle has closed that the server has not told; asked a few times. */
  private isWanting(): boolean {
    this.tries += 1;
    return this.reading.gap || (this.reading.unconfirmed !== null && this.tries <= MOST_TRIES);
  }

  /**
   * Candles that have closed since the last that the server told, and some; all where nothing is
   * held.
   */
  private count(): number {
    const { closed, unconfirmed, forming, kept, known } = this.reading;
    const last = closed.findLast(([time]) => unconfirmed === null || time < unconfirmed)?.[0];
    if (this.wantsAll || !known || kept || last === undefined || forming === null) return COUNT;
    return Math.min(COUNT, Math.ceil((forming.at - last) / this.intervalMs) + MARGIN);
  }

  /** Whether a short answer begins after what is held ends: then it is not enough. */
  private isApart(reply: Candles): boolean {
    const { closed, unconfirmed } = this.reading;
    const last = closed.findLast(([time]) => unconfirmed === null || time < unconfirmed)?.[0];
    const first = reply.candles[0]?.[0];
    return last !== undefined && first !== undefined && first > last;
  }

  private take(reply: Candles): void {
    const held = this.reading.kept ? NO_CANDLES : this.reading;
    const since = (this.waiting ?? []).filter((news) => news.now > (reply.now ?? -Infinity));
    const read = withReading(held, reply, this.intervalMs);
    const next = since.reduce(
      (so, news) => withNews(so, news, this.intervalMs, this.ports.barMs()),
      read,
    );
    this.put({ ...next, known: true, error: null, heardAt: Date.now(), kept: false });
    const { symbol, interval, forming, now } = reply;
    const candles = next.closed.flatMap(([time, open, high, low, close, volume]) =>
      volume === null ? [] : [[time, open, high, low, close, volume] as Candles['candles'][number]],
    );
    this.ports.keep({
      symbol,
      interval,
      candles,
      ...(forming === undefined ? {} : { forming }),
      ...(now === undefined ? {} : { now }),
    });
  }

  private hear({ now, symbols, bars }: PriceEvent): void {
    const { symbol } = this.chart;
    const quote = symbols.find((one) => one.symbol === symbol);
    const mine = bars?.[symbol] ?? [];
    if (quote === undefined && mine.length === 0) return;
    const news = {
      now,
      bars: mine,
      price: quote === undefined ? null : { at: quote.timestamp, last: quote.price },
    };
    this.waiting?.push(news);
    // What is kept is not extended: nobody has said what lies between.
    if (!this.reading.known || this.reading.kept) return;
    const next = withNews(this.reading, news, this.intervalMs, this.ports.barMs());
    if (next.closed !== this.reading.closed) this.tries = 0;
    const wanting = next.gap || next.closed !== this.reading.closed;
    this.put({ ...next, heardAt: Date.now() });
    if (wanting) this.plan(this.spread());
  }

  private spread(): number {
    return (
      Math.max(0, this.askedAt + LEAST_BETWEEN_MS - Date.now()) + this.ports.random() * SPREAD_MS
    );
  }

  private plan(waitMs: number): void {
    if (this.planned !== undefined || this.stopped.signal.aborted) return;
    this.planned = setTimeout(() => {
      this.planned = undefined;
      this.again();
    }, waitMs);
  }

  /** Asks for what lies before the first candle, once at a time, until there is nothing. */
  older(): void {
    const before = this.reading.closed[0]?.[0];
    const { length } = this.reading.closed;
    if (before === undefined || length >= MOST || this.olderThan === before) return;
    if (Date.now() < this.olderRestsTo || !this.ports.online()) return;
    this.olderThan = before;
    this.ports.read({ ...this.chart, limit: COUNT, before }, this.stopped.signal).then(
      ({ candles }) => {
        this.put(withOlder(this.reading, candles, before));
      },
      (error: unknown) => {
        if (this.stopped.signal.aborted) return;
        this.olderThan = null;
        this.olderRestsTo = Date.now() + REST_MS;
        this.put({ error });
      },
    );
  }

  private put(part: Partial<ChartReading>): void {
    this.reading = { ...this.reading, ...part };
    this.changed();
  }
}
