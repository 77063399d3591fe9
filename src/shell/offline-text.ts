/** How the app says that it is offline, and what it shows meanwhile. */
import { formatWhen } from '../format/times.ts';

/** What an exchange's own prices in the server's place are called: two lines of a phone have room. */
export const directText = (exchange: string): string => `${exchange} prices, display only.`;

/**
 * The text of the offline line. `savedAt` is the device's clock, ms; `exchange` the one whose own
 * prices are on the screen, null where none are.
 */
export function offlineText(
  savedAt: number | null,
  expired: boolean,
  now: number,
  exchange: string | null = null,
): string {
  const saved =
    savedAt === null ? 'No data saved on this device.' : `Showing ${formatWhen(savedAt, now)}.`;
  const showing = exchange === null ? saved : directText(exchange);
  return expired
    ? `Offline, session ended. ${showing} Read-only. Stop still works.`
    : `Offline. ${showing} Stops are sent first when you’re back online.`;
}
