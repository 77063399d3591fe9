/**
 * Derives plan and trial state at a moment from the server's last answers, as pure functions
 * without clocks or stores.
 */
import { TRIAL_WARNING_DAYS } from '../../contract/limits.ts';
import type { SubscriptionStatusReply, TrialStatus } from '../../contract/subscription.ts';
import type { Tier } from '../../contract/permission.ts';

const DAY_MS = 24 * 60 * 60_000;

/** What screens and the guard read. */
export interface EntitlementView {
  isSubscribed: boolean;
  subscriptionTier: Tier;
  isTrialActive: boolean;
  /** Whole days to the trial's end, rounded up, at least 0. */
  trialDaysRemaining: number;
  hasUsedTrial: boolean;
}

/** The state when logged out or nothing is known. */
export const NO_ENTITLEMENT: EntitlementView = {
  isSubscribed: false,
  subscriptionTier: 'free',
  isTrialActive: false,
  trialDaysRemaining: 0,
  hasUsedTrial: false,
};

/** Days from `now` (ms) to an ISO date, rounded up, at least 0; 0 without a readable date. */
export function daysRemaining(endDate: string | null, now: number): number {
  const end = endDate === null ? Number.NaN : Date.parse(endDate);
  return Number.isNaN(end) ? 0 : Math.max(0, Math.ceil((end - now) / DAY_MS));
}

/**
 * An active plan first, otherwise a running trial, otherwise free; null where the server could not
 * answer. `now` is on the server's clock, ms, so that a wrong device clock neither ends nor extends
 * a trial.
 */
export function entitlementView(
  status: SubscriptionStatusReply | null,
  trial: TrialStatus | null,
  now: number,
): EntitlementView {
  const hasUsedTrial = trial?.hasUsed ?? false;
  if (status === null) return { ...NO_ENTITLEMENT, hasUsedTrial };
  const plan = activeTier(status);
  if (plan !== null) {
    return {
      isSubscribed: true,
      subscriptionTier: plan,
      isTrialActive: false,
      trialDaysRemaining: 0,
      hasUsedTrial,
    };
  }
  const days = trial?.isActive === true ? daysRemaining(trial.endDate, now) : 0;
  if (days === 0) return { ...NO_ENTITLEMENT, hasUsedTrial };
  return {
    isSubscribed: true,
    subscriptionTier: 'trial',
    isTrialActive: true,
    trialDaysRemaining: days,
    hasUsedTrial,
  };
}

/**
 * The tier of a subscription that counts. The server decides, and includes the grace after a late
 * payment.
 */
function activeTier({ subscription, entitledTier }: SubscriptionStatusReply): Tier | null {
  if (subscription === null || subscription.tier === 'free' || subscription.tier === 'trial')
    return null;
  const living =
    subscription.status === 'active' ||
    subscription.status === 'trialing' ||
    subscription.status === 'past_due';
  return living && entitledTier === subscription.tier ? subscription.tier : null;
}

export interface TrialBanner {
  title: string;
  text: string;
  /** At two days or fewer: warning style and upgrade button. */
  warning: boolean;
}

export function trialBannerText(days: number): string {
  if (days <= 0) return 'Trial expires today';
  return days === 1 ? '1 day remaining' : `${days} days remaining`;
}

/**
 * The banner of a running trial, null without one. After the end it stays as 'Trial expires today'
 * until the server's next answer. `now` is on the server's clock, ms.
 */
export function trialBanner(
  status: SubscriptionStatusReply | null,
  trial: TrialStatus | null,
  now: number,
): TrialBanner | null {
  if (status === null || trial?.isActive !== true || activeTier(status) !== null) return null;
  const days = daysRemaining(trial.endDate, now);
  return {
    title: 'Free Trial Active',
    text: trialBannerText(days),
    warning: days <= TRIAL_WARNING_DAYS,
  };
}

export const UPGRADE_TO_CONTINUE = 'Upgrade to Continue';
