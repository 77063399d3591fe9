/**
 * Metrics of the account's daily equity, with breakdowns that add up to it. Undefined metrics are
 * null, not 0.
 */
import { sql } from 'drizzle-orm';
import { lastDays } from '../../contract/last-days.ts';
import { ANALYTICS_VIEW_DAYS, YEARLY_LEAST_DAYS } from '../../contract/limits.ts';
import {
  add,
  formatFixed,
  parseFixed,
  subtract,
  sum,
  toNumber,
  ZERO,
} from '../../contract/money.ts';
import { tierPermits } from '../../contract/tiers.ts';
import type {
  Analytics,
  DayResult,
  HourResult,
  Metrics,
  Portfolio,
} from '../../contract/trading.ts';
import { metricsOf } from '../../engine/accounting/performance-metrics.ts';
import { DAY_MS, HOUR_MS } from '../../engine/execution/schedule.ts';
import type { Db } from '../db/database.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { benchmarkOf, readHeldPrices, type HeldPrices } from './benchmark.ts';
import { readPlan, tierOfPlan, type PlanFacts } from '../billing/entitlement.ts';
import {
  loadPortfolioIn,
  portfolioFrom,
  unrealizedOf,
  type PortfolioFacts,
} from './read-portfolio.ts';
import { rowsOf } from '../db/sql-rows.ts';
import { exposureAt, holding, readHeldSpans, type HeldSpans } from './trade-results.ts';

interface AccountDays {
  first: [number, string] | null;
  /** The last mark of each UTC day, `[ms, equity]`. One of 00:00 closes the day before. */
  closings: [number, string][];
  /** By the day of the first mark that has them in it, as far as that is known. */
  fills: { day: number; trades: number; realized: string; fees: string }[];
  hours: HourResult[];
  /** Results of sells, for ratios alone. */
  sells: string[];
  traded: string;
}

/** What the analytics of an account are made of; prices and the time are not in it. */
export interface AnalyticsFacts {
  account: PortfolioFacts;
  days: AccountDays;
  held: HeldSpans;
  plan: PlanFacts;
}

export const readAnalytics = async (
  deps: TradingDeps,
  uid: string,
  account?: number,
): Promise<Analytics> => {
  const facts = await loadAnalytics(deps, uid, account);
  return analyticsFrom(deps, facts, await readHeld(deps, facts));
};

/** The prices of what is held beside the account. An exchange may be asked for them. */
export function readHeld(
  { market }: Pick<TradingDeps, 'market'>,
  { account: { shown } }: AnalyticsFacts,
): Promise<HeldPrices> {
  const { curve, isOpen, openedMarketMs, quote } = shown;
  const last = isOpen ? market.now() : (curve.at(-1)?.[0] ?? openedMarketMs);
  return readHeldPrices(market, quote, curve[0]?.[0] ?? last, last);
}

export async function loadAnalytics(
  deps: TradingDeps,
  uid: string,
  account?: number,
): Promise<AnalyticsFacts> {
  const plan = await readPlan(deps.database.db, uid);
  return deps.database.transaction(async (tx) => {
    const facts = await loadPortfolioIn(tx, deps, uid, account);
    return {
      account: facts,
      days: await readDays(tx.db, facts.shown.id),
      held: await readHeldSpans(tx.db, facts.shown.id),
      plan,
    };
  });
}

/** At present prices. */
export function analyticsFrom(
  deps: Pick<TradingDeps, 'market' | 'clock'>,
  { account, days, held, plan }: AnalyticsFacts,
  prices: HeldPrices,
): Analytics {
  const portfolio = portfolioFrom(deps, account);
  const whole = {
    ...measured(portfolio, days, held),
    ...besideHeld(portfolio, prices),
    depth: 'read' as const,
  };
  return tierPermits(tierOfPlan(plan, deps.clock.now()), 'analytics', 'read')
    ? whole
    : viewOf(whole);
}

function besideHeld(
  { quote, equityCurve, asOf, equity }: Portfolio,
  prices: HeldPrices,
): Pick<Analytics, 'benchmark' | 'benchmarkUnread'> {
  if (prices === 'unread') return { benchmark: null, benchmarkUnread: true };
  const curve = [...equityCurve, [asOf, equity] as const];
  return { benchmark: prices === null ? null : benchmarkOf(quote, curve, prices) };
}

const number = (text: string): number => toNumber(parseFixed(text));

