/** Live accounts for the wire: what the exchange has confirmed, and what is on its way. */
import { and, asc, desc, eq, inArray, isNull, notInArray, or, sql } from 'drizzle-orm';
import type * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import type { ExternalMovementWire, LiveAccount, LiveConnections } from '../../contract/live.ts';
import type { LiveConnection, LiveOrderWire } from '../../contract/live-state.ts';
import { formatFixed, parseFixed, sum, ZERO } from '../../contract/money.ts';
import { FEES } from '../../engine/accounting/ledger.ts';
import { LIVE_STATES, type OrderDoubt } from '../../engine/orders/live-order.ts';
import { reservedOf } from '../../engine/orders/reservation.ts';
import type { Db } from '../db/database.ts';
import { accounts, balances, fills, users } from '../db/schema.ts';
import {
  externalMovements,
  liveAlarms,
  liveExits,
  liveMarks,
  liveOrders,
} from '../db/schema-live.ts';
import type { Market } from '../market/market-source.ts';
import { openPositionsOf, resultsBy, toPositions } from '../portfolio/marks.ts';
import { confirmingKeys } from './confirmation.ts';
import {
  connectionsOf,
  heldElsewhereOf,
  ownedBy,
  policyOf,
  type ConnectionRow,
} from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { LEAST_MOVED, readCurve, readFlows, valueOf } from './live-equity.ts';
import { liveOrdersOf, seenOf, type LiveOrderRow } from './order-rows.ts';
import { otherFeesOf } from './other-fees.ts';
import { missingCoins, readWriteOffs } from './missing-coins.ts';
import { ordersUnreadSince } from './unread-orders.ts';

/** Ended orders, and movements, that are shown. */
const SHOWN_MAX = 100;

const exact = (text: string): string => formatFixed(parseFixed(text));

const isPast = (at: number | null, nowMs: number): boolean => at !== null && nowMs >= at;

/** @throws Refusal `not_found`: another person's is not found, like one that never was. */
export async function ownConnection(db: Db, uid: string, id: string): Promise<ConnectionRow> {
  const found = (await connectionsOf(db, uid)).find((row) => row.id === id);
  if (found === undefined) throw new Refusal('not_found', 'Exchange account not found.');
  return found;
}

export async function toConnections(
  db: Db,
  rows: readonly ConnectionRow[],
  nowMs: number,
): Promise<LiveConnection[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const marks = new Map(
    (await db.select().from(liveMarks).where(inArray(liveMarks.connectionId, ids))).map((row) => [
      row.connectionId,
      row,
    ]),
  );
  const unknown = await db
    .select({ id: liveOrders.connectionId, count: sql<number>`count(*)::int` })
    .from(liveOrders)
    .where(and(inArray(liveOrders.connectionId, ids), eq(liveOrders.state, 'unknown')))
    .groupBy(liveOrders.connectionId);
  const unreadSince = await ordersUnreadSince(db, rows);
  const unknownOf = new Map(unknown.map((row) => [row.id, row.count]));
  return rows.map((row) => {
    const mark = marks.get(row.id);
    return {
      id: row.id,
      exchange: row.exchange,
      label: row.label,
      state: row.state,
      accountId: row.accountId,
      permissions: row.permissions as LiveConnection['permissions'],
      permissionsReadAt: row.permissionsReadAt,
      keyFaults: row.keyFaults,
      ordersUnreadSince: unreadSince.get(row.id) ?? null,
      limits: {
        maxOrder: exact(row.maxOrder),
        maxExposure: exact(row.maxExposure),
        maxDailyLoss: exact(row.maxDailyLoss),
      },
      limitsChosen: row.limitsChosen as LiveConnection['limitsChosen'],
      firstWeekUntil: isPast(row.firstWeekUntil, nowMs) ? null : row.firstWeekUntil,
      stepUpKeys: confirmingKeys(row),
      maxOrdersPerHour: row.maxOrdersPerHour,
      entriesOffSince: row.entriesOffSince,
      waitsFor: mark === undefined ? ['not_reconciled'] : mark.gateReasons,
      reconciledAt: mark?.reconciledToMs ?? null,
      unknownOrders: unknownOf.get(row.id) ?? 0,
      createdAt: row.createdAt,
      endedAt: row.endedAt,
    };
  });
}

