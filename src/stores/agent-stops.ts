/** Which open positions have no stop loss, as far as the server has said so. */
import type { Agent } from '../../contract/agents.ts';
import type { LiveAccount } from '../../contract/live.ts';
import { connectionOf } from './shown-account.ts';
import type { Slot } from './slot.ts';

export type LiveAccounts = Readonly<Record<string, Slot<LiveAccount> | undefined>>;

export const withoutStop = (positions: readonly { stopPrice: string | null }[]): number =>
  positions.filter(({ stopPrice }) => stopPrice === null).length;

/**
 * How many of an agent's open positions have no stop loss; null where that is not known. On paper
 * each keeps one. At an exchange the end of live trading takes them all, and only the account itself
 * says so. `current`: it is for the present, of which what the device kept says nothing.
 */
export function unprotectedOf(
  agent: Pick<Agent, 'id' | 'account' | 'connectionId' | 'openPositions'>,
  accounts: LiveAccounts,
  current: boolean,
): number | null {
  const id = connectionOf(agent);
  if (id === null) return 0;
  const slot = accounts[id];
  if (slot?.data == null || (current && slot.origin === 'snapshot')) return null;
  const { positions, connection } = slot.data;
  const own = positions.filter(({ agentId }) => agentId === agent.id);
  if (own.length < agent.openPositions) return null;
  // Without its key nothing is watched.
  const bare = connection.state === 'ended' ? own.length : withoutStop(own);
  // The account may have been read after the agent.
  return Math.min(bare, agent.openPositions);
}
