/** Which accounts are in doubt, and since when. Only a passed check clears one. */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Db, Tx } from '../db/database.ts';
import { accountAlarms, accounts } from '../db/schema.ts';
import type { AccountCheck } from './check-ledgers.ts';

const DIFFERENCES_KEPT = 20;

/** What a look is told that would open something; exits go on. */
export const IN_DOUBT =
  'the ledger of this account does not add up, and the operator has to check it.';

/** People whose open account on this source is in doubt. */
export async function peopleInDoubt(
  db: Db,
  uids: readonly string[],
  source: string,
): Promise<Set<string>> {
  const rows = await db
    .select({ uid: accounts.uid })
    .from(accountAlarms)
    .innerJoin(accounts, eq(accounts.id, accountAlarms.accountId))
    .where(
      and(inArray(accounts.uid, [...uids]), eq(accounts.source, source), isNull(accounts.closedAt)),
    );
  return new Set(rows.map(({ uid }) => uid));
}

/**
 * Writes what a check found of these accounts, which it read at `readAt` (wall clock). Answers
 * those whose alarm is new or is over. Where two checks run, one that read the books before the
 * other found them wrong ends nothing.
 */
export async function writeAlarms(
  tx: Tx,
  checked: readonly AccountCheck[],
  readAt: number,
): Promise<{ raised: AccountCheck[]; cleared: string[] }> {
  const ids = checked.map(({ accountId }) => accountId);
  if (ids.length === 0) return { raised: [], cleared: [] };
  const rows = await tx.db
    .select({ id: accountAlarms.accountId, checkedAt: accountAlarms.checkedAt })
    .from(accountAlarms)
    .where(inArray(accountAlarms.accountId, ids))
    .for('update');
  const known = new Map(rows.map(({ id, checkedAt }) => [id, checkedAt]));
  const wrong = checked.filter(({ differences }) => differences.length > 0);
  for (const { accountId, differences } of wrong) {
    const row = {
      checkedAt: Math.max(readAt, known.get(accountId) ?? readAt),
      count: differences.length,
      differences: differences.slice(0, DIFFERENCES_KEPT),
    };
    await tx.db
      .insert(accountAlarms)
      .values({ accountId, foundAt: readAt, ...row })
      .onConflictDoUpdate({ target: accountAlarms.accountId, set: row });
  }
  const cleared = checked
    .filter(
      ({ accountId, differences }) =>
        differences.length === 0 && (known.get(accountId) ?? Number.POSITIVE_INFINITY) <= readAt,
    )
    .map(({ accountId }) => accountId);
  if (cleared.length > 0)
    await tx.db.delete(accountAlarms).where(inArray(accountAlarms.accountId, cleared));
  return { raised: wrong.filter(({ accountId }) => !known.has(accountId)), cleared };
}

export const countAlarms = async (db: Db): Promise<number> => db.$count(accountAlarms);

/**
 * When this account was first found wrong, wall clock; null where nothing is known against it. As
 * SQL, for whoever reads an account in one statement.
 */
export const doubtSince = (accountId: ReturnType<typeof sql>) =>
  sql`(select found_at from account_alarms where account_alarms.account_id = ${accountId})`;
