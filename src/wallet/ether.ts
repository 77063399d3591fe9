/** Amounts of ETH as text and as wei, exact to the last digit; refuses a float and a guess at what was meant. */
import { formatEther, parseEther } from 'viem';
import { formatQuantity } from '../format/numbers.ts';

const DECIMALS = 18;
/** More than this nobody holds: a slip of the finger, not an amount. */
const WHOLE_DIGITS_MAX = 12;

/** What was typed, in wei; else why not. */
export function parseTypedEther(typed: string): { wei: bigint } | { error: string } {
  const text = typed.trim();
  if (text === '') return { error: 'Enter an amount of ETH.' };
  if (text.includes(',')) return { error: 'Write the decimals after a point, and no commas.' };
  const [whole = '', fraction = ''] = text.split('.');
  if (!/^\d+(\.\d*)?$|^\.\d+$/.test(text)) return { error: 'Enter digits, such as 0.05.' };
  if (whole.length > WHOLE_DIGITS_MAX) return { error: 'There is not that much ETH.' };
  if (fraction.length > DECIMALS) return { error: `ETH has ${DECIMALS} decimals at most.` };
  const wei = parseEther(`${whole === '' ? '0' : whole}.${fraction === '' ? '0' : fraction}`);
  return wei === 0n ? { error: 'Enter more than zero.' } : { wei };
}

/** All digits, as they are typed: `0.05`. */
export const plainEther = (wei: bigint): string => formatEther(wei);

const SHOWN_DECIMALS = 6;
const cut = (wei: bigint, decimals: number, up: boolean): bigint => {
  const step = 10n ** BigInt(DECIMALS - decimals);
  return (up && wei % step !== 0n ? wei / step + 1n : wei / step) * step;
};

/** What one has, cut to six decimals: never more than there is. */
export function heldEther(wei: bigint): string {
  const shown = cut(wei, SHOWN_DECIMALS, false);
  return wei > 0n && shown === 0n ? 'less than 0.000001' : formatQuantity(formatEther(shown));
}

/** What one pays at most, rounded up at its fourth figure: never less than it may be. */
export function costEther(wei: bigint): string {
  const zeros = /^0\.(0*)/.exec(formatEther(wei))?.[1]?.length;
  const decimals = Math.min(12, zeros === undefined ? SHOWN_DECIMALS : zeros + 4);
  return formatQuantity(formatEther(cut(wei, decimals, true)));
}

/** To the last digit, in groups: for what is confirmed. */
export function exactEther(wei: bigint): string {
  const [whole = '0', fraction] = formatEther(wei).split('.');
  const grouped = formatQuantity(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
