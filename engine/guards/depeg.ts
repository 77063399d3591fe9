/**
 * Blocks entries while the coin bought, or the one paid with, is off its peg, until it has been
 * back for a day; never sells.
 */
import { approximate } from '../execution/fills.ts';
import { isPegPair, PEG_BACK_MS, PEG_HALT, quoteOf } from '../signals/pegs.ts';
import { baseOf } from '../strategies/pools.ts';
import { momentText, percentText } from './guard.ts';
import type { Block, PairGuardInput } from './guard.ts';

export function depeg({ pair, quote, pegBreaks }: PairGuardInput): Block | null {
  const [base, paid] = [baseOf(pair), quoteOf(pair)];
  const coin = pegBreaks.has(paid) ? paid : pegBreaks.has(base) && isPegPair(pair) ? base : null;
  const found = coin === null ? undefined : pegBreaks.get(coin);
  if (found !== undefined && coin !== null)
    return blockOf(coin, found.witness, found.price, found.at);
  const middle = (approximate(quote.bid) + approximate(quote.ask)) / 2;
  return isPegPair(pair) && Math.abs(middle - 1) > PEG_HALT
    ? blockOf(base, pair, middle, quote.at)
    : null;
}

/** `until`: the earliest; a later close off the peg begins the day anew. */
function blockOf(coin: string, witness: string, price: number, at: number): Block {
  const until = at + PEG_BACK_MS;
  const text = `${coin} was off its peg by more than ${percentText(PEG_HALT)} (${witness} at ${price.toFixed(4)}, ${momentText(at)}): no new trade until it has been back for a day, ${momentText(until)} at the earliest.`;
  return { code: 'depeg', text, until };
}
