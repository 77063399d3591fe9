/**
 * Matches each sale with the purchases it came from, first in, first out: for taxes and for lists
 * of trades.
 */
import { add, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { FillDraft } from '../execution/agent-types.ts';
import { addCoins, mapCoins, NO_COINS, type CoinAmounts } from './coin-amounts.ts';

/**
 * The part of a fill that is read here. `agentId`: who traded, where several agents share an
 * account. `otherFees`: what was charged in other coins than the quote currency; it goes with the
 * lots and changes no amount of theirs.
 */
export type LotFill = Pick<
  FillDraft,
  'pair' | 'side' | 'quantity' | 'price' | 'notional' | 'fee' | 'filledAt'
> &
  Why & { otherFees?: CoinAmounts };
interface Why {
  reason: string;
  agentId?: string;
}

/** A part of a purchase and what became of it. Amounts in the quote currency. */
export interface Lot {
  pair: string;
  quantity: Fixed;
  /** Market clock, ms. */
  acquiredAt: number;
  /**
   * Null while the lot is open, as are the four below. One that was given over unsold has a time and
   * a reason, and neither proceeds nor gain.
   */
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
  /** Of both ends too, in other coins than the quote currency; absent where there were none. */
  otherFees?: CoinAmounts;
  /** Why it was sold. */
  exitReason: string | null;
  acquiredBy: string | null;
  disposedBy: string | null;
}

/** What was paid or received for a quantity, and what was charged for that. */
interface Money {
  notional: Fixed;
  fee: Fixed;
  otherFees: CoinAmounts;
}

interface Held extends Money {
  at: number;
  price: Fixed;
  quantity: Fixed;
  by: string | null;
}

/** What was taken of a lot, and what that had cost. */
interface Consumed {
  lot: Held;
  quantity: Fixed;
  bought: Money;
}

/** Sold beyond what was bought: nothing is known of its purchase. */
function unbought(quantity: Fixed, at: number): Consumed {
  const bought = { notional: ZERO, fee: ZERO, otherFees: NO_COINS };
  return { lot: { at, price: ZERO, quantity, ...bought, by: null }, quantity, bought };
}

/** A part's share of a whole, rounded down; the last part takes what is left. */
const part = (amount: Fixed, quantity: Fixed, whole: Fixed): Fixed =>
  quantity === whole ? amount : (((amount * quantity) / whole) as Fixed);

const shareOf = ({ notional, fee, otherFees }: Money, quantity: Fixed, whole: Fixed): Money => ({
  notional: part(notional, quantity, whole),
  fee: part(fee, quantity, whole),
  otherFees: mapCoins(otherFees, (amount) => part(amount, quantity, whole)),
});

const without = (whole: Money, taken: Money): Money => ({
  notional: subtract(whole.notional, taken.notional),
  fee: subtract(whole.fee, taken.fee),
  otherFees: mapCoins(whole.otherFees, (amount, asset) =>
    subtract(amount, taken.otherFees.get(asset) ?? ZERO),
  ),
});

/**
 * The lots of one account, fill by fill in the order of its ledger. An account has one queue per
 * pair, whichever of its agents bought: first in, first out applies to the owner.
 */
export class FifoBook {
  private readonly queues = new Map<string, { lots: Held[]; first: number }>();

  /**
   * `mayOversell`: at an exchange, an order whose sale was long held not to have happened may sell
   * more than was bought here. Then the rest is a lot that cost nothing, bought by nobody here at the
   * time of its sale.
   */
  constructor(private readonly mayOversell = false) {}

  /**
   * The lots that a sale closes, oldest first; none for a purchase. @throws RangeError when more is
   * sold than was bought, unless that may be.
   */
  take(fill: LotFill): Lot[] {
    const queue = this.queues.get(fill.pair) ?? { lots: [], first: 0 };
    this.queues.set(fill.pair, queue);
    if (fill.side === 'buy') {
      queue.lots.push({
        at: fill.filledAt,
        price: fill.price,
        quantity: fill.quantity,
        notional: fill.notional,
        fee: fill.fee,
        otherFees: fill.otherFees ?? NO_COINS,
        by: fill.agentId ?? null,
      });
      return [];
    }
    const sold: Lot[] = [];
    const { quantity: whole, notional, fee, otherFees = NO_COINS } = fill;
    let left: { quantity: Fixed; money: Money } = {
      quantity: whole,
      money: { notional, fee, otherFees },
    };
    for (const { lot, quantity, bought } of this.consume(fill, whole)) {
      const got = shareOf(left.money, quantity, left.quantity);
      sold.push(soldLot(fill, lot, quantity, bought, got));
      left = {
        quantity: subtract(left.quantity, quantity),
        money: without(left.money, got),
      };
    }
    return sold;
  }

  /**
   * Lots that leave the account's book unsold, oldest first: each with its cost, and no proceeds.
   * @throws RangeError when more is given over than was bought, unless that may be.
   */
  giveOver(given: Pick<LotFill, 'pair' | 'quantity' | 'filledAt'> & Why): Lot[] {
    return this.consume(given, given.quantity).map(({ lot, quantity, bought }) => ({
      ...stillHeld(given.pair, { ...lot, ...bought, quantity }),
      disposedAt: given.filledAt,
      exitReason: given.reason,
      disposedBy: given.agentId ?? null,
    }));
  }

  /** Takes so much off the queue, oldest first. */
  private consume(
    { pair, filledAt }: Pick<LotFill, 'pair' | 'filledAt'>,
    wanted: Fixed,
  ): Consumed[] {
    const queue = this.queues.get(pair) ?? { lots: [], first: 0 };
    const taken: Consumed[] = [];
    let left = wanted;
    while (left > 0n) {
      const lot = queue.lots[queue.first];
      if (lot === undefined) {
        if (!this.mayOversell) throw new RangeError(`More ${pair} is sold than was bought`);
        taken.push(unbought(left, filledAt));
        break;
      }
      const quantity = lot.quantity < left ? lot.quantity : left;
      const bought = shareOf(lot, quantity, lot.quantity);
      taken.push({ lot, quantity, bought });
      left = subtract(left, quantity);
      if (quantity === lot.quantity) queue.first += 1;
      else
        queue.lots[queue.first] = {
          ...lot,
          quantity: subtract(lot.quantity, quantity),
          ...without(lot, bought),
        };
    }
    // Sold lots are dropped in batches, not at every sale: a queue may be long.
    if (queue.first > 1_000) {
      queue.lots.splice(0, queue.first);
      queue.first = 0;
    }
    return taken;
  }

  /** Open lots, pair by pair, oldest first. */
  held(): Lot[] {
    return [...this.queues].flatMap(([pair, { lots, first }]) =>
      lots.slice(first).map((lot) => stillHeld(pair, lot)),
    );
  }
}

/**
 * The lots of one account's fills, in the order they happened: sold lots in the order of their
 * sale, then open ones, oldest first. Over a pair that is no longer held, the gains add up to those
 * of average cost.
 * @throws RangeError when more is sold than was bought.
 */
export function fifoLots(fills: readonly LotFill[]): Lot[] {
  const book = new FifoBook();
  const sold = fills.flatMap((fill) => book.take(fill));
  return [...sold, ...book.held()];
}

const chargedIn = (otherFees: CoinAmounts): Pick<Lot, 'otherFees'> =>
  otherFees.size === 0 ? {} : { otherFees };

function soldLot(fill: LotFill, lot: Held, quantity: Fixed, bought: Money, got: Money): Lot {
  const basis = add(bought.notional, bought.fee);
  const proceeds = subtract(got.notional, got.fee);
  return {
    pair: fill.pair,
    quantity,
    acquiredAt: lot.at,
    disposedAt: fill.filledAt,
    entryPrice: lot.price,
    exitPrice: fill.price,
    basis,
    proceeds,
    gain: subtract(proceeds, basis),
    fees: add(bought.fee, got.fee),
    ...chargedIn(addCoins(bought.otherFees, got.otherFees)),
    exitReason: fill.reason,
    acquiredBy: lot.by,
    disposedBy: fill.agentId ?? null,
  };
}

function stillHeld(pair: string, lot: Held): Lot {
  return {
    pair,
    quantity: lot.quantity,
    acquiredAt: lot.at,
    disposedAt: null,
    entryPrice: lot.price,
    exitPrice: null,
    basis: add(lot.notional, lot.fee),
    proceeds: null,
    gain: null,
    fees: lot.fee,
    ...chargedIn(lot.otherFees),
    exitReason: null,
    acquiredBy: lot.by,
    disposedBy: null,
  };
}

/** Held for more than a calendar year, in UTC: what many tax offices call long-term. */
export function heldLong(acquiredAt: number, disposedAt: number): boolean {
  const bought = new Date(acquiredAt);
  const [year, month] = [bought.getUTCFullYear() + 1, bought.getUTCMonth()];
  // The year after 29 February ends on the 28th.
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return disposedAt >= Date.UTC(year, month, Math.min(bought.getUTCDate(), lastDay) + 1);
}
