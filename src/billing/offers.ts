/**
 * Finds the plan that lifts a limit and lists what each plan adds, from the permission table that
 * the server enforces.
 */
import type { Plan } from '../../contract/subscription.ts';
import { agentCap, tierPermits, tierRank } from '../../contract/tiers.ts';
import type { Action, Resource, Tier } from '../../contract/permission.ts';

/** The permission that was refused. `agents`: the number needed at once. */
export interface Need {
  resource: Resource;
  action: Action;
  agents?: number;
}

export function tierMeets(tier: Tier, { resource, action, agents = 0 }: Need): boolean {
  return tierPermits(tier, resource, action) && agentCap(tier) >= agents;
}

/** The smallest paid plan above the present tier that has it; null without one. */
export function cheapestFor(plans: readonly Plan[], need: Need, present: Tier): Plan | null {
  const fit = plans.filter(
    (plan) =>
      plan.priceId !== null &&
      tierRank(plan.tier) > rankOfPaid(present) &&
      tierMeets(plan.tier, need),
  );
  return fit.sort((a, b) => tierRank(a.tier) - tierRank(b.tier))[0] ?? null;
}

/** A trial ranks as Standard but is not paid: Standard is a step up from it. */
const rankOfPaid = (tier: Tier): number => (tier === 'trial' ? 0 : tierRank(tier));

export interface Feature {
  name: string;
  resource: Resource;
  action: Action;
  has: (tier: Tier) => boolean;
}

const grants = (name: string, resource: Resource, action: Action): Feature => ({
  name,
  resource,
  action,
  has: (tier) => tierPermits(tier, resource, action),
});

/** The rows by which plans are compared. */
export const FEATURES: readonly Feature[] = [
  grants('Dashboard, markets, portfolio', 'dashboard', 'read'),
  grants('Agents with preset risk values', 'trading', 'basic'),
  grants('Your own risk values', 'trading', 'standard'),
  grants('Full analytics, every day', 'analytics', 'read'),
  grants('Choice of strategy, all agents at once', 'trading', 'advanced'),
  grants('PRO Dashboard', 'pro-features', 'read'),
  grants('Priority support', 'priority-support', 'access'),
];

/** What a tier has that another has not. */
export function addedOver(tier: Tier, before: Tier): string[] {
  return FEATURES.filter(({ has }) => has(tier) && !has(before)).map(({ name }) => name);
}
