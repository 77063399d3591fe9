/** Coins that the account lacks, in words. `current` is false where what is told may be out of date. */
import type { MissingCoinsWire } from '../../../../contract/live.ts';
import { formatExact } from '../../../format/numbers.ts';

export type Holder = MissingCoinsWire['holders'][number];

export const amountText = (amount: string, asset: string): string =>
  `${formatExact(amount)} ${asset}`;

/** What is known, what is safe, and what can be done. */
export function missingText(
  { asset, amount }: Pick<MissingCoinsWire, 'asset' | 'amount'>,
  exchange: string,
  current = true,
): { what: string; safe: string; you: string } {
  const less = `${amountText(amount, asset)} less than agents`;
  return {
    what: current
      ? `The account has ${less} hold.`
      : `When last seen, the account had ${less} held.`,
    safe: 'No stop sells what is not there.',
    you: `Buy the coins back at ${exchange}, or write them off here.`,
  };
}

/** What a write-off does, exactly. */
export const writeOffSentence = ({ agentName, most }: Holder, asset: string): string =>
  `${agentName} gives up ${amountText(most, asset)}. Nothing is bought or sold. Its result does not count them.`;
