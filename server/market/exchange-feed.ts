/** An exchange's public prices: by websocket where there is one, by REST where it is silent. */
import pLimit, { type LimitFunction } from 'p-limit';
import type { CandleInterval } from '../../contract/market.ts';
import type { Candle, PairRules } from '../../engine/market-types.ts';
import type { WallClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { candleLimits, ExchangeCandles } from './exchange-candles.ts';
import { ExchangeTicker, openExchangeClient, type ExchangeClient } from './exchange-client.ts';
import type { ExchangeVenue } from './exchange-venues.ts';
import type { CandleReader, MarketFeed, RawTick } from './feed.ts';
import { rulesOf } from './listed-pairs.ts';
import { decimalText } from './price-text.ts';

export interface ExchangeFeedOptions {
  venue: ExchangeVenue;
  /** Stands in for the exchange's own address. */
  baseUrl: string | null;
  clock: WallClock;
  log: Log;
}

/** Between two rounds of REST prices. */
const ROUND_MS = 2_000;
/** A pair whose websocket spoke within this needs no REST. */
const FRESH_MS = 5_000;
const GOODBYE_MS = 1_000;
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 30_000;

/** The newest word about a pair. */
interface Heard {
  sequence: number;
  /** The exchange's own time of it; −∞ where it tells none. */
  stamp: number;
  last: number;
  /** When the websocket last spoke of it, ms. */
  heardAt: number;
}

export class ExchangeFeed implements MarketFeed {
  readonly kind = 'exchange';
  readonly baseInterval = '5m';
  readonly finestInterval = '1m';
  readonly id: string;
  readonly label: string;
  readonly quote: string;
  /** Bounds the requests that are in flight at the exchange, candles included. */
  private readonly limited: LimitFunction;
  private readonly history: ExchangeCandles;
  private client: Promise<ExchangeClient> | null = null;
  private listed: readonly PairRules[] = [];
  private latest = 0;
  private readonly stopped = new AbortController();
  private loops: Promise<void>[] = [];
  private readonly order = new Map<string, Heard>();

  constructor(private readonly options: ExchangeFeedOptions) {
    const { venue, clock } = options;
    this.id = venue.id;
    this.label = venue.label;
    this.quote = venue.quote;
    this.limited = pLimit(venue.concurrency);
    this.history = new ExchangeCandles(
      () => this.connect(),
      candleLimits(this.limited, venue.concurrency),
      venue,
      { now: () => Math.max(this.latest, clock.now()) },
    );
  }

  /** Empty until the exchange has answered once. */
  get pairs(): readonly PairRules[] {
    return this.listed;
  }

  now(): number {
    this.latest = Math.max(this.latest, this.options.clock.now());
    return this.latest;
  }

  /**
   * Resolves with the first prices; until then it tries again and again, further and further apart.
   */
  async start(onTick: (tick: RawTick) => void): Promise<void> {
    await this.untilItWorks('list its markets', async () => {
      const client = await this.connect();
      this.listed = rulesOf(Object.values(await client.loadMarkets(true)), this.options.venue);
      if (this.listed.length === 0) throw new Error('none of the followed pairs is listed');
    });
    await this.untilItWorks('send its prices', () => this.round(onTick));
    if (this.stopped.signal.aborted) return;
    this.loops = [this.poll(onTick), this.watch(onTick)];
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    const closed =
      this.client === null
        ? Promise.resolve()
        : this.client.then((open) => open.close()).catch(() => undefined);
    // An exchange that does not say goodbye would keep the websocket, and with it the shutdown, for
    // half a minute.
    const patience = new Promise((resolve) => {
      setTimeout(resolve, GOODBYE_MS).unref();
    });
    await Promise.race([Promise.all([closed, ...this.loops]), patience]);
  }

  candles(
    pair: string,
    interval: CandleInterval,
    from: number,
    to: number,
    reader?: CandleReader,
  ): Promise<Candle[]> {
    return this.history.read(pair, interval, from, Math.min(to, this.now()), reader);
  }

  oldest(interval: CandleInterval): number {
    return this.history.oldest(interval);
  }

  private connect(): Promise<ExchangeClient> {
    this.client ??= openExchangeClient(this.options.venue, this.options.baseUrl);
    return this.client;
  }

  private async poll(onTick: (tick: RawTick) => void): Promise<void> {
    let failing = false;
    while (!this.stopped.signal.aborted) {
      await this.pause(ROUND_MS);
      try {
        await this.round(onTick);
        if (failing) this.options.log.info({ source: this.id }, 'The exchange responds again');
        failing = false;
      } catch (error) {
        if (!failing && !this.stopped.signal.aborted)
          this.options.log.warn(
            { source: this.id, error: reason(error) },
            'The exchange does not respond',
          );
        failing = true;
      }
    }
  }

  /**
   * One REST price for every pair that the websocket has not spoken of lately. @throws when not one
   * came.
   */
  private async round(onTick: (tick: RawTick) => void): Promise<void> {
    const now = this.options.clock.now();
    const silent = this.listed
      .map((rules) => rules.pair)
      .filter((pair) => now - (this.order.get(pair)?.heardAt ?? 0) > FRESH_MS);
    if (silent.length === 0 || this.stopped.signal.aborted) return;
    const client = await this.connect();
    if (this.options.venue.tickersAtOnce) {
      const tickers = await this.limited(() => client.fetchTickers(silent));
      for (const ticker of Object.values(tickers)) this.emit(ticker, onTick, 'rest');
      return;
    }
    const outcomes = await Promise.allSettled(
      silent.map((pair) =>
        this.limited(async () => {
          if (!this.stopped.signal.aborted)
            this.emit(await client.fetchTicker(pair), onTick, 'rest');
        }),
      ),
    );
    const failed = outcomes.filter(
      (outcome): outcome is PromiseRejectedResult => outcome.status === 'rejected',
    );
    if (failed.length === outcomes.length && failed[0] !== undefined) throw failed[0].reason;
  }

  private async watch(onTick: (tick: RawTick) => void): Promise<void> {
    const client = await this.connect();
    const { venue } = this.options;
    if (client.has.watchTickers !== true) return;
    const pairs = this.listed.map((rules) => rules.pair);
    let pause = RETRY_FIRST_MS;
    while (!this.stopped.signal.aborted) {
      try {
        for (const ticker of Object.values(await client.watchTickers(pairs, venue.tickerStream)))
          this.emit(ticker, onTick, 'websocket');
        pause = RETRY_FIRST_MS;
      } catch (error) {
        if (this.stopped.signal.aborted) return;
        if (pause === RETRY_FIRST_MS)
          this.options.log.info(
            { source: this.id, error: reason(error) },
            'No prices by WebSocket; using REST until they return',
          );
        await this.pause(pause);
        pause = Math.min(pause * 2, RETRY_MOST_MS);
      }
    }
  }

  /**
   * A ticker is what the exchange says now, so its time is now; the exchange's own stamp (of its
   * last trade) only tells the order. A stamp that goes back is an older answer overtaken by a
   * newer one, and keeps its old place in line. Where nobody bids or asks, the last trade is all
   * there is: told once more it is no younger, as of a market that is halted.
   */
  private emit(ticker: unknown, onTick: (tick: RawTick) => void, by: 'rest' | 'websocket'): void {
    const parsed = ExchangeTicker.safeParse(ticker);
    if (!parsed.success || parsed.data.last === undefined || parsed.data.last === null) return;
    const { symbol, last, bid, ask, timestamp } = parsed.data;
    const known = this.order.get(symbol);
    const book = { bid: textOrNull(bid), ask: textOrNull(ask) };
    const hasBook = book.bid !== null || book.ask !== null;
    if (by === 'rest' && !hasBook && known !== undefined && !isNews(parsed.data, known)) return;
    const before = known ?? { sequence: 0, stamp: -Infinity, heardAt: 0 };
    const stamp = timestamp ?? before.stamp;
    const overtaken = stamp < before.stamp;
    const sequence = overtaken ? before.sequence : before.sequence + 1;
    if (!overtaken)
      this.order.set(symbol, {
        sequence,
        stamp,
        last,
        heardAt: by === 'websocket' ? this.options.clock.now() : before.heardAt,
      });
    onTick({
      pair: symbol,
      at: this.now(),
      last: textOf(last),
      ...book,
      sequence,
    });
  }

  private async untilItWorks(what: string, work: () => Promise<void>): Promise<void> {
    for (
      let pause = RETRY_FIRST_MS;
      !this.stopped.signal.aborted;
      pause = Math.min(pause * 2, RETRY_MOST_MS)
    ) {
      try {
        await work();
        return;
      } catch (error) {
        if (this.stopped.signal.aborted) return;
        this.options.log.warn(
          { source: this.id, error: reason(error), againInMs: pause },
          `${this.label} did not ${what}`,
        );
        await this.pause(pause);
      }
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.stopped.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.stopped.signal.addEventListener('abort', done);
      if (this.stopped.signal.aborted) done();
    });
  }
}

/**
 * Whether something was traded since. Binance's stamp is the end of the day that a ticker is about,
 * and moves without a trade: it alone proves none.
 */
const isNews = ({ last, timestamp }: ExchangeTicker, before: Heard): boolean =>
  last !== before.last && (timestamp ?? Infinity) > before.stamp;

const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 200);
/** `NaN` and the like stay as they are: the gate refuses and counts them. */
const textOf = (value: number): string =>
  Number.isFinite(value) && Math.abs(value) < 1e21 ? decimalText(value) : String(value);
const textOrNull = (value: number | null | undefined): string | null =>
  value === null || value === undefined || value === 0 ? null : textOf(value);
