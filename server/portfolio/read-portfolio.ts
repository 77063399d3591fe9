/** A person's portfolio at present bids: equity = cash + positions, to the last digit; refuses to guess a missing price. */
import { and, asc, desc, eq, gte, lte, sql } from 'drizzle-orm';
import { add, formatFixed, negate, parseFixed, subtract, toNumber, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Portfolio } from '../../contract/trading.ts';
import { EXTERNAL, FEES, markToMarket } from '../../engine/ledger.ts';
import { DAY_MS } from '../../engine/schedule.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { accounts, balances, equityPoints, users } from '../db/schema.ts';
import type { Market } from '../market/market.ts';
import { bookOf, closedBook, listBooks, type BookValue } from './books.ts';
import { cashOfAccounts, openPositionsOf, quotesOf, resultsBy, toOpenPosition, toPositions } from './marks.ts';
import { openAccount, type AccountRow } from './open-account.ts';
import { rowsOf } from './sql-rows.ts';

const CURVE_POINTS = 500;

export interface PortfolioDeps {
  database: Database;
  market: Market;
  clock: WallClock;
}

/** The open book, or another by its number as it stood at its end. */
export async function readPortfolio(deps: PortfolioDeps, uid: string, book?: number): Promise<Portfolio> {
  return deps.database.transaction((tx) => portfolioIn(tx, deps, uid, book));
}

/**
 * The same inside a transaction. The account is held for reading, so that cash and positions are of one moment even
 * while trades commit beside it.
 */
export async function portfolioIn(tx: Tx, { market, clock }: Omit<PortfolioDeps, 'database'>, uid: string, book?: number): Promise<Portfolio> {
  const { db } = tx;
  const open = await openAccount(tx, uid, market, clock);
  await db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, open.id)).for('share');
  const account = book === undefined || book === open.book ? open : await bookOf(db, uid, market.source.id, book);
  const closed = account.id === open.id ? null : account;
  const cash = await cashOf(db, account.id);
  const value = closed === null ? await present(db, market, account, cash) : await closedBook(db, market, closed, cash);
  const flows = await flowsOf(db, account);
  const realized = [...(await resultsBy(db, account.id, 'pair')).values()].reduce((total, result) => add(total, result.realized), ZERO);
  const [user] = await db.select({ sequence: users.sequence }).from(users).where(eq(users.uid, uid));
  const dayStart = closed === null ? await equityAtDayStart(db, account.id, market.now()) : null;
  const change = dayStart === null ? null : subtract(value.equity, dayStart);
  return {
    accountId: account.id, book: account.book, paper: true, sourceId: account.source, quote: account.quote,
    sequence: user?.sequence ?? 0, asOf: value.at, servedAt: clock.now(),
    cash: formatFixed(cash), positionsValue: formatFixed(value.positionsValue), equity: formatFixed(value.equity),
    deposits: formatFixed(flows.deposits), realized: formatFixed(realized), unrealized: formatFixed(value.unrealized), fees: formatFixed(flows.fees),
    dayChange: change === null ? null : formatFixed(change),
    dayChangePercent: change === null || dayStart === null || dayStart <= ZERO ? null : Number(((toNumber(change) / toNumber(dayStart)) * 100).toFixed(4)),
    unpriced: value.unpriced, positions: value.positions,
    equityCurve: await equityCurve(db, account.id),
    books: await listBooks(db, open, closed === null ? value.equity : (await present(db, market, open, await cashOf(db, open.id))).equity),
  };
}

const cashOf = async (db: Db, accountId: string): Promise<Fixed> => (await cashOfAccounts(db, [accountId])).get(accountId) ?? ZERO;

/** The open book at present bids. */
async function present(db: Db, market: Market, account: AccountRow, cash: Fixed): Promise<BookValue> {
  const rows = await openPositionsOf(db, [account.id]);
  const { equity, positionsValue, unrealized, unpriced } = markToMarket(cash, rows.map(toOpenPosition), quotesOf(market, rows.map((row) => row.pair)));
  return { at: market.now(), equity, positionsValue, unrealized, unpriced, positions: await toPositions(db, market, rows) };
}

/** What came in from outside, and what was paid in fees, off the ledger's own balances. */
async function flowsOf(db: Db, account: AccountRow): Promise<{ deposits: Fixed; fees: Fixed }> {
  const rows = await db.select().from(balances).where(and(eq(balances.accountId, account.id), eq(balances.asset, account.quote)));
  const of = (bucket: string): Fixed => parseFixed(rows.find((row) => row.bucket === bucket)?.amount ?? '0');
  return { deposits: negate(of(EXTERNAL)), fees: of(FEES) };
}

/** The last equity at or before 00:00 UTC of the market's day; a book opened later in the day begins at its first. */
async function equityAtDayStart(db: Db, accountId: string, now: number): Promise<Fixed | null> {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  const mine = eq(equityPoints.accountId, accountId);
  const [before] = await db.select({ equity: equityPoints.equity }).from(equityPoints)
    .where(and(mine, lte(equityPoints.atMarketMs, midnight))).orderBy(desc(equityPoints.atMarketMs)).limit(1);
  if (before !== undefined) return parseFixed(before.equity);
  const [first] = await db.select({ equity: equityPoints.equity }).from(equityPoints)
    .where(and(mine, gte(equityPoints.atMarketMs, midnight))).orderBy(asc(equityPoints.atMarketMs)).limit(1);
  return first === undefined ? null : parseFixed(first.equity);
}

/** At most `points` marks, evenly taken, the newest always among them. */
export async function equityCurve(db: Db, accountId: string, points = CURVE_POINTS): Promise<[number, string][]> {
  const rows = await rowsOf<{ at: string; equity: string }>(db, sql`
    select at_market_ms::text as at, equity::text as equity from (
      select at_market_ms, equity, row_number() over (order by at_market_ms desc) - 1 as back, count(*) over () as n
      from equity_points where account_id = ${accountId}
    ) marked where back % ceil(n::numeric / ${points}::int) = 0 order by at_market_ms`);
  return rows.map((row) => [Number(row.at), formatFixed(parseFixed(row.equity))]);
}
