/** Numbers as text for a screen: grouped, signed, rounded exactly; refuses floats for money. */
import { absolute, DECIMALS, parseFixed, type Fixed } from '../../contract/money.ts';

/** A narrow space that does not break: `10 482.17`. */
const GROUP = '\u202f';
const MINUS = '\u2212';
export const UNKNOWN = '—';

/** Money or a quantity with a fixed count of decimals, rounded half to even. */
export function decimalText(value: Fixed, decimals: number): string {
  const unit = 10n ** BigInt(DECIMALS - decimals);
  const size = absolute(value);
  let steps = size / unit;
  const rest = (size % unit) * 2n;
  if (rest > unit || (rest === unit && steps % 2n === 1n)) steps += 1n;
  const scale = 10n ** BigInt(decimals);
  const whole = (steps / scale).toString().replace(/\B(?=(\d{3})+$)/g, GROUP);
  const fraction = decimals === 0 ? '' : `.${(steps % scale).toString().padStart(decimals, '0')}`;
  return `${value < 0n && steps !== 0n ? MINUS : ''}${whole}${fraction}`;
}

/** An amount of money from the wire. `signed` puts a plus before a gain; zero has no sign. */
export function amountText(text: string, options: { signed?: boolean; decimals?: number } = {}): string {
  const value = parseFixed(text);
  const shown = decimalText(value, options.decimals ?? 2);
  return options.signed === true && value > 0n && /[1-9]/.test(shown) ? `+${shown}` : shown;
}

/** A price with as many decimals as its size calls for: 64 210.50, 2.3410, 0.000012345. */
export function priceText(text: string): string {
  const value = parseFixed(text);
  return decimalText(value, priceDecimals(value));
}

export function priceDecimals(value: Fixed): number {
  const size = absolute(value);
  const one = 10n ** BigInt(DECIMALS);
  if (size >= 100n * one || size === 0n) return 2;
  if (size >= one) return 4;
  let decimals = 4;
  for (let bound = one / 10n; size < bound && decimals < DECIMALS; bound /= 10n) decimals += 1;
  return decimals;
}

/** A quantity of an asset without trailing zeros, at most 8 decimals. */
export function quantityText(text: string): string {
  return decimalText(parseFixed(text), 8).replace(/\.?0+$/, '');
}

/** `+1.24 %`; the value is in percent already. */
export function percentText(value: number, decimals = 2): string {
  const shown = Math.abs(value).toFixed(decimals);
  const zero = !/[1-9]/.test(shown);
  return `${zero ? '' : value < 0 ? MINUS : '+'}${shown}\u202f%`;
}

/** A large amount in short: `1.24 B`, `310.5 M`, `8 420`. For volumes only. */
export function shortAmountText(text: string): string {
  const value = Number(text);
  for (const [bound, unit] of [[1e12, 'T'], [1e9, 'B'], [1e6, 'M']] as const) {
    if (value >= bound) return `${(value / bound).toFixed(2)}\u202f${unit}`;
  }
  return amountText(text, { decimals: value >= 100 ? 0 : 2 });
}

/** −1, 0 or 1, of what is shown with two decimals: a gain of a ten-thousandth is neutral. */
export function directionOf(text: string, decimals = 2): -1 | 0 | 1 {
  const shown = decimalText(parseFixed(text), decimals);
  if (!/[1-9]/.test(shown)) return 0;
  return shown.startsWith(MINUS) ? -1 : 1;
}
