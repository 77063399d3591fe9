/** The venue port: where exits outside an agent's evaluation are sold. */
import type { Depth, Quote } from '../../engine/market-types.ts';
import type { OpenPosition, TradeDraft } from '../../engine/execution/agent-types.ts';

export interface Venue {
  readonly mode: 'paper';
  /**
   * How deep the market of a pair is now, or was at a moment (market ms): what was traded in the
   * newest candle and in a day, and its volatility.
   */
  depth(pair: string, at?: number): Promise<Depth>;
  /** Newest price at which this venue would sell now, or null where there is none that is fresh. */
  price(pair: string): Quote | null;
  /** Sells the whole position at a price. Null where the pair is no longer offered. */
  sell(position: OpenPosition, quote: Quote, depth: Depth, reason: string): TradeDraft | null;
}
