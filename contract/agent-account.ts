/** What an agent trades, and which agents take a place of the plan. */
import type { Agent, AgentAccount } from './agents.ts';

export const accountOf = ({ account }: Pick<Agent, 'account'>): AgentAccount =>
  account ?? { kind: 'paper' };

/** How many of these agents count against the plan's limit: a twin on paper never does. */
export const placesTaken = (agents: readonly Pick<Agent, 'shadowOf'>[]): number =>
  agents.filter(({ shadowOf }) => shadowOf === undefined).length;
