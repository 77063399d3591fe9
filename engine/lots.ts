/** First in, first out: which purchase each sale came from, for taxes and for lists of trades; refuses to lose or make a unit in the splitting. */
import { add, subtract } from '../contract/money.ts';
import type { Fixed } from '../contract/money.ts';
import type { FillDraft } from './types.ts';

/** What of a fill is read here. */
type LotFill = Omit<FillDraft, Unread>;
type Unread = 'wanted' | 'feeBps' | 'slippageBps' | 'quoteBid' | 'quoteAsk' | 'ruleVersion' | 'realized' | 'costBasis';

/** A part of a purchase and what became of it. Amounts in the quote currency. */
export interface Lot {
  pair: string;
  quantity: Fixed;
  /** Market clock, ms. */
  acquiredAt: number;
  /** Null while it is held, as are the four below. */
  disposedAt: number | null;
  entryPrice: Fixed;
  exitPrice: Fixed | null;
  /** Paid for it, its fee included. */
  basis: Fixed;
  /** Received for it, the fee of the sale taken off. */
  proceeds: Fixed | null;
  /** proceeds − basis, to the last digit. */
  gain: Fixed | null;
  /** Fees of both ends, as far as they fell on this part. */
  fees: Fixed;
  /** Why it was sold. */
  exitReason: string | null;
}

interface Held { at: number; price: Fixed; quantity: Fixed; notional: Fixed; fee: Fixed }

/** What falls on a part of a whole: rounded down, and the last part takes what is left. */
const part = (amount: Fixed, quantity: Fixed, whole: Fixed): Fixed => (quantity === whole ? amount : ((amount * quantity) / whole) as Fixed);

/**
 * Fills of one book in the order they happened. Sold lots in the order of their sale, then those still held, oldest
 * first. Over a pair that is held no more, the gains add up to what average cost makes of the same fills.
 * @throws RangeError when more is sold than was bought.
 */
export function fifoLots(fills: readonly LotFill[]): Lot[] {
  const held = new Map<string, Held[]>();
  const sold: Lot[] = [];
  for (const fill of fills) {
    const queue = held.get(fill.pair) ?? [];
    held.set(fill.pair, queue);
    if (fill.side === 'buy') queue.push({ at: fill.filledAt, price: fill.price, quantity: fill.quantity, notional: fill.notional, fee: fill.fee });
    else sold.push(...sell(queue, fill));
  }
  return [...sold, ...[...held].flatMap(([pair, queue]) => queue.map((lot) => stillHeld(pair, lot)))];
}

function sell(queue: Held[], fill: LotFill): Lot[] {
  const lots: Lot[] = [];
  let left = { quantity: fill.quantity, notional: fill.notional, fee: fill.fee };
  while (left.quantity > 0n) {
    const lot = queue[0];
    if (lot === undefined) throw new RangeError(`More ${fill.pair} is sold than was bought`);
    const quantity = lot.quantity < left.quantity ? lot.quantity : left.quantity;
    const bought = { notional: part(lot.notional, quantity, lot.quantity), fee: part(lot.fee, quantity, lot.quantity) };
    const got = { notional: part(left.notional, quantity, left.quantity), fee: part(left.fee, quantity, left.quantity) };
    const basis = add(bought.notional, bought.fee);
    const proceeds = subtract(got.notional, got.fee);
    lots.push({
      pair: fill.pair, quantity, acquiredAt: lot.at, disposedAt: fill.filledAt, entryPrice: lot.price, exitPrice: fill.price,
      basis, proceeds, gain: subtract(proceeds, basis), fees: add(bought.fee, got.fee), exitReason: fill.reason,
    });
    left = { quantity: subtract(left.quantity, quantity), notional: subtract(left.notional, got.notional), fee: subtract(left.fee, got.fee) };
    if (quantity === lot.quantity) queue.shift();
    else queue[0] = { ...lot, quantity: subtract(lot.quantity, quantity), notional: subtract(lot.notional, bought.notional), fee: subtract(lot.fee, bought.fee) };
  }
  return lots;
}

function stillHeld(pair: string, lot: Held): Lot {
  return {
    pair, quantity: lot.quantity, acquiredAt: lot.at, disposedAt: null, entryPrice: lot.price, exitPrice: null,
    basis: add(lot.notional, lot.fee), proceeds: null, gain: null, fees: lot.fee, exitReason: null,
  };
}