async function sequenceOf(db: Db, uid: string): Promise<number> {
  const [user] = await db
    .select({ sequence: users.sequence })
    .from(users)
    .where(eq(users.uid, uid));
  return user?.sequence ?? 0;
}

type Reading = Pick<BookDeps, 'database' | 'clock' | 'market'>;

export async function readConnections(
  { database: { db }, clock }: Reading,
  uid: string,
): Promise<z.infer<typeof LiveConnections>> {
  const sequence = await sequenceOf(db, uid);
  const asOf = clock.now();
  const connections = await toConnections(db, await connectionsOf(db, uid), asOf);
  return { connections, sequence, asOf };
}

/** What is being done about an order whose outcome is unknown. */
function doubtOf(row: LiveOrderRow, connection: ConnectionRow, now: number) {
  const doubt = row.doubt as OrderDoubt | null;
  if (doubt === null) return null;
  const { tellAfterMs, lagAllowanceMs } = policyOf(connection);
  const mayGiveUpAt = doubt.sinceMs + tellAfterMs;
  const doing =
    now >= mayGiveUpAt
      ? 'ask_person'
      : now >= row.deadlineMs + lagAllowanceMs
        ? 'proving_absence'
        : 'looking_up';
  return { since: doubt.sinceMs, cause: doubt.cause, doing, mayGiveUpAt } as const;
}

export function toOrder(row: LiveOrderRow, connection: ConnectionRow, now: number): LiveOrderWire {
  const limitPrice = seenOf(row.seen)?.limitPrice;
  return {
    clientOrderId: row.clientOrderId,
    exchangeOrderId: row.exchangeOrderId,
    agentId: row.agentId,
    symbol: row.symbol,
    side: row.side as LiveOrderWire['side'],
    type: row.type as LiveOrderWire['type'],
    quantity: exact(row.quantity),
    filled: exact(row.booked),
    stopPrice: row.stopPrice === null ? null : exact(row.stopPrice),
    ...(limitPrice === undefined
      ? {}
      : { limitPrice: limitPrice === null ? null : formatFixed(limitPrice) }),
    state: row.state as LiveOrderWire['state'],
    reason: row.cause,
    code: row.code,
    reserved: exact(row.reserved),
    reservedAsset: row.reservationAsset,
    doubt: doubtOf(row, connection, now),
    isCancelling: row.cancel !== null,
    plannedAt: row.plannedAt,
    sentAt: row.sentAtMs,
    changedAt: row.changedAt,
  };
}

async function ordersOf(db: Db, connection: ConnectionRow, now: number): Promise<LiveOrderWire[]> {
  const mine = eq(liveOrders.connectionId, connection.id);
  const newest = [desc(liveOrders.plannedAt), desc(liveOrders.clientOrderId)];
  const live = await db
    .select()
    .from(liveOrders)
    .where(and(mine, inArray(liveOrders.state, [...LIVE_STATES])))
    .orderBy(...newest);
  const ended = await db
    .select()
    .from(liveOrders)
    .where(and(mine, notInArray(liveOrders.state, [...LIVE_STATES])))
    .orderBy(...newest)
    .limit(SHOWN_MAX);
  return [...live, ...ended].map((row) => toOrder(row, connection, now));
}

async function exitsOf(db: Db, connectionId: string): Promise<LiveAccount['exits']> {
  const rows = await db
    .select()
    .from(liveExits)
    .where(eq(liveExits.connectionId, connectionId))
    .orderBy(asc(liveExits.askedAt), asc(liveExits.agentId));
  return rows.map(({ agentId, symbol, quantity, reason, askedAt }) => ({
    agentId,
    symbol,
    quantity: quantity === null ? null : exact(quantity),
    reason,
    askedAt,
  }));
}

type Movement = z.infer<typeof ExternalMovementWire>;

async function movementsOf(db: Db, connectionId: string): Promise<Movement[]> {
  const rows = await db
    .select()
    .from(externalMovements)
    .where(
      and(
        eq(externalMovements.connectionId, connectionId),
        or(
          isNull(externalMovements.amount),
          sql`abs(${externalMovements.amount}) >= ${LEAST_MOVED}::numeric`,
        ),
      ),
    )
    .orderBy(desc(externalMovements.bookedAt), desc(externalMovements.id))
    .limit(SHOWN_MAX);
  return rows.map((row) => {
    const trade = row.trade as Movement['trade'];
    return {
      id: row.id,
      kind: row.kind as Movement['kind'],
      asset: row.asset,
      amount: row.amount === null ? null : exact(row.amount),
      trade:
        trade === null
          ? null
          : {
              symbol: trade.symbol,
              side: trade.side,
              quantity: trade.quantity,
              price: trade.price,
            },
      at: row.atMs,
    };
  });
}

