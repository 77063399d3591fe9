/** Counts what the number on the app's icon shows: what needs the user. */
import type { Agent } from '../../contract/agents.ts';
import type { OutboxEntry } from './outbox-entry.ts';

/**
 * Starts to confirm, commands that failed or expired and were not dismissed, and agents that are
 * halted or faulted. A waiting command needs only the network.
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

/** Sets the number on the icon, in page or worker. Browsers without badges are left alone. */
export async function showBadge(
  count: number,
  port = (globalThis as { navigator?: BadgePort }).navigator,
): Promise<void> {
  try {
    await (count === 0 ? port?.clearAppBadge?.() : port?.setAppBadge?.(count));
  } catch {
    // Only an installed app has an icon.
  }
}
