/** Plans, subscription, trial and usage on the wire, the same for every payment provider. */
import * as z from 'zod/mini';
import { DecimalText } from './decimal-text.ts';
import { SubscriptionState } from './subscription-state.ts';
import { Tier } from './permission.ts';

export const Plan = z.object({
  id: z.string(),
  name: z.string(),
  tier: Tier,
  /** null for the plan that costs nothing. */
  priceId: z.nullable(z.string()),
  amount: DecimalText,
  currency: z.string(),
  interval: z.enum(['month', 'year']),
  agents: z.number(),
});
export type Plan = z.infer<typeof Plan>;
/**
 * The coupon that this deployment honours, as the provider tells it; the first invoices are that
 * much less.
 */
export const Coupon = z.object({
  id: z.string(),
  /** One of the two is set. */
  percentOff: z.nullable(z.number()),
  amountOff: z.nullable(DecimalText),
  /** `months` says how many for `repeating`. */
  duration: z.enum(['once', 'repeating', 'forever']),
  months: z.nullable(z.number()),
});
export type Coupon = z.infer<typeof Coupon>;
export const Plans = z.object({
  plans: z.array(Plan),
  provider: z.enum(['stripe', 'test']),
  /** Null or absent where no coupon is honoured, or not for somebody who had a plan. */
  coupon: z.optional(z.nullable(Coupon)),
});
export type Plans = z.infer<typeof Plans>;

const SubscriptionStatus = z.enum([
  'active',
  'trialing',
  'past_due',
  'canceled',
  'incomplete',
  'none',
]);
export const Subscription = z.object({
  status: SubscriptionStatus,
  tier: Tier,
  planId: z.nullable(z.string()),
  currentPeriodEnd: z.nullable(z.number()),
  cancelAtPeriodEnd: z.boolean(),
});
export type Subscription = z.infer<typeof Subscription>;
/**
 * `servedAt` is the server's wall clock, from which days are counted; `entitledTier` is what the
 * server enforces; `standing` says why and until when, and is absent where a back end does not tell
 * it.
 */
export const SubscriptionStatusReply = z.object({
  subscription: z.nullable(Subscription),
  entitledTier: Tier,
  servedAt: z.number(),
  standing: z.optional(SubscriptionState),
});
export type SubscriptionStatusReply = z.infer<typeof SubscriptionStatusReply>;

/**
 * `endDate` is ISO 8601 UTC, null when there never was a trial. `trialDays` is how long a trial
 * started now would last; absent where a server does not say.
 */
export const TrialStatus = z.object({
  isActive: z.boolean(),
  endDate: z.nullable(z.string()),
  hasUsed: z.boolean(),
  servedAt: z.number(),
  trialDays: z.optional(z.number()),
});
export type TrialStatus = z.infer<typeof TrialStatus>;

export const TrialStartBody = z.strictObject({
  userId: z.string().check(z.minLength(1, 'Required'), z.maxLength(1000)),
});
export const TrialStartReply = z.object({ commandId: z.string(), trial: TrialStatus });
export type TrialStartReply = z.infer<typeof TrialStartReply>;

export const SubscribeBody = z.strictObject({
  userId: z.string().check(z.minLength(1, 'Required'), z.maxLength(1000)),
  planId: z.string().check(z.minLength(1, 'Required'), z.maxLength(1000)),
});
export const SubscribeReply = z.object({
  commandId: z.string(),
  subscription: z.nullable(Subscription),
});
export type SubscribeReply = z.infer<typeof SubscribeReply>;

/**
 * With `planId` the portal opens at that change, to be confirmed there: a plan to change to, or
 * `free` to end the present one.
 */
export const PortalBody = z.strictObject({
  returnUrl: z.string().check(z.minLength(1, 'Required'), z.maxLength(2000)),
  planId: z.optional(z.string().check(z.minLength(1, 'Required'), z.maxLength(1000))),
});
export const CheckoutBody = z.strictObject({
  priceId: z.string().check(z.minLength(1, 'Required'), z.maxLength(1000)),
  successUrl: z.string().check(z.minLength(1, 'Required'), z.maxLength(2000)),
  cancelUrl: z.string().check(z.minLength(1, 'Required'), z.maxLength(2000)),
  embedded: z.optional(z.boolean()),
  /** Honoured only where it is the one the server was given. */
  coupon: z.optional(z.string().check(z.maxLength(200))),
});
export type CheckoutBody = z.infer<typeof CheckoutBody>;
/** `url` for a hosted page, `clientSecret` for one embedded in the app. */
export const CheckoutReply = z.object({
  commandId: z.string(),
  url: z.nullable(z.string()),
  clientSecret: z.nullable(z.string()),
});
export type CheckoutReply = z.infer<typeof CheckoutReply>;
/**
 * What became of the checkouts that the person opened lately, by the provider's own word. `open`: none
 * of them was completed, and one still can be.
 */
export const CheckoutStateReply = z.object({
  state: z.enum(['none', 'open', 'complete', 'expired']),
});
export type CheckoutStateReply = z.infer<typeof CheckoutStateReply>;
export const PortalReply = z.object({ commandId: z.string(), url: z.string() });
export type PortalReply = z.infer<typeof PortalReply>;

export const Usage = z.object({
  tier: Tier,
  agents: z.object({ used: z.number(), limit: z.number() }),
  fillsThisMonth: z.number(),
  periodStart: z.number(),
});
export type Usage = z.infer<typeof Usage>;
