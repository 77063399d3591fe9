/** The number on the app's icon: what needs the person; refuses to count what goes on by itself. */
import type { OutboxEntry } from './outbox-entry.ts';

/** Starts to be confirmed, and commands that failed or lapsed and were not dismissed. A waiting command needs only the network. */
export function needsPerson(entries: readonly Pick<OutboxEntry, 'state'>[]): number {
  return entries.filter(({ state }) => state === 'needs-you' || state === 'failed' || state === 'lapsed').length;
}

interface BadgePort { setAppBadge?(count: number): Promise<void>; clearAppBadge?(): Promise<void> }

/** Puts the number on the icon, in page or worker. A browser that has no badge, or refuses, is left without. */
export async function showBadge(count: number, port = (globalThis as { navigator?: BadgePort }).navigator): Promise<void> {
  try {
    await (count === 0 ? port?.clearAppBadge?.() : port?.setAppBadge?.(count));
  } catch {
    // Only an installed app has an icon to put it on.
  }
}
