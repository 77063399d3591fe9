/**
 * The amount of a purchase as typed, in money or in coins, and its value in the other. Never rounds
 * a payment down.
 */
import {
  divide,
  formatFixed,
  multiply,
  parseFixed,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import { fieldText, parseTyped } from '../../format/typed-numbers.ts';

type AmountKind = 'fiat' | 'crypto';
export interface TypedAmount {
  kind: AmountKind;
  text: string;
}

const CENT = parseFixed('0.01');
/** Coins are shown with as many decimals as the provider sells. */
const COIN = parseFixed('0.00000001');

const cut = (value: Fixed, step: Fixed): Fixed => (value - (value % step)) as Fixed;
const raise = (value: Fixed, step: Fixed): Fixed =>
  value % step === ZERO ? value : ((value - (value % step) + step) as Fixed);

/** The typed amount, or null while it is none. */
export function typedAmount(text: string): Fixed | null {
  const plain = parseTyped(text) ?? '';
  if (!/^\d{1,12}(\.\d{1,12})?$/.test(plain)) return null;
  const value = parseFixed(plain);
  return value > ZERO ? value : null;
}

/** The amount in money and in coins; null where it is not known. */
export function bothAmounts(
  { kind, text }: TypedAmount,
  rate: Fixed | null,
): { fiat: Fixed | null; crypto: Fixed | null } {
  const value = typedAmount(text);
  if (value === null || rate === null || rate <= ZERO)
    return kind === 'fiat' ? { fiat: value, crypto: null } : { fiat: null, crypto: value };
  return kind === 'fiat'
    ? { fiat: value, crypto: cut(multiply(value, rate, 'down'), COIN) }
    : { fiat: raise(divide(value, rate, 'up'), CENT), crypto: value };
}

/** The same amount written in the other unit; empty where it is not known. */
export function inOther(typed: TypedAmount, rate: Fixed | null): TypedAmount {
  const { crypto, fiat } = bothAmounts(typed, rate);
  const kind = typed.kind === 'fiat' ? 'crypto' : 'fiat';
  const value = kind === 'fiat' ? fiat : crypto;
  return { kind, text: value === null ? '' : fieldText(formatFixed(value)) };
}
