/**
 * The limits of an exchange account follow the signer's: it holds every order to its own, and with
 * the end of the first week it allows by itself what the person chose.
 */
import { isDeepStrictEqual } from 'node:util';
import { eq } from 'drizzle-orm';
import { parseFixed } from '../../contract/money.ts';
import type { ConnectionState } from '../../contract/signer.ts';
import type { Tx } from '../db/database.ts';
import { liveConnections } from '../db/schema-live.ts';
import { lockAccount } from '../portfolio/marks.ts';
import { limitColumns, LIMITS, type SignerLimits } from './connect.ts';
import { readConnection, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';

type Limited = Pick<ConnectionRow, 'maxOrder' | 'maxExposure' | 'maxDailyLoss' | 'limitsChosen'>;

const isSame = (a: Limited, b: Limited): boolean =>
  LIMITS.every((name) => parseFixed(a[name]) === parseFixed(b[name])) &&
  isDeepStrictEqual(a.limitsChosen, b.limitsChosen);

/** Writes and tells what is others than here; resolves to the connection as it is then. */
export async function followLimits(
  deps: BookDeps,
  connection: ConnectionRow,
  state: SignerLimits & Pick<ConnectionState, 'firstWeekUntilMs'>,
): Promise<ConnectionRow> {
  const isWeekOver = deps.clock.now() >= state.firstWeekUntilMs;
  const isWeekShown = connection.firstWeekUntil !== null;
  const limits = limitColumns(state);
  if (isSame(connection, limits) && !(isWeekOver && isWeekShown)) return connection;
  return deps.database.transaction((tx) => write(tx, deps, connection, limits, isWeekOver));
}

async function write(
  tx: Tx,
  deps: BookDeps,
  seen: ConnectionRow,
  limits: ReturnType<typeof limitColumns>,
  isWeekOver: boolean,
): Promise<ConnectionRow> {
  await lockAccount(tx, seen.accountId);
  const row = await readConnection(tx.db, seen.id);
  // The person has set others since the signer was asked: the next answer knows of them.
  if (row === null || !isSame(row, seen)) return row ?? seen;
  const change = {
    ...limits,
    ...(isWeekOver ? { firstWeekUntil: null } : {}),
  };
  await tx.db.update(liveConnections).set(change).where(eq(liveConnections.id, row.id));
  await publishLive(tx, deps, row, true);
  return { ...row, ...change };
}
