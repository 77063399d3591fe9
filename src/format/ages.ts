/** Ages and spans in words. It imports nothing, because the first script of the page uses it. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span in its largest unit, rounded down: `12 s`, `4 min`, `3 h`, `2 d`. */
export function formatSpan(ms: number): string {
  const span = Math.max(0, ms);
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`;
  if (span < 2 * DAY) return `${Math.floor(span / HOUR)} h`;
  return `${Math.floor(span / DAY)} d`;
}

/** How long ago: `now`, `12 s ago`, `4 min ago`. */
export function formatAgo(ms: number | null): string {
  if (ms === null) return 'never';
  return ms < 2 * SECOND ? 'now' : `${formatSpan(ms)} ago`;
}

/**
 * A time that lies further ahead was read from a clock that has been put back since: how old what it
 * dates is, nobody knows.
 */
export const AHEAD_MS = 2 * MINUTE;

/** How old what was heard at `savedAt` is. */
export function formatAge(savedAt: number, now: number): string {
  return savedAt > now + AHEAD_MS ? 'age unknown' : formatAgo(Math.max(0, now - savedAt));
}

/** How long until: `now`, `in 3 min`. */
export function formatUntil(ms: number): string {
  return ms < SECOND ? 'now' : `in ${formatSpan(ms)}`;
}
