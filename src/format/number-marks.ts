/** The decimal and grouping marks of the reader's locale, and sentences rewritten with them. */

interface NumberMarks {
  decimal: string;
  separator: string;
  /** Groups a row of digits: `1234567` is `1,234,567` in en-US and `12,34,567` in hi-IN. */
  group: (digits: string) => string;
}

/** Latin digits in every locale, so that columns align and typed numbers can be read back. */
const DIGITS = { numberingSystem: 'latn', maximumFractionDigits: 1 } as const;

function readMarks(): NumberMarks {
  const format = new Intl.NumberFormat(undefined, DIGITS);
  const parts = format.formatToParts(12_345_678.5);
  const part = (type: string, otherwise: string): string =>
    parts.find((one) => one.type === type)?.value ?? otherwise;
  return {
    decimal: part('decimal', '.'),
    separator: part('group', ','),
    group: (digits) => (digits.length < 4 ? digits : format.format(BigInt(digits))),
  };
}

let marks: NumberMarks | undefined;

/** Created with the first number, because the browser takes a moment for it. */
export const numberMarks = (): NumberMarks => (marks ??= readMarks());

/** The reader changed the language: later numbers follow it. */
export function rereadNumberMarks(): void {
  marks = undefined;
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
