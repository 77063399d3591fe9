/** An exchange's public prices: by websocket where there is one, by REST where it is silent. */
import pLimit, { type LimitFunction } from 'p-limit';
import type { CandleInterval } from '../../contract/market.ts';
import type { Candle, PairRules } from '../../engine/market-types.ts';
import type { WallClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { candleLimits, ExchangeCandles } from './exchange-candles.ts';
import {
  ExchangeTicker,
  isRefusal,
  openExchangeClient,
  readMarkets,
  type ExchangeClient,
} from './exchange-client.ts';
import type { ExchangeVenue } from './exchange-venues.ts';
import type { CandleReader, MarketFeed, RawTick } from './feed.ts';
import { listedOf, ListedPairs } from './listed-pairs.ts';
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
/** Between two prices of a pair that is not traded, or that the exchange refuses to speak of. */
const ASIDE_MS = 30_000;
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
  private readonly listed = new ListedPairs();
  /** Pairs that the exchange refused to give a price of while it gave those of others. */
  private readonly refused = new Set<string>();
  /** Whether it refused a question since its list was read. */
  private isListDoubted = false;
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
    return this.listed.all;
  }

  now(): number {
    this.latest = Math.max(this.latest, this.options.clock.now());
    return this.latest;
  }

  /**
   * Resolves with the first prices; until then it tries again and again, further and further apart.
   */
  async start(onTick: (tick: RawTick) => void): Promise<void> {
    await this.untilItWorks('list its markets', () => this.readList());
    await this.untilItWorks('send its prices', () => this.round(onTick));
    if (this.stopped.signal.aborted) return;
    this.loops = [
      this.poll(onTick),
      this.pollAside(onTick),
      this.watch(onTick),
      this.readListAgain(),
    ];
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
    return this.noticing(
      this.history.read(pair, interval, from, Math.min(to, this.now()), reader),
      pair,
    );
  }

  oldest(interval: CandleInterval): number {
    return this.history.oldest(interval);
  }

  private connect(): Promise<ExchangeClient> {
    this.client ??= openExchangeClient(this.options.venue, this.options.baseUrl);
    return this.client;
  }

  /** What was known stays where the exchange does not answer, or answers with nothing of ours. */
  private async readList(): Promise<void> {
    const list = listedOf(await readMarkets(await this.connect()), this.options.venue);
    if (list.length === 0) throw new Error('none of the followed pairs is listed');
    this.listed.take(list, this.now());
    for (const pair of this.refused)
      if (!this.listed.trading.includes(pair)) this.refused.delete(pair);
  }

  /** A pair may be listed, halted or delisted while this process runs. */
  private async readListAgain(): Promise<void> {
    const { log } = this.options;
    while (!this.stopped.signal.aborted) {
      await this.pause(ROUND_MS);
      const now = this.now();
      if (this.stopped.signal.aborted || now < this.listed.readAgainAt(now, this.isListDoubted))
        continue;
      this.isListDoubted = false;
      const before = this.listed.trading;
      try {
        await this.readList();
        const { trading } = this.listed;
        const stopped = before.filter((pair) => !trading.includes(pair));
        const begun = trading.filter((pair) => !before.includes(pair));
        if (stopped.length + begun.length > 0)
          log.info({ source: this.id, stopped, begun }, 'The exchange trades other pairs now');
      } catch (error) {
        if (this.stopped.signal.aborted) return;
        this.listed.notRead(now);
        this.isListDoubted = true;
        log.warn({ source: this.id, error: reason(error) }, 'The list of pairs could not be read');
      }
    }
  }

  /**
   * A question that the exchange refuses says that its list may be another one now, unless that it
   * refuses this pair is known.
   */
  private async noticing<T>(asked: Promise<T>, pair?: string): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      const isKnown =
        pair !== undefined && (this.refused.has(pair) || !this.listed.trading.includes(pair));
      if (!isKnown && (await isRefusal(error))) this.isListDoubted = true;
      throw error;
    }
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
    const silent = this.listed.trading.filter(
      (pair) => !this.refused.has(pair) && now - (this.order.get(pair)?.heardAt ?? 0) > FRESH_MS,
    );
    if (silent.length === 0 || this.stopped.signal.aborted) return;
    const client = await this.connect();
    if (this.options.venue.tickersAtOnce) {
      try {
        const asked = this.limited(() => client.fetchTickers(silent));
        const tickers = await this.noticing(asked);
        for (const ticker of Object.values(tickers)) this.emit(ticker, onTick, 'rest');
        return;
      } catch (error) {
        // For one pair that it does not know an exchange may refuse the whole list.
        if (!(await isRefusal(error))) throw error;
      }
    }
    await this.askEach(client, silent, onTick);
  }

  /** One by one. @throws when not one came. */
  private async askEach(
    client: ExchangeClient,
    pairs: readonly string[],
    onTick: (tick: RawTick) => void,
  ): Promise<void> {
    const outcomes = await Promise.allSettled(
      pairs.map((pair) => this.askOne(client, pair, onTick)),
    );
    const failed = outcomes.flatMap((outcome, at): { pair: string; error: unknown }[] =>
      outcome.status === 'rejected' ? [{ pair: pairs[at] ?? '', error: outcome.reason }] : [],
    );
    // Others may be heard by websocket: then it is these pairs alone.
    const others = this.listed.trading.filter((pair) => !this.refused.has(pair));
    if (failed.length >= others.length && failed.length > 0) throw failed[0]?.error;
    for (const { pair, error } of failed) if (await isRefusal(error)) this.refused.add(pair);
  }

  private askOne(
    client: ExchangeClient,
    pair: string,
    onTick: (tick: RawTick) => void,
  ): Promise<void> {
    return this.limited(async () => {
      if (this.stopped.signal.aborted) return;
      this.emit(await this.noticing(client.fetchTicker(pair)), onTick, 'rest');
      this.refused.delete(pair);
    });
  }

  /**
   * Pairs of which the exchange trades none, or tells nothing: now and then, and by themselves, so
   * that they hold up no others.
   */
  private async pollAside(onTick: (tick: RawTick) => void): Promise<void> {
    const client = await this.connect();
    while (!this.stopped.signal.aborted) {
      for (const pair of new Set([...this.listed.resting, ...this.refused]))
        await this.askOne(client, pair, onTick).catch(() => undefined);
      await this.pause(ASIDE_MS);
    }
  }

  private async watch(onTick: (tick: RawTick) => void): Promise<void> {
    const client = await this.connect();
    const { venue } = this.options;
    if (client.has.watchTickers !== true) return;
    let pause = RETRY_FIRST_MS;
    while (!this.stopped.signal.aborted) {
      try {
        const pairs = [...this.listed.trading];
        if (pairs.length === 0) await this.pause(ROUND_MS);
        else
          for (const ticker of Object.values(
            await this.noticing(client.watchTickers(pairs, venue.tickerStream)),
          ))
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
    if (!this.listed.isOffered(symbol)) {
      // A market that was closed long ago still has a last price.
      if (!hasBook) return;
      this.listed.offer(symbol, this.now());
    }
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
