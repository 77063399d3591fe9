/**
 * Blocks entries on a quote that is crossed, far too wide, or far from the candle the decision was
 * made on.
 */
import { approximate } from '../execution/fills.ts';
import { FLOAT_MARGIN, percentText } from './guard.ts';
import type { BlockTerms, PairGuard } from './guard.ts';

export const SPREAD_MAX = 0.02;
export const JUMP_MAX = 0.2;

export const badPrice = {
  stage: 'pair',
  code: 'bad_price',

  check({ pair, quote, signal }) {
    if (quote.bid <= 0n || quote.ask < quote.bid) return terms(`The quote for ${pair} is invalid`);
    const middle = (approximate(quote.bid) + approximate(quote.ask)) / 2;
    const spread = (approximate(quote.ask) - approximate(quote.bid)) / middle;
    if (spread > SPREAD_MAX)
      return terms(
        `The spread of ${pair} is ${percentText(spread)}, more than ${percentText(SPREAD_MAX)}`,
      );
    const jump = signal.price === undefined ? 0 : Math.abs(middle / signal.price - 1);
    if (jump > JUMP_MAX) return terms(`${pair} is ${percentText(jump)} away from its candle`);
    return null;
  },

  bound({ price, signal, spread }) {
    if (spread > SPREAD_MAX - FLOAT_MARGIN) return 'unknown';
    return signal.price === undefined ||
      Math.abs(price / signal.price - 1) < JUMP_MAX - FLOAT_MARGIN
      ? 'passes'
      : 'unknown';
  },
} satisfies PairGuard;

const terms = (text: string): BlockTerms => ({
  text: `${text}: no new trade there until the next check finds a valid price.`,
  until: null,
});
