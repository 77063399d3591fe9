/** Tiers, their order and their permissions: one table for page and server. */
import type { Action, Permission, Resource, Tier } from './permission.ts';

export const PAID_TIERS = ['starter', 'standard', 'pro', 'pro-max'] as const;
export type PaidTier = (typeof PAID_TIERS)[number];

/** A trial ranks and permits as `standard`. */
const RANK: Record<Tier, number> = {
  free: 0,
  starter: 1,
  standard: 2,
  trial: 2,
  pro: 3,
  'pro-max': 4,
};

const can = (resource: Resource, action: Action): Permission => ({ resource, action });
const createAgents = (maxCount: number): Permission => ({
  resource: 'agents',
  action: 'create',
  conditions: { maxCount },
});

/** What each tier adds to the one below; permissions are cumulative. */
const ADDED: readonly (readonly Permission[])[] = [
  [
    can('dashboard', 'read'),
    can('market', 'read'),
    can('subscription', 'read'),
    can('analytics', 'view'),
    can('trading', 'view'),
    can('performance', 'view'),
  ],
  [can('trading', 'basic'), createAgents(2)],
  [can('trading', 'standard'), createAgents(5), can('analytics', 'read')],
  [can('trading', 'advanced'), createAgents(10), can('pro-features', 'read')],
  [can('trading', 'unlimited'), createAgents(25), can('priority-support', 'access')],
];

/** A missing tier counts as free. */
export function tierRank(tier: Tier | null | undefined): number {
  return RANK[tier ?? 'free'];
}

export function tierSatisfies(tier: Tier | null | undefined, required: Tier): boolean {
  return tierRank(tier) >= tierRank(required);
}

/** Every permission of a tier; of a permission with a count, only the highest. */
export function permissionsOf(tier: Tier | null | undefined): Permission[] {
  const byKey = new Map<string, Permission>();
  for (const permissions of ADDED.slice(0, tierRank(tier) + 1)) {
    for (const permission of permissions)
      byKey.set(`${permission.resource}:${permission.action}`, permission);
  }
  return [...byKey.values()];
}

/** `unlimited` on a resource satisfies any action on it. */
export function permits(
  permissions: readonly Permission[],
  resource: Resource,
  action: Action,
): boolean {
  return permissions.some(
    (p) => p.resource === resource && (p.action === action || p.action === 'unlimited'),
  );
}

export function tierPermits(
  tier: Tier | null | undefined,
  resource: Resource,
  action: Action,
): boolean {
  return permits(permissionsOf(tier), resource, action);
}

/** How many agents a tier may have; 0 where it may not create any. */
export function agentCap(tier: Tier | null | undefined): number {
  const permission = permissionsOf(tier).find(
    (p) => p.resource === 'agents' && p.action === 'create',
  );
  return permission?.conditions?.maxCount ?? 0;
}
