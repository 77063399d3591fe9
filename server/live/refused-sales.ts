/** Sales that the signer refuses while no stop at the exchange guards what they sell: the person is told. */
import { and, eq, ne } from 'drizzle-orm';
import { subtract } from '../../contract/money.ts';
import { limitOfStop, stopRoomBps } from '../../contract/stop-limit.ts';
import type { PairRules } from '../../contract/venue.ts';
import type { LiveOrder } from '../../engine/orders/live-order.ts';
import { stopOnTick } from '../../engine/orders/order-size.ts';
import { saleExposure } from '../../engine/orders/stop-plan.ts';
import type { Db, Tx } from '../db/database.ts';
import { liveExits, liveOrders } from '../db/schema-live.ts';
import { lockBooks, type ConnectionRow } from './live-accounts.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { BookDeps, LiveDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import { liveOrdersOf, type StoredOrder } from './order-rows.ts';
import { readHeld } from './protecting-stop.ts';

interface Wish {
  tickId: string;
  /** Null for all of the position. */
  quantity: string | null;
}

async function readWish(db: Db, agentId: string, symbol: string): Promise<Wish | null> {
  const [wish] = await db
    .select({ tickId: liveExits.tickId, quantity: liveExits.quantity })
    .from(liveExits)
    .where(and(eq(liveExits.agentId, agentId), eq(liveExits.symbol, symbol)));
  return wish ?? null;
}

/** Between two sales of what a book can take the signer makes a pause. */
async function isPause(
  db: Db,
  agentId: string,
  symbol: string,
  tickId: string,
  code: string | null,
): Promise<boolean> {
  if (code !== 'busy') return false;
  const [part] = await db
    .select({ id: liveOrders.clientOrderId })
    .from(liveOrders)
    .where(
      and(
        eq(liveOrders.agentId, agentId),
        eq(liveOrders.symbol, symbol),
        eq(liveOrders.tickId, tickId),
        ne(liveOrders.booked, '0'),
      ),
    )
    .limit(1);
  return part !== undefined;
}

/** Whether stops that rest at the exchange sell this much of the position too. */
async function isGuarded(db: Db, { intent }: LiveOrder): Promise<boolean> {
  const { connectionId, agentId, symbol, quantity } = intent;
  const resting = (await liveOrdersOf(db, connectionId))
    .map(({ order }) => order)
    .filter((one) => one.intent.symbol === symbol && one.intent.type === 'stop')
    .filter(({ state }) => state === 'open');
  const held = await readHeld(db, agentId, symbol);
  return held === null || subtract(held, saleExposure(agentId, resting)) < quantity;
}

/**
 * Once for each wish to sell. A stop made way for the sale, of a part too: the stop of the rest does
 * not sell it.
 */
export async function tellRefusedSale(
  tx: Tx,
  deps: BookDeps,
  { order, tickId }: StoredOrder,
): Promise<void> {
  const { intent, ending, code } = order;
  const { connectionId, agentId, symbol, side, type } = intent;
  if (side !== 'sell' || type !== 'market' || ending !== 'refused') return;
  const wish = await readWish(tx.db, agentId, symbol);
  if (wish === null || (await isPause(tx.db, agentId, symbol, tickId, code))) return;
  if (await isGuarded(tx.db, order)) return;
  const isPart = wish.quantity !== null;
  await raiseAlarms(tx, deps, [
    {
      connectionId,
      kind: 'sale_refused',
      about: `${agentId} ${symbol} ${wish.tickId}`,
      detail: { symbol, side, code, ...(isPart ? { isPart } : {}) },
    },
  ]);
}

/**
 * The signer would not sign a sale in place of this stop, so it stays. Above its limit it guards; one
 * whose limit the price fell through sells nothing, and nor does the server: told once for each wish.
 */
export async function tellRefusedBeyondLimit(
  deps: LiveDeps,
  connection: ConnectionRow,
  { intent }: LiveOrder,
  rules: PairRules | null,
  code: string,
): Promise<void> {
  const { connectionId, agentId, symbol, side, stopPrice } = intent;
  const room = stopRoomBps(connection.exchange);
  const bid = deps.market.quote(symbol)?.bid ?? null;
  if (stopPrice === null || rules === null || bid === null) return;
  if (bid >= stopOnTick(limitOfStop(stopPrice, room), rules)) return;
  await deps.database.transaction(async (tx) => {
    await lockBooks(tx, connection, [agentId]);
    const wish = await readWish(tx.db, agentId, symbol);
    if (wish === null || (await isPause(tx.db, agentId, symbol, wish.tickId, code))) return;
    await raiseAlarms(tx, deps, [
      {
        connectionId,
        kind: 'sale_refused',
        about: `${agentId} ${symbol} ${wish.tickId}`,
        detail: { symbol, side, code, hasStop: true },
      },
    ]);
    await publishLive(tx, deps, connection);
  });
}
