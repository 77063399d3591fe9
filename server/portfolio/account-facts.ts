/**
 * Everything a portfolio consists of, read in one statement and therefore consistent. Values
 * nothing.
 */
import { sql, type SQL } from 'drizzle-orm';
import { RANGES, rangeStart } from '../../contract/chart-ranges.ts';
import type { AgentResult, BookSummary, Drawdown } from '../../contract/trading.ts';
import { CASH, EXTERNAL, FEES } from '../../engine/accounting/ledger.ts';
import { DAY_MS, HOUR_MS } from '../../engine/execution/schedule.ts';
import type { Db } from '../db/database.ts';
import type { PositionRow } from './record-trades.ts';
import { doubtSince } from './alarms.ts';
import { rowsOf } from '../db/sql-rows.ts';
import { FALLS } from './drawdown.ts';

/**
 * Marks a curve keeps: all of the last day, one an hour for a week, four a day for a month, then
 * one a day or fewer, and the last before the start of each range. At most 600 together.
 */
const HOURLY_SPAN_MS = 7 * DAY_MS;
const QUARTERLY_SPAN_MS = 31 * DAY_MS;
const DAILY_POINTS = 66;

export interface AccountFacts {
  id: string;
  book: number;
  source: string;
  quote: string;
  openedMarketMs: number;
  isOpen: boolean;
  inDoubtSince: number | null;
  /** The person's event number at this moment. */
  sequence: number;
  /** Balances in the quote currency by bucket, as decimal text. */
  balances: Record<string, string>;
  /** What it holds, each with its agent's name. */
  positions: (PositionRow & { agentName: string })[];
  results: AgentResult[];
  /** Fills of the market's day so far: those that `opening` has not in it. */
  today: { realized: string; fees: string; trades: number };
  /** Equity at the beginning of the market's day, as decimal text; null before a first mark. */
  opening: string | null;
  /** When that was, market ms; null where the account is younger than the day. */
  openingAt: number | null;
  curve: [number, string][];
  /** Over all marks; null before a first one. */
  falls: Drawdown | null;
  books: BookSummary[];
}

/** The last mark at each of these stretches of time, one look into the index for each. */
const LAST_MARKS = (stretches: SQL): SQL => sql`
  select mark.at_market_ms, mark.equity from (${stretches}) stretch cross join lateral (
    select at_market_ms, equity from equity_points
    where account_id = account.id and at_market_ms >= stretch.begin and at_market_ms < stretch.finish
    order by at_market_ms desc limit 1
  ) mark`;

/**
 * From after the first mark on, cut after whole multiples of a length: a mark made there closes the
 * stretch before it, and candles that close there say what prices were.
 */
const STRETCHES = (from: SQL, to: SQL, length: SQL): SQL => sql`
  select greatest(cut + 1, ${from}, first + 1) as begin, least(cut + ${length} + 1, ${to}) as finish
  from generate_series((greatest(${from}, first + 1) - 1) / ${length} * ${length}, ${to} - 2, ${length}) as cut`;

/** Up to the start of each range whose marks lie days apart: nothing from before is in the range. */
function BEFORE_RANGES(now: number): SQL {
  const starts = RANGES.map((range) => rangeStart(range, now)).filter(
    (start) => Number.isFinite(start) && start < now - QUARTERLY_SPAN_MS,
  );
  return sql`
  select first + 1 as begin, start::bigint + 1 as finish
  from json_array_elements_text(${JSON.stringify(starts)}::json) as start`;
}

/**
 * The last mark of every stretch, the first of the account among them; stretches are longer the
 * further back they lie. A month has nearly nine thousand marks: most of them are never looked at.
 */
function CURVE(now: number): SQL {
  const day = sql`${now - DAY_MS + 1}::bigint`;
  const week = sql`${now - HOURLY_SPAN_MS + 1}::bigint`;
  const month = sql`${now - QUARTERLY_SPAN_MS + 1}::bigint`;
  const days = sql`(${DAY_MS}::bigint * greatest(1, ceil((${now}::bigint - first) / ${DAY_MS * DAILY_POINTS}::numeric))::bigint)`;
  return sql`
  select json_agg(json_build_array(at_market_ms, trim_scale(equity)::text) order by at_market_ms)
  from (select at_market_ms as first, equity as opened from equity_points where account_id = account.id order by at_market_ms limit 1) begun
  cross join lateral (
    select first as at_market_ms, opened as equity
    union all ${LAST_MARKS(STRETCHES(sql`first + 1`, month, days))}
    union all ${LAST_MARKS(STRETCHES(month, week, sql`${6 * HOUR_MS}::bigint`))}
    union all ${LAST_MARKS(STRETCHES(week, day, sql`${HOUR_MS}::bigint`))}
    union all select at_market_ms, equity from equity_points where account_id = account.id and at_market_ms >= ${day} and at_market_ms > first
    union ${LAST_MARKS(BEFORE_RANGES(now))}
  ) kept`;
}

