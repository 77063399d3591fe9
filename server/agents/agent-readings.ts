/** Readings of a user's agents: facts are kept until they change, prices are put on them each time. */
import { pairsPriced } from '../portfolio/read-portfolio.ts';
import { readPlan, tierOfPlan } from '../billing/entitlement.ts';
import { candleOf, pricesOf, type ReadingDeps, type Readings } from '../reads/reading.ts';
import { insightFrom, loadInsight, readInsightPrices } from './agent-insight.ts';
import {
  agentListFrom,
  loadAgentList,
  summaryFrom,
  type AgentListFacts,
  type AgentResults,
} from './read-agents.ts';

const pairsHeld = ({ open }: AgentResults): string[] =>
  [...open.values()].flatMap((list) => list.map(({ pair }) => pair));

/** What is off until some time is off no more after it, without an event. */
const stillOff = ({ off }: AgentListFacts, now: number): number =>
  off.filter(({ until }) => until === null || until > now).length;

export function agentReadings(deps: ReadingDeps): Readings {
  const { known, market, clock, turn, database } = deps;
  const list = (uid: string) =>
    known.read(uid, { name: 'agents', on: ['runs'], turn, load: () => loadAgentList(deps, uid) });
  const plan = (uid: string) =>
    known.read(uid, { name: 'plan', on: [], turn, load: () => readPlan(database.db, uid) });
  return {
    agents: async ({ caller }) => {
      const { version, facts } = await list(caller.uid);
      const prices = pricesOf(market, pairsHeld(facts));
      return {
        validator: `${version} ${candleOf(market)} ${stillOff(facts, clock.now())} ${prices}`,
        reply: () => agentListFrom(deps, facts),
      };
    },
    agentSummary: async ({ caller }) => {
      const { version, facts } = await list(caller.uid);
      const { facts: plans } = await plan(caller.uid);
      return {
        validator: `${version} ${candleOf(market)} ${tierOfPlan(plans, clock.now())} ${pricesOf(market, pairsHeld(facts))}`,
        reply: () => summaryFrom(deps, facts, tierOfPlan(plans, clock.now())),
      };
    },
    agentInsight: async ({ caller }) => {
      const { version, facts } = await known.read(caller.uid, {
        name: 'insight',
        on: ['marks', 'runs', 'day'],
        turn,
        load: () => loadInsight(deps, caller.uid),
      });
      const prices = pricesOf(market, [...pairsPriced(facts.account), ...pairsHeld(facts.results)]);
      return {
        validator: `${version} ${candleOf(market)} ${tierOfPlan(facts.plan, clock.now())} ${prices}`,
        ask: async () => {
          const read = await readInsightPrices(deps, caller.uid, facts, turn);
          return () => insightFrom(deps, facts, read);
        },
      };
    },
  };
}
