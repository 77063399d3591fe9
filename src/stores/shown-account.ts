/** Whose money a screen shows: paper, or an account at an exchange. */
import { useSnapshot } from 'valtio';
import type { Agent } from '../../contract/agents.ts';
import { accountOf } from '../../contract/agent-account.ts';
import type { LiveExchange } from '../../contract/signer.ts';
import { decodedPart } from '../platform/path-part.ts';
import { accountChoice } from './account-choice.ts';
import { agentsStore } from './agents-store.ts';

/** The connection of an agent; null on paper. */
export function connectionOf(agent: Pick<Agent, 'account' | 'connectionId'>): string | null {
  const account = accountOf(agent);
  return account.kind === 'live' ? account.connectionId : (agent.connectionId ?? null);
}

/** Screens of the paper account alone, whatever is chosen. */
const PAPER_ALONE = [
  '/performance',
  '/analytics',
  '/market',
  '/standard-dashboard',
  '/pro-dashboard',
];

const segment = (path: string, of: string): string | null => {
  const found = new RegExp(`^/${of}/([^/]+)/?$`).exec(path)?.[1];
  return found === undefined ? null : decodedPart(found);
};

/** The connection whose money the screen of a path shows; null for paper. */
export function accountOfPath(
  path: string,
  chosen: string | null,
  agents: readonly Pick<Agent, 'id' | 'account' | 'connectionId'>[],
): string | null {
  if (PAPER_ALONE.some((start) => path === start || path.startsWith(`${start}/`))) return null;
  const live = segment(path, 'live');
  if (live !== null && live !== 'connect') return live;
  const agentId = segment(path, 'agents');
  const agent = agentId === null ? undefined : agents.find(({ id }) => id === agentId);
  return agent === undefined ? chosen : connectionOf(agent);
}

export interface ShownAccount {
  id: string;
  /** Null where nothing is known of it yet. */
  exchange: LiveExchange | null;
  label: string;
}

/** The exchange account of the screen of a path; null on paper. */
export function useShownAccount(path: string): ShownAccount | null {
  const { chosen, known } = useSnapshot(accountChoice);
  const agents = (useSnapshot(agentsStore).data?.agents ?? []) as readonly Agent[];
  const id = accountOfPath(path, chosen, agents);
  if (id === null) return null;
  const name = known.find((one) => one.id === id);
  if (name !== undefined) return name;
  const account = agents
    .map(accountOf)
    .find((one) => one.kind === 'live' && one.connectionId === id);
  return account?.kind === 'live'
    ? { id, exchange: account.exchange, label: account.label }
    : { id, exchange: null, label: '' };
}
