/**
 * Removes or condenses old rows: receipts after 30 days, events after one, decisions into daily
 * counts, equity into hourly and daily points. Fills and ledger are never touched.
 */
import { and, inArray, lt, sql } from 'drizzle-orm';
import {
  ALERT_FIRINGS_KEEP_DAYS,
  DECISIONS_KEEP_DAYS,
  RECEIPT_KEEP_DAYS,
} from '../contract/limits.ts';
import { USED_OFFERS_KEEP_DAYS } from '../contract/account.ts';
import { DAY_MS, HOUR_MS } from '../engine/execution/schedule.ts';
import type { WallClock } from './clock.ts';
import type { Database } from './db/database.ts';
import { alertFirings, alerts } from './db/schema-alerts.ts';
import { webhookEvents } from './db/schema-plans.ts';
import { linkMessages } from './db/schema-wallet.ts';
import { equityPoints, events, receipts, ticks, usedOffers } from './db/schema.ts';
import { rowsOf } from './db/sql-rows.ts';
import type { Log } from './log.ts';
import { PeriodicTask } from './periodic-task.ts';
import { ACCOUNTS_AT_ONCE, accountsAfter } from './portfolio/check-ledgers.ts';
import { dropStrayFalls, keepFalls } from './portfolio/drawdown.ts';
import type { TradingDeps } from './trading-deps.ts';

const EVENT_KEEP_DAYS = 1;
const LINK_MESSAGE_KEEP_DAYS = 1;
const RUN_EVERY_MS = 60 * 60_000;

export async function forgetOld(database: Database, clock: WallClock): Promise<void> {
  const now = clock.now();
  await database.transaction(async (tx) => {
    await tx.db.delete(receipts).where(lt(receipts.createdAt, now - RECEIPT_KEEP_DAYS * DAY_MS));
    await tx.db
      .delete(webhookEvents)
      .where(lt(webhookEvents.receivedAt, now - RECEIPT_KEEP_DAYS * DAY_MS));
    await tx.db
      .delete(linkMessages)
      .where(lt(linkMessages.expiresAt, now - LINK_MESSAGE_KEEP_DAYS * DAY_MS));
    await tx.db
      .delete(alertFirings)
      .where(lt(alertFirings.recordedAt, now - ALERT_FIRINGS_KEEP_DAYS * DAY_MS));
    await tx.db.delete(alerts).where(lt(alerts.deletedAt, now - RECEIPT_KEEP_DAYS * DAY_MS));
    await tx.db
      .delete(usedOffers)
      .where(lt(usedOffers.keptAt, now - USED_OFFERS_KEEP_DAYS * DAY_MS));
    await tx.db.delete(events).where(lt(events.createdAt, now - EVENT_KEEP_DAYS * DAY_MS));
  });
}

/** At once and then every hour. */
export const retentionTask = (database: Database, clock: WallClock, log: Log): PeriodicTask =>
  new PeriodicTask(
    () => forgetOld(database, clock),
    RUN_EVERY_MS,
    log,
    'old rows could not be removed',
  );

const DECISIONS_AT_ONCE = 20_000;
/** Equity points stay as they are this long (market time), then one an hour, then one a day. */
const EVERY_POINT_MS = 7 * DAY_MS;
const HOURLY_MS = 90 * DAY_MS;
const TICKS_KEEP_DAYS = 30;

type Deps = Pick<TradingDeps, 'database' | 'market' | 'clock' | 'log'>;
/** Asked between two pages: what is left then is done after the next start. */
type Ending = () => boolean;

/**
 * Decisions recorded more than 30 days ago become counts by UTC day and reason, in the same
 * transaction. Returns how many.
 */
