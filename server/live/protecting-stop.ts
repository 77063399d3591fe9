/** Whether a stop at the exchange is what guards a position now, or did and is gone. */
import { and, eq, isNull } from 'drizzle-orm';
import { parseFixed, type Fixed } from '../../contract/money.ts';
import { hasEnded, type LiveOrder } from '../../engine/orders/live-order.ts';
import { saleExposure } from '../../engine/orders/stop-plan.ts';
import type { Db } from '../db/database.ts';
import { positions } from '../db/schema.ts';

const isHeld = (agentId: string, symbol: string) =>
  and(eq(positions.agentId, agentId), eq(positions.pair, symbol), isNull(positions.closedMarketMs));

/** How much an agent holds of a pair; null where it holds none. */
export async function readHeld(db: Db, agentId: string, symbol: string): Promise<Fixed | null> {
  const [held] = await db
    .select({ quantity: positions.quantity })
    .from(positions)
    .where(isHeld(agentId, symbol));
  return held === undefined ? null : parseFixed(held.quantity);
}

/** What an agent holds of a pair, and at what price it is to be sold; null where there is no such price. */
export async function readGuarded(
  db: Db,
  agentId: string,
  symbol: string,
): Promise<{ id: string; quantity: string; stopPrice: string } | null> {
  const [held] = await db
    .select({ id: positions.id, quantity: positions.quantity, stopPrice: positions.stopPrice })
    .from(positions)
    .where(isHeld(agentId, symbol));
  return held === undefined || held.stopPrice === null
    ? null
    : { id: held.id, quantity: held.quantity, stopPrice: held.stopPrice };
}

/**
 * Not where the position is gone or has no stop price any more, as when live trading was ended, and
 * not where the agent has more on sale than it holds. `orders`: those of the connection that live.
 */
export async function isProtecting(
  db: Db,
  { intent: { type, side, agentId, symbol } }: LiveOrder,
  orders: readonly LiveOrder[],
): Promise<boolean> {
  if (type !== 'stop' || side !== 'sell') return false;
  const held = await readGuarded(db, agentId, symbol);
  if (held === null) return false;
  const sent = orders.filter(
    ({ intent, sentAtMs }) => intent.symbol === symbol && sentAtMs !== null,
  );
  return saleExposure(agentId, sent) <= parseFixed(held.quantity);
}

/** For certain, and not by its sale. Of one that is only not found the exchange has said nothing. */
export const isLost = (order: LiveOrder): boolean =>
  order.intent.type === 'stop' &&
  hasEnded(order) &&
  order.state !== 'filled' &&
  (order.ending === 'exchange' || order.ending === 'rejected' || order.ending === 'refused');
