/** Reads numbers as typed in the reader's locale and writes them back into a field. */
import { numberMarks } from './number-marks.ts';

/** Groups may be typed with any blank or apostrophe. */
const sameMarks = (text: string): string =>
  text.replace(/\s/g, '\u00a0').replaceAll('’', "'").replaceAll('\u2212', '-');

/** `12,34,567` and `1,234,567` are both whole numbers where a comma groups; `12,34` is none. */
function wholeOf(typed: string): string | null {
  if (/^\d*$/.test(typed)) return typed;
  const { separator, group } = numberMarks();
  const mark = sameMarks(separator);
  const parts = typed.split(mark);
  const digits = parts.join('');
  if (!/^[1-9]\d*$/.test(digits)) return null;
  const byThrees =
    (parts[0]?.length ?? 0) <= 3 && parts.slice(1).every((part) => part.length === 3);
  return byThrees || group(digits).split(separator).join(mark) === typed ? digits : null;
}

function byLocale(body: string): string | null {
  const [before = '', fraction, ...more] = body.split(numberMarks().decimal);
  const whole = wholeOf(before);
  if (whole === null || more.length > 0 || !/^\d*$/.test(fraction ?? '')) return null;
  if (whole === '' && (fraction ?? '') === '') return null;
  const start = whole === '' ? '0' : whole;
  return fraction === undefined || fraction === '' ? start : `${start}.${fraction}`;
}

function byAnyMark(body: string): string | null {
  const [, whole = '', fraction = ''] = /^(\d*)[.,](\d*)$/.exec(body) ?? [];
  if (whole === '' && fraction === '') return null;
  return `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * A typed number as plain decimal text, or null. The locale's own reading comes first: `1.500` is
 * 1500 in German. A single point or comma that cannot be a grouping mark is a decimal mark in every
 * locale, because keyboards offer only one of them; `strict` rejects that guess.
 */
export function parseTyped(text: string, { strict = false } = {}): string | null {
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/.exec(sameMarks(text.trim())) ?? [];
  const read = byLocale(body) ?? (strict ? null : byAnyMark(body));
  return read === null ? null : `${sign === '-' ? '-' : ''}${read}`;
}

/** For validation: undefined while empty, NaN where it is no number. */
export function typedNumber(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const read = parseTyped(text);
  return read === null ? Number.NaN : Number(read);
}

/** A number as it stands in a field: with the locale's decimal mark and without grouping. */
export const fieldText = (value: number | string): string =>
  String(value).replace('.', numberMarks().decimal);
