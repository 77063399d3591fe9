/** Names and prices of the built-in plans. A payment provider sets its own amounts. */
import type { PaidTier } from './tiers.ts';

export const PLAN_NAMES: Readonly<Record<PaidTier, string>> = {
  starter: 'Starter',
  standard: 'Standard',
  pro: 'Pro',
  'pro-max': 'Pro Max',
};

/** US dollars a month. */
export const BUILT_IN_AMOUNTS: Readonly<Record<PaidTier, string>> = {
  starter: '19',
  standard: '49',
  pro: '99',
  'pro-max': '199',
};
