/** Reads one agent into a component as it is shown, with what waits for it. */
import { useSnapshot } from 'valtio';
import type { Agent } from '../../contract/agents.ts';
import { unprotectedOf, type LiveAccounts } from '../stores/agent-stops.ts';
import { agentView, type AgentView } from '../stores/agent-view.ts';
import { liveSlots } from '../stores/live-slots.ts';
import { useEntries } from './use-store.ts';

export function useAgentView(agent: Agent, current = true): AgentView {
  const accounts = useSnapshot(liveSlots).accounts as LiveAccounts;
  return agentView(agent, useEntries(), current, unprotectedOf(agent, accounts, current));
}
