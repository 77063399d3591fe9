/**
 * Sells whole positions outside an agent's evaluation: a user's close, a liquidation or stop
 * losses. Sells once.
 */
import { and, eq, isNull } from 'drizzle-orm';
import type { Fill } from '../../contract/trading.ts';
import { rememberExit } from '../../engine/execution/agent-memory.ts';
import type { Depth, Quote } from '../../engine/market-types.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { updateRows } from '../db/bulk.ts';
import type { Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import type { Venue } from '../venues/venue.ts';
import { recordTrades, type PositionRow, type TradeToRecord } from './record-trades.ts';
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

/** What of an agent a sale reads and changes. */
export type SellingAgent = Pick<typeof agents.$inferSelect, 'id' | 'name' | 'memory'>;

/** Null where the market no longer offers the pair. */
export function exitOf(venue: Venue, exit: Exit): TradeToRecord | null {
  const { position, quote, depth, reason, tickId } = exit;
  const trade = venue.sell(toOpenPosition(position), quote, depth, reason);
  return (
    trade && {
      accountId: position.accountId,
      agentId: position.agentId,
      positionId: position.id,
      tickId,
      decidedAt: quote.at,
      trade,
    }
  );
}

/**
 * Records sales in the order given and lets the agents remember them, in as many statements for one
 * as for hundreds. Tells nobody. Agents, accounts and positions must be locked by the caller, in
 * this order.
 */
export async function recordExits(
  tx: Tx,
  sellers: ReadonlyMap<string, SellingAgent>,
  sales: readonly TradeToRecord[],
): Promise<Fill[]> {
  const recorded = await recordTrades(tx, sales);
  const memories = new Map<string, Record<string, unknown>>();
  for (const { agentId, decidedAt, trade } of sales) {
    const before = memories.get(agentId) ?? sellers.get(agentId)?.memory;
    if (before === undefined) continue;
    memories.set(
      agentId,
      rememberExit(before as Record<string, unknown>, {
        pair: trade.fill.pair,
        at: decidedAt,
        stop: trade.fill.reason === 'stop_loss',
      }),
    );
  }
  await updateRows(
    tx.db,
    agents,
    'id',
    [...memories].map(([id, memory]) => ({ id, memory })),
  );
  return recorded.map(({ fill }) => toFill(fill, sellers.get(fill.agentId)?.name ?? ''));
}

/**
 * Records one sale, lets the agent remember it, and tells the person. Null where the market no
 * longer offers the pair. Agent, account and position must be locked by the caller, in this order.
 */
export async function sellPosition(
  tx: Tx,
  deps: TradingDeps,
  venue: Venue,
  uid: string,
  exit: Exit,
): Promise<Fill | null> {
  const sale = exitOf(venue, exit);
  if (sale === null) return null;
  const [agent] = await tx.db
    .select({ id: agents.id, memory: agents.memory, name: agents.name })
    .from(agents)
    .where(eq(agents.id, sale.agentId));
  const sellers = new Map(agent === undefined ? [] : [[agent.id, agent]]);
  const [fill] = await recordExits(tx, sellers, [sale]);
  if (fill === undefined) throw new Error('A sale was not recorded');
  await deps.events.append(tx, uid, [
    { type: 'fill.recorded', fill },
    { type: 'portfolio.changed' },
  ]);
  return fill;
}
