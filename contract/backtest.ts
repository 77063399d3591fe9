/** The inputs and the result of a backtest. */
import * as z from 'zod/mini';
import { ExecutionInterval, PoolId, RiskProfile, TradingFrequency } from './agents.ts';
import { BACKTEST_DAYS_MAX } from './limits.ts';
import { CandleInterval, CandleRow } from './market.ts';
import { DecimalText } from './decimal-text.ts';
import { ASKED_ABOUT, somebodyAsked } from './preview.ts';
import type { Metrics } from './trading.ts';

/**
 * One of the person's agents, or terms that are none yet, and how far back from now. Changes
 * nothing on the server.
 */
export const BacktestTermsBody = z
  .strictObject({ ...ASKED_ABOUT, days: z.int().check(z.gte(1), z.lte(BACKTEST_DAYS_MAX)) })
  .check(somebodyAsked);
export type BacktestTermsBody = z.infer<typeof BacktestTermsBody>;

/** What a venue demands of an order and takes for it; basis points. */
const TestedPair = z.object({
  pair: z.string(),
  base: z.string(),
  quote: z.string(),
  lot: DecimalText,
  minNotional: DecimalText,
  halfSpreadBps: z.number(),
  feeBps: z.number(),
});

/**
 * All that a test needs but the candles, as the server would use it live. Times on the market
 * clock, ms.
 */
export const BacktestTerms = z.object({
  commandId: z.string(),
  agent: z.object({
    pool: PoolId,
    profile: RiskProfile,
    pairs: z.array(z.string()),
    maxPositionSize: DecimalText,
    interval: ExecutionInterval,
    frequency: TradingFrequency,
    /** Fractions: 0.05 is 5 %. The person's own values are in. */
    risk: z.object({
      threshold: z.number(),
      maxPosition: z.number(),
      stopLoss: z.number(),
      riskPerTrade: z.number(),
      volatilityTarget: z.number(),
      dayLossHalt: z.number(),
      drawdownHalt: z.number(),
    }),
  }),
  quote: z.string(),
  /** What the account is worth now: the test begins with as much. */
  deposit: DecimalText,
  maxTradeAmount: DecimalText,
  rules: z.array(TestedPair),
  /**
   * The pool's list that the pairs are taken from, and since when it is in force (ms; 0: always);
   * null where the person named them. Absent from older servers.
   */
  universe: z.optional(z.nullable(z.object({ version: z.number(), from: z.number() }))),
  /**
   * Stablecoin pairs of the market that are not traded here and tell whether the quote is on its
   * peg; absent from older servers.
   */
  witnesses: z.optional(z.array(z.string())),
  /** The finest candle that the source has of the whole period. */
  baseInterval: CandleInterval,
  from: z.number(),
  to: z.number(),
  /** Candles from here on are history that the signals look back on. */
  historyFrom: z.number(),
  /**
   * Where candles of the source reach back less far than was asked for: its name, the finest candle
   * of its own and the beginning that was asked for. Hours begin at `hoursFrom`, before it there are
   * days. Absent from sources that have all, and from older servers.
   */
  reach: z.optional(
    z.object({
      source: z.string(),
      finest: CandleInterval,
      askedFrom: z.number(),
      hoursFrom: z.number(),
    }),
  ),
  /**
   * The server keeps what an agent was tested with, if it is told. Absent from servers that do not.
   */
  keepsTests: z.optional(z.boolean()),
});
export type BacktestTerms = z.infer<typeof BacktestTerms>;

/** What a device keeps of the last test, so that it can be done again without a network. */
export const KeptBacktest = z.object({
  /** What was asked about, as the page spells it. */
  key: z.string(),
  terms: BacktestTerms,
  candles: z.record(z.string(), z.array(CandleRow)),
});
export type KeptBacktest = z.infer<typeof KeptBacktest>;

/** Times ISO 8601 in UTC, money and quantities decimal text, ratios numbers or null. */
export interface BacktestReport {
  settings: {
    pool: string;
    profile: string;
    pairs: readonly string[];
    interval: string;
    frequency: string;
    from: string;
    to: string;
    deposit: string;
    maxPositionSize: string;
    quote: string;
  };
  /**
   * A purchase, or the part of one that was sold at once. Still held: without exit, and `pnl` is
   * null.
   */
  trades: BacktestTrade[];
  /** Those that did something; `reasons` counts the others too. */
  decisions: {
    time: string;
    pair: string;
    action: string;
    reason: string;
    strength: number | null;
    threshold: number | null;
    text: string;
  }[];
  reasons: Record<string, number>;
  equity: { time: string; equity: string }[];
  metrics: Metrics;
  /** An equal share of each pair bought at the start and held, as a plain return, without costs. */
  buyAndHold: number | null;
  costs: { fees: string; slippage: string };
  finalEquity: string;
  /**
   * What the listed trades won or lost, first in, first out, and what is held still at its price:
   * together final equity less the deposit.
   */
  realized: string;
  unrealized: string;
  candles: number;
  /** What it was made with, as hashes; see `engine/backtest/backtest-hashes.ts`. */
  tested?: { settings: string; data: string; engine: string };
}

export interface BacktestTrade {
  pair: string;
  entryTime: string;
  exitTime: string | null;
  entryPrice: string;
  exitPrice: string | null;
  quantity: string;
  /** Of both ends. */
  fees: string;
  /** Net of fees. */
  pnl: string | null;
  exitReason: string | null;
}
