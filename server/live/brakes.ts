/**
 * A person's own brakes on an exchange account: limits, orders per hour, purchases on or off. Once
 * they are set, nothing that was decided before leaves against them.
 */
import { and, eq, gte, isNull, ne, notInArray, or } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { OrderEnding } from '../../engine/orders/live-order.ts';
import type { Db, Tx } from '../db/database.ts';
import { liveConnections, liveOrders } from '../db/schema-live.ts';
import { lockAccount } from '../portfolio/marks.ts';
import { limitColumns, type SignerLimits } from './connect.ts';
import { readConnection, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps, LivePort } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import { liveOrdersOf } from './order-rows.ts';
import { withdrawPurchases } from './stop-live.ts';

const HOUR_MS = 3_600_000;
/** The exchange never saw it: a sale that is refused and tried again forbids no purchase. */
const NEVER_LEFT: OrderEnding[] = ['refused', 'unsent', 'withdrawn'];

/** Orders of the last hour that count against what the person allows; stops do not. */
export async function ordersThisHour(db: Db, connectionId: string, nowMs: number): Promise<number> {
  return db.$count(
    liveOrders,
    and(
      eq(liveOrders.connectionId, connectionId),
      ne(liveOrders.type, 'stop'),
      gte(liveOrders.plannedAt, nowMs - HOUR_MS),
      or(isNull(liveOrders.ending), notInArray(liveOrders.ending, NEVER_LEFT)),
      // A sale that the exchange turns down is tried until it is done, and forbids no purchase.
      or(ne(liveOrders.side, 'sell'), isNull(liveOrders.ending), ne(liveOrders.ending, 'rejected')),
    ),
  );
}

/** What is not named stays as it is. */
export interface Brakes {
  /** As the signer holds orders to them. */
  limits: SignerLimits | null;
  maxOrdersPerHour: number | undefined;
  entriesAllowed: boolean | undefined;
}

export async function setBrakes(
  tx: Tx,
  deps: BookDeps,
  port: LivePort | null,
  connection: ConnectionRow,
  { limits, maxOrdersPerHour, entriesAllowed }: Brakes,
): Promise<void> {
  // Of a connecting that broke off there is no account either.
  if (connection.state !== 'open')
    throw new Refusal('connection_ended', 'Live trading has ended for this exchange account.');
  // Agents that decide now hold the account and have read the brakes before these: they are waited
  // for, so that no purchase is planned by the old ones from here on, or sent.
  await lockAccount(tx, connection.accountId);
  const change = {
    ...(limits === null ? {} : limitColumns(limits)),
    ...(maxOrdersPerHour === undefined ? {} : { maxOrdersPerHour }),
    ...(entriesAllowed === undefined
      ? {}
      : { entriesOffSince: entriesAllowed ? null : deps.clock.now() }),
  };
  if (Object.keys(change).length > 0)
    await tx.db.update(liveConnections).set(change).where(eq(liveConnections.id, connection.id));
  await takeBack(tx, deps, connection.id);
  await publishLive(tx, deps, connection, true);
  tx.afterCommit(() => port?.poke(connection.id));
}

/** Purchases that the brakes, as they are now, do not allow. The account must be locked. */
async function takeBack(tx: Tx, deps: BookDeps, connectionId: string): Promise<void> {
  const connection = await readConnection(tx.db, connectionId);
  if (connection === null) return;
  if (connection.entriesOffSince !== null) {
    await withdrawPurchases(tx, deps, connection);
    return;
  }
  const placed = await ordersThisHour(tx.db, connectionId, deps.clock.now());
  const beyond = Math.max(0, placed - connection.maxOrdersPerHour);
  if (beyond === 0) return;
  const unsent = (await liveOrdersOf(tx.db, connectionId)).filter(
    ({ order }) => order.state === 'planned' && order.intent.side === 'buy',
  );
  const newest = new Set(unsent.slice(-beyond).map(({ order }) => order.intent.clientOrderId));
  await withdrawPurchases(tx, deps, connection, ({ intent }) => newest.has(intent.clientOrderId));
}

/** Of all a person's exchange accounts, once they trade no more. The accounts must be locked. */
export async function takeBackPurchases(
  tx: Tx,
  deps: BookDeps,
  port: LivePort | null,
  uid: string,
): Promise<void> {
  const theirs = await tx.db
    .select({ id: liveConnections.id })
    .from(liveConnections)
    .where(and(eq(liveConnections.uid, uid), eq(liveConnections.state, 'open')))
    .orderBy(liveConnections.id);
  for (const { id } of theirs) {
    const connection = await readConnection(tx.db, id);
    if (connection === null) continue;
    await withdrawPurchases(tx, deps, connection);
    await publishLive(tx, deps, connection, true);
    tx.afterCommit(() => port?.poke(id));
  }
}
