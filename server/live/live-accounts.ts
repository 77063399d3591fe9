/** Connections and the live accounts that keep their books. */
import { and, asc, eq, inArray, isNull, like } from 'drizzle-orm';
import type { LiveExchange } from '../../contract/signer.ts';
import { parseFixed, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { VenueAbilities } from '../../contract/venue.ts';
import { CASH } from '../../engine/accounting/ledger.ts';
import { orderPolicy, type OrderPolicy } from '../../engine/orders/live-order.ts';
import type { Db, Tx } from '../db/database.ts';
import { accounts, agents, balances } from '../db/schema.ts';
import { liveConnections, liveMarks } from '../db/schema-live.ts';
import { lockAccount } from '../portfolio/marks.ts';

export type ConnectionRow = Omit<
  typeof liveConnections.$inferSelect,
  'exchange' | 'state' | 'abilities'
> & {
  exchange: LiveExchange;
  state: 'open' | 'ended';
  abilities: VenueAbilities;
};

export const asConnection = (row: typeof liveConnections.$inferSelect): ConnectionRow =>
  row as ConnectionRow;

/** Nothing can be sold or asked for any more; what is held is the person's to sell. */
export const KEY_GONE =
  'Tradewind keeps no key of this exchange account any more. Sell at the exchange yourself.';

/** The source of a live account's row: no market source is called so. */
export const liveSource = (connectionId: string): string => `live:${connectionId}`;
export const isLiveSource = (source: string): boolean => source.startsWith('live:');

export const policyOf = ({ abilities }: Pick<ConnectionRow, 'abilities'>): OrderPolicy =>
  orderPolicy(abilities);

export async function readConnection(db: Db, id: string): Promise<ConnectionRow | null> {
  const [row] = await db.select().from(liveConnections).where(eq(liveConnections.id, id));
  return row === undefined ? null : asConnection(row);
}

export async function openConnections(db: Db): Promise<ConnectionRow[]> {
  const rows = await db
    .select()
    .from(liveConnections)
    .where(eq(liveConnections.state, 'open'))
    .orderBy(asc(liveConnections.id));
  return rows.map(asConnection);
}

export async function connectionsOf(db: Db, uid: string): Promise<ConnectionRow[]> {
  const rows = await db
    .select()
    .from(liveConnections)
    .where(eq(liveConnections.uid, uid))
    .orderBy(asc(liveConnections.createdAt));
  return rows.map(asConnection);
}

/**
 * Locks what booking changes, in the order in which everybody does: agents, then the account. Agents
 * because a sale is remembered by the one that sold.
 */
export async function lockBooks(
  tx: Tx,
  { id, accountId }: Pick<ConnectionRow, 'id' | 'accountId'>,
  agentIds: readonly string[] | 'all',
): Promise<void> {
  const wanted =
    agentIds === 'all' ? eq(agents.connectionId, id) : inArray(agents.id, [...agentIds]);
  if (agentIds === 'all' || agentIds.length > 0)
    await tx.db
      .select({ id: agents.id })
      .from(agents)
      .where(wanted)
      .orderBy(asc(agents.id))
      .for('update');
  await lockAccount(tx, accountId);
}

export interface Owned {
  /** Cash and holdings by coin: what is at the exchange, as the ledger says. */
  all: Map<string, Fixed>;
  cash: Map<string, Fixed>;
  /** What agents hold, by coin. */
  holdings: Map<string, Fixed>;
}

export async function ownedBy(db: Db, accountId: string): Promise<Owned> {
  const rows = await db
    .select({ bucket: balances.bucket, asset: balances.asset, amount: balances.amount })
    .from(balances)
    .where(eq(balances.accountId, accountId));
  const owned: Owned = { all: new Map(), cash: new Map(), holdings: new Map() };
  const put = (map: Map<string, Fixed>, asset: string, amount: Fixed): void => {
    map.set(asset, ((map.get(asset) ?? ZERO) + amount) as Fixed);
  };
  for (const { bucket, asset, amount } of rows) {
    const isHolding = bucket.startsWith('holding:');
    if (bucket !== CASH && !isHolding) continue;
    put(owned.all, asset, parseFixed(amount));
    put(isHolding ? owned.holdings : owned.cash, asset, parseFixed(amount));
  }
  return owned;
}

/** By coin, what the exchange holds back for orders that are not ours, as last read. */
export async function heldElsewhereOf(db: Db, connectionId: string): Promise<Map<string, Fixed>> {
  const [row] = await db
    .select({ held: liveMarks.heldElsewhere })
    .from(liveMarks)
    .where(eq(liveMarks.connectionId, connectionId));
  const held = Object.entries((row?.held ?? {}) as Record<string, string>);
  return new Map(held.map(([asset, amount]) => [asset, parseFixed(amount)]));
}

/** The open live accounts of these people. */
export async function openLiveAccounts(
  db: Db,
  uids: readonly string[],
): Promise<(typeof accounts.$inferSelect)[]> {
  return db
    .select()
    .from(accounts)
    .where(
      and(
        inArray(accounts.uid, [...uids]),
        like(accounts.source, liveSource('%')),
        isNull(accounts.closedAt),
      ),
    );
}
