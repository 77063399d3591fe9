/**
 * Compares live accounts with what their exchanges' trades and outside movements add up to: fees in
 * any coin, trades by hand, deposits, withdrawals, and what agents gave up.
 */
import { asc, eq } from 'drizzle-orm';
import { add, formatFixed, parseFixed, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { VenueFill } from '../../contract/venue.ts';
import type { LedgerEntry } from '../../engine/accounting/ledger-entry.ts';
import { positionAfter, venueFillEntries } from '../../engine/orders/venue-ledger.ts';
import { positionAfterWriteOff, writeOffEntries } from '../../engine/orders/write-off.ts';
import { ENDED_STATES } from '../../engine/orders/live-order.ts';
import type { Db } from '../db/database.ts';
import { fills, ledger, positions } from '../db/schema.ts';
import { externalMovements, liveOrders, liveWriteOffs, venueFills } from '../db/schema-live.ts';
import { entriesOf, movementOf } from '../live/external-movements.ts';
import { fillOf } from '../live/order-rows.ts';
import { lotIds } from './fill-order.ts';

type Say = (text: string) => void;

const differs = (what: string, is: Fixed, due: Fixed): string =>
  `${what} is ${formatFixed(is)} and should be ${formatFixed(due)}`;

/** Says each difference. Reads in several statements: call it on one snapshot. */
export async function checkLiveAccount(db: Db, accountId: string, say: Say): Promise<void> {
  const trades = await db
    .select()
    .from(venueFills)
    .where(eq(venueFills.accountId, accountId))
    .orderBy(asc(venueFills.number));
  const due = new Sums();
  const handTrades = new Map<string, number>();
  for (const row of await db
    .select()
    .from(externalMovements)
    .where(eq(externalMovements.accountId, accountId))) {
    const movement = movementOf(row);
    due.addAll(row.id, entriesOf(movement));
    if (movement.kind === 'hand_trade' || movement.kind === 'hand_trade_undone') {
      const { tradeId } = movement.fill;
      const change = movement.kind === 'hand_trade' ? 1 : -1;
      handTrades.set(tradeId, (handTrades.get(tradeId) ?? 0) + change);
    }
  }
  for (const row of trades) {
    if (row.clientOrderId === null) {
      handTrades.set(row.tradeId, (handTrades.get(row.tradeId) ?? 0) - 1);
      continue;
    }
    due.addAll(row.fillId ?? row.tradeId, venueFillEntries(row.agentId ?? '', fillOf(row)));
  }
  for (const [tradeId, count] of handTrades)
    if (count !== 0) say(`trade ${tradeId} by hand and its movement do not match`);
  const writeOffs = await writeOffsInOrder(db, accountId);
  for (const row of writeOffs)
    due.addAll(row.id, writeOffEntries({ ...row, quantity: parseFixed(row.quantity) }));
  await compareLedger(db, accountId, due, say);
  await comparePositions(db, accountId, { trades, writeOffs }, say);
  await compareOrders(db, accountId, trades, say);
}

/** As they were booked: of one moment a write-off and the dust that it left have the same time. */
async function writeOffsInOrder(db: Db, accountId: string): Promise<WriteOffRow[]> {
  const rows = await db
    .select()
    .from(liveWriteOffs)
    .where(eq(liveWriteOffs.accountId, accountId))
    .orderBy(asc(liveWriteOffs.afterTrade), asc(liveWriteOffs.bookedAt));
  if (rows.length === 0) return rows;
  const places = new Map((await lotIds(db, accountId)).map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: WriteOffRow): number => places.get(id) ?? 0;
  return rows.sort((a, b) => a.afterTrade - b.afterTrade || placeOf(a) - placeOf(b));
}

/** Amounts by transaction, bucket and coin. */
class Sums {
  readonly byKey = new Map<string, Fixed>();

  put(key: string, amount: Fixed): void {
    this.byKey.set(key, add(this.byKey.get(key) ?? ZERO, amount));
  }

  addAll(transactionId: string, entries: readonly LedgerEntry[]): void {
    for (const { bucket, asset, amount } of entries)
      this.put(`${transactionId} ${bucket} ${asset}`, amount);
  }
}

async function compareLedger(db: Db, accountId: string, due: Sums, say: Say): Promise<void> {
  const entered = new Sums();
  for (const row of await db.select().from(ledger).where(eq(ledger.accountId, accountId)))
    entered.put(`${row.transactionId} ${row.bucket} ${row.asset}`, parseFixed(row.amount));
  for (const key of new Set([...due.byKey.keys(), ...entered.byKey.keys()])) {
    const is = entered.byKey.get(key) ?? ZERO;
    const wanted = due.byKey.get(key) ?? ZERO;
    if (is !== wanted) say(differs(`the ledger under ${key}`, is, wanted));
  }
}

type TradeRow = typeof venueFills.$inferSelect;

interface Rebuilt {
  quantity: Fixed;
  cost: Fixed;
  stopPrice: null;
}

type WriteOffRow = typeof liveWriteOffs.$inferSelect;

/** What a position had before a write-off must have been there, and its cost be its share. */
function giveUp(rebuilt: Map<string, Rebuilt>, row: WriteOffRow, say: Say): void {
  const key = `${row.agentId} ${row.symbol}`;
  const held = rebuilt.get(key) ?? { quantity: ZERO, cost: ZERO, stopPrice: null };
  const quantity = parseFixed(row.quantity);
  if (quantity > held.quantity) {
    say(differs(`the quantity of write-off ${row.id}`, quantity, held.quantity));
    return;
  }
  const { after, cost } = positionAfterWriteOff(held, { symbol: row.symbol, quantity });
  if (parseFixed(row.cost) !== cost)
    say(differs(`the cost of write-off ${row.id}`, parseFixed(row.cost), cost));
  rebuilt.set(key, { quantity: after.quantity, cost: after.cost, stopPrice: null });
}

async function comparePositions(
  db: Db,
  accountId: string,
  { trades, writeOffs }: { trades: readonly TradeRow[]; writeOffs: readonly WriteOffRow[] },
  say: Say,
): Promise<void> {
  const left = [...writeOffs];
  const shown = new Map(
    (await db.select().from(fills).where(eq(fills.accountId, accountId))).map((row) => [
      row.id,
      row,
    ]),
  );
  const rebuilt = new Map<string, Rebuilt>();
  for (const row of trades) {
    for (let next = left[0]; next !== undefined && next.afterTrade < row.number; next = left[0]) {
      left.shift();
      giveUp(rebuilt, next, say);
    }
    if (row.clientOrderId === null) continue;
    const key = `${row.agentId ?? ''} ${row.symbol}`;
    const fill: VenueFill = fillOf(row);
    const { after, realized, costBasis } = positionAfter(rebuilt.get(key) ?? null, fill, null);
    rebuilt.set(key, { quantity: after.quantity, cost: after.cost, stopPrice: null });
    const view = shown.get(row.fillId ?? '');
    shown.delete(row.fillId ?? '');
    if (view === undefined) say(`trade ${row.tradeId} is not among the fills`);
    else {
      for (const [what, is, wanted] of [
        ['amount', view.notional, fill.quoteAmount],
        ['quantity', view.quantity, fill.quantity],
        ['result', view.realized ?? '0', realized ?? ZERO],
        ['cost of what was sold', view.costBasis ?? '0', costBasis ?? ZERO],
      ] as const)
        if (parseFixed(is) !== wanted)
          say(differs(`the ${what} of fill ${view.id}`, parseFixed(is), wanted));
    }
  }
  for (const row of left) giveUp(rebuilt, row, say);
  for (const id of shown.keys()) say(`fill ${id} is of no trade of the exchange`);
  const held = new Map<string, { quantity: Fixed; cost: Fixed }>();
  for (const row of await db.select().from(positions).where(eq(positions.accountId, accountId))) {
    const key = `${row.agentId} ${row.pair}`;
    const before = held.get(key) ?? { quantity: ZERO, cost: ZERO };
    held.set(key, {
      quantity: add(before.quantity, parseFixed(row.quantity)),
      cost: add(before.cost, parseFixed(row.cost)),
    });
  }
  for (const key of new Set([...rebuilt.keys(), ...held.keys()])) {
    const is = held.get(key) ?? { quantity: ZERO, cost: ZERO };
    const due = rebuilt.get(key) ?? { quantity: ZERO, cost: ZERO };
    if (is.quantity !== due.quantity)
      say(differs(`the quantity of ${key}`, is.quantity, due.quantity));
    if (is.cost !== due.cost) say(differs(`the cost of ${key}`, is.cost, due.cost));
  }
}

/** What an order says is booked is what its trades add up to, and an ended one holds nothing back. */
async function compareOrders(
  db: Db,
  accountId: string,
  trades: readonly TradeRow[],
  say: Say,
): Promise<void> {
  const booked = new Sums();
  for (const row of trades)
    if (row.clientOrderId !== null) booked.put(row.clientOrderId, parseFixed(row.quantity));
  for (const row of await db.select().from(liveOrders).where(eq(liveOrders.accountId, accountId))) {
    const due = booked.byKey.get(row.clientOrderId) ?? ZERO;
    booked.byKey.delete(row.clientOrderId);
    if (parseFixed(row.booked) !== due)
      say(differs(`what order ${row.clientOrderId} has filled`, parseFixed(row.booked), due));
    const isEnded = (ENDED_STATES as readonly string[]).includes(row.state);
    if (isEnded && parseFixed(row.reserved) !== ZERO)
      say(differs(`what order ${row.clientOrderId} holds back`, parseFixed(row.reserved), ZERO));
  }
  for (const id of booked.byKey.keys()) say(`trades of order ${id}, which is missing`);
}
