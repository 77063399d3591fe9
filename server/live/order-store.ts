/**
 * Stores what happens to orders: the event, the order after it and all that follows, in the
 * caller's transaction.
 */
import { formatFixed } from '../../contract/money.ts';
import type { LiveOrder, OrderEffect, OrderEvent } from '../../engine/orders/live-order.ts';
import { planOrder, type OrderIntent } from '../../engine/orders/live-order.ts';
import { applyOrderEvent } from '../../engine/orders/order-lifecycle.ts';
import { insertRows, updateRows } from '../db/bulk.ts';
import type { Tx } from '../db/database.ts';
import { liveOrderEvents, liveOrders } from '../db/schema-live.ts';
import { bookFills } from './book-fills.ts';
import { noteFailedStop } from './failed-stops.ts';
import { policyOf, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { raiseAlarms, type LiveAlarm } from './live-alarms.ts';
import { noteOrder } from './live-news.ts';
import { noteMissedEntry } from './missed-entries.ts';
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

/** The order after these events, in their order; the very same object where nothing changed. */
export async function applyEvents(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  stored: StoredOrder,
  events: readonly OrderEvent[],
): Promise<StoredOrder> {
  const steps: OrderStep[] = [];
  let { order } = stored;
  for (const event of events) {
    const step = applyOrderEvent(order, event, policyOf(connection));
    if (step.order === order) continue;
    steps.push({ event, ...step });
    ({ order } = step);
  }
  const id = order.intent.clientOrderId;
  const known = new Map([[id, stored]]);
  await storeSteps(tx, deps, known, steps);
  return known.get(id) ?? stored;
}

/** What happened to an order, worked out already. */
export interface OrderStep {
  event: OrderEvent;
  order: LiveOrder;
  effects: readonly OrderEffect[];
}

/** A step with its order as it was before, and as it is stored after. */
interface Stride extends OrderStep {
  before: StoredOrder;
  after: StoredOrder;
}

/**
 * Writes steps in their order, each table in as few statements as there are rows for: a server that
 * was away books thousands of fills at once. Agents, account and orders must be locked. `known` has
 * every order that a step is about, and has it as it is afterwards when this returns.
 */
export async function storeSteps(
  tx: Tx,
  deps: BookDeps,
  known: Map<string, StoredOrder>,
  steps: readonly OrderStep[],
): Promise<void> {
  if (steps.length === 0) return;
  const strides = steps.map((step): Stride => {
    const id = step.order.intent.clientOrderId;
    const before = known.get(id);
    if (before === undefined) throw new Error(`A step of an order that was not read: ${id}`);
    const after = { ...before, order: step.order };
    known.set(id, after);
    return { ...step, before, after };
  });
  await writeLives(tx, deps, strides);
  for (const { before, order, event } of strides)
    noteOrder(tx, order.intent.clientOrderId, isResolved(before.order, order, event.atMs));
  // Look-ups and cancellations are read off the order itself by whoever runs the connection.
  await bookFills(
    tx,
    deps,
    strides.flatMap(({ after, effects }) =>
      effects.flatMap((effect) =>
        effect.kind === 'book' ? [{ stored: after, fill: effect.fill }] : [],
      ),
    ),
  );
  await raiseAlarms(tx, deps, strides.flatMap(alarmsOf));
  for (const { before, order } of strides) await noteFailedStop(tx, deps, before.order, order);
  for (const { before, after } of strides) await noteMissedEntry(tx, before.order, after);
}

/** The orders as the last of their steps leaves them, and every event. */
async function writeLives(tx: Tx, { clock }: BookDeps, strides: readonly Stride[]): Promise<void> {
  const now = clock.now();
  const last = new Map(strides.map(({ order }) => [order.intent.clientOrderId, order]));
  await updateRows(
    tx.db,
    liveOrders,
    'clientOrderId',
    [...last].map(([clientOrderId, order]) => ({ clientOrderId, ...lifeOf(order, now) })),
  );
  await insertRows(
    tx.db,
    liveOrderEvents,
    strides.map(({ event, effects, order }) => ({
      clientOrderId: order.intent.clientOrderId,
      atMs: event.atMs,
      kind: event.kind,
      event: plain(event),
      effects: plain(effects),
      state: order.state,
    })),
  );
}

function alarmsOf({ order: { intent }, effects }: Stride): LiveAlarm[] {
  const { connectionId, clientOrderId, symbol, side } = intent;
  return effects.flatMap((effect) =>
    effect.kind === 'tell' || effect.kind === 'alarm'
      ? [{ connectionId, kind: effect.code, about: clientOrderId, detail: { symbol, side } }]
      : [],
  );
}

const isResolved = (before: LiveOrder, order: LiveOrder, atMs: number): boolean =>
  before.state === 'unknown' && order.state !== 'unknown' && hasBeenTold(before, atMs);

/** Whether the person knows of its doubt: they are told after minutes. */
const hasBeenTold = ({ doubt }: LiveOrder, atMs: number): boolean =>
  doubt !== null && doubt.told && doubt.sinceMs <= atMs;
