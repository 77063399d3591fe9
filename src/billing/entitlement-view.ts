/** What a subscription and a trial add up to, at a moment; refuses to ask anyone or to read a clock. */
import type { SubscriptionStatusReply, TrialStatus } from '../../contract/subscription.ts';
import type { Tier } from '../../contract/tiers.ts';

export interface EntitlementView {
  isSubscribed: boolean;
  subscriptionTier: Tier;
  isTrialActive: boolean;
  trialDaysRemaining: number;
  hasUsedTrial: boolean;
}

/** What anyone has before anything is known, after a failed check and after a sign-out. */
export const NO_ENTITLEMENT: EntitlementView = {
  isSubscribed: false, subscriptionTier: 'free', isTrialActive: false, trialDaysRemaining: 0, hasUsedTrial: false,
};

const DAY_MS = 24 * 60 * 60_000;

/** Days to the trial's end, rounded up, never below 0. `now` is the server's wall clock, ms. */
export function trialDaysLeft(trial: TrialStatus, now: number): number {
  const end = trial.endDate === null ? NaN : Date.parse(trial.endDate);
  return Number.isNaN(end) ? 0 : Math.max(0, Math.ceil((end - now) / DAY_MS));
}

/** An active subscription first, else a trial with days left, else free. `now` is the server's wall clock, ms. */
export function entitlementView(status: SubscriptionStatusReply | null, trial: TrialStatus | null, now: number): EntitlementView {
  const hasUsedTrial = trial?.hasUsed ?? false;
  const subscription = status?.subscription ?? null;
  if (subscription?.status === 'active' && subscription.tier !== 'free') {
    return { ...NO_ENTITLEMENT, isSubscribed: true, subscriptionTier: subscription.tier, hasUsedTrial };
  }
  const days = trial?.isActive === true ? trialDaysLeft(trial, now) : 0;
  if (days > 0) return { isSubscribed: true, subscriptionTier: 'trial', isTrialActive: true, trialDaysRemaining: days, hasUsedTrial };
  return { ...NO_ENTITLEMENT, hasUsedTrial };
}
