/**
 * The record of a backtest as a device reports it, and how the live agent compares. The server does
 * not verify it.
 */
import * as z from 'zod/mini';
import { BACKTEST_DAYS_MAX } from './limits.ts';
import { DecimalText } from './decimal-text.ts';
import { SHA_256 } from './text-forms.ts';

const Hash = z.string().check(z.regex(SHA_256));

/** Goes with a start, a creation or an edit that followed a test. Times on the market clock, ms. */
export const Tested = z.strictObject({
  /**
   * Of the terms, the person's own risk values and limits; of all candles, rules and money that
   * went in; of the engine's source, empty where the device cannot tell.
   */
  settings: Hash,
  data: Hash,
  engine: z.union([Hash, z.literal('')]),
  from: z.number(),
  to: z.number(),
  trades: z.int().check(z.gte(0)),
  totalReturn: z.nullable(z.number()),
  /** Logarithm of equity over that of a day before, for each whole day of the test. */
  daily: z.array(z.number().check(z.gte(-100), z.lte(100))).check(z.maxLength(BACKTEST_DAYS_MAX)),
  /**
   * What fills cost against the middle of their quotes, by their amounts, in basis points; null
   * without one.
   */
  slippageBps: z.nullable(z.number()),
});
export type Tested = z.infer<typeof Tested>;

/**
 * Why there is no band: the test was too short, nothing ever moved in it, the agent has not run for
 * a day, or for longer than was tested.
 */
export const NoBand = z.enum(['too_few_days', 'flat', 'too_soon', 'beyond']);
export type NoBand = z.infer<typeof NoBand>;

export const AgentTest = z.object({
  agentId: z.string(),
  settings: z.string(),
  data: z.string(),
  engine: z.string(),
  from: z.number(),
  to: z.number(),
  days: z.number(),
  trades: z.number(),
  totalReturn: z.nullable(z.number()),
  /**
   * Whether it would be tested with the same now; `sameEngine` null where the device could not
   * tell.
   */
  sameSettings: z.boolean(),
  sameEngine: z.nullable(z.boolean()),
  /** Wall clock, ms. */
  keptAt: z.number(),
  /**
   * From here the agent is measured, on the market clock: its last start, or the edit that was
   * tested.
   */
  since: z.number(),
  /**
   * What the account was worth then, and what the agent had brought by then; `change` is what it
   * has brought since.
   */
  equity: DecimalText,
  resultThen: DecimalText,
  change: DecimalText,
  liveDays: z.number(),
  noBand: z.nullable(NoBand),
  /**
   * `[market ms, low, middle, high]` as shares of `equity`, the last of now; between low and high
   * in 90 of 100 cases.
   */
  band: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])),
  /**
   * Live and in the test, in basis points; null without a fill. `delay` is the price between the
   * decision's close and the middle at the fill. Of fills of an exchange the middle is not known:
   * slippage and half-spread are null, and `delay` ends at the price of the fill.
   */
  slippageBps: z.nullable(z.number()),
  testedSlippageBps: z.nullable(z.number()),
  halfSpreadBps: z.nullable(z.number()),
  delayBps: z.nullable(z.number()),
  /** The closes of its decisions could not be read in time: that `delayBps` is null says no more. */
  delayUnread: z.optional(z.literal(true)),
  fills: z.number(),
  /**
   * Purchases of which a part stayed unfilled, and entries that were decided and then refused, by
   * code.
   */
  partFills: z.number(),
  missed: z.array(z.object({ reason: z.string(), count: z.number() })),
});
export type AgentTest = z.infer<typeof AgentTest>;
