/**
 * Books what an exchange says was traded: once per trade id, into the ledger, the position, and the
 * fills that the views read.
 */
import { and, eq, isNull } from 'drizzle-orm';
import {
  divide,
  fixedFromNumber,
  formatFixed,
  multiply,
  parseFixed,
  ZERO,
} from '../../contract/money.ts';
import type { VenueFill } from '../../contract/venue.ts';
import { rememberEntry, rememberExit } from '../../engine/execution/agent-memory.ts';
import { feeIn } from '../../engine/orders/live-order.ts';
import { positionAfter, venueFillEntries } from '../../engine/orders/venue-ledger.ts';
import type { PositionStep } from '../../engine/orders/venue-ledger.ts';
import { quoteOf } from '../../engine/pair-coins.ts';
import type { Tx } from '../db/database.ts';
import { orderedId } from '../db/ordered-id.ts';
import { agents, fills, positions } from '../db/schema.ts';
import { venueFills } from '../db/schema-live.ts';
import { post, type PositionRow } from '../portfolio/record-trades.ts';
import type { BookDeps } from './live-deps.ts';
import { raiseAlarms } from './live-alarms.ts';
import { tradeColumns, uuidOf, type StoredOrder } from './order-rows.ts';

/** Prices and fees are the exchange's own: no rules of ours made them. */
const VENUE_RULES = 0;
const TEN_THOUSAND = fixedFromNumber(10_000);

/** The agent and its account must be locked by the caller. @throws Error where it is booked already. */
export async function bookFill(
  tx: Tx,
  deps: BookDeps,
  stored: StoredOrder,
  fill: VenueFill,
): Promise<void> {
  const { intent } = stored.order;
  const { agentId, accountId, connectionId } = intent;
  const fillId = orderedId(deps.clock.now());
  await claimTrade(tx, deps, stored, fill, fillId);
  const [held] = await tx.db
    .select()
    .from(positions)
    .where(
      and(
        eq(positions.agentId, agentId),
        eq(positions.pair, fill.symbol),
        isNull(positions.closedMarketMs),
      ),
    )
    .for('update');
  const before =
    held === undefined
      ? null
      : {
          quantity: parseFixed(held.quantity),
          cost: parseFixed(held.cost),
          stopPrice: held.stopPrice === null ? null : parseFixed(held.stopPrice),
        };
  const step = positionAfter(before, fill, stored.protectAt ?? before?.stopPrice ?? null);
  await tx.db.insert(fills).values(fillRow(stored, fill, fillId, step));
  await post(
    tx,
    [
      {
        transactionId: fillId,
        accountId,
        cause: 'fill',
        fillId,
        at: fill.atMs,
        entries: venueFillEntries(agentId, fill),
      },
    ],
    { hasHappened: true },
  );
  await writePosition(tx, stored, fill, held, step);
  await remember(tx, stored, fill);
  if (step.oversold > 0n)
    await raiseAlarms(tx, deps, [
      {
        connectionId,
        kind: 'oversold',
        about: fill.tradeId,
        detail: { symbol: fill.symbol, amount: formatFixed(step.oversold) },
      },
    ]);
}

/** One row a trade; one that was booked as made by hand becomes ours, and is booked anew. */
async function claimTrade(
  tx: Tx,
  { clock }: BookDeps,
  { order: { intent } }: StoredOrder,
  fill: VenueFill,
  fillId: string,
): Promise<void> {
  const { connectionId, accountId, clientOrderId, agentId } = intent;
  await tx.db
    .delete(venueFills)
    .where(
      and(
        eq(venueFills.connectionId, connectionId),
        eq(venueFills.tradeId, fill.tradeId),
        isNull(venueFills.clientOrderId),
      ),
    );
  await tx.db.insert(venueFills).values({
    connectionId,
    accountId,
    clientOrderId,
    agentId,
    fillId,
    ...tradeColumns(fill),
    bookedAt: clock.now(),
  });
}

function fillRow(
  { order: { intent }, decidedMarketMs }: StoredOrder,
  fill: VenueFill,
  id: string,
  { costBasis, realized }: PositionStep,
): typeof fills.$inferInsert {
  const fee = feeIn(fill, quoteOf(fill.symbol));
  const bps =
    fill.quoteAmount > 0n
      ? divide(multiply(fee, TEN_THOUSAND, 'half-even'), fill.quoteAmount, 'half-even')
      : ZERO;
  return {
    id,
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
    // What a market order lost against the middle is not known of a real book.
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

async function writePosition(
  tx: Tx,
  { order: { intent } }: StoredOrder,
  fill: VenueFill,
  held: PositionRow | undefined,
  { after }: PositionStep,
): Promise<void> {
  const state = {
    quantity: formatFixed(after.quantity),
    cost: formatFixed(after.cost),
    stopPrice: after.stopPrice === null ? null : formatFixed(after.stopPrice),
    closedMarketMs: after.quantity === ZERO ? fill.atMs : null,
  };
  if (held !== undefined) {
    await tx.db.update(positions).set(state).where(eq(positions.id, held.id));
    return;
  }
  if (after.quantity === ZERO) return;
  await tx.db.insert(positions).values({
    id: orderedId(),
    accountId: intent.accountId,
    agentId: intent.agentId,
    pair: fill.symbol,
    openedMarketMs: fill.atMs,
    ...state,
  });
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