async function foldDecisions({ database, clock }: Deps, isEnding: Ending): Promise<number> {
  const before = clock.now() - DECISIONS_KEEP_DAYS * DAY_MS;
  let folded = 0;
  for (;;) {
    const now = await database.transaction(async (tx) => {
      const [row] = await rowsOf<{ folded: number }>(
        tx.db,
        sql`
        with old as (
          delete from decisions where id in (select id from decisions where recorded_at < ${before}::bigint limit ${DECISIONS_AT_ONCE}::int)
          returning agent_id, at_market_ms, reason
        ), counted as (
          select agent_id, to_char(to_timestamp(at_market_ms / 1000.0) at time zone 'UTC', 'YYYY-MM-DD') as day, reason, count(*)::int as n
          from old group by 1, 2, 3
        ), kept as (
          insert into decision_counts (agent_id, day, reason, count) select agent_id, day, reason, n from counted
          on conflict (agent_id, day, reason) do update set count = decision_counts.count + excluded.count
        )
        select coalesce(sum(n), 0)::int as folded from counted`,
      );
      return row?.folded ?? 0;
    });
    folded += now;
    if (now < DECISIONS_AT_ONCE || isEnding()) return folded;
  }
}

/**
 * The last point of each hour, later of each day, stands for the others. One of 00:00 closes the day
 * before, as in analytics, so past days stay what they were. The first of a book is always kept.
 *
 * A few accounts at a time: the points of all of them in one statement would take longer than a
 * statement may, and none would ever be thinned.
 */
async function thinEquity(
  { database, market }: Deps,
  accountsAtOnce: number,
  isEnding: Ending,
): Promise<void> {
  const now = market.now();
  const next = (after: string | null): Promise<string[]> =>
    accountsAfter(database.db, after, accountsAtOnce);
  for (let page = await next(null); page.length > 0; page = await next(page.at(-1) ?? null)) {
    // What they say of falls is kept before they go.
    const ids = page;
    await database.transaction((tx) => keepFalls(tx, ids));
    await thinPage(database, page, now - EVERY_POINT_MS, HOUR_MS);
    await thinPage(database, page, now - HOURLY_MS, DAY_MS);
    if (isEnding()) return;
  }
  await database.transaction(dropStrayFalls);
}

const thinPage = (
  database: Database,
  page: readonly string[],
  before: number,
  lengthMs: number,
): Promise<void> =>
  database.transaction(async (tx) => {
    const ofPage = inArray(equityPoints.accountId, [...page]);
    await tx.db.execute(sql`
      delete from equity_points using (
        select account_id, at_market_ms,
          max(at_market_ms) over (partition by account_id, (at_market_ms - 1) / ${lengthMs}::bigint) as last,
          min(at_market_ms) over (partition by account_id) as first
        from equity_points where ${ofPage} and at_market_ms < ${before}::bigint
      ) marked
      where ${ofPage} and equity_points.account_id = marked.account_id and equity_points.at_market_ms = marked.at_market_ms
        and marked.at_market_ms <> marked.last and marked.at_market_ms <> marked.first`);
  });

/** What is done every hour. A step that fails is said, and keeps none behind it from its turn. */
export async function keepTidy(
  deps: Deps,
  accountsAtOnce = ACCOUNTS_AT_ONCE,
  isEnding: Ending = () => false,
): Promise<void> {
  const attempt = async (step: () => Promise<unknown>, complaint: string): Promise<void> => {
    if (isEnding()) return;
    try {
      await step();
    } catch (error) {
      deps.log.warn({ reason: String(error) }, complaint);
    }
  };
  await attempt(() => foldDecisions(deps, isEnding), 'Old decisions could not be condensed');
  await attempt(
    () => thinEquity(deps, accountsAtOnce, isEnding),
    'Old equity points could not be thinned',
  );
  await attempt(() => forgetTicks(deps), 'Old ticks could not be removed');
}

async function forgetTicks({ database, clock }: Deps): Promise<void> {
  await database.transaction(async (tx) => {
    const old = lt(ticks.finishedAt, clock.now() - TICKS_KEEP_DAYS * DAY_MS);
    // The newest tick of every source stays, whatever its age: whoever returns to a source runs the
    // stops from there. One that was never finished says nothing of that.
    await tx.db
      .delete(ticks)
      .where(
        and(
          old,
          sql`close_market_ms < (select max(close_market_ms) from ticks t where t.source = ${ticks.source} and t.interval = ${ticks.interval} and t.state <> 'running')`,
        ),
      );
  });
}
