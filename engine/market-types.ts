/** Candles, quotes and a venue's rules, as the engine is given them. */
import type { Fixed } from '../contract/money.ts';

/**
 * A closed candle. `time` is its opening in ms UTC on the market clock. Floats: for signals only,
 * never for money.
 */
export interface Candle {
  time: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

/** What a venue demands of an order and takes for it. */
export interface PairRules {
  pair: string;
  base: string;
  quote: string;
  /** Quantities are multiples of this. */
  lot: Fixed;
  /** Orders under this much quote currency are refused by the venue. */
  minNotional: Fixed;
  /** Half of the usual spread, for sources without a book; basis points. */
  halfSpreadBps: number;
  /** Taker fee in basis points. */
  feeBps: number;
}

/** A sane price: `bid <= ask`, both positive. */
export interface Quote {
  pair: string;
  at: number;
  last: Fixed;
  bid: Fixed;
  ask: Fixed;
}

/** How deep a market is, for impact: base units traded in a candle of `intervalMs`. */
export interface Depth {
  volume: number;
  intervalMs: number;
  /** Null where unknown: a cautious value is assumed. */
  dailyVolatility: number | null;
}
