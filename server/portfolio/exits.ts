/**
 * Sells whole positions outside an agent's evaluation: a user's close, a liquidation or a stop
 * loss. Sells once.
 */
import { and, eq, isNull } from 'drizzle-orm';
import type { Fill } from '../../contract/trading.ts';
import { rememberExit } from '../../engine/execution/agent-memory.ts';
import type { Depth, Quote } from '../../engine/market-types.ts';
import type { TradingDeps } from '../trading-deps.ts';
import type { Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import type { Venue } from '../venues/venue.ts';
import { recordTrades, type PositionRow } from './record-trades.ts';
import { toFill } from './fills-view.ts';
import { toOpenPosition } from './marks.ts';

export interface Exit {
  position: PositionRow;
  quote: Quote;
  depth: Depth;
  reason: 'closed' | 'liquidated' | 'stop_loss';
  /** Unique for the position, so that a repeat is refused by the database: `stop:<id>`. */
  tickId: string;
}

/**
 * The open position under lock, or null where it is closed. The account must be locked before it.
 */
export async function lockOpenPosition(tx: Tx, id: string): Promise<PositionRow | null> {
  const [row] = await tx.db
    .select()
    .from(positions)
    .where(and(eq(positions.id, id), isNull(positions.closedMarketMs)))
    .for('update');
  return row ?? null;
}

/**
 * Records the sale, lets the agent remember it, and tells the person. Null where the market no
 * longer offers the pair. Agent, account and position must be locked by the caller, in this order.
 */
export async function sellPosition(
  tx: Tx,
  deps: TradingDeps,
  venue: Venue,
  uid: string,
  exit: Exit,
): Promise<Fill | null> {
  const { position, quote, tickId, reason } = exit;
  const trade = venue.sell(toOpenPosition(position), quote, exit.depth, reason);
  if (trade === null) return null;
  const [recorded] = await recordTrades(tx, [
    {
      accountId: position.accountId,
      agentId: position.agentId,
      positionId: position.id,
      tickId,
      decidedAt: quote.at,
      trade,
    },
  ]);
  if (recorded === undefined) throw new Error('A sale was not recorded');
  const [agent] = await tx.db
    .select({ memory: agents.memory, name: agents.name })
    .from(agents)
    .where(eq(agents.id, position.agentId));
  if (agent !== undefined) {
    const memory = rememberExit(agent.memory as Record<string, unknown>, {
      pair: position.pair,
      at: quote.at,
      stop: reason === 'stop_loss',
    });
    await tx.db.update(agents).set({ memory }).where(eq(agents.id, position.agentId));
  }
  const fill = toFill(recorded.fill, agent?.name ?? '');
  await deps.events.append(tx, uid, [
    { type: 'fill.recorded', fill },
    { type: 'portfolio.changed' },
  ]);
  return fill;
}
