/** A position whose sale the signer refused while no stop of it rests at the exchange: the person is told. */
import { and, eq, isNull, ne } from 'drizzle-orm';
import type { Tx } from '../db/database.ts';
import { liveExits, liveOrders } from '../db/schema-live.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { BookDeps } from './live-deps.ts';
import type { StoredOrder } from './order-rows.ts';

/** Once for each wish to sell all of a position. Whatever is tried again, nothing guards it meanwhile. */
export async function tellRefusedSale(
  tx: Tx,
  deps: BookDeps,
  { order: { intent, ending, code }, tickId }: StoredOrder,
): Promise<void> {
  const { connectionId, agentId, symbol, side, type } = intent;
  if (side !== 'sell' || type !== 'market' || ending !== 'refused') return;
  const ofPair = and(eq(liveOrders.agentId, agentId), eq(liveOrders.symbol, symbol));
  const [wish] = await tx.db
    .select({ tickId: liveExits.tickId })
    .from(liveExits)
    .where(
      and(eq(liveExits.agentId, agentId), eq(liveExits.symbol, symbol), isNull(liveExits.quantity)),
    );
  const [stop] = await tx.db
    .select({ id: liveOrders.clientOrderId })
    .from(liveOrders)
    .where(and(ofPair, eq(liveOrders.type, 'stop'), eq(liveOrders.state, 'open')))
    .limit(1);
  if (wish === undefined || stop !== undefined) return;
  // Between two sales of what a book can take the signer makes a pause.
  const [part] =
    code === 'busy'
      ? await tx.db
          .select({ id: liveOrders.clientOrderId })
          .from(liveOrders)
          .where(and(ofPair, eq(liveOrders.tickId, tickId), ne(liveOrders.booked, '0')))
          .limit(1)
      : [];
  if (part !== undefined) return;
  await raiseAlarms(tx, deps, [
    {
      connectionId,
      kind: 'sale_refused',
      about: `${agentId} ${symbol} ${wish.tickId}`,
      detail: { symbol, side, code },
    },
  ]);
}
