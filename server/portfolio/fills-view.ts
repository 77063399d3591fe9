/** Fills for the wire, newest first, of one account. */
import { and, desc, eq, sql } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import type { Fill } from '../../contract/trading.ts';
import { isUuid } from '../../contract/uuid.ts';
import type { Db } from '../db/database.ts';
import { agents, fills } from '../db/schema.ts';
import type { FillRow } from './record-trades.ts';

const exact = (text: string): string => formatFixed(parseFixed(text));

export function toFill(row: FillRow, agentName: string): Fill {
  return {
    id: row.id,
    orderId: row.orderId,
    agentId: row.agentId,
    agentName,
    pair: row.pair,
    side: row.side === 'buy' ? 'buy' : 'sell',
    quantity: exact(row.quantity),
    price: exact(row.price),
    notional: exact(row.notional),
    fee: exact(row.fee),
    feeBps: exact(row.feeBps),
    slippageBps: exact(row.slippageBps),
    quoteBid: exact(row.quoteBid),
    quoteAsk: exact(row.quoteAsk),
    ruleVersion: row.ruleVersion,
    realized: row.realized === null ? null : exact(row.realized),
    costBasis: row.costBasis === null ? null : exact(row.costBasis),
    reason: row.reason,
    decidedAt: row.decidedMarketMs,
    filledAt: row.filledMarketMs,
    tickId: row.tickId,
  };
}

/**
 * Fills of one account, of one agent where named, older than the fill of the id `before` where one
 * is given.
 */
export async function readFills(
  db: Db,
  accountId: string,
  limit: number,
  { agentId, before }: { agentId?: string; before?: string } = {},
): Promise<Fill[]> {
  const [edge] =
    before === undefined || !isUuid(before)
      ? []
      : await db
          .select({ at: fills.filledMarketMs, id: fills.id })
          .from(fills)
          .where(and(eq(fills.accountId, accountId), eq(fills.id, before)));
  if (before !== undefined && edge === undefined)
    throw new Refusal('not_found', 'Trade not found.', { field: 'before' });
  const rows = await db
    .select({ fill: fills, name: agents.name })
    .from(fills)
    .leftJoin(agents, eq(agents.id, fills.agentId))
    .where(
      and(
        eq(fills.accountId, accountId),
        agentId === undefined ? undefined : eq(fills.agentId, agentId),
        edge === undefined
          ? undefined
          : sql`(${fills.filledMarketMs}, ${fills.id}) < (${edge.at}::bigint, ${edge.id}::uuid)`,
      ),
    )
    .orderBy(desc(fills.filledMarketMs), desc(fills.id))
    .limit(limit);
  return rows.map(({ fill, name }) => toFill(fill, name ?? ''));
}

/** How many fills an account has. */
export const countFills = (db: Db, accountId: string): Promise<number> =>
  db.$count(fills, eq(fills.accountId, accountId));
