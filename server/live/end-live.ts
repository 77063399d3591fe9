/** Ends live trading of an account: by one switch, and for good. */
import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { hasEnded } from '../../engine/orders/live-order.ts';
import { EVALUATED_STATUSES } from '../agents/agent-lifecycle.ts';
import { asAgentRow, type AgentRow } from '../agents/read-agents.ts';
import { applyEvent as applyLife, publishChanged } from '../agents/transitions.ts';
import { followLive } from '../agents/twins.ts';
import type { Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import { liveConnections, liveExits, liveOrders } from '../db/schema-live.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { endRow } from './connect.ts';
import { raiseAlarms } from './live-alarms.ts';
import { publishLive } from './live-news.ts';
import { lockBooks, type ConnectionRow } from './live-accounts.ts';
import type { LiveDeps } from './live-deps.ts';
import { liveOrdersOf } from './order-rows.ts';
import { applyEvents } from './order-store.ts';

/**
 * Agents stop, nothing more is bought, and every order of ours is cancelled, stop losses too: what
 * is held is the person's to watch. Orders of the person's own are never touched.
 */
export async function endLiveTrading(
  tx: Tx,
  deps: TradingDeps,
  connection: ConnectionRow,
): Promise<void> {
  await lockBooks(tx, connection, 'all');
  if (connection.state === 'ended') return;
  const running = await tx.db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.connectionId, connection.id),
        inArray(agents.status, [...EVALUATED_STATUSES, 'faulted']),
      ),
    );
  const stopped: AgentRow[] = [];
  for (const row of running) {
    const after = await applyLife(tx, deps, asAgentRow(row), 'stop');
    if (after !== null) stopped.push(after);
  }
  const now = deps.clock.now();
  const wasGuarded = await letGo(tx, connection);
  let isNew = stopped.length > 0 || wasGuarded || connection.entriesOffSince === null;
  for (const stored of await liveOrdersOf(tx.db, connection.id)) {
    if (hasEnded(stored.order)) continue;
    isNew ||= stored.order.cancel === null;
    await applyEvents(tx, deps, connection, stored, [{ kind: 'cancel_asked', atMs: now }]);
  }
  // Pressed again where nothing is left to end, it is the end that there was: it is told once.
  const since = isNew ? now : (connection.entriesOffSince ?? now);
  await tx.db
    .update(liveConnections)
    .set({ entriesOffSince: since })
    .where(eq(liveConnections.id, connection.id));
  const twins = await followLive(tx, deps, stopped, 'stop');
  await publishChanged(tx, deps, connection.uid, [...stopped, ...twins]);
  await raiseAlarms(tx, deps, [
    {
      connectionId: connection.id,
      kind: 'live_ended',
      about: String(since),
      detail: { agents: stopped.length },
    },
  ]);
  await publishLive(tx, deps, connection);
  tx.afterCommit(() => {
    for (const { id } of stopped) deps.live?.ended(connection.id, id);
    deps.live?.poke(connection.id);
  });
}

/** What is to be sold, and every price at which it would be. False where there was none of it. */
async function letGo(
  tx: Tx,
  { id, accountId }: Pick<ConnectionRow, 'id' | 'accountId'>,
): Promise<boolean> {
  const exits = await tx.db
    .delete(liveExits)
    .where(eq(liveExits.connectionId, id))
    .returning({ symbol: liveExits.symbol });
  // Without a price no stop is placed again, at the exchange or here.
  const stops = await tx.db
    .update(positions)
    .set({ stopPrice: null })
    .where(
      and(
        eq(positions.accountId, accountId),
        isNull(positions.closedMarketMs),
        isNotNull(positions.stopPrice),
      ),
    )
    .returning({ id: positions.id });
  // Nor for what a purchase brings that is found later, also one that was held to be none.
  const later = await tx.db
    .update(liveOrders)
    .set({ protectAt: null })
    .where(and(eq(liveOrders.connectionId, id), isNotNull(liveOrders.protectAt)))
    .returning({ id: liveOrders.id });
  return exits.length + stops.length + later.length > 0;
}

export const keyNotDeleted = (): Refusal =>
  new Refusal('signer_unavailable', 'The key could not be deleted now. Try again soon.');

/**
 * The key is deleted and the account closed, for good.
 * @throws Refusal while an agent runs or an order of ours is not known to have ended.
 */
export async function removeConnection(
  tx: Tx,
  deps: LiveDeps,
  connection: ConnectionRow,
): Promise<void> {
  await lockBooks(tx, connection, 'all');
  if (connection.state === 'ended') return;
  const isRunning = and(
    eq(agents.connectionId, connection.id),
    inArray(agents.status, [...EVALUATED_STATUSES]),
    isNull(agents.deletedAt),
  );
  const orders = await liveOrdersOf(tx.db, connection.id);
  if (orders.length > 0 || (await tx.db.$count(agents, isRunning)) > 0)
    throw new Refusal(
      'live_orders_open',
      'End live trading first, and wait until every order has ended at the exchange.',
    );
  await endRow(tx, deps, connection.id);
  // Within the transaction: a key that could not be deleted leaves the connection as it was.
  const answer = await deps.signer
    .ask({ act: 'disconnect', connectionId: connection.id })
    .catch(() => null);
  if (answer === null || (answer.kind === 'refused' && answer.code !== 'no_connection'))
    throw keyNotDeleted();
  await publishLive(tx, deps, connection, true);
}
