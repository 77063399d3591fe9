/**
 * The market as the rest of the server sees it: checked quotes, closed candles and the market
 * clock.
 */
import type { CandleInterval, DayLine, MarketSource, SymbolQuote } from '../../contract/market.ts';
import type { Candle, PairRules, Quote } from '../../engine/market-types.ts';
import type { ReadCandles } from './feed.ts';
import type { TickBar } from './tick-bars.ts';

/** A candle that has not closed. See `FormingCandle` of the contract. */
export interface Forming {
  candle: Omit<Candle, 'volume'> & { volume: number | null };
  volumeTo: number;
  since: number;
  at: number;
}

export interface Market {
  readonly source: MarketSource;
  readonly baseInterval: CandleInterval;
  /** The finest candle a chart can have. */
  readonly finestInterval: CandleInterval;
  rules(pair: string): PairRules | null;
  pairs(): readonly PairRules[];
  /** Market clock, ms. */
  now(): number;
  /** Newest sane quote, or null. Staleness is the caller's question: see isStale. */
  quote(pair: string): Quote | null;
  isStale(pair: string): boolean;
  /** Quote with 24 h figures as the wire has it; null for a pair this source does not offer. */
  symbol(pair: string): SymbolQuote | null;
  /** The last 24 h as a line to draw; null where a day of candles is missing. */
  dayLine(pair: string): DayLine | null;
  candles: ReadCandles;
  /**
   * When the oldest candle of this length opens that the source can be relied on for, ms; absent or
   * 0 where it has all since a pair began. Kraken gives the newest 720 of each length.
   */
  oldest?(interval: CandleInterval): number;
  /** The candle that is open at `now`; null where no price of it is known. */
  forming(pair: string, interval: CandleInterval, now: number): Promise<Forming | null>;
  /** The last bars of the finest interval as the quotes made them, the open one last. */
  bars(pair: string): readonly TickBar[];
  /**
   * Closed candles for signals, oldest first, at mixed resolution: hourly further back, base
   * interval for the last two days, and days where the source's hours do not reach. Everything closes at or before `to`. The same array comes back
   * until a candle is added: do not change it.
   */
  history(pair: string, lookbackMs: number, to: number): Promise<Candle[]>;
  /** Every sane quote, in order. Returns the unsubscribe. */
  onQuote(listener: (quote: Quote) => void): () => void;
  /**
   * Refused ticks since start, by reason: zero, negative, not_a_number, crossed, stale, jump,
   * out_of_order.
   */
  refused(): Readonly<Record<string, number>>;
}

/**
 * Whether the source has said which pairs it offers. An exchange may not answer for a while after a
 * start: until then it tells nothing, and a pair that it does not name may be one that it offers.
 */
export const hasNamedPairs = (market: Pick<Market, 'pairs'>): boolean => market.pairs().length > 0;
