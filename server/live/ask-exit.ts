/** A position of a live agent is to be sold: kept until it is, whatever stands in between. */
import { isNotNull, sql } from 'drizzle-orm';
import { formatFixed, type Fixed } from '../../contract/money.ts';
import type { Tx } from '../db/database.ts';
import { liveExits } from '../db/schema-live.ts';
import { readConnection } from './live-accounts.ts';
import type { BookDeps, LivePort } from './live-deps.ts';
import { planPair } from './pair-plan.ts';

export interface ExitWish {
  connectionId: string;
  agentId: string;
  symbol: string;
  reason: string;
  tickId: string;
  /** Null for all of it, which a wish for a part never takes back. */
  quantity: Fixed | null;
}

/**
 * Its stops at the exchange are cancelled first, and the sale follows when their end is known. Agent
 * and account must be locked by the caller.
 */
export async function askExit(
  tx: Tx,
  deps: BookDeps,
  port: LivePort | null,
  wish: ExitWish,
): Promise<void> {
  const connection = await readConnection(tx.db, wish.connectionId);
  if (connection === null) throw new Error('The connection is gone');
  await tx.db
    .insert(liveExits)
    .values({
      ...wish,
      quantity: wish.quantity === null ? null : formatFixed(wish.quantity),
      accountId: connection.accountId,
      askedAt: deps.clock.now(),
      askedMarketMs: deps.market.now(),
    })
    .onConflictDoUpdate({
      target: [liveExits.agentId, liveExits.symbol],
      set: { quantity: null, reason: wish.reason, tickId: wish.tickId },
      setWhere: wish.quantity === null ? isNotNull(liveExits.quantity) : sql`false`,
    });
  const rules = port?.rules(connection.exchange, wish.symbol) ?? null;
  await planPair(tx, deps, connection, wish.symbol, rules);
  tx.afterCommit(() => port?.poke(connection.id));
}

/** All of a position, because its stop loss was reached. */
export const askStopLoss = (
  tx: Tx,
  deps: BookDeps,
  port: LivePort | null,
  of: Pick<ExitWish, 'connectionId' | 'agentId' | 'symbol'>,
): Promise<void> =>
  askExit(tx, deps, port, {
    ...of,
    reason: 'stop_loss',
    quantity: null,
    tickId: `stop:${of.agentId}:${deps.clock.now()}`,
  });
