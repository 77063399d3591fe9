/** Amounts as exchanges write them, read exactly. */
import { DECIMALS, parseFixed, type Fixed } from '../../contract/money.ts';

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

/** A fee may be finer than 12 decimals: it is rounded away from zero, so that no cost is lost. */
export function feeAmount(text: string): Fixed {
  const parts = plain(text);
  if (parts === null) throw new RangeError('not an amount');
  const kept = parts.fraction.slice(0, DECIMALS);
  const units = parseFixed(`${parts.whole}${kept === '' ? '' : `.${kept}`}`);
  const magnitude = parts.fraction.length > DECIMALS ? ((units + 1n) as Fixed) : units;
  return parts.sign === '-' ? ((0n - magnitude) as Fixed) : magnitude;
}

/** A price that is set; exchanges write 0, an empty text or nothing where there is none. */
export function priceOrNull(text: string | null | undefined): Fixed | null {
  if (text === null || text === undefined || plain(text) === null) return null;
  const price = exactAmount(text);
  return price > 0n ? price : null;
}

/** 10 to the minus `decimals`. */
export const stepOf = (decimals: number): Fixed =>
  parseFixed(decimals === 0 ? '1' : `0.${'0'.repeat(decimals - 1)}1`);

/** A balance finer than money is kept counts for what is surely there. */
export function flooredAmount(text: string): Fixed {
  const parts = plain(text);
  if (parts === null) throw new RangeError('not an amount');
  const kept = parts.fraction.slice(0, DECIMALS);
  return parseFixed(`${parts.sign}${parts.whole}${kept === '' ? '' : `.${kept}`}`);
}
