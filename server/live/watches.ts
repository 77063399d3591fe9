/** Stops that the server watches itself, and which those are while the rules of a pair are not known. */
import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { parseFixed, subtract, sum } from '../../contract/money.ts';
import { openQuantity } from '../../engine/orders/live-order.ts';
import type { WatchAction } from '../../engine/orders/stop-plan.ts';
import type { Db } from '../db/database.ts';
import { positions } from '../db/schema.ts';
import { liveExits } from '../db/schema-live.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { liveOrdersOf } from './order-rows.ts';

/** A stop that the server has to watch, because it cannot rest at the exchange. */
export type Watch = WatchAction & {
  symbol: string;
  positionId: string;
};

/**
 * Each position with a stop price, at that price, as far as no stop rests for it. A sale that is
 * asked for waits for the rules, wherever the price goes; one that is waiting is not asked for again.
 */
export async function watchesWithoutRules(
  db: Db,
  { id, accountId }: ConnectionRow,
  symbol: string,
): Promise<Watch[]> {
  const held = await db
    .select({
      agentId: positions.agentId,
      positionId: positions.id,
      quantity: positions.quantity,
      stopPrice: positions.stopPrice,
    })
    .from(positions)
    .leftJoin(
      liveExits,
      and(
        eq(liveExits.agentId, positions.agentId),
        eq(liveExits.symbol, positions.pair),
        isNull(liveExits.quantity),
      ),
    )
    .where(
      and(
        eq(positions.accountId, accountId),
        eq(positions.pair, symbol),
        isNull(positions.closedMarketMs),
        isNotNull(positions.stopPrice),
        isNull(liveExits.agentId),
      ),
    );
  if (held.length === 0) return [];
  const resting = (await liveOrdersOf(db, id))
    .map(({ order }) => order)
    .filter(({ intent, state }) => intent.type === 'stop' && state === 'open')
    .filter(({ intent }) => intent.symbol === symbol);
  return held.flatMap(({ agentId, positionId, quantity, stopPrice }): Watch[] => {
    if (stopPrice === null) return [];
    const owned = parseFixed(quantity);
    const own = resting.filter(({ intent }) => intent.agentId === agentId);
    const lacking = subtract(owned, sum(own.map(openQuantity)));
    if (lacking <= 0n) return [];
    const why = 'pending';
    const of = { agentId, symbol, positionId, owned, why } as const;
    return [{ kind: 'watch', ...of, quantity: lacking, stopPrice: parseFixed(stopPrice) }];
  });
}
