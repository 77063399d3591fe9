/** The built-in plans. A real provider sets its own amounts. */
import { BUILT_IN_AMOUNTS, PLAN_NAMES } from '../../contract/plan-prices.ts';
import type { Plan } from '../../contract/subscription.ts';
import { agentCap, PAID_TIERS, type PaidTier } from '../../contract/tiers.ts';

export function freePlan(currency: string): Plan {
  return {
    id: 'free',
    name: 'Free',
    tier: 'free',
    priceId: null,
    amount: '0',
    currency,
    interval: 'month',
    agents: agentCap('free'),
  };
}

export interface PaidPlanTerms {
  priceId: string;
  amount: string;
  currency: string;
  interval: 'month' | 'year';
}

export function paidPlan(tier: PaidTier, terms: PaidPlanTerms): Plan {
  return { id: tier, name: PLAN_NAMES[tier], tier, agents: agentCap(tier), ...terms };
}

/** The plans of the built-in test checkout. */
export function builtInPlans(): Plan[] {
  return [
    freePlan('USD'),
    ...PAID_TIERS.map((tier) =>
      paidPlan(tier, {
        priceId: `price_test_${tier.replace('-', '_')}`,
        amount: BUILT_IN_AMOUNTS[tier],
        currency: 'USD',
        interval: 'month',
      }),
    ),
  ];
}

export const planOfPrice = (plans: readonly Plan[], priceId: string): Plan | undefined =>
  plans.find((plan) => plan.priceId !== null && plan.priceId === priceId);
