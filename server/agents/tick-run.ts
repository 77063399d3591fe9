/**
 * Runs of closed ticks, shared by all processes that run them: each begins once, with one set of
 * quotes, and finishes once.
 */
import { and, eq, inArray, isNull, lt, max, ne, sql } from 'drizzle-orm';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { CASH } from '../../engine/accounting/ledger.ts';
import type { Quote } from '../../engine/market-types.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { accounts, agents, ticks } from '../db/schema.ts';
import type { Market } from '../market/market-source.ts';
import { isPricedSometime } from '../market/offered-pairs.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { EVALUATED_STATUSES } from './agent-lifecycle.ts';

/** Longer gaps are recorded as their newest ticks and one row that counts the rest. */
const SKIPPED_ROWS_MAX = 10_000;

type TickRow = typeof ticks.$inferSelect;

/** A tick as every process that runs it has it. */
export interface TickRun {
  state: 'running' | 'over';
  /**
   * First prices after the close, by pair: the same for all agents of the tick, whoever runs them.
   */
  quotes: ReadonlyMap<string, Quote>;
}

const of = (market: Market) =>
  and(eq(ticks.source, market.source.id), eq(ticks.interval, market.baseInterval));
const at = (market: Market, tick: number) => and(of(market), eq(ticks.closeMarketMs, tick));

const tickQuotes = (quotes: ReadonlyMap<string, Quote>): object =>
  [...quotes.values()].map(({ pair, at: time, last, bid, ask }) => [
    pair,
    time,
    formatFixed(last),
    formatFixed(bid),
    formatFixed(ask),
  ]);

function toTickRun({ state, book }: Pick<TickRow, 'state' | 'book'>): TickRun {
  const rows = (book ?? []) as [string, number, string, string, string][];
  return {
    state: state === 'running' ? 'running' : 'over',
    quotes: new Map(
      rows.map(([pair, time, last, bid, ask]) => [
        pair,
        { pair, at: time, last: parseFixed(last), bid: parseFixed(bid), ask: parseFixed(ask) },
      ]),
    ),
  };
}

/** Close of the newest tick that nobody runs any more, ms; null before the first. */
export async function lastTick(database: Database, market: Market): Promise<number | null> {
  const [row] = await database.db
    .select({ close: max(ticks.closeMarketMs) })
    .from(ticks)
    .where(and(of(market), ne(ticks.state, 'running')));
  return row?.close ?? null;
}

/** A tick that somebody has begun; null where nobody has. */
export async function joinTick(db: Db, market: Market, tick: number): Promise<TickRun | null> {
  const [row] = await db
    .select({ state: ticks.state, book: ticks.book })
    .from(ticks)
    .where(at(market, tick));
  return row === undefined ? null : toTickRun(row);
}

/** What beginning a tick found: older ones that are given up now, and how many were never run. */
export interface TickStart extends TickRun {
  skipped: number;
  unfinished: Pick<TickRow, 'closeMarketMs' | 'agents'>[];
}

/**
 * The first process writes the quotes (column `book`); the others read them. Older ticks are
 * closed: agents that they left over are evaluated at this one.
 */
export async function beginTick(
  tx: Tx,
  deps: TradingDeps,
  tick: number,
  quotes: ReadonlyMap<string, Quote>,
): Promise<TickStart> {
  const { market } = deps;
  const nothing = { skipped: 0, unfinished: [] };
  const [made] = await tx.db
    .insert(ticks)
    .values({
      source: market.source.id,
      interval: market.baseInterval,
      closeMarketMs: tick,
      state: 'running',
      book: tickQuotes(quotes),
    })
    .onConflictDoNothing()
    .returning({ close: ticks.closeMarketMs });
  if (made === undefined) {
    const known = await joinTick(tx.db, market, tick);
    if (known === null) throw new Error('The tick is gone');
    return { ...known, ...nothing };
  }
  const [newest] = await tx.db
    .select({ close: max(ticks.closeMarketMs) })
    .from(ticks)
    .where(of(market));
  if ((newest?.close ?? tick) > tick) {
    // Somebody whose clock is ahead has acted on a newer one.
    await tx.db
      .update(ticks)
      .set({ state: 'skipped', book: null, finishedAt: deps.clock.now() })
      .where(at(market, tick));
    return { state: 'over', quotes, ...nothing };
  }
  const older = and(of(market), lt(ticks.closeMarketMs, tick));
  const unfinished = await tx.db
    .update(ticks)
    .set({ state: 'unfinished', book: null, finishedAt: deps.clock.now() })
    .where(and(older, eq(ticks.state, 'running')))
    .returning({ closeMarketMs: ticks.closeMarketMs, agents: ticks.agents });
  const [before] = await tx.db
    .select({ close: max(ticks.closeMarketMs) })
    .from(ticks)
    .where(older);
  const last = before?.close ?? null;
  return {
    state: 'running',
    quotes,
    skipped: last === null ? 0 : await recordSkipped(tx, deps, last, tick),
    unfinished,
  };
}

