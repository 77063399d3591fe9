/** What closed trades brought and how long something was held; refuses to mix books. */
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import { accounts, fills } from '../db/schema.ts';
import { rowsOf } from './sql-rows.ts';

/** Realised result of every sell of an account, oldest first, as decimal text; of one agent where named. */
export async function resultsOfSells(db: Db, accountId: string, agentId?: string): Promise<string[]> {
  const mine = and(eq(fills.accountId, accountId), isNotNull(fills.realized));
  const rows = await db.select({ realized: fills.realized }).from(fills)
    .where(agentId === undefined ? mine : and(mine, eq(fills.agentId, agentId))).orderBy(asc(fills.filledMarketMs), asc(fills.id));
  return rows.flatMap(({ realized }) => (realized === null ? [] : [realized]));
}

/** Market time (ms) with at least one position open since the book was opened, and that whole time. */
export async function exposureMs(db: Db, accountId: string, now: number, agentId?: string): Promise<{ exposed: number; total: number }> {
  const [account] = await db.select({ from: accounts.openedMarketMs }).from(accounts).where(eq(accounts.id, accountId));
  const only = agentId === undefined ? sql`` : sql` and agent_id = ${agentId}`;
  const spans = await rowsOf<{ from: string; to: string }>(db, sql`
    select opened_market_ms::text as from, coalesce(closed_market_ms, ${now}::bigint)::text as to from positions
    where account_id = ${accountId}${only} order by opened_market_ms`);
  let exposed = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    const from = Math.max(Number(span.from), until);
    exposed += Math.max(0, Number(span.to) - from);
    until = Math.max(until, Number(span.to));
  }
  return { exposed, total: Math.max(0, now - (account?.from ?? now)) };
}
