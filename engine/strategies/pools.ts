/**
 * The pools: which coins each may trade at a date, which pairs that gives, and whom it suits. What
 * a market offers is the caller's to say.
 */
import { PoolId } from '../../contract/agents.ts';
import type { UserRiskProfile } from '../../contract/agents.ts';
import { AGENT_PAIRS_MAX } from '../../contract/limits.ts';
import { baseOf } from '../pair-coins.ts';
import { STRATEGIES } from './registry.ts';
import type { Strategy, UniverseVersion } from './strategy.ts';

/** In the order of the contract. */
export const POOLS: readonly Strategy[] = PoolId.options.map((id) => STRATEGIES[id]);

/** A pool's list as curated at `at` (ms). */
export function universeVersionAt(pool: PoolId, at: number): UniverseVersion {
  const versions = STRATEGIES[pool].universe;
  return (
    versions.findLast((version) => version.from <= at) ??
    versions[0] ?? { version: 0, from: 0, bases: [] }
  );
}

/** Base symbols of a pool as curated at `at` (ms). */
export function universeAt(pool: PoolId, at: number): readonly string[] {
  return universeVersionAt(pool, at).bases;
}

/**
 * The pairs an agent trades: its own where it names any, else the pool's list, in the order of that
 * list; always only what the market offers, at most 20. `at` (ms, market clock) picks the version
 * of the list; the newest by default.
 */
export function universeFor(
  pool: PoolId,
  agentPairs: readonly string[],
  offeredPairs: readonly string[],
  at = Number.POSITIVE_INFINITY,
): string[] {
  // An agent has twenty pairs at most: looking each up is cheaper than making a set of all that is
  // offered for every agent.
  if (agentPairs.length > 0) return agentPairs.filter((pair) => offeredPairs.includes(pair));
  const byBase = new Map<string, string>();
  for (const pair of offeredPairs) {
    const base = baseOf(pair);
    if (!byBase.has(base)) byBase.set(base, pair);
  }
  return universeAt(pool, at)
    .flatMap((base) => byBase.get(base) ?? [])
    .slice(0, AGENT_PAIRS_MAX);
}

/** The most careful first. */
const PROFILES: readonly UserRiskProfile[] = ['conservative', 'moderate', 'aggressive'];
const RISKS: readonly Strategy['risk'][] = ['Low', 'Medium', 'High'];

const byCare = POOLS.toSorted(
  (a, b) =>
    PROFILES.indexOf(a.suits) - PROFILES.indexOf(b.suits) ||
    RISKS.indexOf(a.risk) - RISKS.indexOf(b.risk),
);

const poolsFor = (profile: UserRiskProfile): PoolId[] =>
  byCare.filter((pool) => profilesFor(pool.id).includes(profile)).map((pool) => pool.id);

/** The profiles that a pool suits, the most careful first. */
export function profilesFor(pool: PoolId): UserRiskProfile[] {
  return PROFILES.slice(PROFILES.indexOf(STRATEGIES[pool].suits));
}

/**
 * Pools that suit a profile, in the order in which create-pool fills the free places: what suits
 * careful profiles first, then by risk.
 */
export const POOLS_FOR_PROFILE: Readonly<Record<UserRiskProfile, readonly PoolId[]>> = {
  conservative: poolsFor('conservative'),
  moderate: poolsFor('moderate'),
  aggressive: poolsFor('aggressive'),
};
