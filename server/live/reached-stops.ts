/** Stops that the signer does not place because the market has reached them: sold, once that lasts. */
import { and, count, eq, gte } from 'drizzle-orm';
import { formatFixed, minimum, parseFixed } from '../../contract/money.ts';
import { STOP_REACHED, type PairRules } from '../../contract/venue.ts';
import type { LiveOrder } from '../../engine/orders/live-order.ts';
import { sizeOrder, stopOnTick } from '../../engine/orders/order-size.ts';
import type { Tx } from '../db/database.ts';
import { liveOrders } from '../db/schema-live.ts';
import { askStopLoss } from './ask-exit.ts';
import { noteTooSmall } from './failed-stops.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { readOwned } from './pair-plan.ts';
import { readGuarded } from './protecting-stop.ts';

/** So often within so long: a stop is tried every ten seconds, and its price watched meanwhile. */
const REFUSALS_MOST = 3;
const LATELY_MS = 60_000;

/**
 * The watch sells by the prices of this server, which may come from another exchange, or may have
 * stopped. A stop that rested would have been triggered by those that the signer reads, so the
 * position is sold by them as well. The caller plans the pair.
 */
export async function sellReachedStop(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  { intent, code }: LiveOrder,
  rules: PairRules | null,
): Promise<void> {
  const { agentId, symbol, type, stopPrice } = intent;
  const connectionId = connection.id;
  if (type !== 'stop' || code !== STOP_REACHED || stopPrice === null || rules === null) return;
  const held = await readGuarded(tx.db, agentId, symbol);
  if (held === null || stopOnTick(parseFixed(held.stopPrice), rules) !== stopPrice) return;
  const now = deps.clock.now();
  const [lately] = await tx.db
    .select({ refusals: count() })
    .from(liveOrders)
    .where(
      and(
        eq(liveOrders.agentId, agentId),
        eq(liveOrders.symbol, symbol),
        eq(liveOrders.type, 'stop'),
        eq(liveOrders.code, STOP_REACHED),
        eq(liveOrders.stopPrice, formatFixed(stopPrice)),
        gte(liveOrders.changedAt, now - LATELY_MS),
      ),
    );
  if ((lately?.refusals ?? 0) < REFUSALS_MOST) return;
  const owned = await readOwned(tx.db, connection, { agentId, symbol, rules });
  // The signer has a bid no higher than the stop.
  const bid = minimum(deps.market.quote(symbol)?.bid ?? stopPrice, stopPrice);
  if (sizeOrder(owned, bid, rules).kind === 'dust') {
    const small = { connectionId, agentId, symbol, rules, stopPrice, owned };
    await noteTooSmall(tx, deps, small);
    return;
  }
  await askStopLoss(tx, deps, null, { connectionId, agentId, symbol });
}
