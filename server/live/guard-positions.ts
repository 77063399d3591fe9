/**
 * Gives positions without a stop loss one: what the end of live trading took from them, once their
 * agent runs again.
 */
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { divide, formatFixed, parseFixed, ZERO } from '../../contract/money.ts';
import { stopPriceFor } from '../../engine/execution/stops.ts';
import { EVALUATED_STATUSES } from '../agents/agent-lifecycle.ts';
import { asAgentRow, type AgentRow } from '../agents/read-agents.ts';
import type { Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import type { PositionRow } from '../portfolio/record-trades.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { riskValuesFor } from '../users/user-settings.ts';
import { askStopLoss } from './ask-exit.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import type { StoredOrder } from './order-rows.ts';
import { planPair } from './pair-plan.ts';

type Guarded = Pick<AgentRow, 'id' | 'uid' | 'riskProfile'>;

const isBare = and(isNull(positions.closedMarketMs), isNull(positions.stopPrice));

/**
 * Under the average price paid, as a purchase sets it. What is below it by now is sold: a stop above
 * the market would be triggered at once, without the collar. The caller plans the pairs.
 */
async function giveStops(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  { id: agentId, uid, riskProfile }: Guarded,
  bare: readonly PositionRow[],
): Promise<void> {
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
    if (quote === null || quote.bid > stopPrice) continue;
    await askStopLoss(tx, deps, null, { connectionId: connection.id, agentId, symbol });
  }
}

/** Of an agent that starts. Agent and account must be locked. */
export async function guardPositions(
  tx: Tx,
  deps: TradingDeps,
  connection: ConnectionRow,
  agent: Guarded,
): Promise<void> {
  const bare = await tx.db
    .select()
    .from(positions)
    .where(and(eq(positions.agentId, agent.id), isBare))
    .orderBy(positions.id)
    .for('update');
  if (bare.length === 0) return;
  const port = deps.live ?? null;
  await giveStops(tx, deps, connection, agent, bare);
  for (const { pair } of bare)
    await planPair(tx, deps, connection, pair, port?.rules(connection.exchange, pair) ?? null);
  await publishLive(tx, deps, connection, true);
  tx.afterCommit(() => port?.poke(connection.id));
}

/**
 * Of purchases that were booked just now: one that was out when live trading ended brings no stop,
 * and its agent may have started again before it was found. Of an agent that does not run nothing is
 * guarded. Agents and account must be locked, and the caller plans the pairs.
 */
export async function guardFound(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  booked: readonly StoredOrder[],
): Promise<void> {
  const bought = booked
    .filter(({ protectAt, order: { intent } }) => protectAt === null && intent.side === 'buy')
    .map(({ order }) => order.intent.agentId);
  if (bought.length === 0) return;
  const found = await tx.db
    .select({ agent: agents, position: positions })
    .from(positions)
    .innerJoin(agents, eq(agents.id, positions.agentId))
    .where(
      and(
        inArray(agents.id, [...new Set(bought)]),
        inArray(agents.status, [...EVALUATED_STATUSES]),
        isBare,
      ),
    )
    .orderBy(positions.id)
    .for('update', { of: positions });
  for (const { agent, position } of found)
    await giveStops(tx, deps, connection, asAgentRow(agent), [position]);
}
