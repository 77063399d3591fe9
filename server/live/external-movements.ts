/** Books what changed at an exchange without us: trades by hand, deposits, withdrawals. */
import { randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import type { VenueFill } from '../../contract/venue.ts';
import type { ExternalMovement } from '../../engine/orders/reconcile.ts';
import { externalEntries, handTradeEntries, reversed } from '../../engine/orders/venue-ledger.ts';
import type { Tx } from '../db/database.ts';
import { externalMovements, venueFills } from '../db/schema-live.ts';
import { post } from '../portfolio/record-trades.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { tradeColumns } from './order-rows.ts';

/** The account must be locked. A trade that is taken back as ours is booked by its order. */
export async function bookExternal(
  tx: Tx,
  deps: Pick<BookDeps, 'clock'>,
  connection: ConnectionRow,
  movement: ExternalMovement,
): Promise<void> {
  const { id: connectionId, accountId } = connection;
  const now = deps.clock.now();
  const id = randomUUID();
  const isTrade = movement.kind === 'hand_trade' || movement.kind === 'hand_trade_undone';
  const at = isTrade ? movement.fill.atMs : now;
  await tx.db.insert(externalMovements).values({
    id,
    connectionId,
    accountId,
    kind: movement.kind,
    asset: isTrade ? null : movement.asset,
    amount: isTrade ? null : formatFixed(movement.amount),
    trade: isTrade ? tradeColumns(movement.fill) : null,
    atMs: at,
    bookedAt: now,
  });
  await post(
    tx,
    [
      {
        transactionId: id,
        accountId,
        cause: movement.kind,
        fillId: null,
        at,
        entries: entriesOf(movement),
      },
    ],
    { hasHappened: true },
  );
  if (movement.kind === 'hand_trade')
    await tx.db.insert(venueFills).values({
      connectionId,
      accountId,
      clientOrderId: null,
      agentId: null,
      fillId: null,
      ...tradeColumns(movement.fill),
      bookedAt: now,
    });
  if (movement.kind === 'hand_trade_undone')
    await tx.db
      .delete(venueFills)
      .where(
        and(
          eq(venueFills.connectionId, connectionId),
          eq(venueFills.tradeId, movement.fill.tradeId),
          isNull(venueFills.clientOrderId),
        ),
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
