/** What an agent's step is given and what it returns. */
import type {
  ExecutionInterval,
  PoolId,
  RiskProfile,
  TradingFrequency,
} from '../../contract/agents.ts';
import type { Fixed } from '../../contract/money.ts';
import type { PairRules, Quote, Volumes } from '../market-types.ts';
import type { Correlation } from '../signals/correlation.ts';
import type { PegBreaks } from '../signals/pegs.ts';
import type { Signal } from '../signals/signal.ts';

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
  /** Pairs of it that are not decided on this time; a rebalance moment waits for them. */
  leftOut?: readonly string[];
  /** Of `pairs`, those that it holds and does not list: nothing of them is bought. */
  unlisted?: readonly string[];
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
  /**
   * Pairs held in the account of which no price is there yet, though the market offers them. While
   * there are any, `equity` has them at cost and nothing may be concluded from it. Absent in a
   * backtest, whose every position was bought at a price.
   */
  unpriced?: readonly string[];
  /**
   * Cash that came from outside so far, less what went there. A change moves the marks that losses
   * are measured from. Absent on paper, where nothing comes or goes.
   */
  outsideCash?: Fixed;
  /** `maxTradeAmount` of the user; caps any single order. */
  maxTradeAmount: Fixed;
  /**
   * False when the user or a trading halt has stopped new entries; exits run. `reason` says which.
   * `passes`: it is over soon by itself, and a rebalance moment waits for that.
   */
  entriesAllowed: { allowed: true } | { allowed: false; reason: string; passes?: boolean };
  /** Orders of the account are under way that may free cash. Absent on paper, where none ever are. */
  isSettling?: boolean;
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
  /** Traded in the candle of the agent's own interval that closed at `close`, and in the day. */
  volumes: ReadonlyMap<string, Volumes>;
  /** Coins of the market that were off their peg within a day of `close`. */
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

export interface AgentPause {
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
  hold: AgentPause | null;
}
