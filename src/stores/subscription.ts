/** What the person is entitled to, as last checked; refuses to turn "no connection" into "free". */
import { proxy } from 'valtio';
import { SUBSCRIPTION_RECHECK_MS } from '../../contract/limits.ts';
import type { Plans, SubscriptionStatusReply, TrialStatus, Usage } from '../../contract/subscription.ts';
import type { Tier } from '../../contract/tiers.ts';
import { api } from '../api/api.ts';
import { load } from './load.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';

export interface SubscriptionData {
  /** null when the server answered that the status could not be had. */
  status: SubscriptionStatusReply | null;
  trial: TrialStatus | null;
}

/** What screens and the guard read. Recomputed as the trial's end passes. */
export interface EntitlementView {
  isSubscribed: boolean;
  subscriptionTier: Tier;
  isTrialActive: boolean;
  trialDaysRemaining: number;
  hasUsedTrial: boolean;
}

export interface SubscriptionStore extends Slot<SubscriptionData> {
  /** True until the first check since sign-in has an answer, or a snapshot stands in for it. */
  loading: boolean;
  entitlement: EntitlementView;
}
