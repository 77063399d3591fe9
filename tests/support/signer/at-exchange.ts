/** What the orders of a key came to, by the exchange's own journal and nobody else's word. */
import {
  add,
  divide,
  maximum,
  multiply,
  subtract,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import type { Fill } from '../exchange/orders.ts';
import type { StandIn } from '../exchange/stand-in.ts';

export interface AtExchange {
  /** The dearest purchase: its limit or what it was filled at, whichever is more. */
  largestPurchase: Fixed;
  /** The most that was in the market at one time: positions at cost, and open purchases. */
  mostInMarket: Fixed;
  /** By how much more was sold of a coin than had been bought. */
  oversold: Fixed;
  orders: number;
  pairs: Set<string>;
}

interface Held {
  quantity: Fixed;
  cost: Fixed;
}
interface OpenPurchase {
  left: Fixed;
  limit: Fixed;
}

/** Reads the journal in its own order. */
class Replay {
  private readonly held = new Map<string, Held>();
  private readonly open = new Map<string, OpenPurchase>();
  private readonly paid = new Map<string, Fixed>();
  readonly found: AtExchange = {
    largestPurchase: ZERO,
    mostInMarket: ZERO,
    oversold: ZERO,
    orders: 0,
    pairs: new Set(),
  };

  accepted(orderId: string, quantity: Fixed, limit: Fixed): void {
    this.open.set(orderId, { left: quantity, limit });
    this.cost(multiply(quantity, limit, 'up'));
    this.measure();
  }

  ended(orderId: string): void {
    this.open.delete(orderId);
  }

  filled({ side, symbol, quantity, cost, orderId }: Fill): void {
    const held = this.held.get(symbol) ?? { quantity: ZERO, cost: ZERO };
    if (side === 'sell') {
      this.found.oversold = maximum(this.found.oversold, subtract(quantity, held.quantity));
      const rest = maximum(ZERO, subtract(held.quantity, quantity));
      const kept =
        held.quantity === 0n
          ? ZERO
          : multiply(held.cost, divide(rest, held.quantity, 'up'), 'down');
      this.held.set(symbol, { quantity: rest, cost: kept });
      return;
    }
    this.held.set(symbol, { quantity: add(held.quantity, quantity), cost: add(held.cost, cost) });
    const order = this.open.get(orderId);
    if (order !== undefined) order.left = maximum(ZERO, subtract(order.left, quantity));
    const paid = add(this.paid.get(orderId) ?? ZERO, cost);
    this.paid.set(orderId, paid);
    this.cost(paid);
    this.measure();
  }

  private cost(amount: Fixed): void {
    this.found.largestPurchase = maximum(this.found.largestPurchase, amount);
  }

  private measure(): void {
    let total = ZERO;
    for (const { cost } of this.held.values()) total = add(total, cost);
    for (const { left, limit } of this.open.values())
      total = add(total, multiply(left, limit, 'up'));
    this.found.mostInMarket = maximum(this.found.mostInMarket, total);
  }
}

/** Orders that came with a key; what the person did by hand is theirs. */
export function atExchange({ journal }: StandIn): AtExchange {
  const replay = new Replay();
  for (const entry of journal.entries) {
    if (entry.kind === 'accepted' && entry.by === 'api') {
      replay.found.orders += 1;
      replay.found.pairs.add(entry.symbol);
      if (entry.side === 'buy') replay.accepted(entry.orderId, entry.quantity, entry.limit ?? ZERO);
    } else if (entry.kind === 'ended') replay.ended(entry.orderId);
    else if (entry.kind === 'fill' && entry.fill.by === 'api') replay.filled(entry.fill);
  }
  return replay.found;
}
