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
  /**
   * Set while the venue does not trade it: `halted` for the moment, or `gone` for so long that it
   * may be for good.
   */
  notTraded?: 'halted' | 'gone';
}

/** A sane price: `bid <= ask`, both positive. */
export interface Quote {
  pair: string;
  at: number;
  last: Fixed;
  bid: Fixed;
  ask: Fixed;
}

/** Base units traded of a pair up to a moment. */
export interface Volumes {
  /** Of the newest closed candle: an order takes a share of it at most. */
  candleVolume: number;
  /** Of a day, for impact: a candle in which nobody traded does not make the market thin. */
  dayVolume: number;
}

/** How deep a market is. */
export interface Depth extends Volumes {
  /** Null where unknown: a cautious value is assumed. */
  dailyVolatility: number | null;
}
