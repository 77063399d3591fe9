/**
 * What an exchange account's key may still do, as the signer last read it: kept here, and told to the
 * person once it is not accepted any more.
 */
import { isDeepStrictEqual } from 'node:util';
import { eq } from 'drizzle-orm';
import type { KeyFault } from '../../contract/signer.ts';
import type { KeyPermissions } from '../../contract/venue.ts';
import type { Db } from '../db/database.ts';
import { liveConnections, liveMarks } from '../db/schema-live.ts';
import { lockAccount } from '../portfolio/marks.ts';
import { forgetRejectedStops } from './failed-stops.ts';
import { readConnection, type ConnectionRow } from './live-accounts.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { BookDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import { keepsFromReading, ordersUnreadSince } from './unread-orders.ts';

export interface KeyReading {
  faults: KeyFault[];
  /** It took the place of another one just now. */
  isReplaced?: boolean;
  /** Null where the exchange did not say. */
  permissions: KeyPermissions | null;
  readAtMs: number;
}

type Known = Pick<ConnectionRow, 'keyFaults' | 'permissionsReadAt'>;

const isKnown = (row: Known, { faults, readAtMs }: KeyReading): boolean =>
  row.permissionsReadAt === readAtMs && isDeepStrictEqual(row.keyFaults, faults);

/**
 * Whether a key that is refused was accepted since the person was told: a comparison may succeed
 * between two readings that find the same fault. Where the last one did, the fault keeps nobody from
 * reading, and each reading would tell it again.
 */
async function isRefusedAnew(
  db: Db,
  row: Pick<ConnectionRow, 'id' | 'keyFaults' | 'state'>,
): Promise<boolean> {
  if (row.state !== 'open' || !row.keyFaults.some(keepsFromReading)) return false;
  if ((await ordersUnreadSince(db, [row])).has(row.id)) return false;
  const [marks] = await db
    .select({ reasons: liveMarks.gateReasons })
    .from(liveMarks)
    .where(eq(liveMarks.connectionId, row.id));
  return (marks?.reasons.length ?? 0) > 0;
}

export async function followKey(
  deps: BookDeps,
  connection: Known & Pick<ConnectionRow, 'id' | 'accountId'>,
  reading: KeyReading,
): Promise<void> {
  if (isKnown(connection, reading)) return;
  const { faults, permissions, readAtMs } = reading;
  await deps.database.transaction(async (tx) => {
    await lockAccount(tx, connection.accountId);
    const row = await readConnection(tx.db, connection.id);
    if (row === null || isKnown(row, reading)) return;
    await tx.db
      .update(liveConnections)
      .set({
        keyFaults: faults,
        permissionsReadAt: readAtMs,
        ...(permissions === null ? {} : { permissions }),
      })
      .where(eq(liveConnections.id, row.id));
    const isBetter = reading.isReplaced === true || row.keyFaults.length > 0;
    if (faults.length === 0 && isBetter) await forgetRejectedStops(tx, row.accountId);
    // Of a fault that lasts no second word: each reading finds it again.
    const isNew = !isDeepStrictEqual(row.keyFaults, faults) || (await isRefusedAnew(tx.db, row));
    if (faults.length > 0 && isNew)
      await raiseAlarms(tx, deps, [
        { connectionId: row.id, kind: 'key_refused', about: String(readAtMs), detail: { faults } },
      ]);
    await publishLive(tx, deps, row, true);
  });
}