const POSITIONS = sql`
  select json_agg(json_build_object(
    'id', positions.id, 'accountId', positions.account_id, 'agentId', positions.agent_id, 'agentName', coalesce(agents.name, ''), 'pair', pair,
    'quantity', quantity::text, 'cost', cost::text, 'stopPrice', stop_price::text, 'openedMarketMs', opened_market_ms, 'closedMarketMs', closed_market_ms
  ) order by opened_market_ms, positions.id)
  from positions left join agents on agents.id = positions.agent_id
  where positions.account_id = account.id and (case when account.closed_at is null then closed_market_ms is null else quantity > 0 end)`;

const RESULTS = sql`
  select json_agg(json_build_object('agentId', agent_id, 'agentName', name, 'pairs', pairs) order by name, agent_id) from (
    select agent_id, coalesce(agents.name, '') as name, json_agg(json_build_object(
      'pair', pair, 'trades', trades, 'sells', sells, 'realized', trim_scale(realized)::text, 'fees', trim_scale(fees)::text,
      'wins', wins, 'won', trim_scale(won)::text) order by pair) as pairs
    from (
      select agent_id, pair, count(*)::int as trades, count(realized)::int as sells, coalesce(sum(realized), 0) as realized, sum(fee) as fees,
        (count(*) filter (where realized > 0))::int as wins, coalesce(sum(realized) filter (where realized > 0), 0) as won
      from fills where account_id = account.id group by agent_id, pair
    ) summed left join agents on agents.id = agent_id group by agent_id, agents.name
  ) by_agent`;

/** The newest accounts, whose numbers have no gaps, and the one that is read. */
const BOOKS_MAX = 100;
const BOOKS = sql`
  select json_agg(json_build_object('book', book, 'openedAt', opened_at, 'closedAt', closed_at, 'equity', (
    select trim_scale(equity)::text from equity_points where account_id = others.id order by at_market_ms desc limit 1)) order by book)
  from accounts others where others.uid = account.uid and others.source = account.source and (others.id = account.id or others.book > (
    select max(book) from accounts newest where newest.uid = account.uid and newest.source = account.source) - ${BOOKS_MAX}::int)`;

/**
 * From when on trades are not in the mark that opens the day: a mark has in it what was decided
 * until then, however long ago that was.
 */
const SINCE = (midnight: number): SQL => sql`coalesce(opening.at_market_ms, ${midnight}::bigint)`;

/**
 * The open account, or another by its number; null where there is none. `now` is the market's
 * clock, ms.
 */
export async function readFacts(
  db: Db,
  uid: string,
  source: string,
  now: number,
  book?: number,
): Promise<AccountFacts | null> {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  const [row] = await rowsOf<{ facts: string }>(
    db,
    sql`
    with account as (select * from accounts where uid = ${uid} and source = ${source} and ${book === undefined ? sql`closed_at is null` : sql`book = ${book}::int`})
    select json_build_object(
      'id', account.id, 'book', account.book, 'source', account.source, 'quote', account.quote, 'openedMarketMs', account.opened_market_ms,
      'isOpen', account.closed_at is null, 'inDoubtSince', ${doubtSince(sql`account.id`)},
      'sequence', coalesce((select sequence from users where uid = account.uid), 0),
      'balances', coalesce((select json_object_agg(bucket, amount::text) from balances
        where account_id = account.id and asset = account.quote and bucket in (${CASH}, ${EXTERNAL}, ${FEES})), '{}'::json),
      'positions', coalesce((${POSITIONS}), '[]'::json),
      'results', coalesce((${RESULTS}), '[]'::json),
      'today', (select json_build_object('realized', coalesce(sum(realized), 0)::text, 'fees', coalesce(sum(fee), 0)::text, 'trades', count(*)::int)
        from fills where account_id = account.id and filled_market_ms > ${SINCE(midnight)} and decided_market_ms > ${SINCE(midnight)}),
      'opening', coalesce(opening.equity::text,
        (select equity::text from equity_points where account_id = account.id order by at_market_ms limit 1)),
      'openingAt', opening.at_market_ms,
      'curve', coalesce((${CURVE(now)}), '[]'::json),
      'falls', (${FALLS(sql`account.id`)}),
      'books', coalesce((${BOOKS}), '[]'::json)
    )::text as facts from account left join lateral (
      select at_market_ms, equity from equity_points where account_id = account.id and at_market_ms <= ${midnight}::bigint
      order by at_market_ms desc limit 1
    ) opening on true`,
  );
  return row === undefined ? null : (JSON.parse(row.facts) as AccountFacts);
}
