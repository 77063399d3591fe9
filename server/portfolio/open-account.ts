/** Opens a user's paper account with its deposit. Only one is open at a time. */
import { randomUUID } from 'node:crypto';
import { and, eq, inArray, isNull, max } from 'drizzle-orm';
import { STARTING_DEPOSIT } from '../../contract/limits.ts';
import { parseFixed } from '../../contract/money.ts';
import { depositEntries } from '../../engine/accounting/ledger.ts';
import type { WallClock } from '../clock.ts';
import type { Db, Tx } from '../db/database.ts';
import { accounts, equityPoints } from '../db/schema.ts';
import type { Market } from '../market/market-source.ts';
import { post } from './record-trades.ts';

export type AccountRow = typeof accounts.$inferSelect;

/** The open account of (user, source), or null. */
export async function openAccountOf(
  db: Db,
  uid: string,
  source: string,
): Promise<AccountRow | null> {
  const [row] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.uid, uid), eq(accounts.source, source), isNull(accounts.closedAt)));
  return row ?? null;
}

/** The open accounts of many people on one source. */
export async function openAccountsOf(
  db: Db,
  uids: readonly string[],
  source: string,
): Promise<AccountRow[]> {
  return db
    .select()
    .from(accounts)
    .where(
      and(inArray(accounts.uid, [...uids]), eq(accounts.source, source), isNull(accounts.closedAt)),
    );
}

/** Idempotent; answers the open account. The deposit is an external flow in double entry. */
export async function openAccount(
  tx: Tx,
  uid: string,
  market: Market,
  clock: WallClock,
): Promise<AccountRow> {
  const source = market.source;
  const known = await openAccountOf(tx.db, uid, source.id);
  if (known !== null) return known;
  const [books] = await tx.db
    .select({ last: max(accounts.book) })
    .from(accounts)
    .where(and(eq(accounts.uid, uid), eq(accounts.source, source.id)));
  const now = market.now();
  const [made] = await tx.db
    .insert(accounts)
    .values({
      id: randomUUID(),
      uid,
      source: source.id,
      quote: source.quote,
      book: (books?.last ?? 0) + 1,
      openedAt: clock.now(),
      openedMarketMs: now,
    })
    .onConflictDoNothing()
    .returning();
  if (made === undefined) {
    // Another call opened it meanwhile and has committed by now: the insert waited for it.
    const other = await openAccountOf(tx.db, uid, source.id);
    if (other === null) throw new Error('The account could be neither opened nor found');
    return other;
  }
  await post(tx, [
    {
      transactionId: randomUUID(),
      accountId: made.id,
      cause: 'deposit',
      fillId: null,
      at: now,
      entries: depositEntries(source.quote, parseFixed(STARTING_DEPOSIT)),
    },
  ]);
  await tx.db
    .insert(equityPoints)
    .values({ accountId: made.id, atMarketMs: now, equity: STARTING_DEPOSIT });
  return made;
}
