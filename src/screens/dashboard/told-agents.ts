/** What the insight says of the agents on screen. */
import type { Agent, Decision } from '../../../contract/agents.ts';
import type { AgentInsight, RiskDistance } from '../../../contract/insight.ts';

/**
 * What is told of these agents: those of another account, and those deleted since, are left out.
 * Null while either is not known.
 */
export function toldOf(
  agents: readonly Pick<Agent, 'id'>[] | null,
  pro: AgentInsight['pro'] | undefined,
): { risk: readonly RiskDistance[]; decisions: readonly Decision[] } | null {
  if (agents === null || pro === null || pro === undefined) return null;
  const ids = new Set(agents.map(({ id }) => id));
  const isOfThem = ({ agentId }: { agentId: string }): boolean => ids.has(agentId);
  return { risk: pro.risk.filter(isOfThem), decisions: pro.decisions.filter(isOfThem) };
}