/**
 * Records the ticks strictly between `last` and `tick` as skipped. Of a gap longer than 10,000 the
 * newest are rows, and the row before them, state `skipped_before`, counts the others in `agents`.
 */
async function recordSkipped(
  tx: Tx,
  { market, clock }: TradingDeps,
  last: number,
  tick: number,
): Promise<number> {
  const step = INTERVAL_MS[market.baseInterval];
  const skipped = Math.max(0, Math.round((tick - last) / step) - 1);
  if (skipped === 0) return 0;
  const from = Math.max(last + step, tick - SKIPPED_ROWS_MAX * step);
  await tx.db.execute(sql`
    insert into ticks (source, interval, close_market_ms, state, agents, finished_at)
    select ${market.source.id}, ${market.baseInterval}, close, 'skipped', 0, ${clock.now()}::bigint
    from generate_series(${from}::bigint, ${tick - step}::bigint, ${step}::bigint) as close on conflict do nothing`);
  if (skipped > SKIPPED_ROWS_MAX) {
    await tx.db
      .insert(ticks)
      .values({
        source: market.source.id,
        interval: market.baseInterval,
        closeMarketMs: from - step,
        state: 'skipped_before',
        agents: skipped - SKIPPED_ROWS_MAX,
        finishedAt: clock.now(),
      })
      .onConflictDoNothing();
  }
  return skipped;
}

/**
 * Adds the agents of a batch to its tick, in the batch's own transaction. False where a newer tick
 * has taken its place.
 */
export async function countRun(
  tx: Tx,
  market: Market,
  tick: number,
  ran: number,
): Promise<boolean> {
  const [row] = await tx.db
    .update(ticks)
    .set({ agents: sql`${ticks.agents} + ${ran}` })
    .where(at(market, tick))
    .returning({ state: ticks.state });
  return row?.state === 'running';
}

/** Writes the tick down as done and marks the accounts; once, whoever is last. */
export async function finishTick(
  tx: Tx,
  deps: TradingDeps,
  tick: number,
  quotes: TickRun['quotes'],
): Promise<void> {
  const [mine] = await tx.db
    .update(ticks)
    .set({ state: 'done', book: null, finishedAt: deps.clock.now() })
    .where(and(at(deps.market, tick), eq(ticks.state, 'running')))
    .returning({ close: ticks.closeMarketMs });
  if (mine !== undefined) await markAccounts(tx, deps, tick, quotes);
}

/**
 * One equity point a tick for every account that holds something, has an agent at work or has gone
 * flat or traded since its newest point, in one statement: cash and what is held at the newest bid,
 * rounded down as `markToMarket` does. Where no price has come since the start of this process,
 * `quotes` of the tick are the newest. An account that holds a pair without either gets no point: a
 * curve must not fall to what was paid because a price is late. What the market does not offer any
 * more counts at cost. Of an account at rest alone the newest point and newer trades are looked up,
 * in the index. The first to mark a tick is who counts.
 */
export async function markAccounts(
  tx: Tx,
  { market }: TradingDeps,
  tick: number,
  quotes: TickRun['quotes'],
): Promise<void> {
  const bids = market.pairs().flatMap(({ pair }) => {
    const quote = market.quote(pair) ?? quotes.get(pair);
    if (quote === undefined && !isPricedSometime(market, pair)) return [];
    return [{ pair, bid: quote === undefined ? null : formatFixed(quote.bid) }];
  });
  await tx.db.execute(sql`
    with bids as (select * from json_to_recordset(${JSON.stringify(bids)}::json) as bids(pair text, bid numeric)),
    held as (
      select account_id, sum(coalesce(trunc(quantity * bid, 12), cost)) as value,
        bool_or(bids.pair is not null and bid is null) as unpriced
      from positions left join bids using (pair) where closed_market_ms is null group by account_id
    )
    insert into equity_points (account_id, at_market_ms, equity)
    select accounts.id, ${tick}::bigint, coalesce(balances.amount, 0) + coalesce(held.value, 0)
    from accounts
    left join balances on balances.account_id = accounts.id and balances.bucket = ${CASH} and balances.asset = accounts.quote
    left join held on held.account_id = accounts.id
    where accounts.source = ${market.source.id} and accounts.closed_at is null and accounts.opened_market_ms <= ${tick}
      and held.unpriced is not true and (held.account_id is not null or exists (
        select 1 from agents where ${and(
          eq(agents.uid, accounts.uid),
          eq(agents.source, accounts.source),
          isNull(agents.deletedAt),
          inArray(agents.status, [...EVALUATED_STATUSES]),
        )})
      or not exists (
        select 1 from (
          select at_market_ms, equity from equity_points marked where marked.account_id = accounts.id
          order by at_market_ms desc limit 1) newest
        where newest.equity = coalesce(balances.amount, 0) and not exists (
          select 1 from fills where fills.account_id = accounts.id
            and filled_market_ms > newest.at_market_ms and decided_market_ms > newest.at_market_ms)))
    on conflict do nothing`);
}
