/** Books what changed at an exchange without us: trades by hand, deposits, withdrawals. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import type { VenueFill } from '../../contract/venue.ts';
import type { ExternalMovement } from '../../engine/orders/reconcile.ts';
import { externalEntries, handTradeEntries, reversed } from '../../engine/orders/venue-ledger.ts';
import { insertRows, rowsAs } from '../db/bulk.ts';
import type { Tx } from '../db/database.ts';
import { externalMovements, venueFills } from '../db/schema-live.ts';
import { post } from '../portfolio/record-trades.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { tradeColumns } from './order-rows.ts';

/** A movement under the id of its row, which is the ledger's too. */
interface Booked {
  id: string;
  atMs: number;
  movement: ExternalMovement;
}

/**
 * In the order given, each table in as few statements as there are rows for: a server that was away
 * books thousands at once. The account must be locked. A trade that is taken back as ours is booked
 * by its order.
 */
export async function bookExternal(
  tx: Tx,
  deps: Pick<BookDeps, 'clock'>,
  { id: connectionId, accountId }: ConnectionRow,
  movements: readonly ExternalMovement[],
): Promise<void> {
  if (movements.length === 0) return;
  const bookedAt = deps.clock.now();
  const booked = movements.map((movement): Booked => {
    const atMs = 'fill' in movement ? movement.fill.atMs : bookedAt;
    return { id: randomUUID(), atMs, movement };
  });
  const ids = { connectionId, accountId, bookedAt };
  await insertRows(
    tx.db,
    externalMovements,
    booked.map((one) => rowOf(one, ids)),
  );
  await post(
    tx,
    booked.map(({ id, atMs, movement }) => ({
      transactionId: id,
      accountId,
      cause: movement.kind,
      fillId: null,
      at: atMs,
      entries: entriesOf(movement),
    })),
    { hasHappened: true },
  );
  await writeTrades(tx, movements, ids);
}

type Ids = Pick<typeof externalMovements.$inferInsert, 'connectionId' | 'accountId' | 'bookedAt'>;

function rowOf({ id, atMs, movement }: Booked, ids: Ids): typeof externalMovements.$inferInsert {
  const isTrade = 'fill' in movement;
  return {
    id,
    ...ids,
    kind: movement.kind,
    asset: isTrade ? null : movement.asset,
    amount: isTrade ? null : formatFixed(movement.amount),
    trade: isTrade ? tradeColumns(movement.fill) : null,
    atMs,
  };
}

/** The trades that are known as made by hand, as the last word on each leaves them. */
async function writeTrades(
  tx: Tx,
  movements: readonly ExternalMovement[],
  ids: Ids,
): Promise<void> {
  const trades = movements.filter((movement) => 'fill' in movement);
  const { connectionId } = ids;
  const undone = trades
    .filter(({ kind }) => kind === 'hand_trade_undone')
    .map(({ fill: { tradeId } }) => ({ connectionId, tradeId }));
  if (undone.length > 0)
    await tx.db.execute(sql`
      delete from ${venueFills} using ${rowsAs(venueFills, undone, 'undone')}
      where ${venueFills.connectionId} = undone."connectionId"
        and ${venueFills.tradeId} = undone."tradeId" and ${venueFills.clientOrderId} is null`);
  const last = new Map(trades.map(({ kind, fill }) => [fill.tradeId, kind]));
  await insertRows(
    tx.db,
    venueFills,
    trades
      .filter(({ kind, fill }) => kind === 'hand_trade' && last.get(fill.tradeId) === kind)
      .map(({ fill }) => ({
        ...ids,
        clientOrderId: null,
        agentId: null,
        fillId: null,
        ...tradeColumns(fill),
      })),
  );
}

interface TradeText {
  tradeId: string;
  symbol: string;
  side: VenueFill['side'];
  quantity: string;
  price: string;
  quoteAmount: string;
  fees: { asset: string; amount: string }[];
  exchangeOrderId: string;
  venueClientOrderId: string | null;
  atMs: number;
}

/** A movement as it was when it was booked. */
export function movementOf(row: typeof externalMovements.$inferSelect): ExternalMovement {
  const kind = row.kind as ExternalMovement['kind'];
  if (kind !== 'hand_trade' && kind !== 'hand_trade_undone')
    return { kind, asset: row.asset ?? '', amount: parseFixed(row.amount ?? '0') };
  const trade = row.trade as TradeText;
  const { quantity, price, quoteAmount, fees, venueClientOrderId, ...rest } = trade;
  return {
    kind,
    fill: {
      ...rest,
      clientOrderId: venueClientOrderId,
      quantity: parseFixed(quantity),
      price: parseFixed(price),
      quoteAmount: parseFixed(quoteAmount),
      fees: fees.map(({ asset, amount }) => ({ asset, amount: parseFixed(amount) })),
    },
  };
}

export function entriesOf(movement: ExternalMovement) {
  if (movement.kind === 'hand_trade') return handTradeEntries(movement.fill);
  if (movement.kind === 'hand_trade_undone') return reversed(handTradeEntries(movement.fill));
  return externalEntries(movement.asset, movement.amount);
}
