/** Fills as the wire has them, newest first; refuses to mix two books. */
import { and, desc, eq } from 'drizzle-orm';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import type { Fill } from '../../contract/trading.ts';
import type { Db } from '../db/database.ts';
import { fills } from '../db/schema.ts';
import type { FillRow } from './book.ts';
import { agentNames } from './marks.ts';

const exact = (text: string): string => formatFixed(parseFixed(text));

export function toFill(row: FillRow, agentName: string): Fill {
  return {
    id: row.id, orderId: row.orderId, agentId: row.agentId, agentName, pair: row.pair, side: row.side === 'buy' ? 'buy' : 'sell',
    quantity: exact(row.quantity), price: exact(row.price), notional: exact(row.notional), fee: exact(row.fee), feeBps: exact(row.feeBps),
    slippageBps: exact(row.slippageBps), realized: row.realized === null ? null : exact(row.realized), reason: row.reason,
    decidedAt: row.decidedMarketMs, filledAt: row.filledMarketMs, tickId: row.tickId,
  };
}

/** Fills of one account, of one agent where named. */
export async function readFills(db: Db, accountId: string, limit: number, agentId?: string): Promise<Fill[]> {
  const rows = await db.select().from(fills)
    .where(agentId === undefined ? eq(fills.accountId, accountId) : and(eq(fills.accountId, accountId), eq(fills.agentId, agentId)))
    .orderBy(desc(fills.filledMarketMs), desc(fills.id)).limit(limit);
  const names = await agentNames(db, rows.map((row) => row.agentId));
  return rows.map((row) => toFill(row, names.get(row.agentId) ?? ''));
}
