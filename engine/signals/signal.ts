/** A strategy's view of one pair at one closed candle. */
import type { PoolId } from '../../contract/agents.ts';

/**
 * A strategy's view of one pair at one closed candle, the same for every agent. `z` is in units of
 * the pair's own volatility, `strength` is q·max(0, 2Φ(z)−1), `quality` is q in [0, 1].
 */
export interface Signal {
  pair: string;
  z: number | null;
  strength: number;
  quality: number;
  /**
   * The strategy's own rule for entry and exit. For an entry the agent's threshold applies as well.
   */
  enter: boolean;
  leave: boolean;
  /** Daily volatility (1 = 100 %), null when unknown. */
  dailyVolatility: number | null;
  /**
   * Code for the reason, worded in `src/format`: `weak_signal`, `not_in_top`, `too_little_history`…
   */
  reason: string;
  /**
   * Ranked strategies: when the ranking was formed, ms. After a stop on a pair the agent waits for
   * a newer one.
   */
  formedAt?: number;
  /** Peg strategy only: how far under fair the price is, as a fraction of fair. */
  deviation?: number;
  /** Where set, an entry pays only if this fraction of the price exceeds the round-trip cost. */
  edge?: number;
  /** Close of the newest candle that the signal is based on; guards compare quotes with it. */
  price?: number;
  /** Blend only: the share of a full position the sleeves want by their own rules, in [0, 1]. */
  target?: number;
  /** Blend only: the sleeves that apply to this pair, each an equal share of the position. */
  sleeves?: readonly Sleeve[];
}

/** One strategy's part of a blend. */
export interface Sleeve {
  pool: PoolId;
  z: number | null;
  strength: number;
  enter: boolean;
  leave: boolean;
  reason: string;
  formedAt?: number;
  deviation?: number;
  edge?: number;
}
