/** Since when the orders of an exchange account cannot be read, because its key was refused. */
import { and, eq, inArray, max, sql, type SQL } from 'drizzle-orm';
import { GIVE_UP_UNREAD_AFTER_MS } from '../../contract/live-state.ts';
import type { KeyFault } from '../../contract/signer.ts';
import type { Db } from '../db/database.ts';
import { liveAlarms, liveMarks } from '../db/schema-live.ts';
import { GATE_KEPT_MS } from './gate-kept.ts';
import type { ConnectionRow } from './live-accounts.ts';

/** With another fault a key still reads: then it is not why the account cannot be read. */
const KEEPS_FROM_READING = [
  'invalid_key',
  'cannot_read',
  'other_portfolio',
] as const satisfies readonly KeyFault[];
export const keepsFromReading = (fault: string): boolean =>
  KEEPS_FROM_READING.some((one) => one === fault);

/** The gate counts from the end of a comparison, which is marked with its beginning. */
const COMPARISON_MOST_MS = 2 * 60_000;
const UNSEEN_AFTER_MS = GATE_KEPT_MS + COMPARISON_MOST_MS;

/**
 * Whether orders of an account may rest unseen, in the words of the database, so that it is as fresh
 * as the transaction: no comparison has succeeded for minutes, and the key is refused or the person
 * has given up an order since the last one that did. Until then what takes the place of a stop may
 * still leave, so it has to be planned.
 */
export const mayRestUnseen = (connectionId: string, nowMs: number): SQL => sql`exists (
  select 1 from live_connections one join live_marks mark on mark.connection_id = one.id
  where one.id = ${connectionId} and cardinality(mark.gate_reasons) > 0
    and coalesce(mark.reconciled_to_ms, 0) < ${nowMs - UNSEEN_AFTER_MS}
    and (one.key_faults && array[${sql.raw(`'${KEEPS_FROM_READING.join("', '")}'`)}]
      or exists (
        select 1 from live_orders lost
        where lost.connection_id = one.id and lost.ending = 'given_up'
          and lost.changed_at >= coalesce(mark.reconciled_to_ms, 0))))`;

type Row = Pick<ConnectionRow, 'id' | 'keyFaults' | 'state'>;

/**
 * By connection. An alarm is raised with each new refusal, by the exchange's own word; an account
 * that was compared since is read again.
 */
export async function ordersUnreadSince(
  db: Db,
  rows: readonly Row[],
): Promise<Map<string, number>> {
  const refused = rows
    .filter(({ state, keyFaults }) => state === 'open' && keyFaults.some(keepsFromReading))
    .map(({ id }) => id);
  if (refused.length === 0) return new Map();
  const found = await db
    .select({
      id: liveAlarms.connectionId,
      since: max(liveAlarms.raisedAt),
      comparedAt: max(liveMarks.reconciledToMs),
    })
    .from(liveAlarms)
    .leftJoin(liveMarks, eq(liveMarks.connectionId, liveAlarms.connectionId))
    .where(and(inArray(liveAlarms.connectionId, refused), eq(liveAlarms.kind, 'key_refused')))
    .groupBy(liveAlarms.connectionId);
  return new Map(
    found.flatMap(({ id, since, comparedAt }) =>
      since !== null && (comparedAt ?? 0) < since ? [[id, since] as const] : [],
    ),
  );
}

/** Whether an order that only this key could read may be given up. */
export async function areOrdersUnread(db: Db, row: Row, nowMs: number): Promise<boolean> {
  const since = (await ordersUnreadSince(db, [row])).get(row.id);
  return since !== undefined && nowMs - since >= GIVE_UP_UNREAD_AFTER_MS;
}
