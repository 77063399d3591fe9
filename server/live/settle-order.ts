/** Takes news of one order: stores it with all that follows, and plans its pair anew. */
import type { LiveOrder, OrderEvent } from '../../engine/orders/live-order.ts';
import type { PairRules } from '../../contract/venue.ts';
import { lockBooks, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { noteRepeatedRejection } from './failed-stops.ts';
import { guardFound } from './guard-positions.ts';
import { lockOrder } from './order-rows.ts';
import { applyEvents } from './order-store.ts';
import { noteDayLoss } from './day-loss.ts';
import { publishLive } from './live-news.ts';
import { planPair } from './pair-plan.ts';
import { sellReachedStop } from './reached-stops.ts';
import { tellRefusedSale } from './refused-sales.ts';
import type { Watch } from './watches.ts';

export interface Settled {
  /** Whether the news changed anything, or orders were planned. */
  changed: boolean;
  /** As it is after the news. */
  order: LiveOrder;
  symbol: string;
  watches: Watch[];
}

/**
 * Null where the order is not known. `isSaidClosed`: the exchange has answered lately that the
 * pair takes no orders.
 */
export async function settleOrder(
  deps: BookDeps,
  connection: ConnectionRow,
  { clientOrderId, agentId }: { clientOrderId: string; agentId: string },
  events: readonly OrderEvent[],
  rules: (symbol: string) => PairRules | null,
  isSaidClosed = true,
): Promise<Settled | null> {
  return deps.database.transaction(async (tx) => {
    await lockBooks(tx, connection, [agentId]);
    const before = await lockOrder(tx, clientOrderId);
    if (before === null) return null;
    const stored = await applyEvents(tx, deps, connection, before, events);
    const { symbol } = before.order.intent;
    const { order } = stored;
    if (stored === before) return { changed: false, order, symbol, watches: [] };
    if (before.order.ending === null) {
      await tellRefusedSale(tx, deps, stored);
      await sellReachedStop(tx, deps, connection, order, rules(symbol));
    }
    const isBooked = order.booked !== before.order.booked;
    if (isBooked) await guardFound(tx, deps, connection, [stored]);
    if (!isSaidClosed) await noteRepeatedRejection(tx, deps, order);
    const plan = await planPair(tx, deps, connection, symbol, rules(symbol));
    // Only a trade realises a loss.
    if (isBooked) await noteDayLoss(tx, deps, connection);
    await publishLive(tx, deps, connection);
    return {
      changed: true,
      order,
      symbol,
      watches: plan.watches,
    };
  });
}
