/** What stopping means at an exchange: purchases are taken back, and what is held can be sold. */
import { and, eq, inArray } from 'drizzle-orm';
import { hasEnded, LIVE_STATES, type LiveOrder } from '../../engine/orders/live-order.ts';
import type { Tx } from '../db/database.ts';
import { liveOrders } from '../db/schema-live.ts';
import { lockAccount } from '../portfolio/marks.ts';
import { askExit } from './ask-exit.ts';
import { readConnection, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps, LivePort } from './live-deps.ts';
import { liveOrdersOf } from './order-rows.ts';
import { applyEvents } from './order-store.ts';

interface StoppedAgent {
  id: string;
  connectionId: string;
}

/** Asks to cancel what is not bought yet. Stops and sales stay. The account must be locked. */
export async function withdrawPurchases(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  isMeant: (order: LiveOrder) => boolean = () => true,
): Promise<void> {
  for (const stored of await liveOrdersOf(tx.db, connection.id)) {
    const { order } = stored;
    if (order.intent.side !== 'buy' || hasEnded(order) || !isMeant(order)) continue;
    await applyEvents(tx, deps, connection, stored, [
      { kind: 'cancel_asked', atMs: deps.clock.now() },
    ]);
  }
}

/** The purchases of one agent, which must be locked by the caller. */
export async function withdrawEntries(
  tx: Tx,
  deps: BookDeps,
  port: LivePort | null,
  { id, connectionId }: StoppedAgent,
): Promise<void> {
  const connection = await readConnection(tx.db, connectionId);
  if (connection === null) return;
  await lockAccount(tx, connection.accountId);
  await withdrawPurchases(tx, deps, connection, ({ intent }) => intent.agentId === id);
  tx.afterCommit(() => {
    port?.ended(connectionId, id);
    port?.poke(connectionId);
  });
}

/** Pairs of which a purchase of the agent is out, each with the newest one. */
export async function purchasesOut(
  { db }: Pick<Tx, 'db'>,
  { id, connectionId }: StoppedAgent,
): Promise<{ id: string; pair: string }[]> {
  const intents = (await liveOrdersOf(db, connectionId))
    .map(({ order }) => order.intent)
    .filter(({ agentId, side }) => agentId === id && side === 'buy');
  const newest = new Map(intents.map((one) => [one.symbol, one.clientOrderId]));
  return [...newest].map(([pair, clientOrderId]) => ({ id: clientOrderId, pair }));
}

/**
 * Asks to sell positions of an agent, and what purchases that are out may bring; locked like above.
 */
export async function sellHeld(
  tx: Tx,
  deps: BookDeps,
  port: LivePort | null,
  { id: agentId, connectionId }: StoppedAgent,
  held: readonly { id: string; pair: string }[],
): Promise<void> {
  for (const { id, pair } of held)
    await askExit(tx, deps, port, {
      connectionId,
      agentId,
      symbol: pair,
      reason: 'liquidated',
      quantity: null,
      tickId: `liquidate:${id}`,
    });
}

/** Whether any order of the agent has not ended. */
export async function hasLiveOrders(tx: Tx, agentId: string): Promise<boolean> {
  const live = and(eq(liveOrders.agentId, agentId), inArray(liveOrders.state, [...LIVE_STATES]));
  return (await tx.db.$count(liveOrders, live)) > 0;
}
