/** A user's portfolio at current bids: equity = cash + positions, to the last digit. */
import { and, eq, isNull } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import {
  add,
  formatFixed,
  negate,
  parseFixed,
  subtract,
  sum,
  toNumber,
  ZERO,
} from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { BookSummary, DayResult, Portfolio } from '../../contract/trading.ts';
import { CASH, EXTERNAL, FEES, markToMarket } from '../../engine/accounting/ledger.ts';
import { DAY_MS } from '../../engine/execution/schedule.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { accounts } from '../db/schema.ts';
import type { Market } from '../market/market-source.ts';
import { readFacts, type AccountFacts } from './account-facts.ts';
import { closedAccountValue, type AccountValue } from './closed-account.ts';
import { withEquity } from './drawdown.ts';
import { quotesOf, toOpenPosition, toPosition } from './marks.ts';
import { openAccount } from './open-account.ts';

export interface PortfolioDeps {
  database: Database;
  market: Market;
  clock: WallClock;
}

/** What a portfolio is made of; prices are not in it. */
export interface PortfolioFacts {
  shown: AccountFacts;
  /** The open account, where another is shown. */
  open: AccountFacts | null;
}

/**
 * The open account, or another by its number as it stood at its end. One statement: everything in
 * it is of one moment.
 */
export const readPortfolio = async (
  deps: PortfolioDeps,
  uid: string,
  account?: number,
): Promise<Portfolio> => portfolioFrom(deps, await loadPortfolio(deps, uid, account));

/** The same without prices. */
export async function loadPortfolio(
  deps: PortfolioDeps,
  uid: string,
  account?: number,
): Promise<PortfolioFacts> {
  const found = await beside(deps.database.db, deps.market, uid, account);
  return found ?? deps.database.transaction((tx) => loadPortfolioIn(tx, deps, uid, account));
}

/**
 * The same inside a transaction. The open account is held for reading, so that what is read after
 * it is of the same moment even while trades commit beside it.
 */
export const portfolioIn = async (
  tx: Tx,
  deps: Omit<PortfolioDeps, 'database'>,
  uid: string,
  book?: number,
): Promise<Portfolio> => portfolioFrom(deps, await loadPortfolioIn(tx, deps, uid, book));

export async function loadPortfolioIn(
  tx: Tx,
  deps: Omit<PortfolioDeps, 'database'>,
  uid: string,
  book?: number,
): Promise<PortfolioFacts> {
  const { db } = tx;
  const { market } = deps;
  const [held] = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      and(eq(accounts.uid, uid), eq(accounts.source, market.source.id), isNull(accounts.closedAt)),
    )
    .for('share');
  if (held === undefined) await openAccount(tx, uid, market, deps.clock);
  const found = await beside(db, market, uid, book);
  if (found === null) throw new Refusal('not_found', 'Paper account not found.', { field: 'book' });
  return found;
}

async function beside(
  db: Db,
  market: Market,
  uid: string,
  book?: number,
): Promise<PortfolioFacts | null> {
  const read = (number?: number): Promise<AccountFacts | null> =>
    readFacts(db, uid, market.source.id, market.now(), number);
  const shown = await read(book);
  return shown === null ? null : { shown, open: shown.isOpen ? null : await read() };
}

/** The pairs whose prices a portfolio depends on. */
export const pairsPriced = ({ shown, open }: PortfolioFacts): string[] =>
  [shown, ...(open === null ? [] : [open])].flatMap(({ isOpen, positions }) =>
    isOpen ? positions.map(({ pair }) => pair) : [],
  );

