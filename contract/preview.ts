/** The request and the reply of a preview: what an agent would do now. */
import * as z from 'zod/mini';
import {
  DecisionAction,
  ExecutionInterval,
  PoolId,
  PositionSize,
  RiskProfile,
  TradingFrequency,
  TradingPairs,
} from './agents.ts';
import { DecimalText } from './decimal-text.ts';

/**
 * The terms of an agent that is not made yet, or of an edit that is not saved yet; as in the
 * creation payload.
 */
export const PreviewTerms = z.strictObject({
  trading_pairs: TradingPairs,
  risk_profile: RiskProfile,
  max_position_size: PositionSize,
  execution_interval: ExecutionInterval,
  pool: z.optional(PoolId),
  trading_frequency: z.optional(TradingFrequency),
});
export type PreviewTerms = z.infer<typeof PreviewTerms>;

/**
 * One of the person's agents as it stands or under other terms, or terms alone. Changes nothing on
 * the server.
 */
export const ASKED_ABOUT = {
  agentId: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))),
  terms: z.optional(PreviewTerms),
};
export const somebodyAsked = z.refine<{ agentId?: unknown; terms?: unknown }>(
  (body) => body.agentId !== undefined || body.terms !== undefined,
  { error: 'Required', path: ['terms'] },
);
export const AgentPreviewBody = z.strictObject(ASKED_ABOUT).check(somebodyAsked);
export type AgentPreviewBody = z.infer<typeof AgentPreviewBody>;

/** What would be bought or sold at the present quote, by the rules of a real paper fill. */
const PreviewOrder = z.object({
  side: z.enum(['buy', 'sell']),
  quantity: DecimalText,
  price: DecimalText,
  notional: DecimalText,
  fee: DecimalText,
});
type PreviewOrder = z.infer<typeof PreviewOrder>;

/**
 * One pair: the decision as the journal would carry it, the order if there is one, and what is at
 * stake after it.
 */
export const PairPreview = z.object({
  pair: z.string(),
  action: DecisionAction,
  reason: z.string(),
  strength: z.nullable(z.number()),
  threshold: z.nullable(z.number()),
  text: z.string(),
  order: z.nullable(PreviewOrder),
  /** Of what is then held in the pair; null where nothing is. */
  stopPrice: z.nullable(DecimalText),
  /**
   * The result of selling all of it at the stop, fees and impact included; null where nothing is
   * held. A gap can cost more.
   */
  atStop: z.nullable(DecimalText),
});
export type PairPreview = z.infer<typeof PairPreview>;

/** Times are on the market clock, ms. */
export const AgentPreview = z.object({
  commandId: z.string(),
  asOf: z.number(),
  /** Close of the candle that was judged: the newest of the agent's own interval. */
  close: z.number(),
  /** When it would look for the first time if it were started now. */
  nextLookAt: z.number(),
  quote: z.string(),
  equity: DecimalText,
  freeCash: DecimalText,
  pairs: z.array(PairPreview),
  /** `atStop` of all pairs together. */
  atStop: DecimalText,
  /** Set where a guard would halt the agent at once. */
  hold: z.nullable(z.object({ code: z.string(), text: z.string(), until: z.nullable(z.number()) })),
});
export type AgentPreview = z.infer<typeof AgentPreview>;
