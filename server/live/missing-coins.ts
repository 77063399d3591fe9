/** Coins that agents hold and the account has not: who holds them, and what was written off so far. */
import { desc, eq } from 'drizzle-orm';
import type { MissingCoinsWire, WriteOffWire } from '../../contract/live.ts';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Position } from '../../contract/trading.ts';
import { mostToWriteOff } from '../../engine/orders/write-off.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import type { Db } from '../db/database.ts';
import { liveWriteOffs, type liveMarks } from '../db/schema-live.ts';
import { liveOrdersOf } from './order-rows.ts';

type Marks = Pick<typeof liveMarks.$inferSelect, 'missing'>;
export type WriteOffRow = typeof liveWriteOffs.$inferSelect;

/** By coin, how much agents hold beyond what the account had when it was last compared. */
export function missingIn(marks: Marks | undefined): Map<string, Fixed> {
  const texts = Object.entries((marks?.missing ?? {}) as Record<string, string>);
  return new Map(texts.map(([asset, text]) => [asset, parseFixed(text)]));
}

export async function missingCoins(
  db: Db,
  connectionId: string,
  marks: Marks | undefined,
  held: readonly Position[],
): Promise<MissingCoinsWire[]> {
  const missing = missingIn(marks);
  if (missing.size === 0) return [];
  const orders = (await liveOrdersOf(db, connectionId)).map(({ order }) => order);
  return [...missing].map(([asset, amount]) => ({
    asset,
    amount: formatFixed(amount),
    holders: held
      .filter(({ pair }) => baseOf(pair) === asset)
      .map(({ id, agentId, agentName, pair, quantity }) => {
        const own = orders.filter(({ intent }) => intent.symbol === pair);
        const most = mostToWriteOff(amount, parseFixed(quantity), agentId, own);
        return {
          positionId: id,
          agentId,
          agentName,
          symbol: pair,
          held: quantity,
          most: formatFixed(most),
        };
      }),
  }));
}

export const toWriteOff = (row: WriteOffRow): WriteOffWire => ({
  id: row.id,
  agentId: row.agentId,
  symbol: row.symbol,
  quantity: formatFixed(parseFixed(row.quantity)),
  cost: formatFixed(parseFixed(row.cost)),
  at: row.bookedAt,
  ...(row.cause === 'dust_left' ? { why: 'dust' as const } : {}),
});

/** Newest first. */
export async function readWriteOffs(
  db: Db,
  connectionId: string,
  most: number,
): Promise<WriteOffWire[]> {
  const rows = await db
    .select()
    .from(liveWriteOffs)
    .where(eq(liveWriteOffs.connectionId, connectionId))
    .orderBy(desc(liveWriteOffs.bookedAt), desc(liveWriteOffs.id))
    .limit(most);
  return rows.map(toWriteOff);
}
