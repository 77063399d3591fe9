/** The market over one feed: checked quotes, 24 h figures and closed candles. */
import type { CandleInterval, DayLine, MarketSource, SymbolQuote } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { fixedFromNumber, formatFixed, parseFixed, toNumber } from '../../contract/money.ts';
import type { Candle, PairRules, Quote } from '../../engine/market-types.ts';
import type { Log } from '../log.ts';
import { alignDown } from './candle-building.ts';
import { CandleHistory } from './candle-history.ts';
import { DayWindow } from './day-figures.ts';
import type { CandleReader, MarketFeed, RawTick } from './feed.ts';
import { formingCandle } from './forming-candle.ts';
import type { Forming, Market } from './market-source.ts';
import { PriceGate } from './price-gate.ts';
import { amountText, decimalText } from './price-text.ts';
import { TickBars, type TickBar } from './tick-bars.ts';
import { isBuildable, timeframesOf } from './timeframes.ts';

export type RunningMarket = Market & { start(): Promise<void>; stop(): Promise<void> };

const DAY = INTERVAL_MS['1d'];
/** How often the market looks whether a candle has closed, in real time. */
const LOOK_MS = 50;
/** A start does not wait longer than this for a source that is not there; the feed keeps trying. */
const START_WAIT_MS = 6_000;
/** After candles could not be read, the next try waits this long. */
const RETRY_MS = 5_000;

/** How old a quote may be on the market clock before it is stale: by the rhythm of its source. */
function staleAfterMs(feed: Pick<MarketFeed, 'kind' | 'baseInterval'>): number {
  if (feed.kind === 'simulated') return 15_000;
  // A tape tells ten prices a candle; two candles of silence are a gap in it.
  if (feed.kind === 'replay') return 2 * INTERVAL_MS[feed.baseInterval];
  return 60_000;
}

