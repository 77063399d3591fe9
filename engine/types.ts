/**
 * What goes into and comes out of the trading core; refuses clocks, random sources and any sign of
 * "live".
 */
import type {
  PoolId,
  RiskProfile,
  TradingFrequency,
  ExecutionInterval,
} from '../contract/agents.ts';
import type { Fixed } from '../contract/money.ts';
import type { Correlation } from './correlation.ts';
import type { PegBreaks } from './pegs.ts';

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

/**
 * What a strategy says of one pair at one closed candle, the same for every agent. `z` is in the
 * pair's own volatility units, `strength` is q·max(0, 2Φ(z)−1), `quality` q in [0, 1].
 */
export interface Signal {
  pair: string;
  z: number | null;
  strength: number;
  quality: number;
  /**
   * The strategy's own rule for getting in and out; the threshold is the agent's and comes on top
   * of `enter`.
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
  /** Close of the newest candle the signal has seen; guards hold quotes against it. */
  price?: number;
  /** Blend only: the share of a full position the sleeves want by their own rules, in [0, 1]. */
  target?: number;
  /** Blend only: the sleeves that apply to this pair, each an equal share of the position. */
  sleeves?: readonly Sleeve[];
}

/** One strategy's word inside a blend. */
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

/**
 * The numbers behind a risk profile, the user's own on top. Percentages as fractions (0.05 is 5 %).
 */
export interface RiskValues {
  threshold: number;
  maxPosition: number;
  stopLoss: number;
  riskPerTrade: number;
  volatilityTarget: number;
  dayLossHalt: number;
  drawdownHalt: number;
}

export interface AgentInput {
  id: string;
  pool: PoolId;
  profile: RiskProfile;
  risk: RiskValues;
  pairs: readonly string[];
  maxPositionSize: Fixed;
  interval: ExecutionInterval;
  frequency: TradingFrequency;
  /** What the engine returned last time, or `{}`. Plain JSON. */
  memory: Readonly<Record<string, unknown>>;
}

export interface OpenPosition {
  id: string;
  pair: string;
  quantity: Fixed;
  cost: Fixed;
  stopPrice: Fixed | null;
  openedAt: number;
}

export interface AccountInput {
  /** Cash not reserved by other orders of this tick. */
  freeCash: Fixed;
  equity: Fixed;
  /** `maxTradeAmount` of the user; caps any single order. */
  maxTradeAmount: Fixed;
  /**
   * False when the person or a kill switch has stopped new entries; exits run. `reason` says which.
   */
  entriesAllowed: { allowed: true } | { allowed: false; reason: string };
}

export interface TickInput {
  /** `source:symbol-less interval:close`, the same for every agent due at it. */
  id: string;
  /** Close of the candle the decision is made on, ms on the market clock. */
  close: number;
  signals: ReadonlyMap<string, Signal>;
  /** First sane quote after `close` of each pair; a pair without one is not traded. */
  quotes: ReadonlyMap<string, Quote>;
  rules: ReadonlyMap<string, PairRules>;
  /**
   * Volume in base units of the candle of the agent's own interval that closed at `close`, for
   * participation and impact.
   */
  candleVolume: ReadonlyMap<string, number>;
  /** Coins of the market that stood off their peg within a day of `close`. */
  pegBreaks: PegBreaks;
  /** How closely two pairs moved together up to the midnight before `close`. */
  correlation: Correlation;
}

export interface DecisionDraft {
  pair: string;
  action: 'enter' | 'exit' | 'hold' | 'skip';
  reason: string;
  strength: number | null;
  threshold: number | null;
  /** One plain sentence: "No trade: signal 0.41, needs 0.55." */
  text: string;
}

/** A fill with everything frozen into it. Ratios in basis points as decimal fixed-point. */
export interface FillDraft {
  pair: string;
  side: 'buy' | 'sell';
  /** What was wanted; the rest stays unfilled. */
  wanted: Fixed;
  quantity: Fixed;
  price: Fixed;
  notional: Fixed;
  fee: Fixed;
  feeBps: Fixed;
  slippageBps: Fixed;
  quoteBid: Fixed;
  quoteAsk: Fixed;
  ruleVersion: number;
  /** Sell only: proceeds − fee − cost of what was sold. */
  realized: Fixed | null;
  costBasis: Fixed | null;
  reason: string;
  filledAt: number;
}

/** The position after a fill; quantity zero means closed. */
export interface PositionAfter {
  pair: string;
  quantity: Fixed;
  cost: Fixed;
  stopPrice: Fixed | null;
}

export interface TradeDraft {
  fill: FillDraft;
  after: PositionAfter;
}

export interface Hold {
  code: string;
  text: string;
  /** Market clock, ms; null until started again. */
  until: number | null;
}

export interface AgentOutcome {
  /** Exactly one for each of the agent's pairs. */
  decisions: DecisionDraft[];
  trades: TradeDraft[];
  memory: Record<string, unknown>;
  /** Set when a guard halts the agent (day loss, drawdown). */
  hold: Hold | null;
}

/** How deep a market is, for impact: base units traded in a candle of `intervalMs`. */
export interface Depth {
  volume: number;
  intervalMs: number;
  /** Null where unknown: a cautious value is assumed. */
  dailyVolatility: number | null;
}

/** One side of a double entry; amounts of one transaction sum to zero per asset. */
export interface LedgerEntry {
  bucket: string;
  asset: string;
  amount: Fixed;
}