/** At present prices. */
export function portfolioFrom(
  { market, clock }: Omit<PortfolioDeps, 'database'>,
  { shown: facts, open }: PortfolioFacts,
): Portfolio {
  const cash = parseFixed(facts.balances[CASH] ?? '0');
  const value = facts.isOpen ? present(market, facts) : closedAccountValue(facts, cash);
  const today = facts.isOpen ? todayOf(facts, value, market.now()) : null;
  const change =
    today === null ? null : subtract(parseFixed(today.closing), parseFixed(today.opening));
  const base = today === null ? ZERO : parseFixed(today.opening);
  return {
    accountId: facts.id,
    book: facts.book,
    paper: true,
    sourceId: facts.source,
    quote: facts.quote,
    sequence: facts.sequence,
    asOf: value.at,
    servedAt: clock.now(),
    cash: formatFixed(cash),
    positionsValue: formatFixed(value.positionsValue),
    equity: formatFixed(value.equity),
    deposits: formatFixed(negate(parseFixed(facts.balances[EXTERNAL] ?? '0'))),
    realized: formatFixed(realizedOf(facts)),
    unrealized: formatFixed(value.unrealized),
    fees: formatFixed(parseFixed(facts.balances[FEES] ?? '0')),
    dayChange: change === null ? null : formatFixed(change),
    dayChangePercent:
      change === null || base <= ZERO
        ? null
        : Number(((toNumber(change) / toNumber(base)) * 100).toFixed(4)),
    inDoubtSince: facts.inDoubtSince,
    today,
    unpriced: value.unpriced,
    positions: value.positions,
    results: facts.results,
    equityCurve: facts.curve,
    drawdown: withEquity(facts.falls, value.equity, value.at),
    books: facts.isOpen
      ? accountSummaries(facts, value.equity)
      : open === null
        ? facts.books
        : accountSummaries(facts, present(market, open).equity),
  };
}

const realizedOf = ({ results }: AccountFacts): Fixed =>
  sum(results.flatMap(({ pairs }) => pairs.map(({ realized }) => parseFixed(realized))));

/** The open account at present bids. */
function present(market: Market, { balances, positions }: AccountFacts): AccountValue {
  const quotes = quotesOf(
    market,
    positions.map((row) => row.pair),
  );
  const { equity, positionsValue, unrealized, unpriced, marks } = markToMarket(
    parseFixed(balances[CASH] ?? '0'),
    positions.map(toOpenPosition),
    quotes,
  );
  const byId = new Map(marks.map((mark) => [mark.id, mark]));
  return {
    at: market.now(),
    equity,
    positionsValue,
    unrealized,
    unpriced,
    positions: positions.map((row) =>
      toPosition(row, row.agentName, byId.get(row.id), quotes.get(row.pair)),
    ),
  };
}

/**
 * What the day has brought so far. What was not realised is the change of what is held: equity is
 * nothing else.
 */
function todayOf(facts: AccountFacts, { equity }: AccountValue, now: number): DayResult | null {
  if (facts.opening === null) return null;
  const opening = parseFixed(facts.opening);
  const realized = parseFixed(facts.today.realized);
  return {
    start: Math.floor(now / DAY_MS) * DAY_MS,
    opening: formatFixed(opening),
    ...(facts.openingAt === null ? {} : { openingAt: facts.openingAt }),
    closing: formatFixed(equity),
    realized: formatFixed(realized),
    unrealizedChange: formatFixed(subtract(subtract(equity, opening), realized)),
    fees: formatFixed(parseFixed(facts.today.fees)),
    trades: facts.today.trades,
  };
}

/** The list of accounts; the open one is worth what it is worth now. */
const accountSummaries = ({ books }: AccountFacts, equity: Fixed): BookSummary[] =>
  books.map((one) => (one.closedAt === null ? { ...one, equity: formatFixed(equity) } : one));

/** What the positions of an account bring together, as far as each is priced. */
export const unrealizedOf = (
  positions: readonly Pick<Portfolio['positions'][number], 'unrealized'>[],
): Fixed =>
  positions.reduce(
    (total, { unrealized }) => (unrealized === null ? total : add(total, parseFixed(unrealized))),
    ZERO,
  );
