/** The state of a person's plan, as a pure function of subscription, trial and clock. */
import type { SubscriptionState } from '../../contract/subscription-state.ts';
import { Tier } from '../../contract/permission.ts';

/**
 * How long after the end of what is paid a payment may still arrive before the plan lapses: card
 * retries and late webhooks.
 */
export const PAYMENT_GRACE_MS = 3 * 24 * 60 * 60_000;
/** A renewal that is under way is no overdue payment yet, for this long. */
const RENEWAL_SETTLES_MS = 60 * 60_000;

export interface SubscriptionFacts {
  status: string;
  tier: string;
  /** End of what is paid for. Wall clock, ms. */
  currentPeriodEnd: number | null;
  cancelAtPeriodEnd: boolean;
}

export interface TrialFacts {
  /** Wall clock, ms; null when there never was a trial. */
  endsAt: number | null;
}

/**
 * When a subscription stops to count if nothing more is heard of it; null for never, -Infinity
 * where it does not count at all.
 */
function countsUntil(facts: SubscriptionFacts): number | null {
  if (facts.status !== 'active' && facts.status !== 'trialing' && facts.status !== 'past_due')
    return -Infinity;
  if (facts.currentPeriodEnd === null) return facts.status === 'past_due' ? -Infinity : null;
  return facts.cancelAtPeriodEnd
    ? facts.currentPeriodEnd
    : facts.currentPeriodEnd + PAYMENT_GRACE_MS;
}

/**
 * Whether a subscription counts at `now` (ms). A cancelled one counts to the end of what was paid;
 * an unpaid one has the grace.
 */
export function subscriptionCounts(facts: SubscriptionFacts, now: number): boolean {
  const until = countsUntil(facts);
  return until === null || now < until;
}

export const trialCounts = (facts: TrialFacts, now: number): boolean =>
  facts.endsAt !== null && now < facts.endsAt;

/**
 * The paid tier of a subscription that counts; null where it does not, or where its price is none
 * of ours.
 */
function livingTier(
  subscription: SubscriptionFacts | null,
  now: number,
): Exclude<Tier, 'free' | 'trial'> | null {
  if (subscription === null || !subscriptionCounts(subscription, now)) return null;
  const tier = Tier.safeParse(subscription.tier);
  return tier.success && tier.data !== 'free' && tier.data !== 'trial' ? tier.data : null;
}

/**
 * The state of a person's plan: an active plan first, else an active trial, else free or lapsed.
 */
export function subscriptionStateOf(
  subscription: SubscriptionFacts | null,
  trial: TrialFacts,
  now: number,
): SubscriptionState {
  const tier = livingTier(subscription, now);
  if (subscription !== null && tier !== null) return paidPlanState(subscription, tier, trial, now);
  if (trialCounts(trial, now))
    return {
      state: 'trial',
      tier: 'trial',
      until: trial.endsAt,
      next: { state: 'lapsed', tier: 'free' },
    };
  // A checkout that was never finished is no plan that could lapse.
  const hadPlan =
    subscription !== null && subscription.status !== 'incomplete' && subscription.status !== 'none';
  const state = hadPlan || trial.endsAt !== null ? 'lapsed' : 'free';
  return { state, tier: 'free', until: null, next: { state, tier: 'free' } };
}

function paidPlanState(
  facts: SubscriptionFacts,
  tier: Tier,
  trial: TrialFacts,
  now: number,
): SubscriptionState {
  const paidUntil = facts.currentPeriodEnd;
  const over = countsUntil(facts);
  const afterwards: SubscriptionState['next'] =
    over !== null && trialCounts(trial, over)
      ? { state: 'trial', tier: 'trial' }
      : { state: 'lapsed', tier: 'free' };
  if (facts.cancelAtPeriodEnd && paidUntil !== null)
    return { state: 'ending', tier, until: paidUntil, next: afterwards };
  const overdue =
    facts.status === 'past_due' || (paidUntil !== null && now >= paidUntil + RENEWAL_SETTLES_MS);
  if (overdue) return { state: 'grace', tier, until: over, next: afterwards };
  return { state: 'active', tier, until: paidUntil, next: { state: 'active', tier } };
}
