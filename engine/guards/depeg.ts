/**
 * Blocks entries while the coin bought, or the one paid with, is off its peg, until it has been
 * back for a day.
 */
import { approximate } from '../execution/fills.ts';
import { baseOf, quoteOf } from '../pair-coins.ts';
import { isPegPair, PEG_BACK_MS, PEG_HALT } from '../signals/pegs.ts';
import { FLOAT_MARGIN, momentText, percentText } from './guard.ts';
import type { BlockTerms, PairGuard } from './guard.ts';

export const depeg = {
  stage: 'pair',
  code: 'depeg',

  check({ pair, quote, pegBreaks }) {
    const [base, paid] = [baseOf(pair), quoteOf(pair)];
    const coin = pegBreaks.has(paid) ? paid : pegBreaks.has(base) && isPegPair(pair) ? base : null;
    const found = coin === null ? undefined : pegBreaks.get(coin);
    if (found === null)
      return {
        text: `whether ${coin ?? ''} is on its peg could not be read in time.`,
        until: null,
      };
    if (found !== undefined && coin !== null)
      return termsOf(coin, found.witness, found.price, found.at);
    const middle = (approximate(quote.bid) + approximate(quote.ask)) / 2;
    return isPegPair(pair) && Math.abs(middle - 1) > PEG_HALT
      ? termsOf(base, pair, middle, quote.at)
      : null;
  },

  bound(pair, { pegBreaks }) {
    if (
      pegBreaks.size > 0 &&
      (pegBreaks.has(pair.quote) || (pair.isPegPair && pegBreaks.has(pair.base)))
    )
      return 'blocks';
    return pair.isPegPair && Math.abs(pair.price - 1) > PEG_HALT - FLOAT_MARGIN
      ? 'unknown'
      : 'passes';
  },
} satisfies PairGuard;

/** `until` is the earliest end; a later close off the peg starts the day again. */
function termsOf(coin: string, witness: string, price: number, at: number): BlockTerms {
  const until = at + PEG_BACK_MS;
  const text = `${coin} was off its peg by more than ${percentText(PEG_HALT)} (${witness} at ${price.toFixed(4)}, ${momentText(at)}): no new trade until it has been back for a day, ${momentText(until)} at the earliest.`;
  return { text, until };
}
