/** The record of closed ticks: done, or skipped because a newer one was acted on; refuses to run one twice. */
import { and, eq, inArray, isNull, max, sql } from 'drizzle-orm';
import { formatFixed } from '../../contract/money.ts';
import { INTERVAL_MS } from '../../contract/market.ts';
import { CASH } from '../../engine/ledger.ts';
import type { Database, Tx } from '../db/database.ts';
import { accounts, agents, ticks } from '../db/schema.ts';
import type { Market } from '../market/market.ts';
import type { TradingDeps } from './deps.ts';
import { LOOKING } from './lifecycle.ts';

/** Longer gaps are recorded as their newest ticks and one row that counts the rest. */
const SKIPPED_ROWS_MAX = 10_000;

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

/**
 * One equity point a tick for every account that holds something or has an agent at work, in one statement: cash and
 * what is held at the newest bid, rounded down as `markToMarket` does; what was never quoted counts at cost.
 */
async function markAccounts(tx: Tx, { market }: TradingDeps, tick: number): Promise<void> {
  const bids = market.pairs().flatMap(({ pair }) => {
    const quote = market.quote(pair);
    return quote === null ? [] : [{ pair, bid: formatFixed(quote.bid) }];
  });
  await tx.db.execute(sql`
    with bids as (select * from json_to_recordset(${JSON.stringify(bids)}::json) as bids(pair text, bid numeric)),
    held as (
      select account_id, sum(coalesce(trunc(quantity * bid, 12), cost)) as value
      from positions left join bids using (pair) where closed_market_ms is null group by account_id
    )
    insert into equity_points (account_id, at_market_ms, equity)
    select accounts.id, ${tick}::bigint, coalesce(balances.amount, 0) + coalesce(held.value, 0)
    from accounts
    left join balances on balances.account_id = accounts.id and balances.bucket = ${CASH} and balances.asset = accounts.quote
    left join held on held.account_id = accounts.id
    where accounts.source = ${market.source.id} and accounts.closed_at is null and accounts.opened_market_ms <= ${tick}
      and (held.account_id is not null or exists (
        select 1 from agents where ${and(
    eq(agents.uid, accounts.uid), eq(agents.source, accounts.source), isNull(agents.deletedAt), inArray(agents.status, [...LOOKING]),
  )}))
    on conflict do nothing`);
}
