/** One agent at one tick: a decision for every pair, the trades that follow, what to remember; refuses any I/O. */
import type { AccountInput, AgentInput, AgentOutcome, OpenPosition, TickInput } from './types.ts';

/** Exactly one decision for each pair of the agent, exits first so that their cash can be used. */
export function runAgent(agent: AgentInput, tick: TickInput, account: AccountInput, positions: readonly OpenPosition[]): AgentOutcome {
  void tick; void account; void positions;
  return { decisions: [], trades: [], memory: { ...agent.memory }, hold: null };
}
