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
import { quotesOf, toOpenPosition, toPosition } from './marks.ts';
import { openAccount } from './open-account.ts';

export interface PortfolioDeps {
  database: Database;
  market: Market;
  clock: WallClock;
}

/**
 * The open account, or another by its number as it stood at its end. One statement: everything in
 * it is of one moment.
 */
export async function readPortfolio(
  deps: PortfolioDeps,
  uid: string,
  account?: number,
): Promise<Portfolio> {
  const facts = await factsOf(deps.database.db, deps.market, uid, account);
  if (facts !== null) return portfolioOf(deps.database.db, deps, uid, facts);
  return deps.database.transaction((tx) => portfolioIn(tx, deps, uid, account));
}

/**
 * The same inside a transaction. The open account is held for reading, so that what is read after
 * it is of the same moment even while trades commit beside it.
 */
export async function portfolioIn(
  tx: Tx,
  deps: Omit<PortfolioDeps, 'database'>,
  uid: string,
  book?: number,
): Promise<Portfolio> {
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
  const facts = await factsOf(db, market, uid, book);
  if (facts === null) throw new Refusal('not_found', 'Paper account not found.', { field: 'book' });
  return portfolioOf(db, deps, uid, facts);
}

const factsOf = (
  db: Db,
  market: Market,
  uid: string,
  book?: number,
): Promise<AccountFacts | null> => readFacts(db, uid, market.source.id, market.now(), book);

async function portfolioOf(
  db: Db,
  { market, clock }: Omit<PortfolioDeps, 'database'>,
  uid: string,
  facts: AccountFacts,
): Promise<Portfolio> {
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
    books: facts.isOpen
      ? accountSummaries(facts, value.equity)
      : await summariesBeside(db, market, uid, facts),
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

async function summariesBeside(
  db: Db,
  market: Market,
  uid: string,
  facts: AccountFacts,
): Promise<BookSummary[]> {
  const open = await factsOf(db, market, uid);
  return open === null ? facts.books : accountSummaries(facts, present(market, open).equity);
}

/** What the positions of an account bring together, as far as each is priced. */
export const unrealizedOf = (
  positions: readonly Pick<Portfolio['positions'][number], 'unrealized'>[],
): Fixed =>
  positions.reduce(
    (total, { unrealized }) => (unrealized === null ? total : add(total, parseFixed(unrealized))),
    ZERO,
  );
