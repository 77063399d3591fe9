/** A user's closed paper accounts and their final values, which never change. */
import { and, eq } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { parseFixed, subtract, sum } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Position } from '../../contract/trading.ts';
import type { Db } from '../db/database.ts';
import { accounts } from '../db/schema.ts';
import type { AccountFacts } from './account-facts.ts';
import { toPosition } from './marks.ts';
import type { AccountRow } from './open-account.ts';

/** The closed or open account of this number. @throws Refusal `not_found` where there is none. */
export async function accountByNumber(
  db: Db,
  uid: string,
  source: string,
  accountNumber: number,
): Promise<AccountRow> {
  const [account] = await db
    .select()
    .from(accounts)
    .where(
      and(eq(accounts.uid, uid), eq(accounts.source, source), eq(accounts.book, accountNumber)),
    );
  if (account === undefined)
    throw new Refusal('not_found', 'Paper account not found.', { field: 'book' });
  return account;
}

/** What an account is worth, and what it holds. */
export interface AccountValue {
  /** Market clock, ms: when it was valued. */
  at: number;
  equity: Fixed;
  positionsValue: Fixed;
  unrealized: Fixed;
  positions: Position[];
  unpriced: string[];
}

/**
 * What a closed account held at its end. It was valued then as a whole: the single prices are not
 * known any more.
 */
export function closedAccountValue(
  { positions, curve, openedMarketMs }: AccountFacts,
  cash: Fixed,
): AccountValue {
  const end = curve.at(-1);
  const cost = sum(positions.map((row) => parseFixed(row.cost)));
  const positionsValue =
    end === undefined || positions.length === 0 ? cost : subtract(parseFixed(end[1]), cash);
  return {
    at: end?.[0] ?? openedMarketMs,
    equity: sum([cash, positionsValue]),
    positionsValue,
    unrealized: subtract(positionsValue, cost),
    positions: positions.map((row) => toPosition(row, row.agentName, undefined, undefined)),
    // Nothing is valued at cost here: there is one value for all.
    unpriced: [],
  };
}
