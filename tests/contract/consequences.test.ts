/** What a tier means for the agents that are there. */
import fc from '../support/property.ts';
import { describe, expect, it } from 'vitest';
import {
  agentsWithAPlace,
  consequencesOf,
  placesOf,
  type AgentFacts,
} from '../../contract/consequences.ts';
import { Tier } from '../../contract/permission.ts';

const tiers = fc.constantFrom(...Tier.options);
const agents: fc.Arbitrary<AgentFacts[]> = fc.uniqueArray(
  fc.record({
    id: fc.uuid(),
    name: fc.string({ minLength: 1 }),
    status: fc.constantFrom('running', 'halted', 'stopped', 'faulted'),
    openPositions: fc.nat(3),
    createdAt: fc.nat(5),
  }),
  { selector: ({ id }) => id, maxLength: 30 },
);

describe('the consequences of a plan', () => {
  it('name every agent, delete none, and let exactly as many open as there are places', () => {
    fc.assert(
      fc.property(tiers, tiers, agents, (from, to, list) => {
        const { agents: told, places, gained, lost } = consequencesOf(from, to, list);
        expect(told.map(({ id }) => id)).toEqual(list.map(({ id }) => id));
        const running = list.filter(
          ({ status }) => status === 'running' || status === 'halted',
        ).length;
        expect(told.filter(({ effect }) => effect === 'opens')).toHaveLength(
          Math.min(places, running),
        );
        for (const { effect, reason, status } of told) {
          expect(effect === 'stopped').toBe(status === 'stopped' || status === 'faulted');
          expect(reason).toBe(
            effect !== 'exits_only' ? null : places === 0 ? 'no_plan' : 'over_cap',
          );
        }
        if (from === to) expect([gained, lost]).toEqual([[], []]);
        if (to === 'free') expect(gained).toEqual([]);
      }),
    );
  });

  it('keep the first ones made, and stopping one that has a place moves the next one up', () => {
    fc.assert(
      fc.property(tiers, agents, (tier, list) => {
        const placed = agentsWithAPlace(tier, list);
        const [first] = [...placed];
        if (first === undefined) return;
        const after = agentsWithAPlace(
          tier,
          list.map((agent) =>
            agent.id === first ? { ...agent, status: 'stopped' as const } : agent,
          ),
        );
        for (const id of placed) expect(after.has(id)).toBe(id !== first);
      }),
    );
  });

  it('say how many places each tier has (R6-02, R6-03, R6-04, R6-05, R6-06, R6-09)', () => {
    expect(Tier.options.map((tier) => [tier, placesOf(tier)])).toEqual([
      ['free', 0],
      ['starter', 2],
      ['standard', 5],
      ['pro', 10],
      ['pro-max', 25],
      ['trial', 5],
    ]);
  });
});