async function moneyOf(db: Db, market: Market, connection: ConnectionRow, quote: string) {
  const { accountId } = connection;
  const { all, cash } = await ownedBy(db, accountId);
  const { value, unpriced } = valueOf(all, market, quote);
  const orders = (await liveOrdersOf(db, connection.id)).map(({ order }) => order);
  const held = await heldElsewhereOf(db, connection.id);
  const fees = await db
    .select({ asset: balances.asset, amount: balances.amount })
    .from(balances)
    .where(and(eq(balances.accountId, accountId), eq(balances.bucket, FEES)));
  const [result] = await db
    .select({ realized: sql<string>`coalesce(sum(${fills.realized}), 0)::text` })
    .from(fills)
    .where(eq(fills.accountId, accountId));
  const curve = await readCurve(db, accountId, market.now());
  return {
    value: formatFixed(value),
    unpriced,
    equityCurve: curve.points,
    curveWithout: curve.leftOut,
    flows: await readFlows(db, connection.id, quote, curve),
    cash: [...cash].map(([asset, amount]) => ({
      asset,
      amount: formatFixed(amount),
      reserved: formatFixed(reservedOf(asset, orders)),
      heldElsewhere: formatFixed(held.get(asset) ?? ZERO),
    })),
    fees: fees
      .map(({ asset, amount }) => ({ asset, amount: exact(amount) }))
      .filter(({ amount }) => parseFixed(amount) !== ZERO),
    realized: exact(result?.realized ?? '0'),
  };
}

async function resultsOf(db: Db, accountId: string): Promise<NonNullable<LiveAccount['results']>> {
  const otherFees = await otherFeesOf(db, [accountId]);
  return [...(await resultsBy(db, accountId, 'agent_id'))].map(([agentId, { realized, fees }]) => {
    const others = otherFees.get(agentId);
    return {
      agentId,
      realized: formatFixed(realized),
      fees: formatFixed(fees),
      ...(others === undefined ? {} : { otherFees: others }),
    };
  });
}

export async function readLiveAccount(
  { database, clock, market }: Reading,
  uid: string,
  id: string,
): Promise<LiveAccount> {
  // One transaction: cash, positions and orders are of one moment.
  return database.transaction(async ({ db }) => {
    await db.execute(sql`set transaction isolation level repeatable read, read only`);
    const sequence = await sequenceOf(db, uid);
    const row = await ownConnection(db, uid, id);
    const now = clock.now();
    const [connection] = await toConnections(db, [row], now);
    if (connection === undefined) throw new Error('The connection is gone');
    const [account] = await db
      .select({ quote: accounts.quote })
      .from(accounts)
      .where(and(eq(accounts.id, row.accountId), isNull(accounts.closedAt)));
    const [marks] = await db.select().from(liveMarks).where(eq(liveMarks.connectionId, id));
    const alarms = await db
      .select()
      .from(liveAlarms)
      .where(eq(liveAlarms.connectionId, id))
      .orderBy(desc(liveAlarms.raisedAt))
      .limit(SHOWN_MAX);
    const quote = account?.quote ?? market.source.quote;
    const held = await toPositions(db, market, await openPositionsOf(db, [row.accountId]));
    const gains = held.map(({ unrealized }) => parseFixed(unrealized ?? '0'));
    return {
      connection,
      quote,
      ...(await moneyOf(db, market, row, quote)),
      positions: held,
      results: await resultsOf(db, row.accountId),
      unrealized: formatFixed(sum(gains)),
      orders: await ordersOf(db, row, now),
      exits: await exitsOf(db, id),
      external: await movementsOf(db, id),
      missing: await missingCoins(db, id, marks, held),
      writeOffs: await readWriteOffs(db, id, SHOWN_MAX),
      alarms: alarms.map(({ kind, about, raisedAt, detail }) => ({
        kind,
        about,
        raisedAt,
        detail,
      })),
      foreignOrders: (marks?.foreignOrders ?? []) as unknown[],
      sequence,
      asOf: now,
    };
  });
}
