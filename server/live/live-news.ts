/**
 * What a transaction changed in a live account, told to the person at its end. Appending locks the
 * person's row, so nothing of the account may be locked after it.
 */
import { inArray } from 'drizzle-orm';
import type { LiveAlarmWire } from '../../contract/live-state.ts';
import type { Tx } from '../db/database.ts';
import { liveOrders } from '../db/schema-live.ts';
import { readConnection, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { toConnections, toOrder } from './read-live.ts';

interface News {
  orders: Set<string>;
  /** Of these the person had been told that their outcome is unknown. */
  resolved: Set<string>;
  alarms: { connectionId: string; alarm: LiveAlarmWire }[];
  isChanged: boolean;
}

const NEWS = new WeakMap<Tx, News>();

function newsOf(tx: Tx): News {
  const news = NEWS.get(tx) ?? {
    orders: new Set(),
    resolved: new Set(),
    alarms: [],
    isChanged: false,
  };
  NEWS.set(tx, news);
  return news;
}

export function noteOrder(tx: Tx, clientOrderId: string, isResolved: boolean): void {
  const { orders, resolved } = newsOf(tx);
  orders.add(clientOrderId);
  if (isResolved) resolved.add(clientOrderId);
}

export function noteAlarm(tx: Tx, connectionId: string, alarm: LiveAlarmWire): void {
  newsOf(tx).alarms.push({ connectionId, alarm });
}

/** Something of the account changed that no order and no alarm tells. */
export function noteChanged(tx: Tx): void {
  newsOf(tx).isChanged = true;
}

/**
 * The last that a transaction does. The account is told as it is now: the caller's row may be from
 * before an exchange was asked. `isChanged`: like `noteChanged`.
 */
export async function publishLive(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  isChanged = false,
): Promise<void> {
  const { orders, resolved, alarms, isChanged: isNoted } = newsOf(tx);
  NEWS.delete(tx);
  const now = deps.clock.now();
  const rows =
    orders.size === 0
      ? []
      : await tx.db
          .select()
          .from(liveOrders)
          .where(inArray(liveOrders.clientOrderId, [...orders]));
  const mine = rows.filter(({ connectionId }) => connectionId === connection.id);
  const raised = alarms.filter((one) => one.connectionId === connection.id);
  const isToldAnew = isChanged || isNoted || raised.length > 0 || resolved.size > 0;
  if (mine.length === 0 && !isToldAnew) return;
  const current = isToldAnew ? await readConnection(tx.db, connection.id) : null;
  const [shown] = current === null ? [] : await toConnections(tx.db, [current], now);
  await deps.events.append(tx, connection.uid, [
    ...mine.map((row) => ({
      type: 'live_order' as const,
      connectionId: connection.id,
      order: toOrder(row, connection, now),
      ...(resolved.has(row.clientOrderId) ? { resolved: true } : {}),
    })),
    ...(shown === undefined
      ? []
      : [
          {
            type: 'live_connection' as const,
            connection: shown,
            raised: raised.map(({ alarm }) => alarm),
          },
        ]),
    { type: 'portfolio.changed' as const },
  ]);
}
