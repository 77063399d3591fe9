/** What an agent trades, as every reply tells it. */
import type { Agent, AgentAccount } from './agents.ts';

export const accountOf = ({ account }: Pick<Agent, 'account'>): AgentAccount =>
  account ?? { kind: 'paper' };
