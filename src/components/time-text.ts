/** Ages, times of day and dates as short text; refuses to read a clock. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `now`, `12 s`, `4 min`, `3 h`, `2 d`. */
export function spanText(ms: number): string {
  if (ms < SECOND) return 'now';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

export function ageText(ms: number): string {
  return ms < SECOND ? 'now' : `${spanText(ms)} ago`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_CLOCK = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** `14:32`, in the device's zone. */
export const clockText = (at: number): string => CLOCK.format(at);
/** `3 Nov, 14:32`. */
export const momentText = (at: number): string => DAY_CLOCK.format(at);
/** `3 Nov 2026`. */
export const dateText = (at: number): string => DATE.format(at);

/** Time of day when it is today, else day and time. `now` is on the same clock as `at`. */
export function nearText(at: number, now: number): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? clockText(at) : momentText(at);
}
