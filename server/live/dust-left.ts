/**
 * Leaves dust to the person: their position closes, and the coins stay at the exchange as the
 * person's own. In the transaction that plans the pair, so that it happens once.
 */
import { and, desc, eq, isNull } from 'drizzle-orm';
import { parseFixed } from '../../contract/money.ts';
import { isLeftOver, type LastTrade } from '../../engine/orders/dust.ts';
import { sizeOrder } from '../../engine/orders/order-size.ts';
import type { StopHolder, StopPlanInput } from '../../engine/orders/stop-plan.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import type { Db, Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import { liveOrders, venueFills } from '../db/schema-live.ts';
import { bookWriteOff, rememberLeft } from './book-write-off.ts';
import { isWellKnown, mayHaveUnbooked } from './dust-doubts.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { noteChanged } from './live-news.ts';

/** Sales that are always of all of a position; a strategy may sell a part. */
const OF_ALL: ReadonlySet<string> = new Set(['stop_loss', 'closed', 'liquidated']);

async function lastTradeOf(
  db: Db,
  accountId: string,
  agentId: string,
  symbol: string,
): Promise<LastTrade | null> {
  const [row] = await db
    .select({ side: venueFills.side, price: venueFills.price, cause: liveOrders.cause })
    .from(venueFills)
    .innerJoin(liveOrders, eq(liveOrders.clientOrderId, venueFills.clientOrderId))
    .where(
      and(
        eq(venueFills.accountId, accountId),
        eq(venueFills.agentId, agentId),
        eq(venueFills.symbol, symbol),
      ),
    )
    .orderBy(desc(venueFills.number))
    .limit(1);
  return row === undefined
    ? null
    : {
        side: row.side === 'buy' ? 'buy' : 'sell',
        price: parseFixed(row.price),
        isOfAll: OF_ALL.has(row.cause),
      };
}

/**
 * As far as is known without its trades. Orders that are out may sell of it or bring more, and coins
 * that are missing may come back; without a price nothing is dust.
 */
function mayBeDust({ agentId, held }: StopHolder, input: StopPlanInput): boolean {
  const { bid, rules, missing, orders } = input;
  return (
    bid !== null &&
    missing === 0n &&
    held > 0n &&
    sizeOrder(held, bid, rules).kind === 'dust' &&
    !orders.some(({ intent }) => intent.agentId === agentId)
  );
}

export interface DustLeft {
  /** Agents whose position of the pair was dust, and is closed. */
  left: Set<string>;
  /** Those whose dust waits until the account is compared, and is left for the wish to sell it alone. */
  withheld: Set<string>;
}

/** The account must be locked. `leaving`: agents that are to sell all of it. */
export async function leaveDust(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  symbol: string,
  input: StopPlanInput,
  leaving: ReadonlySet<string>,
): Promise<DustLeft> {
  const left = new Set<string>();
  const withheld = new Set<string>();
  const { bid, rules } = input;
  if (bid === null) return { left, withheld };
  const { accountId } = connection;
  const now = deps.clock.now();
  const small = input.holders.filter((holder) => mayBeDust(holder, input));
  const isKnown = small.length === 0 || (await isWellKnown(tx.db, connection, baseOf(symbol), now));
  for (const { agentId, held } of small) {
    const last = await lastTradeOf(tx.db, accountId, agentId, symbol);
    const isLeaving = leaving.has(agentId);
    if (last === null || !isLeftOver({ held, last, bid, rules, isLeaving })) continue;
    // After a sale of all it is left later without a wish.
    if (!isKnown && !isLeftOver({ held, last, bid, rules, isLeaving: false }))
      withheld.add(agentId);
    // An order held to be nowhere may be found for a week: no wish waits so long, which would keep the
    // agent from the pair, and would sell what is found.
    if (!isKnown || (await mayHaveUnbooked(tx.db, { accountId, agentId, symbol }, now))) continue;
    const [position] = await tx.db
      .select()
      .from(positions)
      .where(
        and(
          eq(positions.accountId, accountId),
          eq(positions.agentId, agentId),
          eq(positions.pair, symbol),
          isNull(positions.closedMarketMs),
        ),
      )
      .for('update');
    if (position === undefined) continue;
    await bookWriteOff(tx, deps, connection, { position, quantity: held, cause: 'dust_left' });
    // A sale is remembered by itself.
    if (last.side === 'buy' && (await isLockedHere(tx, agentId)))
      await rememberLeft(tx, position, deps.market.now());
    left.add(agentId);
  }
  if (left.size > 0) noteChanged(tx);
  return { left, withheld };
}

/** Agents are locked before accounts: one that somebody else holds may wait for this account. */
async function isLockedHere({ db }: Tx, agentId: string): Promise<boolean> {
  const rows = await db
    .select({ id: agents.id })
    .from(agents)
    .where(eq(agents.id, agentId))
    .for('update', { skipLocked: true });
  return rows.length > 0;
}
