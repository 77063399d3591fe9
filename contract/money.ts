/**
 * Exact decimal money as bigint fixed-point with 12 decimals. No floats, no exponents, no silent
 * rounding.
 */

/** An amount, price or quantity in units of 10^-12. Never a `number`. */
export type Fixed = bigint & { readonly fixed12: true };

export const DECIMALS = 12;
const ONE = 10n ** BigInt(DECIMALS);
/** Plain decimal text: at most 24 digits before and 12 after the point, no exponent. */
export const DECIMAL = /^-?\d{1,24}(\.\d{1,12})?$/;

export const ZERO = 0n as Fixed;
export const UNIT = ONE as Fixed;

export type Rounding = 'down' | 'up' | 'half-even';

/** @throws RangeError when the text is not plain decimal (`1e5`, `NaN`, more than 12 decimals). */
export function parseFixed(text: string): Fixed {
  if (!DECIMAL.test(text)) throw new RangeError(`Not a decimal amount: ${text.slice(0, 40)}`);
  const negative = text.startsWith('-');
  const [whole = '0', fraction = ''] = (negative ? text.slice(1) : text).split('.');
  const units = BigInt(whole) * ONE + BigInt(fraction.padEnd(DECIMALS, '0'));
  return (negative ? 0n - units : units) as Fixed;
}

/** The shortest exact text: `1.5`, `-0.000001`, `0`; never `-0`, never an exponent. */
export function formatFixed(value: Fixed): string {
  const negative = value < 0n;
  const units = negative ? 0n - value : value;
  const whole = (units / ONE).toString();
  const fraction = (units % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * The edge where a float becomes money: an exchange's JSON number or an indicator's result.
 * @throws RangeError when the number is not finite or too large to be exact money.
 */
export function fixedFromNumber(value: number, decimals = DECIMALS): Fixed {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e21)
    throw new RangeError(`Not an amount: ${String(value)}`);
  const short = shortDecimal(value, Math.min(decimals, DECIMALS));
  if (short !== null) return short;
  // The number as it was written, where that is exact money: 67123.45 is not 67123.449999999997.
  const written = String(value);
  const places =
    /^-?\d+(?:\.(\d+))?$/.exec(written)?.[1]?.length ?? (Number.isInteger(value) ? 0 : Infinity);
  return parseFixed(
    places <= Math.min(decimals, DECIMALS) ? written : value.toFixed(Math.min(decimals, DECIMALS)),
  );
}

const TENS = Array.from({ length: DECIMALS + 1 }, (_, places) => 10 ** places);
const UNITS = TENS.map((_, places) => 10n ** BigInt(DECIMALS - places));
/** So many digits and no more are sure to be the ones a number was written with. */
const SHORT = 1e15;

/**
 * A number of few digits without a detour over text: the fewest places at which it is exactly the
 * nearest float.
 */
function shortDecimal(value: number, most: number): Fixed | null {
  if (Math.abs(value) < 0.4 / (TENS[most] ?? 1)) return ZERO;
  for (let places = 0; places <= most; places += 1) {
    const ten = TENS[places] ?? 1;
    const digits = Math.round(value * ten);
    if (digits >= SHORT || digits <= -SHORT) return null;
    if (digits / ten === value) return (BigInt(digits) * (UNITS[places] ?? 1n)) as Fixed;
  }
  return null;
}

/** For charts, indicators and ratios only; the result is never written back as money. */
export function toNumber(value: Fixed): number {
  return Number(formatFixed(value));
}

export const add = (a: Fixed, b: Fixed): Fixed => (a + b) as Fixed;
export const subtract = (a: Fixed, b: Fixed): Fixed => (a - b) as Fixed;
export const negate = (a: Fixed): Fixed => (0n - a) as Fixed;
export const absolute = (a: Fixed): Fixed => (a < 0n ? 0n - a : a) as Fixed;
export const minimum = (first: Fixed, ...rest: Fixed[]): Fixed =>
  rest.reduce((m, v) => (v < m ? v : m), first);
export const maximum = (first: Fixed, ...rest: Fixed[]): Fixed =>
  rest.reduce((m, v) => (v > m ? v : m), first);
export const sum = (values: Iterable<Fixed>): Fixed => {
  let total = 0n;
  for (const value of values) total += value;
  return total as Fixed;
};

/** a × b. `down` and `up` are towards and away from zero. */
export function multiply(a: Fixed, b: Fixed, rounding: Rounding): Fixed {
  return divideInteger(a * b, ONE, rounding);
}

/** a ÷ b. @throws RangeError when b is zero, as integers do. */
export function divide(a: Fixed, b: Fixed, rounding: Rounding): Fixed {
  return divideInteger(a * ONE, b, rounding);
}

/** A share in basis points: `bps(1000, 25)` is 2.5. */
export function basisPoints(value: Fixed, bps: Fixed, rounding: Rounding): Fixed {
  return divideInteger(value * bps, ONE * 10_000n, rounding);
}

/**
 * The largest multiple of `step` not further from zero than `value`: quantities go down to the lot.
 */
export function floorToStep(value: Fixed, step: Fixed): Fixed {
  if (step <= 0n) throw new RangeError('A step must be positive');
  return ((value / step) * step) as Fixed;
}

/** The smallest multiple of `step` that is not below a `value` of 0 or more: a sale's price. */
export function ceilToStep(value: Fixed, step: Fixed): Fixed {
  const below = floorToStep(value, step);
  return below === value ? value : add(below, step);
}

function divideInteger(numerator: bigint, denominator: bigint, rounding: Rounding): Fixed {
  const quotient = numerator / denominator;
  const remainder = numerator % denominator;
  if (remainder === 0n || rounding === 'down') return quotient as Fixed;
  const away = numerator < 0n === denominator < 0n ? 1n : -1n;
  if (rounding === 'up') return (quotient + away) as Fixed;
  const twice = (remainder < 0n ? -remainder : remainder) * 2n;
  const size = denominator < 0n ? -denominator : denominator;
  const roundsAway = twice > size || (twice === size && quotient % 2n !== 0n);
  return (roundsAway ? quotient + away : quotient) as Fixed;
}
