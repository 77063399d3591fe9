/** Amounts as exchanges write them, read exactly. */
import { divide, parseFixed, subtract, type Fixed } from '../../contract/money.ts';

const WRITTEN = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Digits before the point, digits after it, without an exponent. */
function plain(text: string): { sign: string; whole: string; fraction: string } | null {
  const match = WRITTEN.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  const padded =
    point < 0 ? digits.padStart(digits.length - point, '0') : digits.padEnd(point, '0');
  const at = Math.max(point, 0);
  return { sign, whole: padded.slice(0, at) || '0', fraction: padded.slice(at).replace(/0+$/, '') };
}

/** @throws RangeError when the text is no number, or finer than money is kept. */
export function exactAmount(text: string): Fixed {
  const parts = plain(text);
  if (parts === null) throw new RangeError('not an amount');
  const { sign, whole, fraction } = parts;
  return parseFixed(`${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`);
}

/**
 * To our 12 decimals, towards zero or away from it. Coinbase writes up to 19 decimals of what a
 * person bought by an amount of money.
 */
export function roundedAmount(text: string, rounding: 'down' | 'up'): Fixed {
  const { units, places } = written(text);
  return divide(units, tenTo(places), rounding);
}

/** A fee may be finer than 12 decimals: it is rounded away from zero, so that no cost is lost. */
export const feeAmount = (text: string): Fixed => roundedAmount(text, 'up');

/** A balance finer than money is kept counts for what is surely there. */
export const flooredAmount = (text: string): Fixed => roundedAmount(text, 'down');

/**
 * A side of a book, as prices and sizes. Of a size that is finer than money is kept in, what is surely
 * there counts; a price goes to the side on which it promises less.
 */
export const levelsOf = (
  side: 'bids' | 'asks',
  levels: readonly (readonly [price: string, quantity: string, ...rest: unknown[]])[],
): { price: Fixed; quantity: Fixed }[] =>
  levels.map(([price, quantity]) => ({
    price: side === 'bids' ? bidAmount(price) : askAmount(price),
    quantity: flooredAmount(quantity),
  }));
export const bidAmount = (text: string): Fixed => roundedAmount(text, 'down');
export const askAmount = (text: string): Fixed => roundedAmount(text, 'up');

/** Every digit that was written: `units` × 10 to the minus `places`. */
interface Written {
  units: Fixed;
  places: number;
}

const tenTo = (places: number): Fixed => (10n ** BigInt(places)) as Fixed;

function written(text: string): Written {
  const parts = plain(text);
  if (parts === null) throw new RangeError('not an amount');
  const { sign, whole, fraction } = parts;
  return { units: BigInt(`${sign}${whole}${fraction}`) as Fixed, places: fraction.length };
}

/** a × b of every digit that was written: rounded first, a price would multiply what was cut off. */
export function productAmount(a: string, b: string, rounding: 'down' | 'up'): Fixed {
  const [one, other] = [written(a), written(b)];
  const units = (one.units * other.units) as Fixed;
  return divide(units, tenTo(one.places + other.places), rounding);
}

/** a ÷ b of every digit that was written. @throws RangeError when b is zero. */
export function quotientAmount(a: string, b: string, rounding: 'down' | 'up'): Fixed {
  const [one, other] = [written(a), written(b)];
  const [over, under] = [one.units * tenTo(other.places), other.units * tenTo(one.places)];
  return divide(over as Fixed, under as Fixed, rounding);
}

/**
 * Adds up what belongs together and says what each part adds to the whole in our decimals: the parts
 * then make up the whole, which parts that are rounded by themselves do not.
 */
export class RoundedParts {
  private readonly sums = new Map<string, bigint>();

  add(whole: string, part: string, rounding: 'down' | 'up'): Fixed {
    const { units, places } = written(part);
    if (places > FINEST) throw new RangeError('finer than any exchange writes');
    const before = this.sums.get(whole) ?? 0n;
    const after = before + units * 10n ** BigInt(FINEST - places);
    this.sums.set(whole, after);
    const ours = (sum: bigint): Fixed => divide(sum as Fixed, tenTo(FINEST), rounding);
    return subtract(ours(after), ours(before));
  }
}
const FINEST = 30;

/** A price that is set; exchanges write 0, an empty text or nothing where there is none. */
export function priceOrNull(text: string | null | undefined): Fixed | null {
  if (text === null || text === undefined || plain(text) === null) return null;
  const price = flooredAmount(text);
  return price > 0n ? price : null;
}

/** 10 to the minus `decimals`. */
export const stepOf = (decimals: number): Fixed =>
  parseFixed(decimals === 0 ? '1' : `0.${'0'.repeat(decimals - 1)}1`);
