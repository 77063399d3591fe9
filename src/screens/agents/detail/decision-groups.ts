/** Groups equal decisions without a trade that follow each other. */
import type { Decision } from '../../../../contract/agents.ts';

export interface DecisionGroup {
  /** The newest decision of the group. */
  decision: Decision;
  count: number;
  /** Market time (ms) of the oldest. */
  since: number;
}

const same = (a: Decision, b: Decision): boolean =>
  a.pair === b.pair && a.agentId === b.agentId && a.action === b.action && a.reason === b.reason;
const acted = ({ action }: Decision): boolean => action === 'enter' || action === 'exit';

/**
 * Newest first, as they come. Pairs interleave: a group is a run of equal decisions of one pair,
 * ended by any other decision on that pair.
 */
export function groupDecisions(decisions: readonly Decision[]): DecisionGroup[] {
  const groups: DecisionGroup[] = [];
  const running = new Map<string, DecisionGroup>();
  for (const decision of decisions) {
    const key = `${decision.agentId} ${decision.pair}`;
    const open = running.get(key);
    if (open !== undefined && !acted(decision) && same(open.decision, decision)) {
      open.count += 1;
      open.since = Math.min(open.since, decision.at);
      continue;
    }
    const group = { decision, count: 1, since: decision.at };
    groups.push(group);
    running.set(key, group);
  }
  return groups;
}
