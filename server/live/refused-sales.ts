/**
 * Sales that the signer refuses, or the exchange rejects again and again, while no stop there guards
 * what they sell: the person is told.
 */
import { and, eq, ne } from 'drizzle-orm';
import { subtract } from '../../contract/money.ts';
import { stopRoomBps } from '../../contract/stop-limit.ts';
import { PAIR_CLOSED_CODES, type PairRules } from '../../contract/venue.ts';
import type { LiveOrder } from '../../engine/orders/live-order.ts';
import { limitOfResting, saleExposure } from '../../engine/orders/stop-plan.ts';
import type { Db, Tx } from '../db/database.ts';
import { liveExits, liveOrders } from '../db/schema-live.ts';
import { lockBooks, type ConnectionRow } from './live-accounts.ts';
import { isRaised, raiseAlarms, type LiveAlarm } from './live-alarms.ts';
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

/** One rejection may be of a moment, and another sale follows ten seconds later. */
const REJECTIONS_MOST = 3;

async function isRejectedOften(db: Db, agentId: string, symbol: string, { tickId }: Wish) {
  const rejections = and(
    eq(liveOrders.agentId, agentId),
    eq(liveOrders.symbol, symbol),
    eq(liveOrders.tickId, tickId),
    eq(liveOrders.side, 'sell'),
    eq(liveOrders.state, 'rejected'),
    ne(liveOrders.ending, 'refused'),
  );
  return (await db.$count(liveOrders, rejections)) >= REJECTIONS_MOST;
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
  const { intent, state, ending, code } = order;
  const { connectionId, agentId, symbol, side, type } = intent;
  if (side !== 'sell' || type !== 'market' || state !== 'rejected') return;
  const isRejected = ending !== 'refused';
  // Of a pair that takes no orders the person is told by itself.
  if (isRejected && PAIR_CLOSED_CODES.has(code ?? '')) return;
  const wish = await readWish(tx.db, agentId, symbol);
  if (wish === null || (await isPause(tx.db, agentId, symbol, tickId, code))) return;
  if (isRejected && !(await isRejectedOften(tx.db, agentId, symbol, wish))) return;
  if (await isGuarded(tx.db, order)) return;
  const isPart = wish.quantity !== null;
  await raiseAlarms(tx, deps, [
    {
      connectionId,
      kind: 'sale_refused',
      about: `${agentId} ${symbol} ${wish.tickId}`,
      detail: {
        symbol,
        side,
        code,
        ...(isPart ? { isPart } : {}),
        ...(isRejected ? { isRejected } : {}),
      },
    },
  ]);
}

/** Whether the bid is below the limit of this stop: there it sells nothing. */
function isBeyondLimit(
  { market }: Pick<LiveDeps, 'market'>,
  { exchange }: ConnectionRow,
  order: LiveOrder,
  rules: PairRules | null,
): boolean {
  const bid = market.quote(order.intent.symbol)?.bid ?? null;
  if (rules === null || bid === null) return false;
  const limit = limitOfResting(order, stopRoomBps(exchange), rules);
  return limit !== null && bid < limit;
}

interface RefusedStop {
  order: LiveOrder;
  rules: PairRules | null;
  /** Why the signer would not sign a sale in its place. */
  code: string;
  /** Asks the exchange about the stop; true where that brought news. */
  lookUp: () => Promise<boolean>;
}

/**
 * The signer would not sign a sale in place of this stop, so it stays. Above its limit it guards; one
 * whose limit the price fell through sells nothing, and nor does the server: told once for each wish.
 * It may have sold on the way down, so the exchange is asked about it before.
 */
export async function tellRefusedBeyondLimit(
  deps: LiveDeps,
  connection: ConnectionRow,
  { order, rules, code, lookUp }: RefusedStop,
): Promise<void> {
  if (!isBeyondLimit(deps, connection, order, rules)) return;
  const { connectionId, agentId, symbol, side } = order.intent;
  const readAlarm = async (db: Db): Promise<LiveAlarm | null> => {
    const wish = await readWish(db, agentId, symbol);
    if (wish === null || (await isPause(db, agentId, symbol, wish.tickId, code))) return null;
    const about = `${agentId} ${symbol} ${wish.tickId}`;
    const detail = { symbol, side, code, hasStop: true };
    return { connectionId, kind: 'sale_refused', about, detail };
  };
  const alarm = await readAlarm(deps.database.db);
  if (alarm === null || (await isRaised(deps.database.db, alarm)) || (await lookUp())) return;
  await deps.database.transaction(async (tx) => {
    await lockBooks(tx, connection, [agentId]);
    const now = await readAlarm(tx.db);
    if (now === null) return;
    await raiseAlarms(tx, deps, [now]);
    await publishLive(tx, deps, connection);
  });
}
