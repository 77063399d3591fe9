/**
 * The feed port: what a price source must offer. Prices are checked elsewhere, in the price gate.
 */
import type { CandleInterval } from '../../contract/market.ts';
import type { Candle, PairRules } from '../../engine/market-types.ts';

/**
 * One observation of the market, on the market clock. `bid`/`ask` are null where the source has no
 * book.
 */
export interface RawTick {
  pair: string;
  at: number;
  last: string;
  bid: string | null;
  ask: string | null;
  /**
   * The source's own order of ticks for this pair; a lower or equal number is a duplicate or a
   * reorder.
   */
  sequence: number;
}

/**
 * Who reads candles. `screen`: somebody looks at them. `engine`: what trades, guards or warns decides
 * on them, and waits for no screen.
 */
export type CandleReader = 'engine' | 'screen';

/** `reader`: the engine where it is not said. */
export type ReadCandles = (
  pair: string,
  interval: CandleInterval,
  from: number,
  to: number,
  reader?: CandleReader,
) => Promise<Candle[]>;

export interface MarketFeed {
  /** Identity for accounts and ticks: `simulated`, `replay:<folder name>`, `coinbaseexchange`… */
  readonly id: string;
  readonly kind: 'simulated' | 'replay' | 'exchange';
  /** What the app shows: "Simulated prices", "Replay of 5m candles", "Coinbase Exchange". */
  readonly label: string;
  readonly quote: string;
  readonly pairs: readonly PairRules[];
  /** Finest candle the source has. Agents cannot look more often. */
  readonly baseInterval: CandleInterval;
  /** The finest candle a chart can have, where that is finer than what agents check. */
  readonly finestInterval?: CandleInterval;
  /** How many times real time its clock runs; 1 where it does not say. */
  readonly speed?: number;
  /** Market clock, ms UTC; never goes back. A quote is told at its own `at` or later. */
  now(): number;
  /**
   * True once nothing more will come: a tape at its end. Every price is then stale, whatever its
   * age.
   */
  exhausted?(): boolean;
  /** Resolves when first prices are there. */
  start(onTick: (tick: RawTick) => void): Promise<void>;
  stop(): Promise<void>;
  /** The ticks with `after < at <= to` once more, from a source that can tell its past again. */
  retell?(pair: string, after: number, to: number): RawTick[];
  /**
   * Closed candles with `from <= time` and close `<= to` (also `<= now()`), oldest first. Anything
   * coarser than the finest interval is built from finer ones, aligned to the epoch.
   */
  candles: ReadCandles;
  /**
   * When the oldest candle of this length opens that the source can be relied on for, ms; absent or
   * 0 where it has all since a pair began.
   */
  oldest?(interval: CandleInterval): number;
}
