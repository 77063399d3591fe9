/** How the app says that it is offline, and what it shows meanwhile. */
import { formatWhen } from '../format/times.ts';

/** The text of the offline line. `savedAt` is the device's clock, ms. */
export function offlineText(savedAt: number | null, expired: boolean, now: number): string {
  const showing =
    savedAt === null ? 'No data saved on this device.' : `Showing ${formatWhen(savedAt, now)}.`;
  return expired
    ? `Offline, session ended. ${showing} Read-only. Stop still works.`
    : `Offline. ${showing} Stops are sent first when you’re back online.`;
}
