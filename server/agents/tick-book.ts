/** The record of closed ticks: done, or skipped because a newer one was acted on; refuses to run one twice. */
import { and, eq, inArray, isNull, lte, max, or, exists, sql } from 'drizzle-orm';
import { formatFixed, ZERO } from '../../contract/money.ts';
import { INTERVAL_MS } from '../../contract/market.ts';
import { markToMarket } from '../../engine/ledger.ts';
import type { Database, Tx } from '../db/database.ts';
import { accounts, agents, equityPoints, positions, ticks } from '../db/schema.ts';
import type { Market } from '../market/market.ts';
import { cashOfAccounts, openPositionsOf, quotesOf, toOpenPosition } from '../portfolio/marks.ts';
import type { TradingDeps } from './deps.ts';
import { LOOKING } from './lifecycle.ts';

/** Longer gaps are recorded as their newest ticks and one row that counts the rest. */
const SKIPPED_ROWS_MAX = 10_000;
const ACCOUNTS_AT_ONCE = 500;

/** Close of the newest tick that was finished, ms; null before the first. */
export async function lastTick(database: Database, market: Market): Promise<number | null> {
  const [row] = await database.db.select({ close: max(ticks.closeMarketMs) }).from(ticks)
    .where(and(eq(ticks.source, market.source.id), eq(ticks.interval, market.baseInterval)));
  return row?.close ?? null;
}

/**
 * Records the ticks strictly between `last` and `tick` as skipped. Of a gap longer than 10,000 the newest are rows, and
 * the row before them, state `skipped_before`, counts the others in `agents`.
 */
async function recordSkipped(tx: Tx, { market, clock }: TradingDeps, last: number, tick: number): Promise<number> {
  const step = INTERVAL_MS[market.baseInterval];
  const skipped = Math.max(0, Math.round((tick - last) / step) - 1);
  if (skipped === 0) return 0;
  const from = Math.max(last + step, tick - SKIPPED_ROWS_MAX * step);
  await tx.db.execute(sql`
    insert into ticks (source, interval, close_market_ms, state, agents, finished_at)
    select ${market.source.id}, ${market.baseInterval}, close, 'skipped', 0, ${clock.now()}::bigint
    from generate_series(${from}::bigint, ${tick - step}::bigint, ${step}::bigint) as close on conflict do nothing`);
  if (skipped > SKIPPED_ROWS_MAX) {
    await tx.db.insert(ticks).values({
      source: market.source.id, interval: market.baseInterval, closeMarketMs: from - step, state: 'skipped_before',
      agents: skipped - SKIPPED_ROWS_MAX, finishedAt: clock.now(),
    }).onConflictDoNothing();
  }
  return skipped;
}

/** Writes the tick down as done, in the transaction of its last batch; a second worker's agents are added to it. */
export async function finishTick(tx: Tx, deps: TradingDeps, tick: number, last: number | null, ran: number): Promise<number> {
  const { market, clock } = deps;
  const skipped = last === null ? 0 : await recordSkipped(tx, deps, last, tick);
  await tx.db.insert(ticks).values({
    source: market.source.id, interval: market.baseInterval, closeMarketMs: tick, state: 'done', agents: ran, finishedAt: clock.now(),
  }).onConflictDoUpdate({ target: [ticks.source, ticks.interval, ticks.closeMarketMs], set: { agents: sql`${ticks.agents} + ${ran}`, state: 'done' } });
  await markAccounts(tx, deps, tick);
  return skipped;
}

/** One equity point a tick for every account that holds something or has an agent at work. */
async function markAccounts(tx: Tx, { market }: TradingDeps, tick: number): Promise<void> {
  const db = tx.db;
  const open = await db.select({ id: accounts.id }).from(accounts).where(and(
    eq(accounts.source, market.source.id), isNull(accounts.closedAt), lte(accounts.openedMarketMs, tick),
    or(
      exists(db.select({ one: sql`1` }).from(positions).where(and(eq(positions.accountId, accounts.id), isNull(positions.closedMarketMs)))),
      exists(db.select({ one: sql`1` }).from(agents).where(and(
        eq(agents.uid, accounts.uid), eq(agents.source, accounts.source), isNull(agents.deletedAt), inArray(agents.status, [...LOOKING]),
      ))),
    ),
  ));
  for (let from = 0; from < open.length; from += ACCOUNTS_AT_ONCE) {
    const ids = open.slice(from, from + ACCOUNTS_AT_ONCE).map(({ id }) => id);
    const cash = await cashOfAccounts(db, ids);
    const held = await openPositionsOf(db, ids);
    const quotes = quotesOf(market, new Set(held.map(({ pair }) => pair)));
    await db.insert(equityPoints).values(ids.map((id) => {
      const mine = held.filter(({ accountId }) => accountId === id).map(toOpenPosition);
      return { accountId: id, atMarketMs: tick, equity: formatFixed(markToMarket(cash.get(id) ?? ZERO, mine, quotes).equity) };
    })).onConflictDoNothing();
  }
}
