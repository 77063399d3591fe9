/** Stops that did not stay at the exchange: the same one is not placed again, and its price watched. */
import { and, eq, gte, inArray, isNotNull, isNull, ne, or } from 'drizzle-orm';
import { formatFixed, type Fixed } from '../../contract/money.ts';
import { STOP_REACHED, STOPS_CLOSED_CODES, type PairRules } from '../../contract/venue.ts';
import { LIVE_STATES, type LiveOrder } from '../../engine/orders/live-order.ts';
import { sizeOrder, stopOnTick } from '../../engine/orders/order-size.ts';
import type { FailedStop } from '../../engine/orders/stop-plan.ts';
import type { Tx } from '../db/database.ts';
import { positions } from '../db/schema.ts';
import { liveFailedStops, liveOrders } from '../db/schema-live.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { BookDeps } from './live-deps.ts';

/** Refusals that say nothing of the order: the same one may be tried again after a pause. */
const PASSING: ReadonlySet<string> = new Set([
  'busy',
  'exchange_ban',
  'no_market_data',
  'deadline',
  'deadline_passed',
  'signing_failed',
  // The market may be above it again; while it is not, the position is sold (reached-stops.ts).
  STOP_REACHED,
  'disk_full',
  ...STOPS_CLOSED_CODES,
  // Too much was asked of the exchange, by this account or beside it.
  'http_429',
  'EAPI:Rate limit exceeded',
  'EGeneral:Too many requests',
  'EGeneral:Temporary lockout',
  'EOrder:Rate limit exceeded',
  '-1003',
  '-1015',
  // Kraken looked at it too late: the request was slow, or the signer's clock was set.
  'EService:Deadline elapsed',
]);
/** By the signer's ledger, with what its other orders may sell, the agent does not hold so much. */
const NOT_HELD = 'not_held';
/** The signer finds out in this time what became of an order that its person gave up. */
const GIVEN_UP_LATELY_MS = 10 * 60_000;
/**
 * So often within so long, and for so long: what the exchange says of the pair is not what it does.
 * At a restart its word may be some seconds ahead of its orders.
 */
const REJECTIONS_MOST = 3;
const LATELY_MS = 10 * 60_000;
const LASTED_MS = 2 * 60_000;

/**
 * Whether another order may sell what the signer would not let this stop sell as well: then the same
 * stop may be placed once that one has ended. One that rests undisturbed explains nothing: it is in
 * our books too.
 */
async function mayAnotherSell(
  tx: Tx,
  { clock }: BookDeps,
  { intent }: LiveOrder,
): Promise<boolean> {
  const { agentId, symbol, clientOrderId } = intent;
  const others = await tx.db.$count(
    liveOrders,
    and(
      eq(liveOrders.agentId, agentId),
      eq(liveOrders.symbol, symbol),
      eq(liveOrders.side, 'sell'),
      ne(liveOrders.clientOrderId, clientOrderId),
      or(
        and(
          inArray(liveOrders.state, [...LIVE_STATES]),
          or(inArray(liveOrders.state, ['sending', 'unknown']), isNotNull(liveOrders.cancel)),
        ),
        and(
          eq(liveOrders.ending, 'given_up'),
          gte(liveOrders.changedAt, clock.now() - GIVEN_UP_LATELY_MS),
        ),
      ),
    ),
  );
  return others > 0;
}

/** A stop that the exchange turned down, or that the person took away, is not placed again. */
export async function noteFailedStop(
  tx: Tx,
  deps: BookDeps,
  before: LiveOrder,
  order: LiveOrder,
): Promise<void> {
  if (before.state === order.state) return;
  if (
    order.state === 'rejected' &&
    !PASSING.has(order.code ?? '') &&
    !(order.code === NOT_HELD && (await mayAnotherSell(tx, deps, order)))
  )
    await note(tx, deps, order, 'rejected');
  if (order.state === 'cancelled' && order.ending === 'exchange' && order.cancel === null)
    await note(tx, deps, order, 'cancelled_at_exchange');
}

/**
 * A stop that the exchange rejects time and again as if its pair took no orders, while it answers
 * that the pair trades, or answers nothing: it would be tried for good, and nobody told.
 */
