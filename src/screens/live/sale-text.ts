/** What a sale at an exchange sells, and what it may bring. */
import type { LiveAccount } from '../../../contract/live.ts';
import { formatFixed, parseFixed, sum } from '../../../contract/money.ts';
import type { Position } from '../../../contract/trading.ts';
import { formatAmount, formatExact } from '../../format/numbers.ts';
import { nameOf } from './live-text.ts';

export const baseOf = (pair: string): string => pair.split('/')[0] ?? pair;

/** What is known of its worth; what has no price is named beside it. */
function estimateText(
  positions: readonly Pick<Position, 'pair' | 'value'>[],
  quote: string,
  current: boolean,
): string {
  const values = positions.flatMap(({ value }) => (value === null ? [] : parseFixed(value)));
  if (values.length === 0) return 'no price is known now';
  const unpriced = positions.flatMap(({ pair, value }) => (value === null ? baseOf(pair) : []));
  const without = unpriced.length === 0 ? '' : `; no price is known now for ${unpriced.join(', ')}`;
  return `about ${formatAmount(formatFixed(sum(values)))} ${quote} at the ${current ? 'present bid' : 'bid when last seen'}, less fees${without}`;
}

/** `current`: whether the account may be told in the present. */
export function saleText(
  positions: readonly Pick<Position, 'pair' | 'quantity' | 'value'>[],
  { connection, quote }: Pick<LiveAccount, 'quote'> & { connection: Parameters<typeof nameOf>[0] },
  current: boolean,
): string {
  const coins = positions.map(({ pair, quantity }) => `${formatExact(quantity)} ${baseOf(pair)}`);
  return `Sells ${coins.join(', ')} at ${nameOf(connection)}: ${estimateText(positions, quote, current)}.`;
}
