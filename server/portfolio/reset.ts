/** Begins a new paper account and closes the old one, which stays readable. Nothing is erased. */
import { and, count, eq, gt, isNull, min } from 'drizzle-orm';
import type { TradingDeps } from '../trading-deps.ts';
import { lockOwnAgents } from '../agents/read-agents.ts';
import { deleteBacktestRecords } from '../agents/backtest-records.ts';
import { stopForNewAccount } from '../agents/transitions.ts';
import { formatFixed, ZERO } from '../../contract/money.ts';
import { markToMarket } from '../../engine/accounting/ledger.ts';
import { DAY_MS } from '../../engine/execution/schedule.ts';
import type { Tx } from '../db/database.ts';
import { accounts, equityPoints, positions } from '../db/schema.ts';
import { tooOften } from '../http/allowance.ts';
import { cashOfAccounts, lockAccount, openPositionsOf, quotesOf, toOpenPosition } from './marks.ts';
import { openAccount, openAccountOf, type AccountRow } from './open-account.ts';

/** Each account stays for good, with its deposit, its mark and a line in the list of accounts. */
const RESETS_A_DAY = 20;

/**
 * Stops every agent, closes the account with what it holds at that moment (its positions keep their
 * quantities, so that the old ledger still adds up), and opens the next with a new deposit.
 */
export async function resetAccount(tx: Tx, deps: TradingDeps, uid: string): Promise<AccountRow> {
  const source = deps.market.source.id;
  // Agents before the account: everybody takes them in this order.
  const rows = (await lockOwnAgents(tx, uid, source)).filter(
    // Real money is not begun anew.
    ({ connectionId }) => connectionId === null,
  );
  const old = await openAccountOf(tx.db, uid, source);
  if (old !== null) {
    await lockAccount(tx, old.id);
    await refuseTooMany(tx, deps.clock.now(), uid);
    await keepLastValue(tx, deps, old.id);
    await tx.db
      .update(positions)
      .set({ closedMarketMs: deps.market.now() })
      .where(and(eq(positions.accountId, old.id), isNull(positions.closedMarketMs)));
    await tx.db.update(accounts).set({ closedAt: deps.clock.now() }).where(eq(accounts.id, old.id));
    await deps.events.accountsClosed(tx, [old.id]);
  }
  const fresh = await openAccount(tx, uid, deps.market, deps.clock);
  await deleteBacktestRecords(tx, rows);
  await stopForNewAccount(tx, deps, uid, rows);
  await deps.events.append(tx, uid, [{ type: 'portfolio.changed' }]);
  return fresh;
}

/** Those that began the person anew in the last 24 hours; the caller has their open account. */
async function refuseTooMany(tx: Tx, now: number, uid: string): Promise<void> {
  const since = now - DAY_MS;
  const [made] = await tx.db
    .select({ count: count(), first: min(accounts.openedAt) })
    .from(accounts)
    .where(
      and(
        eq(accounts.uid, uid),
        isNull(accounts.connectionId),
        gt(accounts.book, 1),
        gt(accounts.openedAt, since),
      ),
    );
  if ((made?.count ?? 0) >= RESETS_A_DAY) throw tooOften((made?.first ?? now) - since);
}

/** The last point of the curve: what the account is worth at the moment it is closed. */
async function keepLastValue(tx: Tx, { market }: TradingDeps, accountId: string): Promise<void> {
  const cash = (await cashOfAccounts(tx.db, [accountId])).get(accountId) ?? ZERO;
  const held = await openPositionsOf(tx.db, [accountId]);
  const equity = formatFixed(
    markToMarket(
      cash,
      held.map(toOpenPosition),
      quotesOf(
        market,
        held.map(({ pair }) => pair),
      ),
    ).equity,
  );
  await tx.db
    .insert(equityPoints)
    .values({ accountId, atMarketMs: market.now(), equity })
    .onConflictDoUpdate({
      target: [equityPoints.accountId, equityPoints.atMarketMs],
      set: { equity },
    });
}
