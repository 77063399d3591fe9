/** A person's paper books: the list of them, and a closed one as it stood at its end; refuses to price it afresh. */
import { and, asc, desc, eq, gt, sql } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { formatFixed, parseFixed, subtract, sum } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { BookSummary, Position } from '../../contract/trading.ts';
import type { Db } from '../db/database.ts';
import { accounts, equityPoints, positions } from '../db/schema.ts';
import { toPositions } from './marks.ts';
import type { Market } from '../market/market.ts';
import type { AccountRow } from './open-account.ts';

/** The closed or open book of this number. @throws Refusal `not_found` where there is none. */
export async function bookOf(db: Db, uid: string, source: string, book: number): Promise<AccountRow> {
  const [account] = await db.select().from(accounts).where(and(eq(accounts.uid, uid), eq(accounts.source, source), eq(accounts.book, book)));
  if (account === undefined) throw new Refusal('not_found', 'There is no such book.', { field: 'book' });
  return account;
}

/** Every book, oldest first, with its last equity; the open one has what is given for it. */
export async function listBooks(db: Db, open: AccountRow, equity: Fixed): Promise<BookSummary[]> {
  const last = db.select({ equity: equityPoints.equity }).from(equityPoints)
    .where(eq(equityPoints.accountId, accounts.id)).orderBy(desc(equityPoints.atMarketMs)).limit(1);
  const rows = await db.select({ id: accounts.id, book: accounts.book, openedAt: accounts.openedAt, closedAt: accounts.closedAt, equity: sql<string | null>`(${last})` })
    .from(accounts).where(and(eq(accounts.uid, open.uid), eq(accounts.source, open.source))).orderBy(asc(accounts.book));
  return rows.map(({ id, book, openedAt, closedAt, equity: kept }) => ({
    book, openedAt, closedAt, equity: id === open.id ? formatFixed(equity) : kept === null ? null : formatFixed(parseFixed(kept)),
  }));
}

/** What a book is worth, and what it holds. */
export interface BookValue {
  /** Market clock, ms: when it was valued. */
  at: number;
  equity: Fixed;
  positionsValue: Fixed;
  unrealized: Fixed;
  positions: Position[];
  unpriced: string[];
}

/** What a closed book held at its end. It was valued then as a whole: the single prices are not known any more. */
export async function closedBook(db: Db, market: Market, account: AccountRow, cash: Fixed): Promise<BookValue> {
  const rows = await db.select().from(positions).where(and(eq(positions.accountId, account.id), gt(positions.quantity, '0'))).orderBy(asc(positions.openedMarketMs), asc(positions.id));
  const [end] = await db.select().from(equityPoints).where(eq(equityPoints.accountId, account.id)).orderBy(desc(equityPoints.atMarketMs)).limit(1);
  const cost = sum(rows.map((row) => parseFixed(row.cost)));
  const positionsValue = end === undefined || rows.length === 0 ? cost : subtract(parseFixed(end.equity), cash);
  const shown = await toPositions(db, market, rows);
  return {
    at: end?.atMarketMs ?? account.openedMarketMs,
    equity: sum([cash, positionsValue]), positionsValue, unrealized: subtract(positionsValue, cost),
    positions: shown.map((position) => ({ ...position, price: null, priceAt: null, value: null, unrealized: null })),
    unpriced: [...new Set(rows.map((row) => row.pair))],
  };
}
