/**
 * A live account as the guards of its agents measure it: its cash and what agents hold. Coins that
 * are the person's own are left out.
 */
import { and, eq, inArray } from 'drizzle-orm';
import { negate, parseFixed, ZERO, type Fixed } from '../../contract/money.ts';
import { CASH, EXTERNAL, markToMarket } from '../../engine/accounting/ledger.ts';
import type { AccountWorth } from '../../engine/execution/agent-memory.ts';
import type { OpenPosition } from '../../engine/execution/agent-types.ts';
import type { Db } from '../db/database.ts';
import { accounts, balances } from '../db/schema.ts';
import { liveConnections } from '../db/schema-live.ts';
import type { Market } from '../market/market-source.ts';
import { openPositionsOf, quotesOf, toOpenPosition } from '../portfolio/marks.ts';

/** Without prices. */
export interface GuardedAccount {
  cash: Fixed;
  /** Cash that came from outside so far, less what went there. */
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
  return new Map(
    known.map(({ connectionId, accountId, quote }) => {
      const inBucket = (bucket: string): Fixed => {
        const row = money.find(
          (one) => one.accountId === accountId && one.bucket === bucket && one.asset === quote,
        );
        return row === undefined ? ZERO : parseFixed(row.amount);
      };
      const positions = held.filter((row) => row.accountId === accountId).map(toOpenPosition);
      return [
        connectionId,
        { cash: inBucket(CASH), outsideCash: negate(inBucket(EXTERNAL)), positions },
      ];
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