function measured(
  portfolio: Portfolio,
  days: AccountDays,
  held: HeldSpans,
): Omit<Analytics, 'benchmark' | 'benchmarkUnread' | 'depth'> {
  const daily = dailyOf(days, held.spans, portfolio);
  const age = ageOf(daily);
  const time = exposureAt(held, portfolio.asOf);
  const equity = [
    ...(days.first === null ? [] : [[days.first[0], number(days.first[1])] as const]),
    // Today ends now: a part of a day is no whole one in the growth of a year.
    ...daily.map(
      (day) =>
        [
          Math.min(day.start + DAY_MS, Math.max(day.start + 1, portfolio.asOf)),
          number(day.closing),
        ] as const,
    ),
  ];
  const metrics = metricsOf({
    equity,
    results: days.sells.map(number),
    exposedMs: time.exposed,
    totalMs: time.total,
    traded: number(days.traded),
  });
  return {
    quote: portfolio.quote,
    asOf: portfolio.asOf,
    book: portfolio.book,
    trades: days.fills.reduce((all, { trades }) => all + trades, 0),
    sells: days.sells.length,
    days: age,
    traded: formatFixed(parseFixed(days.traded)),
    metrics: age >= YEARLY_LEAST_DAYS ? metrics : { ...metrics, ...NOT_YEARLY },
    equity: portfolio.equityCurve,
    daily,
    perHour: days.hours,
    ...breakdowns(portfolio),
  };
}

/** UTC days since the account began, whether or not each is known. */
function ageOf(daily: readonly DayResult[]): number {
  const [begun, now] = [daily[0], daily.at(-1)];
  return begun === undefined || now === undefined ? 0 : (now.start - begun.start) / DAY_MS + 1;
}

const NOT_YEARLY = {
  cagr: null,
  volatility: null,
  sharpe: null,
  sortino: null,
  calmar: null,
} as const;

/**
 * Every day whose end is known; the last ends at what the account is worth now. An account at rest
 * has no marks: a day on which it held nothing and traded nothing ends as it began. Fills of days
 * that are not known (the server was down) count to the next one, so that all days together are all
 * there is.
 */
export function dailyOf(
  { first, closings, fills }: Pick<AccountDays, 'first' | 'closings' | 'fills'>,
  spans: HeldSpans['spans'],
  { asOf, equity }: Pick<Portfolio, 'asOf' | 'equity'>,
): DayResult[] {
  if (first === null) return [];
  const dayOf = (at: number): number => Math.ceil(at / DAY_MS) - 1;
  const begun = Math.floor(first[0] / DAY_MS);
  const marked = new Map<number, { equity: string; at?: number }>(
    closings.map(([at, text]) => [Math.max(dayOf(at), begun), { equity: text, at }]),
  );
  // A mark may already stand in the day after: at 00:00 sharp, or made by a process whose clock is
  // a little ahead.
  const last = Math.max(begun, dayOf(asOf), ...marked.keys());
  marked.set(last, { equity });
  const waiting = [...fills].sort((a, b) => a.day - b.day);
  const isHeldAt = holding(spans);
  let [openingAt, opening] = [first[0], parseFixed(first[1])];
  const days: DayResult[] = [];
  for (let day = begun; day <= last; day += 1) {
    // The last day takes what is left: a fill of this very moment may be dated a little after the
    // mark.
    const later = day === last ? -1 : waiting.findIndex((one) => one.day > day);
    const due = later === -1 ? waiting.length : later;
    // What was held at the mark before is held at the end of a day without trades.
    const rests = due === 0 && !isHeldAt((day + 1) * DAY_MS);
    const mark = marked.get(day) ?? (rests ? { equity: formatFixed(opening) } : undefined);
    if (mark === undefined) continue;
    const mine = waiting.splice(0, due);
    const closing = parseFixed(mark.equity);
    const realized = sum(mine.map((one) => parseFixed(one.realized)));
    days.push({
      start: day * DAY_MS,
      opening: formatFixed(opening),
      ...(openingAt > day * DAY_MS ? {} : { openingAt }),
      closing: formatFixed(closing),
      ...(mark.at === undefined ? {} : { closingAt: mark.at }),
      realized: formatFixed(realized),
      unrealizedChange: formatFixed(subtract(subtract(closing, opening), realized)),
      fees: formatFixed(sum(mine.map((one) => parseFixed(one.fees)))),
      trades: mine.reduce((all, one) => all + one.trades, 0),
    });
    [openingAt, opening] = [mark.at ?? openingAt, closing];
  }
  return days;
}

