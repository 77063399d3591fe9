/** What a change of tier means for existing agents, computed alike by page and server. */
import type { AgentStatus } from './agents.ts';
import type { AgentConsequence, Consequences } from './plan-change.ts';
import { agentCap, permissionsOf, tierPermits } from './tiers.ts';
import type { Permission, Tier } from './permission.ts';

/** What has to be known of an agent. */
export interface AgentFacts {
  id: string;
  name: string;
  status: AgentStatus;
  openPositions: number;
  createdAt: number;
}

/** States in which an agent takes one of the plan's places; the others open nothing anyway. */
const TAKES_A_PLACE: ReadonlySet<AgentStatus> = new Set<AgentStatus>(['running', 'halted']);

/** How many agents of a tier may open positions at once; 0 where it may not run any. */
export const placesOf = (tier: Tier): number =>
  tierPermits(tier, 'trading', 'basic') ? agentCap(tier) : 0;

/**
 * The agents that go on opening: of those that run, the first ones made, as many as there are
 * places. To choose others, a person stops one that has a place; the next one moves up.
 */
export function agentsWithAPlace<A extends Pick<AgentFacts, 'id' | 'status' | 'createdAt'>>(
  tier: Tier,
  agents: readonly A[],
): Set<string> {
  const running = agents.filter(({ status }) => TAKES_A_PLACE.has(status));
  running.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return new Set(running.slice(0, placesOf(tier)).map(({ id }) => id));
}

const keyOf = ({ resource, action, conditions }: Permission): string =>
  `${resource}:${action}:${conditions?.maxCount ?? ''}`;

/**
 * What `to` in place of `from` means for these agents, which are kept whatever it is. Stopping
 * stays possible for all.
 */
export function consequencesOf(from: Tier, to: Tier, agents: readonly AgentFacts[]): Consequences {
  const places = placesOf(to);
  const placed = agentsWithAPlace(to, agents);
  const [before, after] = [permissionsOf(from), permissionsOf(to)];
  const only = (list: readonly Permission[], other: readonly Permission[]): Permission[] => {
    const known = new Set(other.map(keyOf));
    return list.filter((permission) => !known.has(keyOf(permission)));
  };
  return {
    to,
    places,
    gained: only(after, before),
    lost: only(before, after),
    agents: agents.map(({ id, name, status, openPositions }): AgentConsequence => {
      const runs = TAKES_A_PLACE.has(status);
      const effect = !runs ? 'stopped' : placed.has(id) ? 'opens' : 'exits_only';
      return {
        id,
        name,
        status,
        openPositions,
        effect,
        reason: effect !== 'exits_only' ? null : places === 0 ? 'no_plan' : 'over_cap',
        mayStart: runs ? effect === 'opens' : placed.size < places,
      };
    }),
  };
}
