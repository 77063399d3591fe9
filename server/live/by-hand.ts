/** What a person does about a live account themselves: sells a position, gives an order up. */
import { and, eq, isNull } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { LiveOrderWire } from '../../contract/live-state.ts';
import { isId } from '../agents/read-agents.ts';
import type { Tx } from '../db/database.ts';
import { positions } from '../db/schema.ts';
import { liveConnections, liveOrders } from '../db/schema-live.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { askExit } from './ask-exit.ts';
import { asConnection, KEY_GONE, lockBooks } from './live-accounts.ts';
import { publishLive } from './live-news.ts';
import { lockOrder } from './order-rows.ts';
import { applyEvents } from './order-store.ts';
import { toOrder } from './read-live.ts';
import { areOrdersUnread } from './unread-orders.ts';

/** The pair whose sale is on its way now. */
export async function closeLivePosition(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  id: string,
): Promise<string> {
  const [found] = !isId(id)
    ? []
    : await tx.db
        .select({ position: positions, connection: liveConnections })
        .from(positions)
        .innerJoin(liveConnections, eq(liveConnections.accountId, positions.accountId))
        .where(and(eq(positions.id, id), eq(liveConnections.uid, uid)));
  if (found === undefined) throw new Refusal('not_found', 'Position not found.');
  if (found.connection.state === 'ended') throw new Refusal('connection_ended', KEY_GONE);
  const { agentId, pair } = found.position;
  await lockBooks(tx, asConnection(found.connection), [agentId]);
  const open = and(eq(positions.id, id), isNull(positions.closedMarketMs));
  if ((await tx.db.$count(positions, open)) === 0)
    throw new Refusal('position_closed', 'This position is already closed.');
  await askExit(tx, deps, deps.live ?? null, {
    connectionId: found.connection.id,
    agentId,
    symbol: pair,
    reason: 'closed',
    tickId: `close:${id}`,
    quantity: null,
  });
  await publishLive(tx, deps, asConnection(found.connection), true);
  return pair;
}

/** Only after minutes, and only an order that nothing else can settle, or that no key can read. */
export async function giveUpOrder(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  clientOrderId: string,
): Promise<LiveOrderWire> {
  const [found] = await tx.db
    .select({ agentId: liveOrders.agentId, connection: liveConnections })
    .from(liveOrders)
    .innerJoin(liveConnections, eq(liveConnections.id, liveOrders.connectionId))
    .where(and(eq(liveOrders.clientOrderId, clientOrderId), eq(liveConnections.uid, uid)));
  if (found === undefined) throw new Refusal('not_found', 'Order not found.');
  const connection = asConnection(found.connection);
  await lockBooks(tx, connection, [found.agentId]);
  const stored = await lockOrder(tx, clientOrderId);
  if (stored === null) throw new Refusal('not_found', 'Order not found.');
  const now = deps.clock.now();
  const isUnread = await areOrdersUnread(tx.db, connection, now);
  const after = await applyEvents(tx, deps, connection, stored, [
    { kind: 'given_up', atMs: now, isUnread },
  ]);
  if (after === stored)
    throw new Refusal(
      'live_orders_open',
      'This order can be given up only after its outcome has been unknown for five minutes, or its key refused for ten.',
    );
  await publishLive(tx, deps, connection);
  const [row] = await tx.db
    .select()
    .from(liveOrders)
    .where(eq(liveOrders.clientOrderId, clientOrderId));
  if (row === undefined) throw new Error('The order is gone');
  return toOrder(row, connection, now);
}
