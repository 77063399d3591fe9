/** Amounts of ETH as text and as wei, exact to the last digit and without floats. */
import { formatEther, parseEther } from 'viem';
import { localDecimal } from '../../format/number-marks.ts';
import { formatQuantity } from '../../format/numbers.ts';
import { fieldText, parseTyped } from '../../format/typed-numbers.ts';

const DECIMALS = 18;
/** More ETH than exists: a typing error. */
const WHOLE_DIGITS_MAX = 12;

/** The typed amount in wei, or why it is invalid. */
export function parseTypedEther(typed: string): { wei: bigint } | { error: string } {
  if (typed.trim() === '') return { error: 'Enter an amount of ETH.' };
  const text = parseTyped(typed, { strict: true });
  if (text === null || text.startsWith('-'))
    return { error: `Enter a number, such as ${fieldText('0.05')}.` };
  const [whole = '', fraction = ''] = text.split('.');
  if (whole.length > WHOLE_DIGITS_MAX) return { error: 'That is more ETH than exists.' };
  if (fraction.length > DECIMALS) return { error: `ETH has at most ${DECIMALS} decimals.` };
  const wei = parseEther(`${whole === '' ? '0' : whole}.${fraction === '' ? '0' : fraction}`);
  return wei === 0n ? { error: 'Enter an amount above zero.' } : { wei };
}

/** All digits, as they are typed: `0.05`. */
export const plainEther = (wei: bigint): string => fieldText(formatEther(wei));

const SHOWN_DECIMALS = 6;
const cut = (wei: bigint, decimals: number, up: boolean): bigint => {
  const step = 10n ** BigInt(DECIMALS - decimals);
  return (up && wei % step !== 0n ? wei / step + 1n : wei / step) * step;
};

/** A balance, cut to six decimals: never more than there is. */
export function heldEther(wei: bigint): string {
  const shown = cut(wei, SHOWN_DECIMALS, false);
  return wei > 0n && shown === 0n
    ? `less than ${fieldText('0.000001')}`
    : formatQuantity(formatEther(shown));
}

/** A maximum cost, rounded up at its fourth digit: never less than it can be. */
export function costEther(wei: bigint): string {
  const zeros = /^0\.(0*)/.exec(formatEther(wei))?.[1]?.length;
  const decimals = Math.min(12, zeros === undefined ? SHOWN_DECIMALS : zeros + 4);
  return formatQuantity(formatEther(cut(wei, decimals, true)));
}

/** All digits, grouped: for amounts to confirm. */
export const exactEther = (wei: bigint): string => localDecimal(formatEther(wei));
