/**
 * Sums that can be checked: rows add up to their total to the last digit, and a remainder is a row
 * of its own.
 */
import {
  add,
  formatFixed,
  parseFixed,
  subtract,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import { formatNumber } from '../../format/numbers.ts';

export interface Row {
  key: string;
  label: string;
  note?: string;
  /** Decimal text, with its sign: what it adds. */
  value: string;
  /** A gain or a loss, rather than an amount. */
  change?: boolean;
  /** The sum behind it. */
  open?: () => Explanation;
}

export interface Equation {
  name: string;
  rows: Row[];
  total: Pick<Row, 'label' | 'value' | 'change'>;
}

export interface Explanation {
  title: string;
  quote: string;
  words?: string;
  /** Of real money; otherwise of paper. */
  isLive?: boolean;
  equations: Equation[];
  /** What is not money: a count, a percentage, a moment. */
  facts?: { label: string; text: string }[];
}

/** Rows beyond this number are combined into one. */
const ROWS_MAX = 40;

export const less = (text: string): string => formatFixed(subtract(ZERO, parseFixed(text)));
export const sumOf = (values: readonly (string | null)[]): string =>
  formatFixed(
    values.reduce<Fixed>(
      (total, text) => (text === null ? total : add(total, parseFixed(text))),
      ZERO,
    ),
  );

/** Adds a row for what the rows do not explain, so that they always add up. */
export function equation(
  name: string,
  rows: readonly Row[],
  total: Equation['total'],
  rest = 'Other',
): Equation {
  const shown = rows.length > ROWS_MAX + 1 ? rows.slice(0, ROWS_MAX) : [...rows];
  const others = rows.slice(shown.length);
  if (others.length > 0)
    shown.push({
      key: 'others',
      label: `${formatNumber(others.length)} more`,
      value: sumOf(others.map(({ value }) => value)),
      change: total.change === true,
    });
  const left = formatFixed(
    subtract(parseFixed(total.value), parseFixed(sumOf(shown.map(({ value }) => value)))),
  );
  return {
    name,
    total,
    rows:
      left === '0' ? shown : [...shown, { key: 'rest', label: rest, value: left, change: true }],
  };
}

/** Follows a path of rows to its explanation, as far as the rows still exist. */
export function follow(
  first: Explanation,
  path: readonly string[],
): { explanation: Explanation; path: string[] } {
  let explanation = first;
  const followed: string[] = [];
  for (const key of path) {
    const next = explanation.equations
      .flatMap(({ rows }) => rows)
      .find((row) => row.key === key)
      ?.open?.();
    if (next === undefined) break;
    explanation = next;
    followed.push(key);
  }
  return { explanation, path: followed };
}
