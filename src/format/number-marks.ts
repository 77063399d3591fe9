/** The decimal and grouping marks of the reader's locale, and sentences rewritten with them. */

/** How a locale writes numbers, as plain data that a device can keep. */
export interface NumberForm {
  decimal: string;
  separator: string;
  /** Digits of the last group, and of each one before it: 3 and 2 where `12,34,567` is written. */
  lastGroup: number;
  otherGroups: number;
  /** A row of fewer digits has no groups: `1234` in Spanish. */
  groupedFrom: number;
}

interface NumberMarks extends NumberForm {
  /** Groups a row of digits: `1234567` is `1,234,567` in en-US and `12,34,567` in hi-IN. */
  group: (digits: string) => string;
}

/** Of a locale that never groups: longer than any row of digits. */
const NEVER = 99;

/** Latin digits in every locale, so that columns align and typed numbers can be read back. */
const DIGITS = { numberingSystem: 'latn', maximumFractionDigits: 1 } as const;

/** Asks the browser, which loads its tables for it: tens of milliseconds on a phone. */
export function readNumberForm(): NumberForm {
  const format = new Intl.NumberFormat(undefined, DIGITS);
  const parts = format.formatToParts(123_456_789_012.5);
  const part = (type: string, otherwise: string): string =>
    parts.find((one) => one.type === type)?.value ?? otherwise;
  const groups = parts.filter(({ type }) => type === 'integer').map(({ value }) => value.length);
  const lastGroup = groups.at(-1) ?? 3;
  const isGrouped = (number: number): boolean =>
    format.formatToParts(number).some(({ type }) => type === 'group');
  return {
    decimal: part('decimal', '.'),
    separator: part('group', ','),
    lastGroup,
    otherGroups: groups.at(-2) ?? lastGroup,
    groupedFrom: [1_000, 10_000, 100_000].find(isGrouped)?.toString().length ?? NEVER,
  };
}

function marksOf(form: NumberForm): NumberMarks {
  const { separator, lastGroup, otherGroups, groupedFrom } = form;
  return {
    ...form,
    group(digits) {
      if (digits.length < groupedFrom) return digits;
      let end = digits.length - lastGroup;
      let text = digits.slice(end);
      for (; end > 0; end -= otherGroups)
        text = digits.slice(Math.max(0, end - otherGroups), end) + separator + text;
      return text;
    },
  };
}

let marks: NumberMarks | undefined;

/** Asked for with the first number where the device kept none. */
export const numberMarks = (): NumberMarks => (marks ??= marksOf(readNumberForm()));

/** Numbers are written in this form from now on. */
export function setNumberForm(form: NumberForm): void {
  marks = marksOf(form);
}

/** Plain decimal text without a sign, in the reader's form: `1234.50` is `1,234.50` in en-US. */
export function localDecimal(text: string): string {
  const [whole = '0', fraction] = text.split('.');
  const { decimal, group } = numberMarks();
  return fraction === undefined ? group(whole) : `${group(whole)}${decimal}${fraction}`;
}

/**
 * A number inside a sentence: grouped by commas, or with a decimal point. Versions, dates and
 * addresses have a second point, a hyphen or a letter beside them, and stay as they are.
 */
const WRITTEN = /(?<![\w.,/-])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\w/-]|[.,]\d)/g;

/** A sentence written with `1,234.5`, with its numbers in the reader's form. */
export function withLocalNumbers(text: string): string {
  return text.replace(WRITTEN, (written) => localDecimal(written.replaceAll(',', '')));
}
