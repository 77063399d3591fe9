/**
 * Takes from every answer that passes through what the limits need: fills, ends of orders, proofs
 * of absence.
 */
import type { OrderRef } from '../contract/signer.ts';
import type { Lookup, VenueFill, VenueOrder } from '../contract/venue.ts';
import type { Journal } from './journal.ts';
import type { Connection, SentOrder } from './ledger.ts';

/** An exchange may say "not found" of a live order for minutes. */
export const ABSENT_AFTER_MS = 5 * 60_000;

export class Observer {
  constructor(
    private readonly journal: Journal,
    private readonly now: () => number,
    /** Its exchange shows an order that was sent from here. */
    private readonly saw: (order: SentOrder) => void,
  ) {}

  orders(connection: Connection, orders: readonly VenueOrder[]): void {
    for (const order of orders) {
      const ours = connection.orders.get(order.clientOrderId ?? '');
      if (ours === undefined) continue;
      const isNews =
        ours.absent ||
        ours.exchangeOrderId !== order.exchangeOrderId ||
        ours.filled < order.filled ||
        (!ours.ended && order.status !== 'open');
      if (isNews)
        this.journal.write({
          kind: 'seen',
          atMs: this.now(),
          clientOrderId: ours.intent.clientOrderId,
          exchangeOrderId: order.exchangeOrderId,
          status: order.status,
          filled: order.filled,
        });
      this.saw(ours);
    }
  }

  /** With our id on each fill of an order that was sent from here: exchanges leave it out. */
  named(connection: Connection, fills: readonly VenueFill[]): VenueFill[] {
    const ids = new Map(
      [...connection.orders.values()].flatMap(({ exchangeOrderId, intent }) =>
        exchangeOrderId === null ? [] : [[exchangeOrderId, intent.clientOrderId] as const],
      ),
    );
    return fills.map((fill) => ({
      ...fill,
      clientOrderId: fill.clientOrderId ?? ids.get(fill.exchangeOrderId) ?? null,
    }));
  }

  /** Fills of orders sent from here; those of the person's own trades are none of the limits'. */
  fills(connection: Connection, fills: readonly VenueFill[]): void {
    for (const fill of this.named(connection, fills)) {
      const { clientOrderId } = fill;
      if (clientOrderId === null || !connection.orders.has(clientOrderId)) continue;
      if (connection.fillsSeen.has(fill.tradeId)) continue;
      this.journal.write({
        kind: 'fill',
        atMs: this.now(),
        connectionId: connection.connectionId,
        clientOrderId,
        fill,
      });
    }
  }

  lookup(connection: Connection, order: OrderRef, lookup: Lookup): void {
    if (lookup.kind === 'found') {
      this.orders(connection, [lookup.order]);
      this.fills(connection, lookup.fills);
      return;
    }
    const ours = connection.orders.get(order.clientOrderId ?? '');
    if (lookup.kind !== 'not_found' || ours === undefined || ours.ended) return;
    const { byClientId, open, closed, trades } = lookup.searched;
    const isOver = this.now() > ours.intent.deadlineMs + ABSENT_AFTER_MS;
    // What was confirmed once exists, whatever a list says; of a sale lost-sales.ts finds out more.
    if (byClientId && open && closed && trades && isOver && ours.exchangeOrderId === null)
      this.journal.write({
        kind: 'absent',
        atMs: this.now(),
        clientOrderId: ours.intent.clientOrderId,
      });
  }
}
