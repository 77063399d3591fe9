/**
 * Books what an exchange says was traded: once per trade id, into the ledger, the position, and the
 * fills that the views read.
 */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import {
  divide,
  fixedFromNumber,
  formatFixed,
  multiply,
  parseFixed,
  ZERO,
} from '../../contract/money.ts';
import { VENUE_RULES } from '../../contract/trading.ts';
import type { VenueFill } from '../../contract/venue.ts';
import { rememberEntry, rememberExit } from '../../engine/execution/agent-memory.ts';
import { feeIn } from '../../engine/orders/live-order.ts';
import { positionAfter, venueFillEntries } from '../../engine/orders/venue-ledger.ts';
import type { PositionStep } from '../../engine/orders/venue-ledger.ts';
import { quoteOf } from '../../engine/pair-coins.ts';
import { insertRows, rowsAs, updateRows } from '../db/bulk.ts';
import type { Tx } from '../db/database.ts';
import { orderedId } from '../db/ordered-id.ts';
import { agents, fills, positions } from '../db/schema.ts';
import { liveFailedStops, venueFills } from '../db/schema-live.ts';
import { post, type PositionRow } from '../portfolio/record-trades.ts';
import type { BookDeps } from './live-deps.ts';
import { raiseAlarms, type LiveAlarm } from './live-alarms.ts';
import { tradeColumns, uuidOf, type StoredOrder } from './order-rows.ts';

const TEN_THOUSAND = fixedFromNumber(10_000);

/** A trade and its order, as it is with that trade. */
export interface Booking {
  stored: StoredOrder;
  fill: VenueFill;
}

/** A booking with what it does to its position. */
interface Booked extends Booking {
  fillId: string;
  step: PositionStep;
}

/**
 * In the order given; all of one connection. The agents and their account must be locked by the
 * caller. @throws Error where one is booked already.
 */
export async function bookFills(
  tx: Tx,
  deps: BookDeps,
  bookings: readonly Booking[],
): Promise<void> {
  if (bookings.length === 0) return;
  const open = await openPositions(tx, bookings);
  const booked = bookings.map((booking): Booked => {
    const step = open.take(booking);
    return { ...booking, fillId: orderedId(deps.clock.now()), step };
  });
  await claimTrades(tx, deps, booked);
  await insertRows(tx.db, fills, booked.map(fillRow));
  await post(
    tx,
    booked.map(({ stored: { order }, fill, fillId }) => ({
      transactionId: fillId,
      accountId: order.intent.accountId,
      cause: 'fill',
      fillId,
      at: fill.atMs,
      entries: venueFillEntries(order.intent.agentId, fill),
    })),
    { hasHappened: true },
  );
  await open.write(tx);
  await forgetFailedStops(tx, booked);
  for (const { stored, fill } of booked) await remember(tx, stored, fill);
  await raiseAlarms(tx, deps, booked.flatMap(oversoldBy));
}

function oversoldBy({ stored: { order }, fill, step: { oversold } }: Booked): LiveAlarm[] {
  if (oversold === ZERO) return [];
  const detail = { symbol: fill.symbol, amount: formatFixed(oversold) };
  return [
    { connectionId: order.intent.connectionId, kind: 'oversold', about: fill.tradeId, detail },
  ];
}

/** One row a trade; one that was booked as made by hand becomes ours, and is booked anew. */
async function claimTrades(tx: Tx, { clock }: BookDeps, booked: readonly Booked[]): Promise<void> {
  const bookedAt = clock.now();
  const rows = booked.map(({ stored: { order }, fill, fillId }) => {
    const { connectionId, accountId, clientOrderId, agentId } = order.intent;
    return {
      connectionId,
      accountId,
      clientOrderId,
      agentId,
      fillId,
      ...tradeColumns(fill),
      bookedAt,
    };
  });
  const names = rows.map(({ connectionId, tradeId }) => ({ connectionId, tradeId }));
  await tx.db.execute(sql`
    delete from ${venueFills} using ${rowsAs(venueFills, names, 'claimed')}
    where ${venueFills.connectionId} = claimed."connectionId"
      and ${venueFills.tradeId} = claimed."tradeId" and ${venueFills.clientOrderId} is null`);
  await insertRows(tx.db, venueFills, rows);
}

function fillRow({
  stored: { order, decidedMarketMs },
  fill,
  fillId,
  step: { costBasis, realized },
}: Booked): typeof fills.$inferInsert {
  const { intent } = order;
  const fee = feeIn(fill, quoteOf(fill.symbol));
  const bps =
    fill.quoteAmount > 0n
      ? divide(multiply(fee, TEN_THOUSAND, 'half-even'), fill.quoteAmount, 'half-even')
      : ZERO;
  return {
    id: fillId,
    orderId: uuidOf(intent.clientOrderId),
    accountId: intent.accountId,
    agentId: intent.agentId,
    pair: fill.symbol,
    tickId: `live:${fill.tradeId}`,
    side: fill.side,
    quantity: formatFixed(fill.quantity),
    price: formatFixed(fill.price),
    notional: formatFixed(fill.quoteAmount),
    fee: formatFixed(fee),
    feeBps: formatFixed(bps),
    // What a market order lost against the middle is not known of a real book, and nobody is told.
    slippageBps: '0',
    quoteBid: formatFixed(fill.price),
    quoteAsk: formatFixed(fill.price),
    ruleVersion: VENUE_RULES,
    realized: realized === null ? null : formatFixed(realized),
    costBasis: costBasis === null ? null : formatFixed(costBasis),
    reason: intent.cause,
    decidedMarketMs,
    filledMarketMs: fill.atMs,
  };
}