export async function noteRepeatedRejection(
  tx: Tx,
  deps: BookDeps,
  order: LiveOrder,
): Promise<void> {
  const { agentId, symbol, type } = order.intent;
  if (type !== 'stop' || order.ending !== 'rejected') return;
  if (!STOPS_CLOSED_CODES.has(order.code ?? '')) return;
  const now = deps.clock.now();
  const rejections = await tx.db
    .select({ changedAt: liveOrders.changedAt })
    .from(liveOrders)
    .where(
      and(
        eq(liveOrders.agentId, agentId),
        eq(liveOrders.symbol, symbol),
        eq(liveOrders.type, 'stop'),
        eq(liveOrders.ending, 'rejected'),
        inArray(liveOrders.code, [...STOPS_CLOSED_CODES]),
        gte(liveOrders.changedAt, now - LATELY_MS),
      ),
    );
  const firstMs = Math.min(...rejections.map(({ changedAt }) => changedAt));
  if (rejections.length >= REJECTIONS_MOST && firstMs <= now - LASTED_MS)
    await note(tx, deps, order, 'rejected');
}

async function note(
  tx: Tx,
  deps: BookDeps,
  { intent, code }: LiveOrder,
  why: FailedStop['why'],
): Promise<void> {
  if (intent.type !== 'stop' || intent.stopPrice === null) return;
  const { agentId, symbol, quantity, stopPrice } = intent;
  await keep(tx, { agentId, symbol }, { quantity, stopPrice, why });
  // Of one that was cancelled at the exchange the order itself tells.
  if (why === 'rejected')
    await raiseAlarms(tx, deps, [
      {
        connectionId: intent.connectionId,
        kind: 'stop_rejected',
        about: intent.clientOrderId,
        detail: { symbol: intent.symbol, code },
      },
    ]);
}

async function keep(
  tx: Tx,
  of: { agentId: string; symbol: string },
  { quantity, stopPrice, why }: FailedStop,
): Promise<void> {
  const failed = {
    quantity: formatFixed(quantity),
    stopPrice: formatFixed(stopPrice),
    why,
    told: false,
  };
  await tx.db
    .insert(liveFailedStops)
    .values({ ...of, ...failed })
    .onConflictDoUpdate({
      target: [liveFailedStops.agentId, liveFailedStops.symbol],
      set: failed,
    });
}

/** With another key, or the same with its rights back, stops that were turned down are tried once more. */
export async function forgetRejectedStops(tx: Tx, accountId: string): Promise<void> {
  const held = tx.db
    .select({ id: positions.agentId })
    .from(positions)
    .where(and(eq(positions.accountId, accountId), isNull(positions.closedMarketMs)));
  await tx.db
    .delete(liveFailedStops)
    .where(and(eq(liveFailedStops.why, 'rejected'), inArray(liveFailedStops.agentId, held)));
}

interface Small {
  connectionId: string;
  agentId: string;
  symbol: string;
  /** All that the agent can count on: coins that the account has not are in no stop. */
  owned: Fixed;
  stopPrice: Fixed;
  rules: PairRules;
}

/** The order that its stop would be; null where that is too small at the stop's price too. */
function stopOf({
  owned,
  stopPrice,
  rules,
}: Small): Pick<FailedStop, 'quantity' | 'stopPrice'> | null {
  const price = stopOnTick(stopPrice, rules);
  const sized = sizeOrder(owned, price, rules);
  return sized.kind === 'order' ? { quantity: sized.quantity, stopPrice: price } : null;
}

/** Once for each such stop: the price has reached it, and all of it is worth too little for a sale. */
export async function tellTooSmall(tx: Tx, deps: BookDeps, small: Small): Promise<void> {
  const stop = stopOf(small);
  if (stop === null) return;
  const { connectionId, agentId, symbol } = small;
  const quantity = formatFixed(stop.quantity);
  await raiseAlarms(tx, deps, [
    {
      connectionId,
      kind: 'too_small_to_sell',
      about: `${agentId} ${symbol} ${quantity} ${formatFixed(stop.stopPrice)}`,
      detail: { symbol, quantity },
    },
  ]);
}

/**
 * Neither its stop can be placed at this price nor its sale: both would be tried for good. The server
 * watches for a price at which it can be sold.
 */
export async function noteTooSmall(tx: Tx, deps: BookDeps, small: Small): Promise<void> {
  const stop = stopOf(small);
  if (stop === null) return;
  const { agentId, symbol } = small;
  await keep(tx, { agentId, symbol }, { ...stop, why: 'too_small' });
  await tellTooSmall(tx, deps, small);
}