export class FeedMarket implements Market {
  readonly baseInterval: CandleInterval;
  readonly finestInterval: CandleInterval;
  private readonly intervals: CandleInterval[];
  private readonly tickBars: TickBars;
  private readonly gate: PriceGate;
  private readonly staleMs: number;
  private readonly baseMs: number;
  private readonly store: CandleHistory;
  private readonly quotes = new Map<string, Quote>();
  private readonly windows = new Map<string, DayWindow>();
  private readonly listeners = new Set<(quote: Quote) => void>();
  /** By name, made once for each list of the source. */
  private byPair: { list: readonly PairRules[]; rules: Map<string, PairRules> } | null = null;
  /** The pairs whose dearest fee is known: the source is asked for its name many times a second. */
  private pricedPairs: readonly PairRules[] | null = null;
  private feeBps = 0;
  private settled = -Infinity;
  private settleAgainAt = 0;
  private settling: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly feed: MarketFeed,
    private readonly log: Log,
  ) {
    this.baseInterval = feed.baseInterval;
    this.baseMs = INTERVAL_MS[feed.baseInterval];
    this.finestInterval = feed.finestInterval ?? feed.baseInterval;
    this.intervals = timeframesOf(this.finestInterval);
    this.tickBars = new TickBars(INTERVAL_MS[this.finestInterval], (pair, after, before) =>
      this.earlier(pair, after, before),
    );
    this.staleMs = staleAfterMs(feed);
    this.gate = new PriceGate(this.staleMs);
    this.store = new CandleHistory(
      (pair, interval, from, to) => feed.candles(pair, interval, from, to),
      feed.baseInterval,
      (interval) => this.oldest(interval),
    );
  }

  get source(): MarketSource {
    const { id, kind, label, quote, pairs, speed = 1 } = this.feed;
    if (pairs !== this.pricedPairs) {
      this.pricedPairs = pairs;
      this.feeBps = Math.max(0, ...pairs.map((rules) => rules.feeBps));
    }
    const { intervals } = this;
    return {
      id,
      kind,
      label,
      quote,
      intervals,
      ...(pairs.length > 0 ? { feeBps: this.feeBps } : {}),
      ...(speed === 1 ? {} : { speed }),
    };
  }

  async start(): Promise<void> {
    const first = this.feed.start((tick) => {
      this.offer(tick);
    });
    const failed = (error: unknown): void => {
      this.log.error(
        { source: this.feed.id, error: String(error) },
        'The market source did not start',
      );
    };
    if (this.feed.kind === 'exchange') {
      first.catch(failed);
      await Promise.race([
        first.catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, START_WAIT_MS).unref()),
      ]);
    } else {
      await first;
    }
    const settled = this.settle();
    if (this.feed.kind !== 'exchange') await settled;
    this.timer = setInterval(() => {
      void this.settle();
    }, LOOK_MS);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    await this.feed.stop();
    await this.settling;
  }

  rules(pair: string): PairRules | null {
    const list = this.feed.pairs;
    if (this.byPair?.list !== list)
      this.byPair = { list, rules: new Map(list.map((rules) => [rules.pair, rules])) };
    return this.byPair.rules.get(pair) ?? null;
  }

  pairs(): readonly PairRules[] {
    return this.feed.pairs;
  }

  now(): number {
    return this.feed.now();
  }

  quote(pair: string): Quote | null {
    return this.quotes.get(pair) ?? null;
  }

  isStale(pair: string): boolean {
    const quote = this.quotes.get(pair);
    return (
      quote === undefined ||
      this.feed.exhausted?.() === true ||
      this.feed.now() - quote.at > this.staleMs
    );
  }

  symbol(pair: string): SymbolQuote | null {
    const quote = this.quotes.get(pair);
    if (quote === undefined) return null;
    const { high, low, volume, before } = this.window(pair).figures();
    const price = toNumber(quote.last);
    return {
      symbol: pair,
      price: formatFixed(quote.last),
      bid: formatFixed(quote.bid),
      ask: formatFixed(quote.ask),
      volume_24h: volume === null ? null : amountText(volume),
      high_24h: high === null ? null : decimalText(high),
      low_24h: low === null ? null : decimalText(low),
      price_change_24h:
        before === null ? null : Number((((price - before) / before) * 100).toFixed(4)),
      timestamp: quote.at,
      stale: this.isStale(pair),
    };
  }

  dayLine(pair: string): DayLine | null {
    return this.windows.get(pair)?.line() ?? null;
  }

  async candles(
    pair: string,
    interval: CandleInterval,
    from: number,
    to: number,
    reader?: CandleReader,
  ): Promise<Candle[]> {
    if (this.rules(pair) === null || !isBuildable(interval, this.finestInterval)) return [];
    return this.feed.candles(pair, interval, from, Math.min(to, this.feed.now()), reader);
  }

  oldest(interval: CandleInterval): number {
    return this.feed.oldest?.(interval) ?? 0;
  }

  async forming(pair: string, interval: CandleInterval, now: number): Promise<Forming | null> {
    if (this.rules(pair) === null || !isBuildable(interval, this.finestInterval)) return null;
    const candles = (part: CandleInterval, from: number, to: number): Promise<Candle[]> =>
      this.feed.candles(pair, part, from, to, 'screen');
    const bars = (): readonly TickBar[] => this.bars(pair);
    return formingCandle({ finest: this.finestInterval, candles, bars }, interval, now);
  }

  bars(pair: string): readonly TickBar[] {
    return this.tickBars.of(pair);
  }

  /** What the source told before this process listened; null where it cannot tell it again. */
  private earlier(
    pair: string,
    after: number,
    before: number,
  ): Pick<Quote, 'at' | 'last'>[] | null {
    const ticks = this.feed.retell?.(pair, after, before - 1);
    return ticks?.map(({ at, last }) => ({ at, last: parseFixed(last) })) ?? null;
  }

  async history(pair: string, lookbackMs: number, to: number): Promise<Candle[]> {
    if (this.rules(pair) === null) return [];
    return this.store.mixed(pair, lookbackMs, Math.min(to, this.feed.now()));
  }

  onQuote(listener: (quote: Quote) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  refused(): Readonly<Record<string, number>> {
    return this.gate.refused();
  }

  /** A tick from the feed: told on where the gate believes it. */
  offer(tick: RawTick): void {
    const quote = this.gate.admit(tick, this.rules(tick.pair), this.feed.now());
    if (quote !== null) this.take(quote);
  }

  private take(quote: Quote): void {
    this.quotes.set(quote.pair, quote);
    this.window(quote.pair).see(toNumber(quote.last), quote.at);
    this.tickBars.see(quote.pair, quote);
    for (const listener of this.listeners) {
      try {
        listener(quote);
      } catch (error) {
        this.log.error({ pair: quote.pair, error: String(error) }, 'A listener failed on a quote');
      }
    }
  }

  private window(pair: string): DayWindow {
    const known = this.windows.get(pair);
    if (known !== undefined) return known;
    const fresh = new DayWindow(this.baseMs);
    this.windows.set(pair, fresh);
    return fresh;
  }

  /**
   * Takes newly closed candles into the 24 h figures, once a close. A source that fails is asked
   * again next time.
   */
  private settle(): Promise<void> {
    const close = alignDown(this.feed.now(), this.baseMs);
    const resting =
      close <= this.settled ||
      performance.now() < this.settleAgainAt ||
      this.feed.pairs.length === 0;
    if (this.settling !== null || resting) return this.settling ?? Promise.resolve();
    this.settling = this.settleAll(close).finally(() => {
      this.settling = null;
    });
    return this.settling;
  }

  private async settleAll(close: number): Promise<void> {
    const list = this.feed.pairs;
    const outcomes = await Promise.allSettled(
      list.map(async ({ pair }) => {
        const candles = await this.store.recent(pair, close - DAY, close);
        const newest = candles.at(-1);
        if (newest === undefined) return;
        this.gate.expect(pair, fixedFromNumber(newest.close));
        this.window(pair).settle(candles);
      }),
    );
    // Nobody waits for the candles of a pair that is not traded.
    const failure = outcomes.find(
      (outcome, at): outcome is PromiseRejectedResult =>
        outcome.status === 'rejected' && list[at]?.notTraded === undefined,
    );
    if (failure === undefined) {
      this.settled = close;
      return;
    }
    this.settleAgainAt = performance.now() + RETRY_MS;
    this.log.warn(
      { source: this.feed.id, error: String(failure.reason) },
      'Candles could not be read',
    );
  }
}