/**
 * What became of a stop says nothing of the one that a purchase needs, equal as they may be: a
 * position may have been sold and bought again since.
 */
async function forgetFailedStops(tx: Tx, booked: readonly Booked[]): Promise<void> {
  const bought = booked.flatMap(({ stored: { order }, fill: { side, symbol } }) =>
    side === 'buy' ? [{ agentId: order.intent.agentId, symbol }] : [],
  );
  if (bought.length === 0) return;
  await tx.db.execute(sql`
    delete from ${liveFailedStops} using ${rowsAs(liveFailedStops, bought, 'bought')}
    where ${liveFailedStops.agentId} = bought."agentId"
      and ${liveFailedStops.symbol} = bought."symbol"`);
}

/** The open positions that trades change, one after the other, until they are written. */
class OpenPositions {
  /** By agent and pair: the one that is open at this point of the list. */
  private readonly open = new Map<string, PositionRow>();
  private readonly changed = new Set<PositionRow>();
  private readonly opened = new Set<PositionRow>();

  constructor(rows: readonly PositionRow[]) {
    for (const row of rows) this.open.set(`${row.agentId} ${row.pair}`, row);
  }

  take({ stored: { order, protectAt }, fill }: Booking): PositionStep {
    const { agentId, accountId } = order.intent;
    const key = `${agentId} ${fill.symbol}`;
    const held = this.open.get(key);
    const before =
      held === undefined
        ? null
        : {
            quantity: parseFixed(held.quantity),
            cost: parseFixed(held.cost),
            stopPrice: held.stopPrice === null ? null : parseFixed(held.stopPrice),
          };
    const step = positionAfter(before, fill, protectAt ?? before?.stopPrice ?? null);
    const { quantity, cost, stopPrice } = step.after;
    const state = {
      quantity: formatFixed(quantity),
      cost: formatFixed(cost),
      stopPrice: stopPrice === null ? null : formatFixed(stopPrice),
      closedMarketMs: quantity === ZERO ? fill.atMs : null,
    };
    if (held !== undefined) {
      Object.assign(held, state);
      if (!this.opened.has(held)) this.changed.add(held);
      if (quantity === ZERO) this.open.delete(key);
    } else if (quantity !== ZERO) {
      const ids = { id: orderedId(), accountId, agentId, pair: fill.symbol };
      const row = { ...ids, openedMarketMs: fill.atMs, ...state };
      this.open.set(key, row);
      this.opened.add(row);
    }
    return step;
  }

  /** Those that were open come first: one that opens anew has its place then. */
  async write(tx: Tx): Promise<void> {
    await updateRows(
      tx.db,
      positions,
      'id',
      [...this.changed].map(({ id, quantity, cost, stopPrice, closedMarketMs }) => ({
        id,
        quantity,
        cost,
        stopPrice,
        closedMarketMs,
      })),
    );
    await insertRows(tx.db, positions, [...this.opened]);
  }
}

async function openPositions(tx: Tx, bookings: readonly Booking[]): Promise<OpenPositions> {
  const agentIds = new Set(bookings.map(({ stored }) => stored.order.intent.agentId));
  const rows = await tx.db
    .select()
    .from(positions)
    .where(and(inArray(positions.agentId, [...agentIds]), isNull(positions.closedMarketMs)))
    .orderBy(positions.id)
    .for('update');
  return new OpenPositions(rows);
}

/** Sales that the agent did not decide itself. */
const REMEMBERED: ReadonlySet<string> = new Set(['stop_loss', 'closed', 'liquidated']);

/**
 * Once an order, with its first fill: what a purchase is held by, and a sale that the agent did not
 * decide, so that it does not enter again at once.
 */
async function remember(
  tx: Tx,
  { order: { intent, booked }, holding }: StoredOrder,
  fill: VenueFill,
): Promise<void> {
  const isTold = fill.side === 'buy' ? holding !== null : REMEMBERED.has(intent.cause);
  if (!isTold || booked !== fill.quantity) return;
  const [agent] = await tx.db
    .select({ memory: agents.memory })
    .from(agents)
    .where(eq(agents.id, intent.agentId));
  if (agent === undefined) return;
  const known = agent.memory as Record<string, unknown>;
  const memory =
    fill.side === 'buy' && holding !== null
      ? rememberEntry(known, fill.symbol, holding)
      : rememberExit(known, {
          pair: fill.symbol,
          at: fill.atMs,
          stop: intent.cause === 'stop_loss',
        });
  await tx.db.update(agents).set({ memory }).where(eq(agents.id, intent.agentId));
}