/** By agent and by pair; each adds up to the account's realised, unrealised and fees. */
function breakdowns({
  results = [],
  positions,
}: Portfolio): Pick<Analytics, 'perAgent' | 'perPair'> {
  const names = new Map(
    [...positions, ...results].map(({ agentId, agentName }) => [agentId, agentName]),
  );
  const rows = results.flatMap(({ agentId, pairs }) => pairs.map((row) => ({ agentId, ...row })));
  const group = (mine: typeof rows, held: Portfolio['positions']) => ({
    trades: mine.reduce((all, row) => all + row.trades, 0),
    realized: formatFixed(sum(mine.map((row) => parseFixed(row.realized)))),
    unrealized: formatFixed(unrealizedOf(held)),
    fees: formatFixed(mine.reduce((all, row) => add(all, parseFixed(row.fees)), ZERO)),
  });
  return {
    perAgent: [...names].map(([agentId, agentName]) => ({
      agentId,
      agentName,
      ...group(
        rows.filter((row) => row.agentId === agentId),
        positions.filter((held) => held.agentId === agentId),
      ),
    })),
    perPair: [...new Set([...rows, ...positions].map(({ pair }) => pair))].sort().map((pair) => ({
      pair,
      ...group(
        rows.filter((row) => row.pair === pair),
        positions.filter((held) => held.pair === pair),
      ),
    })),
  };
}

/** What a plan without the full depth has. The server keeps the rest to itself. */
function viewOf(whole: Analytics): Analytics {
  const { totalReturn, maxDrawdown, winRate, profitFactor } = whole.metrics;
  const none: Metrics = {
    ...NOT_YEARLY,
    totalReturn,
    maxDrawdown,
    winRate,
    profitFactor,
    expectancy: null,
    exposure: null,
    turnover: null,
  };
  return {
    ...whole,
    depth: 'view',
    metrics: none,
    daily: lastDays(whole.daily ?? [], ANALYTICS_VIEW_DAYS),
    perHour: [],
    perAgent: [],
    perPair: [],
  };
}

/**
 * A mark has in it what was decided until then: the mark of a close is written once all its trades
 * are, however long after the close they were filled. What was decided after the last mark of its
 * day, such as a stop that was missed, is in a mark of a later day.
 */
async function readDays(db: Db, accountId: string): Promise<AccountDays> {
  const mine = sql`account_id = ${accountId}`;
  const [row] = await rowsOf<{ days: string }>(
    db,
    sql`
    with closing as (
      select day, mark.at_market_ms as at, mark.equity
      from (select min(at_market_ms) as first, max(at_market_ms) as last from equity_points where ${mine}) known
      cross join lateral generate_series((first - 1) / ${DAY_MS}::bigint, (last - 1) / ${DAY_MS}::bigint) as day
      cross join lateral (select at_market_ms, equity from equity_points where ${mine} and at_market_ms > day * ${DAY_MS}::bigint
        and at_market_ms <= (day + 1) * ${DAY_MS}::bigint order by at_market_ms desc limit 1) mark
    )
    select json_build_object(
      'first', (select json_build_array(at_market_ms, equity::text) from equity_points where ${mine} order by at_market_ms limit 1),
      'closings', coalesce((select json_agg(json_build_array(at, equity::text) order by at) from closing), '[]'::json),
      'fills', coalesce((select json_agg(json_build_object('day', day, 'trades', trades, 'realized', realized::text, 'fees', fees::text) order by day) from (
        select decided.day + case when closing.at < decided_market_ms then 1 else 0 end as day,
          count(*)::int as trades, coalesce(sum(realized), 0) as realized, sum(fee) as fees
        from fills cross join lateral (select (decided_market_ms - 1) / ${DAY_MS}::bigint as day) decided
        left join closing on closing.day = decided.day
        where ${mine} group by 1) summed), '[]'::json),
      'hours', coalesce((select json_agg(json_build_object('hour', hour, 'sells', sells, 'wins', wins, 'realized', trim_scale(realized)::text) order by hour) from (
        select (filled_market_ms / ${HOUR_MS}::bigint % 24)::int as hour, count(*)::int as sells, (count(*) filter (where realized > 0))::int as wins, sum(realized) as realized
        from fills where ${mine} and realized is not null group by 1) closed), '[]'::json),
      'sells', coalesce((select json_agg(realized::text order by filled_market_ms, id) from fills where ${mine} and realized is not null), '[]'::json),
      'traded', coalesce((select sum(notional) from fills where ${mine}), 0)::text
    )::text as days`,
  );
  if (row === undefined) throw new Error('The days of an account could not be read');
  return JSON.parse(row.days) as AccountDays;
}
