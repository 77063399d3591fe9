/**
 * Stores what happens to orders: the event, the order after it and all that follows, in the
 * caller's transaction.
 */
import { eq } from 'drizzle-orm';
import { formatFixed } from '../../contract/money.ts';
import type { LiveOrder, OrderEffect, OrderEvent } from '../../engine/orders/live-order.ts';
import { planOrder, type OrderIntent } from '../../engine/orders/live-order.ts';
import { applyOrderEvent } from '../../engine/orders/order-lifecycle.ts';
import type { Tx } from '../db/database.ts';
import { liveFailedStops, liveOrderEvents, liveOrders } from '../db/schema-live.ts';
import { bookFill } from './book-fills.ts';
import { policyOf, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { raiseAlarms } from './live-alarms.ts';
import { noteOrder } from './live-news.ts';
import { lifeOf, rowOf, type OrderContext, type StoredOrder } from './order-rows.ts';

/** Texts in place of big integers, as the log of events keeps them. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, one: unknown) =>
      typeof one === 'bigint' ? formatFixed(one as never) : one,
    ),
  );

/** Commits a new order with its decision; nothing is sent yet. */
export async function insertOrder(
  tx: Tx,
  deps: Pick<BookDeps, 'clock'>,
  intent: OrderIntent,
  context: OrderContext,
): Promise<StoredOrder> {
  const now = deps.clock.now();
  const stored: StoredOrder = { ...context, order: planOrder(intent), plannedAt: now };
  await tx.db.insert(liveOrders).values(rowOf(stored, now));
  await tx.db.insert(liveOrderEvents).values({
    clientOrderId: intent.clientOrderId,
    atMs: now,
    kind: 'planned',
    event: plain(intent),
    effects: [],
    state: 'planned',
  });
  return stored;
}

/** The order after the event; the very same object where nothing changed. */
export async function applyEvent(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  stored: StoredOrder,
  event: OrderEvent,
): Promise<StoredOrder> {
  const step = applyOrderEvent(stored.order, event, policyOf(connection));
  if (step.order === stored.order) return stored;
  return storeStep(tx, deps, stored, { event, ...step });
}

/** Writes a step that was worked out already. Agents, account and order must be locked. */
export async function storeStep(
  tx: Tx,
  deps: BookDeps,
  before: StoredOrder,
  {
    event,
    order,
    effects,
  }: { event: OrderEvent; order: LiveOrder; effects: readonly OrderEffect[] },
): Promise<StoredOrder> {
  const stored = { ...before, order };
  const { clientOrderId, connectionId } = order.intent;
  const now = deps.clock.now();
  await tx.db
    .update(liveOrders)
    .set(lifeOf(order, now))
    .where(eq(liveOrders.clientOrderId, clientOrderId));
  await tx.db.insert(liveOrderEvents).values({
    clientOrderId,
    atMs: event.atMs,
    kind: event.kind,
    event: plain(event),
    effects: plain(effects),
    state: order.state,
  });
  const isResolved =
    before.order.state === 'unknown' &&
    order.state !== 'unknown' &&
    hasBeenTold(before.order, event.atMs);
  noteOrder(tx, clientOrderId, isResolved);
  // Look-ups and cancellations are read off the order itself by whoever runs the connection.
  for (const effect of effects) {
    if (effect.kind === 'book') await bookFill(tx, deps, stored, effect.fill);
    else if (effect.kind === 'tell' || effect.kind === 'alarm')
      await raiseAlarms(tx, deps, [
        {
          connectionId,
          kind: effect.code,
          about: clientOrderId,
          detail: { symbol: order.intent.symbol, side: order.intent.side },
        },
      ]);
  }
  await noteFailedStop(tx, deps, before.order, order);
  return stored;
}

/** Whether the person knows of its doubt: they are told after minutes. */
const hasBeenTold = ({ doubt }: LiveOrder, atMs: number): boolean =>
  doubt !== null && doubt.told && doubt.sinceMs <= atMs;

/** Refusals that say nothing of the order: the same one may be tried again after a pause. */
const PASSING: ReadonlySet<string> = new Set([
  'busy',
  'exchange_ban',
  'no_market_data',
  'deadline',
  'deadline_passed',
  'signing_failed',
]);

/** A stop that the exchange turned down, or that the person took away, is not placed again. */
async function noteFailedStop(
  tx: Tx,
  deps: BookDeps,
  before: LiveOrder,
  order: LiveOrder,
): Promise<void> {
  const { intent } = order;
  if (intent.type !== 'stop' || intent.stopPrice === null || before.state === order.state) return;
  const why =
    order.state === 'rejected' && !(order.ending === 'refused' && PASSING.has(order.code ?? ''))
      ? 'rejected'
      : order.state === 'cancelled' && order.ending === 'exchange' && order.cancel === null
        ? 'cancelled_at_exchange'
        : null;
  if (why === null) return;
  const failed = {
    quantity: formatFixed(intent.quantity),
    stopPrice: formatFixed(intent.stopPrice),
    why,
    told: false,
  };
  await tx.db
    .insert(liveFailedStops)
    .values({ agentId: intent.agentId, symbol: intent.symbol, ...failed })
    .onConflictDoUpdate({
      target: [liveFailedStops.agentId, liveFailedStops.symbol],
      set: failed,
    });
  // Of one that was cancelled at the exchange the order itself tells.
  if (why === 'rejected')
    await raiseAlarms(tx, deps, [
      {
        connectionId: intent.connectionId,
        kind: 'stop_rejected',
        about: intent.clientOrderId,
        detail: { symbol: intent.symbol, code: order.code },
      },
    ]);
}
