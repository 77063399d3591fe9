/** When a user's quiet hours end. */
import type { PushSettings } from '../../contract/push.ts';

const MINUTE_MS = 60_000;

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** Minutes since local midnight at `at` (wall clock, ms). */
function localMinutes(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
  return part('hour') * 60 + part('minute');
}

function isInQuietHours(minutes: number, from: number, to: number): boolean {
  return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
}

/**
 * When the quiet that holds at `at` ends (wall clock, ms), or null where none holds. From and to
 * alike is no quiet.
 */
export function quietUntil(quiet: PushSettings['quietHours'], at: number): number | null {
  if (quiet === null || quiet.from === quiet.to) return null;
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
  if (!isInQuietHours(localMinutes(at, quiet.timeZone), from, to)) return null;
  // Local time jumps twice a year: the end is looked for a minute after the one that plain
  // arithmetic names, or an hour.
  const plain =
    at - (at % MINUTE_MS) + ((to - localMinutes(at, quiet.timeZone) + 1_440) % 1_440) * MINUTE_MS;
  for (const end of [plain, plain - 60 * MINUTE_MS, plain + 60 * MINUTE_MS]) {
    if (end > at && localMinutes(end, quiet.timeZone) === to) return end;
  }
  return plain;
}
