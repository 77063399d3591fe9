/**
 * Gives the positions of an agent that starts the stop loss that the end of live trading took from
 * them.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { divide, formatFixed, parseFixed, ZERO } from '../../contract/money.ts';
import { stopPriceFor } from '../../engine/execution/stops.ts';
import type { AgentRow } from '../agents/read-agents.ts';
import type { Tx } from '../db/database.ts';
import { positions } from '../db/schema.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { riskValuesFor } from '../users/user-settings.ts';
import { askExit } from './ask-exit.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { publishLive } from './live-news.ts';
import { planPair } from './pair-plan.ts';

/**
 * Under the average price paid, as a purchase sets it. What is below it by now is sold: a stop above
 * the market would be triggered at once, without the collar. Agent and account must be locked.
 */
export async function guardPositions(
  tx: Tx,
  deps: TradingDeps,
  connection: ConnectionRow,
  { id: agentId, uid, riskProfile }: Pick<AgentRow, 'id' | 'uid' | 'riskProfile'>,
): Promise<void> {
  const bare = await tx.db
    .select()
    .from(positions)
    .where(
      and(
        eq(positions.agentId, agentId),
        isNull(positions.closedMarketMs),
        isNull(positions.stopPrice),
      ),
    )
    .orderBy(positions.id)
    .for('update');
  if (bare.length === 0) return;
  const port = deps.live ?? null;
  const { stopLoss } = await riskValuesFor(tx.db, uid, riskProfile);
  for (const { id, pair: symbol, cost, quantity } of bare) {
    const average = divide(parseFixed(cost), parseFixed(quantity), 'down');
    const stopPrice = stopPriceFor(average, stopLoss);
    // What cost nothing has no price to stop at.
    if (stopPrice <= ZERO) continue;
    await tx.db
      .update(positions)
      .set({ stopPrice: formatFixed(stopPrice) })
      .where(eq(positions.id, id));
    const quote = deps.market.isStale(symbol) ? null : deps.market.quote(symbol);
    if (quote !== null && quote.bid <= stopPrice)
      await askExit(tx, deps, port, {
        connectionId: connection.id,
        agentId,
        symbol,
        reason: 'stop_loss',
        quantity: null,
        tickId: `stop:${agentId}:${deps.clock.now()}`,
      });
    else
      await planPair(
        tx,
        deps,
        connection,
        symbol,
        port?.rules(connection.exchange, symbol) ?? null,
      );
  }
  await publishLive(tx, deps, connection, true);
  tx.afterCommit(() => port?.poke(connection.id));
}
