/**
 * What may change yet of a position that looks like dust: coins that were handed over to the person
 * could not be booked back to their agent.
 */
import { and, eq, gte, inArray, or, sql } from 'drizzle-orm';
import { ENDED_STATES } from '../../engine/orders/live-order.ts';
import type { Db } from '../db/database.ts';
import { liveConnections, liveMarks, liveOrders } from '../db/schema-live.ts';
import { GATE_KEPT_MS } from './gate-kept.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { keepsFromReading } from './unread-orders.ts';

/** After so long no list of an exchange brings up an order that was held to be over. */
const ORDERS_REACH_MS = 7 * 24 * 3_600_000;

/** Whether the account was compared lately, with success, and nothing of the coin is unexplained. */
export async function isWellKnown(
  db: Db,
  { id }: Pick<ConnectionRow, 'id'>,
  asset: string,
  nowMs: number,
): Promise<boolean> {
  const [row] = await db
    .select({ marks: liveMarks, keyFaults: liveConnections.keyFaults })
    .from(liveConnections)
    .innerJoin(liveMarks, eq(liveMarks.connectionId, liveConnections.id))
    .where(eq(liveConnections.id, id));
  if (row === undefined || row.keyFaults.some(keepsFromReading)) return false;
  const { reconciledToMs, gateReasons, pending } = row.marks;
  if (reconciledToMs === null || gateReasons.length > 0) return false;
  // What was compared longer ago, as before a restart or from a backup, says nothing of now. One that
  // was noted later than now was noted before the clock was set back.
  const isLate = reconciledToMs <= nowMs && nowMs - reconciledToMs <= GATE_KEPT_MS;
  return isLate && !Object.hasOwn(pending as object, asset);
}

/**
 * Whether an order of the agent that has ended may have traded what is not booked: it was held to be
 * nowhere, or the exchange has shown more filled than it told trades of.
 */
export async function mayHaveUnbooked(
  db: Db,
  { accountId, agentId, symbol }: { accountId: string; agentId: string; symbol: string },
  nowMs: number,
): Promise<boolean> {
  const found = await db.$count(
    liveOrders,
    and(
      eq(liveOrders.accountId, accountId),
      eq(liveOrders.agentId, agentId),
      eq(liveOrders.symbol, symbol),
      inArray(liveOrders.state, [...ENDED_STATES]),
      gte(liveOrders.changedAt, nowMs - ORDERS_REACH_MS),
      or(
        and(
          inArray(liveOrders.ending, ['given_up', 'absent']),
          sql`${liveOrders.booked} < ${liveOrders.quantity}`,
        ),
        sql`(${liveOrders.seen} ->> 'filled')::numeric > ${liveOrders.booked}`,
      ),
    ),
  );
  return found > 0;
}
