/** Ages, spans and moments in words, in the reader's time zone. */

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

/** How long until: `now`, `in 3 min`. */
export function formatUntil(ms: number): string {
  return ms < SECOND ? 'now' : `in ${formatSpan(ms)}`;
}

/** Created on first use, because the browser takes some milliseconds for it. */
function lazily(options: Intl.DateTimeFormatOptions): (at: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => (format ??= new Intl.DateTimeFormat(undefined, options)).format(at);
}

/** `14:32`, local. */
export const formatClock = lazily({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** The date, local. */
export const formatDate = lazily({ day: 'numeric', month: 'short', year: 'numeric' });

/** Date and time to the second, local. */
export const formatMoment = lazily({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** `14:32` today, the date with the time otherwise: for "Showing 14:32". */
export function formatWhen(at: number, now = Date.now()): string {
  return new Date(at).toDateString() === new Date(now).toDateString()
    ? formatClock(at)
    : `${formatDate(at)} ${formatClock(at)}`;
}

/** `2026-01-31 18:00 UTC` as the server writes it. */
const WRITTEN = /\b(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d) UTC\b/g;

/** A sentence of the server with its times in the reader's time zone. */
export function withLocalTimes(text: string, now = Date.now()): string {
  return text.replace(
    WRITTEN,
    (_, year: string, month: string, day: string, hour: string, minute: string) =>
      formatWhen(
        Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)),
        now,
      ),
  );
}
