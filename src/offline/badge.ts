/** Counts what the number on the app's icon shows: what needs the user. */
import type { Agent } from '../../contract/agents.ts';
import type { OutboxEntry } from './outbox-entry.ts';

/**
 * Starts to be confirmed, commands that failed or lapsed and were not dismissed, and agents that
 * stand still though they were told to run. A waiting command needs only the network.
 */
export function needsPerson(
  entries: readonly Pick<OutboxEntry, 'state'>[],
  agents: readonly Pick<Agent, 'status'>[],
): number {
  return (
    entries.filter(({ state }) => state === 'needs-you' || state === 'failed' || state === 'lapsed')
      .length + agents.filter(({ status }) => status === 'halted' || status === 'faulted').length
  );
}

interface BadgePort {
  setAppBadge?(count: number): Promise<void>;
  clearAppBadge?(): Promise<void>;
}

/**
 * Puts the number on the icon, in page or worker. A browser that has no badge, or refuses, is left
 * without.
 */
export async function showBadge(
  count: number,
  port = (globalThis as { navigator?: BadgePort }).navigator,
): Promise<void> {
  try {
    await (count === 0 ? port?.clearAppBadge?.() : port?.setAppBadge?.(count));
  } catch {
    // Only an installed app has an icon to put it on.
  }
}
