/** What the insight says of the agents on screen. */
import type { Agent, Decision } from '../../../contract/agents.ts';
import type { AgentInsight, AgentSeries, RiskDistance } from '../../../contract/insight.ts';

/** Those of these agents: what is of another account, or was deleted since, is left out. */
function ofAgents<Told extends { agentId: string }>(
  agents: readonly Pick<Agent, 'id'>[],
  told: readonly Told[],
): Told[] {
  const ids = new Set(agents.map(({ id }) => id));
  return told.filter(({ agentId }) => ids.has(agentId));
}

/** The results over time of these agents; null while either is not known. */
export function seriesOf(
  agents: readonly Pick<Agent, 'id'>[] | null,
  insight: Pick<AgentInsight, 'series'> | null,
): AgentSeries[] | null {
  return agents === null || insight === null ? null : ofAgents(agents, insight.series);
}

/** What Pro tells of these agents; null while either is not known. */
export function toldOf(
  agents: readonly Pick<Agent, 'id'>[] | null,
  pro: AgentInsight['pro'] | undefined,
): { risk: readonly RiskDistance[]; decisions: readonly Decision[] } | null {
  if (agents === null || pro === null || pro === undefined) return null;
  return { risk: ofAgents(agents, pro.risk), decisions: ofAgents(agents, pro.decisions) };
}
