/**
 * A live account as the guards of its agents measure it: its cash and what agents hold. Coins that
 * are the person's own are left out.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { add, negate, parseFixed, ZERO, type Fixed } from '../../contract/money.ts';
import { CASH, EXTERNAL, markToMarket } from '../../engine/accounting/ledger.ts';
import type { AccountWorth } from '../../engine/execution/agent-memory.ts';
import type { OpenPosition } from '../../engine/execution/agent-types.ts';
import type { Db } from '../db/database.ts';
import { accounts, balances } from '../db/schema.ts';
import { liveConnections, liveWriteOffs } from '../db/schema-live.ts';
import type { Market } from '../market/market-source.ts';
import { openPositionsOf, quotesOf, toOpenPosition } from '../portfolio/marks.ts';

/** Without prices. */
export interface GuardedAccount {
  cash: Fixed;
  /**
   * Cash that came from outside so far, less what went there, and less what coins were worth that
   * agents gave up: the person had them, whatever they did with them.
   */
  outsideCash: Fixed;
  positions: readonly OpenPosition[];
}

/** By connection. */
export async function loadGuardedAccounts(
  db: Db,
  connectionIds: readonly string[],
): Promise<Map<string, GuardedAccount>> {
  if (connectionIds.length === 0) return new Map();
  const known = await db
    .select({ connectionId: liveConnections.id, accountId: accounts.id, quote: accounts.quote })
    .from(liveConnections)
    .innerJoin(accounts, eq(accounts.id, liveConnections.accountId))
    .where(inArray(liveConnections.id, [...connectionIds]));
  const accountIds = known.map(({ accountId }) => accountId);
  const money = await db
    .select()
    .from(balances)
    .where(
      and(inArray(balances.accountId, accountIds), inArray(balances.bucket, [CASH, EXTERNAL])),
    );
  const held = await openPositionsOf(db, accountIds);
  const givenUp = new Map(
    (
      await db
        .select({
          accountId: liveWriteOffs.accountId,
          worth: sql<string>`sum(${liveWriteOffs.worth})::text`,
        })
        .from(liveWriteOffs)
        .where(inArray(liveWriteOffs.accountId, accountIds))
        .groupBy(liveWriteOffs.accountId)
    ).map(({ accountId, worth }) => [accountId, parseFixed(worth)]),
  );
  return new Map(
    known.map(({ connectionId, accountId, quote }) => {
      const inBucket = (bucket: string): Fixed => {
        const row = money.find(
          (one) => one.accountId === accountId && one.bucket === bucket && one.asset === quote,
        );
        return row === undefined ? ZERO : parseFixed(row.amount);
      };
      const positions = held.filter((row) => row.accountId === accountId).map(toOpenPosition);
      const gone = add(inBucket(EXTERNAL), givenUp.get(accountId) ?? ZERO);
      return [connectionId, { cash: inBucket(CASH), outsideCash: negate(gone), positions }];
    }),
  );
}

export function worthOf(
  { cash, outsideCash, positions }: GuardedAccount,
  market: Market,
): AccountWorth {
  const quotes = quotesOf(
    market,
    positions.map(({ pair }) => pair),
  );
  return { equity: markToMarket(cash, positions, quotes).equity, outsideCash };
}
