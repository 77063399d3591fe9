/**
 * Blocks entries on a quote that is crossed, far too wide, or far from the candle the decision was
 * made on.
 */
import { approximate } from '../execution/fills.ts';
import { percentText } from './guard.ts';
import type { Block, PairGuardInput } from './guard.ts';

export const SPREAD_MAX = 0.02;
export const JUMP_MAX = 0.2;

export function badPrice({ pair, quote, signal }: PairGuardInput): Block | null {
  const block = (text: string): Block => ({
    code: 'bad_price',
    text: `${text}: no new trade there until a look finds a sound price.`,
    until: null,
  });
  if (quote.bid <= 0n || quote.ask < quote.bid) return block(`The quote of ${pair} makes no sense`);
  const middle = (approximate(quote.bid) + approximate(quote.ask)) / 2;
  const spread = (approximate(quote.ask) - approximate(quote.bid)) / middle;
  if (spread > SPREAD_MAX)
    return block(
      `The spread of ${pair} is ${percentText(spread)}, more than ${percentText(SPREAD_MAX)}`,
    );
  const jump = signal.price === undefined ? 0 : Math.abs(middle / signal.price - 1);
  if (jump > JUMP_MAX)
    return block(`${pair} is ${percentText(jump)} away from the candle it was judged on`);
  return null;
}
