/**
 * Brings what rests at the exchange for one pair to what it should be: stops sized to what agents
 * hold, and the sale of what is to be sold. Plans orders and asks for cancellations; sends nothing.
 */
import { randomBytes } from 'node:crypto';
import { and, eq, gte, isNull } from 'drizzle-orm';
import { minimum, parseFixed, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { PairRules } from '../../contract/venue.ts';
import { hasEnded, type LiveOrder } from '../../engine/orders/live-order.ts';
import { sizeOrder } from '../../engine/orders/order-size.ts';
import { reservationFor } from '../../engine/orders/reservation.ts';
import {
  planStops,
  saleExposure,
  sellableNow,
  type FailedStop,
  type StopAction,
  type StopHolder,
  type StopPlanInput,
} from '../../engine/orders/stop-plan.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import type { Db, Tx } from '../db/database.ts';
import { positions } from '../db/schema.ts';
import { liveExits, liveFailedStops, liveMarks, liveOrders } from '../db/schema-live.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';
import { liveOrdersOf, type StoredOrder } from './order-rows.ts';
import { applyEvent, insertOrder } from './order-store.ts';

/** How long the exchange may take to accept an order; the signer allows a minute. */
export const ORDER_LIFE_MS = 30_000;

/** After a refusal the agent's next sale of the pair waits this long. */
const REFUSED_PAUSE_MS = 10_000;

export const newClientOrderId = (): string => randomBytes(16).toString('hex');

export interface PairPlan {
  /** Whether orders were planned or cancellations asked for. */
  changed: boolean;
  /** Stops that the server has to watch. */
  watches: Extract<StopAction, { kind: 'watch' }>[];
}

type ExitRow = typeof liveExits.$inferSelect;

interface PairFacts {
  input: StopPlanInput;
  exits: ExitRow[];
  stored: Map<string, StoredOrder>;
  /** Agents whose last sale was refused a moment ago. */
  refused: ReadonlySet<string>;
}

/** Agents whose last sale of the pair was refused a moment ago. */
async function refusedLately(
  db: Db,
  connection: ConnectionRow,
  symbol: string,
  now: number,
): Promise<Set<string>> {
  const rows = await db
    .select({ agentId: liveOrders.agentId })
    .from(liveOrders)
    .where(
      and(
        eq(liveOrders.accountId, connection.accountId),
        eq(liveOrders.symbol, symbol),
        eq(liveOrders.side, 'sell'),
        eq(liveOrders.state, 'rejected'),
        gte(liveOrders.changedAt, now - REFUSED_PAUSE_MS),
      ),
    );
  return new Set(rows.map(({ agentId }) => agentId));
}

async function failedStopsOf(db: Db, symbol: string): Promise<Map<string, FailedStop>> {
  const rows = await db.select().from(liveFailedStops).where(eq(liveFailedStops.symbol, symbol));
  return new Map(
    rows.map((row) => [
      row.agentId,
      {
        quantity: parseFixed(row.quantity),
        stopPrice: parseFixed(row.stopPrice),
        why: row.why as FailedStop['why'],
      },
    ]),
  );
}

/** How much of the coin agents hold beyond what the account has. */
async function missingOf(db: Db, connectionId: string, asset: string): Promise<Fixed> {
  const [marks] = await db
    .select({ missing: liveMarks.missing })
    .from(liveMarks)
    .where(eq(liveMarks.connectionId, connectionId));
  const text = (marks?.missing as Record<string, string> | undefined)?.[asset];
  return text === undefined ? ZERO : parseFixed(text);
}

async function readFacts(
  db: Db,
  connection: ConnectionRow,
  symbol: string,
  rules: PairRules,
  now: number,
): Promise<PairFacts> {
  const held = await db
    .select()
    .from(positions)
    .where(
      and(
        eq(positions.accountId, connection.accountId),
        eq(positions.pair, symbol),
        isNull(positions.closedMarketMs),
      ),
    )
    .orderBy(positions.openedMarketMs, positions.id);
  const exits = await db
    .select()
    .from(liveExits)
    .where(and(eq(liveExits.connectionId, connection.id), eq(liveExits.symbol, symbol)));
  const failed = await failedStopsOf(db, symbol);
  const orders = (await liveOrdersOf(db, connection.id)).filter(
    ({ order }) => order.intent.symbol === symbol,
  );
  const leaving = new Set(exits.map(({ agentId }) => agentId));
  return {
    exits,
    refused: await refusedLately(db, connection, symbol, now),
    stored: new Map(orders.map((one) => [one.order.intent.clientOrderId, one])),
    input: {
      rules,
      abilities: connection.abilities,
      holders: held.map((row): StopHolder => ({
        agentId: row.agentId,
        held: parseFixed(row.quantity),
        stopPrice: row.stopPrice === null ? null : parseFixed(row.stopPrice),
        leaving: leaving.has(row.agentId),
        failedStop: failed.get(row.agentId) ?? null,
      })),
      orders: orders.map(({ order }) => order),
      missing: await missingOf(db, connection.id, baseOf(symbol)),
      // Each of the three exchanges takes the fee of a sale out of what it brings.
      baseFeeBps: ZERO,
    },
  };
}

/** The account must be locked. Without the exchange's rules nothing is planned, and what was asked for stays. */
export async function planPair(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  symbol: string,
  rules: PairRules | null,
): Promise<PairPlan> {
  if (rules === null) return { changed: false, watches: [] };
  const facts = await readFacts(tx.db, connection, symbol, rules, deps.clock.now());
  const actions = planStops(facts.input);
  let changed = false;
  const orders = new Map(facts.input.orders.map((one) => [one.intent.clientOrderId, one]));
  for (const action of actions) {
    if (action.kind !== 'cancel') continue;
    const stored = facts.stored.get(action.clientOrderId);
    if (stored === undefined) continue;
    const event = { kind: 'cancel_asked', atMs: deps.clock.now() } as const;
    const after = await applyEvent(tx, deps, connection, stored, event);
    orders.set(action.clientOrderId, after.order);
    changed = true;
  }
  for (const action of actions) {
    if (action.kind !== 'place' || facts.refused.has(action.agentId)) continue;
    const { agentId, quantity, stopPrice } = action;
    const terms = { side: 'sell', type: 'stop', quantity, stopPrice } as const;
    await plan(tx, deps, connection, symbol, { ...terms, agentId, cause: 'stop_loss' });
    changed = true;
  }
  const input = { ...facts.input, orders: [...orders.values()].filter((one) => !hasEnded(one)) };
  for (const exit of facts.exits)
    if (!facts.refused.has(exit.agentId))
      changed = (await sell(tx, deps, connection, exit, input)) || changed;
  return {
    changed,
    watches: actions.filter((action) => action.kind === 'watch'),
  };
}

/** Sells what may be sold now of a position that is to go; true where an order was planned. */
async function sell(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  exit: ExitRow,
  input: StopPlanInput,
): Promise<boolean> {
  const { agentId, symbol } = exit;
  const holder = input.holders.find((one) => one.agentId === agentId);
  const isBusy = saleExposure(agentId, input.orders) > 0n;
  const bid = deps.market.quote(symbol)?.bid ?? null;
  const most = sellableNow(input, agentId);
  const part = exit.quantity === null ? null : parseFixed(exit.quantity);
  const free = part === null ? most : minimum(part, most);
  const sized = bid === null ? null : sizeOrder(free, bid, input.rules);
  const isDone = holder === undefined || (!isBusy && sized?.kind === 'dust');
  const isOrdered = !isBusy && sized?.kind === 'order';
  // A part is ordered once; the whole is followed until nothing is left that could be sold.
  if (isDone || (isOrdered && part !== null))
    await tx.db
      .delete(liveExits)
      .where(and(eq(liveExits.agentId, agentId), eq(liveExits.symbol, symbol)));
  if (isDone) return false;
  // What is on sale already is waited for; the rest follows when its end is known.
  if (isBusy || sized?.kind !== 'order') return false;
  const terms = {
    side: 'sell',
    type: 'market',
    quantity: sized.quantity,
    stopPrice: null,
  } as const;
  await plan(tx, deps, connection, symbol, {
    ...terms,
    agentId,
    cause: exit.reason,
    tickId: exit.tickId,
    decidedMarketMs: exit.askedMarketMs,
  });
  return true;
}

interface SaleTerms {
  agentId: string;
  side: 'sell';
  type: 'market' | 'stop';
  quantity: Fixed;
  stopPrice: Fixed | null;
  cause: string;
  tickId?: string;
  decidedMarketMs?: number;
}

async function plan(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  symbol: string,
  terms: SaleTerms,
): Promise<LiveOrder> {
  const { agentId, side, type, quantity, stopPrice, cause } = terms;
  const clientOrderId = newClientOrderId();
  const { order } = await insertOrder(
    tx,
    deps,
    {
      clientOrderId,
      connectionId: connection.id,
      accountId: connection.accountId,
      agentId,
      symbol,
      side,
      type,
      quantity,
      limitPrice: null,
      stopPrice,
      deadlineMs: deps.clock.now() + ORDER_LIFE_MS,
      cause,
      reservation: reservationFor({
        symbol,
        side,
        quantity,
        worstPrice: stopPrice ?? ZERO,
        worstFeeBps: ZERO,
        feeFromBase: false,
      }),
    },
    {
      tickId: terms.tickId ?? `stop:${clientOrderId}`,
      decidedMarketMs: terms.decidedMarketMs ?? deps.market.now(),
      protectAt: null,
      holding: null,
    },
  );
  return order;
}

/** Every pair of which the connection's agents hold something, have an order, or want to leave. */
export async function pairsToPlan(db: Db, connection: ConnectionRow): Promise<string[]> {
  const held = await db
    .selectDistinct({ symbol: positions.pair })
    .from(positions)
    .where(and(eq(positions.accountId, connection.accountId), isNull(positions.closedMarketMs)));
  const exits = await db
    .selectDistinct({ symbol: liveExits.symbol })
    .from(liveExits)
    .where(eq(liveExits.connectionId, connection.id));
  const orders = await liveOrdersOf(db, connection.id);
  return [
    ...new Set([
      ...held.map(({ symbol }) => symbol),
      ...exits.map(({ symbol }) => symbol),
      ...orders.map(({ order }) => order.intent.symbol),
    ]),
  ].sort();
}
