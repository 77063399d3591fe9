/**
 * Amounts, prices, quantities and percents in the reader's locale: a true minus, no −0, no
 * exponent.
 */
import { absolute, formatFixed, parseFixed, type Fixed } from '../../contract/money.ts';
import { localDecimal } from './number-marks.ts';

const MINUS = '\u2212';

export interface NumberStyle {
  /** Always show + or −; zero has neither. */
  signed?: boolean;
  /** Digits after the point, at least and at most. */
  least?: number;
  most?: number;
}

/** Rounds half away from zero on the digits themselves, without a float. */
function roundText(text: string, decimals: number): string {
  const [whole = '0', fraction = ''] = text.split('.');
  if (fraction.length <= decimals) return text;
  const kept =
    BigInt(whole + fraction.slice(0, decimals)) + (Number(fraction[decimals]) >= 5 ? 1n : 0n);
  const digits = kept.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function trim(text: string, least: number): string {
  const [whole = '0', fraction = ''] = text.split('.');
  const shortened = fraction.replace(/0+$/, '').padEnd(least, '0');
  return shortened === '' ? whole : `${whole}.${shortened}`;
}

function render(value: Fixed, style: Required<NumberStyle>): string {
  const rounded = trim(roundText(formatFixed(absolute(value)), style.most), style.least);
  const zero = /^[0.]+$/.test(rounded);
  const sign = zero ? '' : value < 0n ? MINUS : style.signed ? '+' : '';
  return `${sign}${localDecimal(rounded)}`;
}

/**
 * Decimals that show four significant digits of a value below one: 0.00000123 gets eight, 0.5 gets
 * four.
 */
function decimalsFor(value: Fixed): number {
  const text = formatFixed(absolute(value));
  if (!text.startsWith('0')) return 2;
  const zeros = /^0\.(0*)/.exec(text)?.[1]?.length ?? 0;
  return Math.min(12, zeros + 4);
}

const read = (text: string): Fixed | null => {
  try {
    return parseFixed(text);
  } catch {
    return null;
  }
};

/** Shown for an unknown number: never 0. */
export const UNKNOWN = '—';

/**
 * Money of an account, two decimals: `1,234,567.89`, `−12.05`, `+128.40`. Amounts below a cent get
 * more.
 */
export function formatAmount(text: string | null | undefined, style: NumberStyle = {}): string {
  const value = text == null ? null : read(text);
  if (value === null) return UNKNOWN;
  const tiny = value !== 0n && absolute(value) < 5_000_000_000n;
  return render(value, { signed: false, least: 2, most: tiny ? decimalsFor(value) : 2, ...style });
}

/**
 * A price: two decimals from one upwards, more below: `68,123.40`, `0.4127`, `0.00000123`. `least`
 * aligns the prices of one pair.
 */
export function formatPrice(text: string | null | undefined, least = 2): string {
  const value = text == null ? null : read(text);
  if (value === null) return UNKNOWN;
  const most =
    absolute(value) >= 1_000_000_000_000n
      ? absolute(value) < 100_000_000_000_000n
        ? 4
        : 2
      : decimalsFor(value);
  return render(value, { signed: false, least, most: Math.max(least, most) });
}

/** A quantity of an asset, without trailing zeros: `0.84`, `1,200`, `0.00000123`. */
export function formatQuantity(text: string | null | undefined): string {
  const value = text == null ? null : read(text);
  return value === null
    ? UNKNOWN
    : render(value, { signed: false, least: 0, most: Math.max(6, decimalsFor(value)) });
}

/** Every digit there is, at least `least` after the point: what an exchange has charged or holds. */
export function formatExact(text: string | null | undefined, least = 0): string {
  const value = text == null ? null : read(text);
  return value === null ? UNKNOWN : render(value, { signed: false, least, most: 12 });
}

/** A percent given in percent (−1.25 is −1.25 %): `+1.24 %`, `−0.30 %`, `0.00 %`. */
export function formatPercent(
  value: number | null | undefined,
  style: { signed?: boolean; decimals?: number } = {},
): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN;
  const { signed = true, decimals = 2 } = style;
  const size = Math.abs(value).toFixed(decimals);
  const zero = Number(size) === 0;
  return `${zero ? '' : value < 0 ? MINUS : signed ? '+' : ''}${localDecimal(size)}\u202f%`;
}

/** A ratio given as a share (0.1 is 10 %). */
export function formatShare(
  value: number | null | undefined,
  style: { signed?: boolean; decimals?: number } = {},
): string {
  return formatPercent(value == null ? null : value * 100, style);
}

/** A plain ratio such as Sharpe: `1.72`, `−0.40`. */
export function formatRatio(value: number | null | undefined, decimals = 2): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value).toFixed(decimals);
  return `${Number(size) !== 0 && value < 0 ? MINUS : ''}${localDecimal(size)}`;
}

/** A count, a limit or a setting, as it is: `1,000,000`, `12.5`, `−3`. */
export function formatNumber(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN;
  const text = String(Math.abs(value));
  const size = text.includes('e')
    ? formatQuantity(Math.abs(value).toFixed(12))
    : localDecimal(text);
  return `${value < 0 && /[1-9]/.test(size) ? MINUS : ''}${size}`;
}

/** Large amounts in short: `1.2 M`, `340 k`; exact below ten thousand. */
export function formatShort(text: string | null | undefined): string {
  const value = text == null ? null : read(text);
  if (value === null) return UNKNOWN;
  const size = Number(formatFixed(absolute(value)));
  const sign = value < 0n ? MINUS : '';
  for (const [unit, name] of [
    [1e12, 'T'],
    [1e9, 'B'],
    [1e6, 'M'],
    [1e4, 'k'],
  ] as const) {
    const scale = name === 'k' ? 1e3 : unit;
    if (size >= unit)
      return `${sign}${localDecimal((size / scale).toFixed(size / scale < 100 ? 1 : 0))}\u202f${name}`;
  }
  return formatAmount(text);
}

/** The direction of a number, for ▲ ▼ and colour; zero and unknown are neutral. */
export function direction(value: string | number | null | undefined): 'up' | 'down' | 'flat' {
  const number = typeof value === 'string' ? Number(read(value) ?? 0n) : (value ?? 0);
  return number > 0 ? 'up' : number < 0 ? 'down' : 'flat';
}
