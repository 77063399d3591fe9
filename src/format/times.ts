/** Moments and dates in words, in the reader's time zone. */
import { formatBy, type DateForm } from './date-form.ts';

export const DATE_FORMATS = {
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  moment: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
export type DateFormat = keyof typeof DATE_FORMATS;

const formats: Partial<Record<DateFormat, (at: number) => string>> = {};

/** From now on this is written by the form; null: as the browser writes it. */
export function setDateForm(name: DateFormat, form: DateForm | null): void {
  if (form === null) delete formats[name];
  else formats[name] = (at) => formatBy(form, at);
}

/** Without a form the browser is asked on first use, because it takes some milliseconds for it. */
function askedOf(name: DateFormat): (at: number) => string {
  const format = new Intl.DateTimeFormat(undefined, DATE_FORMATS[name]);
  return (at) => format.format(at);
}

const writer =
  (name: DateFormat) =>
  (at: number): string =>
    (formats[name] ??= askedOf(name))(at);

/** `14:32`, local. */
export const formatClock = writer('clock');

/** The date, local. */
export const formatDate = writer('date');

/** Date and time to the second, local. */
export const formatMoment = writer('moment');

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
