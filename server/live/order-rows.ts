/** Orders at exchanges as rows, and back, exactly. */
import { and, asc, eq, gte, inArray, or, sql } from 'drizzle-orm';
import { formatFixed, parseFixed, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { UnknownCause, VenueFill } from '../../contract/venue.ts';
import type { StrategyHolding } from '../../engine/execution/agent-memory.ts';
import { LIVE_STATES, type LiveOrder, type SeenOrder } from '../../engine/orders/live-order.ts';
import { isAmong } from '../db/bulk.ts';
import type { Db, Tx } from '../db/database.ts';
import { liveOrders, venueFills } from '../db/schema-live.ts';

export type LiveOrderRow = typeof liveOrders.$inferSelect;
export type VenueFillRow = typeof venueFills.$inferSelect;

/** What the views need of an order besides its life. */
export interface OrderContext {
  tickId: string;
  decidedMarketMs: number;
  /** The stop that the position is to have; null for a sale. */
  protectAt: Fixed | null;
  /** What the agent remembers with its first fill; null for a sale. */
  holding: StrategyHolding | null;
}

/** An order with its context, as it is stored. */
export interface StoredOrder extends OrderContext {
  order: LiveOrder;
  plannedAt: number;
}

const textOf = (value: Fixed | null): string | null => (value === null ? null : formatFixed(value));
const fixedOf = (text: string | null): Fixed | null => (text === null ? null : parseFixed(text));

/** A client order id is the order's uuid without its dashes. */
export const uuidOf = (clientOrderId: string): string =>
  clientOrderId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The part of a row that events change. */
export function lifeOf(order: LiveOrder, changedAt: number) {
  const { seen } = order;
  return {
    state: order.state,
    attempts: order.attempts,
    sentAtMs: order.sentAtMs,
    exchangeOrderId: order.exchangeOrderId,
    booked: formatFixed(order.booked),
    reserved: formatFixed(order.reserved),
    seen:
      seen === null
        ? null
        : {
            ...seen,
            quantity: formatFixed(seen.quantity),
            filled: formatFixed(seen.filled),
            ...(seen.limitPrice === undefined ? {} : { limitPrice: textOf(seen.limitPrice) }),
          },
    lastSeenMs: order.lastSeenMs,
    endSeenMs: order.endSeenMs,
    doubt: order.doubt,
    cancel: order.cancel,
    cancelAtMs: order.cancelAtMs,
    ending: order.ending,
    code: order.code,
    alarms: [...order.alarms],
    changedAt,
  } satisfies Partial<typeof liveOrders.$inferInsert>;
}

export function rowOf(
  { order, plannedAt, tickId, decidedMarketMs, protectAt, holding }: StoredOrder,
  changedAt: number,
): typeof liveOrders.$inferInsert {
  const { intent } = order;
  return {
    clientOrderId: intent.clientOrderId,
    id: uuidOf(intent.clientOrderId),
    connectionId: intent.connectionId,
    accountId: intent.accountId,
    agentId: intent.agentId,
    symbol: intent.symbol,
    side: intent.side,
    type: intent.type,
    quantity: formatFixed(intent.quantity),
    limitPrice: textOf(intent.limitPrice),
    stopPrice: textOf(intent.stopPrice),
    deadlineMs: intent.deadlineMs,
    cause: intent.cause,
    reservationAsset: intent.reservation.asset,
    reservationAmount: formatFixed(intent.reservation.amount),
    protectAt: textOf(protectAt),
    holding,
    tickId,
    decidedMarketMs,
    plannedAt,
    ...lifeOf(order, changedAt),
  };
}

interface SeenText {
  status: SeenOrder['status'];
  quantity: string;
  filled: string;
  updatedAtMs: number;
  limitPrice?: string | null;
}

export function seenOf(value: unknown): SeenOrder | null {
  if (value === null) return null;
  const { limitPrice, ...seen } = value as SeenText;
  return {
    ...seen,
    quantity: parseFixed(seen.quantity),
    filled: parseFixed(seen.filled),
    ...(limitPrice === undefined ? {} : { limitPrice: fixedOf(limitPrice) }),
  };
}

/** `fills`: the trade ids booked for it. */
export function toStored(row: LiveOrderRow, fills: Iterable<string>): StoredOrder {
  return {
    plannedAt: row.plannedAt,
    tickId: row.tickId,
    decidedMarketMs: row.decidedMarketMs,
    protectAt: fixedOf(row.protectAt),
    holding: row.holding as StrategyHolding | null,
    order: {
      intent: {
        clientOrderId: row.clientOrderId,
        connectionId: row.connectionId,
        accountId: row.accountId,
        agentId: row.agentId,
        symbol: row.symbol,
        side: row.side as LiveOrder['intent']['side'],
        type: row.type as LiveOrder['intent']['type'],
        quantity: parseFixed(row.quantity),
        limitPrice: fixedOf(row.limitPrice),
        stopPrice: fixedOf(row.stopPrice),
        deadlineMs: row.deadlineMs,
        cause: row.cause,
        reservation: {
          asset: row.reservationAsset,
          amount: parseFixed(row.reservationAmount),
        },
      },
      state: row.state as LiveOrder['state'],
      attempts: row.attempts,
      sentAtMs: row.sentAtMs,
      exchangeOrderId: row.exchangeOrderId,
      booked: parseFixed(row.booked),
      fills: new Set(fills),
      reserved: parseFixed(row.reserved),
      seen: seenOf(row.seen),
      lastSeenMs: row.lastSeenMs,
      endSeenMs: row.endSeenMs,
      doubt: row.doubt as LiveOrder['doubt'] & { cause: UnknownCause },
      cancel: row.cancel as LiveOrder['cancel'],
      cancelAtMs: row.cancelAtMs,
      ending: row.ending as LiveOrder['ending'],
      code: row.code,
      alarms: new Set(row.alarms as Iterable<never>),
    },
  };
}

const isLive = inArray(liveOrders.state, [...LIVE_STATES]);

async function withFills(db: Db, rows: readonly LiveOrderRow[]): Promise<StoredOrder[]> {
  const filled = rows.flatMap(({ clientOrderId, booked }) =>
    parseFixed(booked) === ZERO ? [] : clientOrderId,
  );
  const fills =
    filled.length === 0
      ? []
      : await db
          .select({ clientOrderId: venueFills.clientOrderId, tradeId: venueFills.tradeId })
          .from(venueFills)
          .where(isAmong(venueFills.clientOrderId, filled));
  const byOrder = new Map<string, string[]>();
  for (const { clientOrderId, tradeId } of fills) {
    if (clientOrderId === null) continue;
    const known = byOrder.get(clientOrderId);
    if (known === undefined) byOrder.set(clientOrderId, [tradeId]);
    else known.push(tradeId);
  }
  return rows.map((row) => toStored(row, byOrder.get(row.clientOrderId) ?? []));
}

/** An order under its row's lock; null where there is none. Its account must be locked before. */
export async function lockOrder(tx: Tx, clientOrderId: string): Promise<StoredOrder | null> {
  const rows = await tx.db
    .select()
    .from(liveOrders)
    .where(eq(liveOrders.clientOrderId, clientOrderId))
    .for('update');
  return (await withFills(tx.db, rows))[0] ?? null;
}

/** Orders of a connection that have not ended, oldest first. */
export async function liveOrdersOf(db: Db, connectionId: string): Promise<StoredOrder[]> {
  const rows = await db
    .select()
    .from(liveOrders)
    .where(and(eq(liveOrders.connectionId, connectionId), isLive))
    .orderBy(liveOrders.plannedAt, liveOrders.clientOrderId);
  return withFills(db, rows);
}

/**
 * What a reconciliation compares: orders that have not ended, those that changed since, and those
 * that the exchange names.
 */
export async function ordersToReconcile(
  db: Db,
  connectionId: string,
  sinceMs: number,
  named: { clientOrderIds: readonly string[]; exchangeOrderIds: readonly string[] },
): Promise<StoredOrder[]> {
  const rows = await db
    .select()
    .from(liveOrders)
    .where(
      and(
        eq(liveOrders.connectionId, connectionId),
        or(
          isLive,
          sql`${liveOrders.changedAt} >= ${sinceMs}::bigint`,
          isAmong(liveOrders.clientOrderId, named.clientOrderIds),
          isAmong(liveOrders.exchangeOrderId, named.exchangeOrderIds),
        ),
      ),
    )
    .orderBy(liveOrders.plannedAt, liveOrders.clientOrderId);
  return withFills(db, rows);
}

/** The trades that are known since then, and those of them that the exchange names. */
export const tradesToReconcile = (
  db: Db,
  connectionId: string,
  sinceMs: number,
  tradeIds: readonly string[],
): Promise<VenueFillRow[]> =>
  db
    .select()
    .from(venueFills)
    .where(
      and(
        eq(venueFills.connectionId, connectionId),
        or(gte(venueFills.atMs, sinceMs), isAmong(venueFills.tradeId, tradeIds)),
      ),
    )
    .orderBy(asc(venueFills.number));

interface FeeText {
  asset: string;
  amount: string;
}

export function fillOf(row: VenueFillRow): VenueFill {
  return {
    tradeId: row.tradeId,
    exchangeOrderId: row.exchangeOrderId,
    clientOrderId: row.venueClientOrderId,
    symbol: row.symbol,
    side: row.side as VenueFill['side'],
    quantity: parseFixed(row.quantity),
    price: parseFixed(row.price),
    quoteAmount: parseFixed(row.quoteAmount),
    fees: (row.fees as FeeText[]).map(({ asset, amount }) => ({
      asset,
      amount: parseFixed(amount),
    })),
    atMs: row.atMs,
  };
}

/** The columns of a trade that come from the exchange. */
export function tradeColumns(fill: VenueFill) {
  return {
    tradeId: fill.tradeId,
    symbol: fill.symbol,
    side: fill.side,
    quantity: formatFixed(fill.quantity),
    price: formatFixed(fill.price),
    quoteAmount: formatFixed(fill.quoteAmount),
    fees: fill.fees.map(({ asset, amount }) => ({ asset, amount: formatFixed(amount) })),
    exchangeOrderId: fill.exchangeOrderId,
    venueClientOrderId: fill.clientOrderId,
    atMs: fill.atMs,
  };
}
