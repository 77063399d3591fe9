/** What an order holds back until it ends, and what is free besides. */
import { add, basisPoints, maximum, multiply, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { OrderSide, VenueBalance, VenueFill, VenueSymbol } from '../../contract/venue.ts';
import { baseOf, quoteOf } from '../pair-coins.ts';
import { feeIn } from './live-order.ts';
import type { LiveOrder, Reservation } from './live-order.ts';

export interface ReservationTerms {
  symbol: VenueSymbol;
  side: OrderSide;
  quantity: Fixed;
  /**
   * The highest price a buy may pay: its limit, or the collar around the market that bounds a
   * market order.
   */
  worstPrice: Fixed;
  /** The highest fee that the exchange may take, basis points. */
  worstFeeBps: Fixed;
  /** A sale's fee is taken from the coin sold, on top of the quantity. */
  feeFromBase: boolean;
}

/**
 * A buy reserves quote currency with the worst fee, a sale the coin it sells. A fee in a third coin
 * reserves nothing: an exchange that lacks the coin charges the quote currency, which is covered.
 */
export function reservationFor(terms: ReservationTerms): Reservation {
  const { symbol, quantity, worstFeeBps } = terms;
  if (terms.side === 'buy') {
    const cost = multiply(quantity, terms.worstPrice, 'up');
    return { asset: quoteOf(symbol), amount: add(cost, basisPoints(cost, worstFeeBps, 'up')) };
  }
  const fee = terms.feeFromBase ? basisPoints(quantity, worstFeeBps, 'up') : ZERO;
  return { asset: baseOf(symbol), amount: add(quantity, fee) };
}

/** What a fill takes out of the reserved coin. */
export function takenBy(fill: VenueFill, asset: string): Fixed {
  const moved = fill.side === 'buy' ? fill.quoteAmount : fill.quantity;
  return add(moved, feeIn(fill, asset));
}

/** The part of a reservation that covers `quantity` of the order, rounded up. */
export function reservationShare(order: LiveOrder, quantity: Fixed): Fixed {
  const { reservation, quantity: whole } = order.intent;
  if (quantity <= 0n) return ZERO;
  return ((reservation.amount * quantity + whole - 1n) / whole) as Fixed;
}

/** What is held back of one coin by all orders together. */
export function reservedOf(asset: string, orders: Iterable<LiveOrder>): Fixed {
  let total = ZERO;
  for (const order of orders)
    if (order.intent.reservation.asset === asset) total = add(total, order.reserved);
  return total;
}

/**
 * What the exchange holds back of a coin for orders that are not ours, as read from `readAtMs` on. Of
 * ours only those are taken off that were sent before: what the exchange held for a later one, the
 * reading may not have.
 */
export function heldElsewhere(
  { asset, total, available }: Pick<VenueBalance, 'asset' | 'total' | 'available'>,
  orders: Iterable<LiveOrder>,
  readAtMs: number,
): Fixed {
  const there = [...orders].filter(({ sentAtMs }) => sentAtMs !== null && sentAtMs < readAtMs);
  return maximum(ZERO, subtract(subtract(total, available), reservedOf(asset, there)));
}

/** What new orders may use; negative where a fill took more than was held back. */
export function freeOf(asset: string, balance: Fixed, orders: Iterable<LiveOrder>): Fixed {
  return subtract(balance, reservedOf(asset, orders));
}
