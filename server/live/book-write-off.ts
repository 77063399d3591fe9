/**
 * Books coins out of an agent's position into the person's own: the ledger, the position, and what
 * is remembered of it.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, max } from 'drizzle-orm';
import { formatFixed, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { rememberExit } from '../../engine/execution/agent-memory.ts';
import {
  positionAfterWriteOff,
  worthOfWriteOff,
  writeOffEntries,
  type WriteOffCause,
} from '../../engine/orders/write-off.ts';
import type { Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import { liveExits, liveFailedStops, liveWriteOffs, venueFills } from '../db/schema-live.ts';
import { toOpenPosition } from '../portfolio/marks.ts';
import { post, type PositionRow } from '../portfolio/record-trades.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import type { WriteOffRow } from './missing-coins.ts';

interface GivenUp {
  position: PositionRow;
  quantity: Fixed;
  cause: WriteOffCause;
}

/**
 * The account and the position must be locked by the caller. Where the position is closed, nothing of
 * it is to be sold any more.
 */
export async function bookWriteOff(
  tx: Tx,
  deps: Pick<BookDeps, 'market' | 'clock'>,
  { id: connectionId, accountId }: ConnectionRow,
  { position, quantity, cause }: GivenUp,
): Promise<WriteOffRow> {
  const { db } = tx;
  const { agentId, pair: symbol } = position;
  const before = toOpenPosition(position);
  const { after, cost } = positionAfterWriteOff(before, { symbol, quantity });
  const bid = deps.market.quote(symbol)?.bid ?? null;
  const at = deps.market.now();
  const [last] = await db
    .select({ number: max(venueFills.number) })
    .from(venueFills)
    .where(eq(venueFills.accountId, accountId));
  const row: WriteOffRow = {
    id: randomUUID(),
    connectionId,
    accountId,
    agentId,
    positionId: position.id,
    symbol,
    cause,
    quantity: formatFixed(quantity),
    cost: formatFixed(cost),
    worth: formatFixed(worthOfWriteOff(before, after, bid)),
    afterTrade: last?.number ?? 0,
    atMarketMs: at,
    bookedAt: deps.clock.now(),
    signerToldAt: null,
  };
  await db.insert(liveWriteOffs).values(row);
  const entries = writeOffEntries({ agentId, symbol, quantity });
  await post(tx, [{ transactionId: row.id, accountId, cause, fillId: null, at, entries }], {
    hasHappened: true,
  });
  const isClosed = after.quantity === ZERO;
  await db
    .update(positions)
    .set({
      quantity: formatFixed(after.quantity),
      cost: formatFixed(after.cost),
      stopPrice: after.stopPrice === null ? null : formatFixed(after.stopPrice),
      closedMarketMs: isClosed ? at : null,
    })
    .where(eq(positions.id, position.id));
  if (isClosed) await forgetPosition(tx, position);
  return row;
}

async function forgetPosition({ db }: Tx, { agentId, pair }: PositionRow): Promise<void> {
  await db.delete(liveExits).where(and(eq(liveExits.agentId, agentId), eq(liveExits.symbol, pair)));
  await db
    .delete(liveFailedStops)
    .where(and(eq(liveFailedStops.agentId, agentId), eq(liveFailedStops.symbol, pair)));
}

/** The agent, which must be locked, does not enter again at once. */
export async function rememberLeft(
  { db }: Tx,
  { agentId, pair }: PositionRow,
  at: number,
): Promise<void> {
  const [agent] = await db
    .select({ memory: agents.memory })
    .from(agents)
    .where(eq(agents.id, agentId));
  if (agent === undefined) return;
  const memory = rememberExit(agent.memory as Record<string, unknown>, { pair, at, stop: false });
  await db.update(agents).set({ memory }).where(eq(agents.id, agentId));
}
