/** How a locale writes a date or a time, as plain data that a device can keep. */

const FIELDS = ['day', 'month', 'year', 'hour', 'minute', 'second'] as const;
type Field = (typeof FIELDS)[number];
const isField = (type: string): type is Field => (FIELDS as readonly string[]).includes(type);

/** `parts` in order: a field in braces, such as `{day}`, or text as it stands. */
export interface DateForm {
  parts: string[];
  /** January first, as they stand in a date. */
  months: string[];
  /** Fields that have two digits. */
  padded: string[];
}

/** The text of a moment (ms), in the reader's time zone. */
export function formatBy({ parts, months, padded }: DateForm, at: number): string {
  const date = new Date(at);
  const values: Record<Field, number> = {
    day: date.getDate(),
    month: date.getMonth(),
    year: date.getFullYear(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  };
  return parts
    .map((part) => {
      const field = part.slice(1, -1);
      if (!part.startsWith('{') || !isField(field)) return part;
      if (field === 'month') return months[values.month] ?? '';
      return String(values[field]).padStart(padded.includes(field) ? 2 : 1, '0');
    })
    .join('');
}

/** Moments in every month, by day and by night, with one digit and with two. */
const samples = (): number[] =>
  Array.from({ length: 24 }, (_none, index) =>
    new Date(
      2025 + (index % 3),
      index % 12,
      index < 12 ? 3 : 28,
      (index * 7) % 24,
      (index * 13) % 60,
      (index * 29) % 60,
    ).getTime(),
  );

/**
 * Asks the browser, which loads its tables for it: tens of milliseconds on a phone. Null where a
 * form does not say it all: another calendar, other digits, a month that changes with the day.
 */
export function readDateForm(options: Intl.DateTimeFormatOptions): DateForm | null {
  const format = new Intl.DateTimeFormat(undefined, options);
  // The first of August at 03:04:05 has one digit in each field.
  const parts = format.formatToParts(new Date(2026, 7, 1, 3, 4, 5));
  const form: DateForm = {
    parts: parts.map(({ type, value }) => (isField(type) ? `{${type}}` : value)),
    months: parts.some(({ type }) => type === 'month')
      ? Array.from(
          { length: 12 },
          (_none, month) =>
            format.formatToParts(new Date(2026, month, 1, 12)).find(({ type }) => type === 'month')
              ?.value ?? '',
        )
      : [],
    padded: parts
      .filter(({ type, value }) => isField(type) && type !== 'month' && value.startsWith('0'))
      .map(({ type }) => type),
  };
  return samples().every((at) => formatBy(form, at) === format.format(at)) ? form : null;
}
