/** Tiers: order, permissions and caps, for the page and the server alike. */
import fc from '../support/property.ts';
import { describe, expect, it } from 'vitest';
import {
  agentCap,
  permissionsOf,
  permits,
  tierPermits,
  tierRank,
  tierSatisfies,
} from '../../contract/tiers.ts';
import { Action, Resource, Tier } from '../../contract/permission.ts';

const ORDER = ['free', 'starter', 'standard', 'pro', 'pro-max'] as const;
const keys = (tier: Tier) => permissionsOf(tier).map((p) => `${p.resource}:${p.action}`);
const FREE = [
  'dashboard:read',
  'market:read',
  'subscription:read',
  'analytics:view',
  'trading:view',
  'performance:view',
];
const STARTER = [...FREE, 'trading:basic', 'agents:create'];
const STANDARD = [...STARTER, 'trading:standard', 'analytics:read'];
const PRO = [...STANDARD, 'trading:advanced', 'pro-features:read'];

describe('tiers', () => {
  it('orders free, starter, standard, pro, pro-max from lowest to highest (R4-15)', () => {
    expect([...ORDER].sort((a, b) => tierRank(a) - tierRank(b))).toEqual([...ORDER]);
    expect(new Set(ORDER.map(tierRank)).size).toBe(ORDER.length);
  });

  it('satisfies a required tier at or above its rank, and counts a missing tier as free (R4-14)', () => {
    ORDER.forEach((tier, i) =>
      ORDER.forEach((required, j) => {
        expect(tierSatisfies(tier, required)).toBe(i >= j);
      }),
    );
    for (const nobody of [null, undefined]) {
      expect(tierSatisfies(nobody, 'free')).toBe(true);
      expect(tierSatisfies(nobody, 'starter')).toBe(false);
      expect(permissionsOf(nobody)).toEqual(permissionsOf('free'));
    }
  });

  it('lets free read dashboard, market and subscription and view analytics, trading and performance, and create nothing (R6-02)', () => {
    expect(keys('free').sort()).toEqual([...FREE].sort());
    expect(agentCap('free')).toBe(0);
  });

  it('adds basic trading and 2 agents for starter, losing nothing of free (R6-03)', () => {
    expect(keys('starter').sort()).toEqual([...STARTER].sort());
  });

  it('adds standard trading, 5 agents and analytics for standard (R6-04)', () => {
    expect(keys('standard').sort()).toEqual([...STANDARD].sort());
  });

  it('adds advanced trading, 10 agents and pro features for pro (R6-05)', () => {
    expect(keys('pro').sort()).toEqual([...PRO].sort());
  });

  it('adds unlimited trading, 25 agents and priority support for pro-max (R6-06)', () => {
    expect(keys('pro-max').sort()).toEqual(
      [...PRO, 'trading:unlimited', 'priority-support:access'].sort(),
    );
  });

  it('caps agents at 2, 5, 10 and 25 (R9-04, R6-03, R6-04, R6-05, R6-06)', () => {
    expect(ORDER.map(agentCap)).toEqual([0, 2, 5, 10, 25]);
    for (const tier of ORDER)
      expect(permissionsOf(tier).filter((p) => p.resource === 'agents').length).toBeLessThanOrEqual(
        1,
      );
  });

  it('ranks and permits a trial as standard (R6-09)', () => {
    expect(tierRank('trial')).toBe(tierRank('standard'));
    expect(permissionsOf('trial')).toEqual(permissionsOf('standard'));
  });

  it('takes unlimited on a resource for any action on it, and on no other resource (R6-07)', () => {
    for (const action of Action.options) {
      expect(tierPermits('pro-max', 'trading', action)).toBe(true);
      expect(permits([{ resource: 'market', action: 'unlimited' }], 'market', action)).toBe(true);
      expect(permits([{ resource: 'market', action: 'unlimited' }], 'agents', action)).toBe(false);
    }
    expect(tierPermits('pro', 'trading', 'unlimited')).toBe(false);
  });

  it('never takes away with a higher tier what a lower one permits', () => {
    const tiers = fc.constantFrom(...Tier.options);
    fc.assert(
      fc.property(
        tiers,
        tiers,
        fc.constantFrom(...Resource.options),
        fc.constantFrom(...Action.options),
        (a, b, resource, action) => {
          const [low, high] = tierRank(a) <= tierRank(b) ? [a, b] : [b, a];
          return (
            (!tierPermits(low, resource, action) || tierPermits(high, resource, action)) &&
            agentCap(low) <= agentCap(high)
          );
        },
      ),
    );
  });

  it('permits exactly what its list names or an unlimited of the same resource', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Tier.options),
        fc.constantFrom(...Resource.options),
        fc.constantFrom(...Action.options),
        (tier, resource, action) => {
          const listed = keys(tier);
          return (
            tierPermits(tier, resource, action) ===
            (listed.includes(`${resource}:${action}`) || listed.includes(`${resource}:unlimited`))
          );
        },
      ),
    );
  });
});
