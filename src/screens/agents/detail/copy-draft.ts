/** The draft of a new agent that has another agent's settings. */
import type { Agent } from '../../../../contract/agents.ts';
import { AGENT_NAME_MAX } from '../../../../contract/limits.ts';
import { fieldText } from '../../../format/typed-numbers.ts';
import type { AgentDraft } from '../create/agent-draft.ts';

const SUFFIX = ' copy';

/**
 * Under a new name. An agent that trades its pool's list leaves that open in the copy too, so that
 * both follow the list; an older server does not say which pairs were chosen.
 */
export function copyOf(agent: Agent): AgentDraft {
  return {
    name: `${agent.name.slice(0, AGENT_NAME_MAX - SUFFIX.length)}${SUFFIX}`,
    pool: agent.pool,
    pairs: [...(agent.ownPairs ?? agent.trading_pairs)],
    risk_profile: agent.risk_profile,
    size: fieldText(agent.max_position_size),
    execution_interval: agent.execution_interval,
    trading_frequency: agent.tradingFrequency,
  };
}
