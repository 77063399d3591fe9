/** Results of a user's agents over time, and their headroom to their limits. */
import * as z from 'zod/mini';
import { Decision } from './agents.ts';
import { DecimalText } from './decimal-text.ts';
import { AgentTest } from './backtest-record.ts';

/**
 * `[market ms, result]`, oldest first, for drawing alone: realised and unrealised together, at the
 * closes of candles, and at the price of the last trade where those could not be read.
 */
export const AgentSeries = z.object({
  agentId: z.string(),
  points: z.array(z.tuple([z.number(), z.number()])),
});
export type AgentSeries = z.infer<typeof AgentSeries>;

/**
 * What an agent's trades in this book add up to, for comparing agents. Shares are of 1; null where
 * nothing was closed yet.
 */
const AgentFigures = z.object({
  agentId: z.string(),
  trades: z.number(),
  sells: z.number(),
  wins: z.number(),
  /** Gains of sales ÷ their losses; null without a loss. */
  profitFactor: z.nullable(z.number()),
  /** Time with a position since its first trade, of all the time since then. */
  exposure: z.nullable(z.number()),
});
type AgentFigures = z.infer<typeof AgentFigures>;

/**
 * The limits that stop an agent's entries, and what is used of them. Shares (0.04 is 4 %). A null
 * share is not known: the guard's mark is taken at the agent's first look of the day, or since its
 * start.
 */
export const RiskDistance = z.object({
  agentId: z.string(),
  dayStart: z.nullable(DecimalText),
  dayLoss: z.nullable(z.number()),
  dayLossLimit: z.number(),
  peak: z.nullable(DecimalText),
  drawdown: z.nullable(z.number()),
  drawdownLimit: z.number(),
});
export type RiskDistance = z.infer<typeof RiskDistance>;

export const AgentInsight = z.object({
  /** Market clock, ms. */
  asOf: z.number(),
  /** Time between two points of a series, ms; 0 where nothing has been traded. */
  stepMs: z.number(),
  series: z.array(AgentSeries),
  /** Absent in replies kept from before; agents without a trade are left out. */
  figures: z.optional(z.array(AgentFigures)),
  /**
   * Agents that were tested before they were started or changed. Absent in replies kept from
   * before.
   */
  tests: z.optional(z.array(AgentTest)),
  /** What `pro-features:read` adds; null without it. */
  pro: z.nullable(
    z.object({
      equity: DecimalText,
      risk: z.array(RiskDistance),
      /** Newest first, of all agents. */
      decisions: z.array(Decision),
    }),
  ),
});
export type AgentInsight = z.infer<typeof AgentInsight>;
