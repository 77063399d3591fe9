/**
 * Brings what rests at the exchange for one pair to what it should be: stops sized to what agents
 * hold, and the sale of what is to be sold. Plans orders and asks for cancellations; sends nothing.
 */
import { randomBytes } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { minimum, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { PairRules } from '../../contract/venue.ts';
import { hasEnded, type LiveOrder } from '../../engine/orders/live-order.ts';
import { sizeOrder, type SizedOrder } from '../../engine/orders/order-size.ts';
import { reservationFor } from '../../engine/orders/reservation.ts';
import {
  ownedNow,
  planStops,
  saleExposure,
  sellableNow,
  type StopAction,
  type StopPlanInput,
} from '../../engine/orders/stop-plan.ts';
import type { Db, Tx } from '../db/database.ts';
import { positions } from '../db/schema.ts';
import { liveExits } from '../db/schema-live.ts';
import { leaveDust, type DustLeft } from './dust-left.ts';
import { hasPassed } from './elapsed.ts';
import { noteTooSmall } from './failed-stops.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { raiseAlarms } from './live-alarms.ts';
import type { BookDeps } from './live-deps.ts';
import { liveOrdersOf } from './order-rows.ts';
import { applyEvents, insertOrder } from './order-store.ts';
import {
  isClosed,
  partLeft,
  readPairFacts,
  type Exit,
  type PairFacts,
  type Rejections,
} from './pair-facts.ts';
import { watchesWithoutRules, type Watch } from './watches.ts';

/** How long the exchange may take to accept an order; the signer allows a minute. */
export const ORDER_LIFE_MS = 30_000;

/** After a refusal the agent's next sale of the pair waits this long. */
export const REFUSED_PAUSE_MS = 10_000;
/** One that found nobody within its limit: the book is another one a moment later. */
const UNSOLD_PAUSE_MS = 2_000;
const NONE = { fromMs: 0, toMs: 0 };
const NO_DUST: DustLeft = { left: new Set(), withheld: new Set() };

/**
 * A sale of a pair that takes no orders, by what is known: that may be wrong, so it is tried. After
 * each rejection it waits twice as long; that the pair trades again is heard from checks anyway.
 */
const CLOSED_PAUSE_MS = 60_000;
const CLOSED_PAUSE_MOST_MS = 15 * 60_000;

/**
 * A sale that is sized without a price may be worth too little for the exchange, and would be
 * rejected for good: after each rejection it waits twice as long, until there is a price.
 */
const UNPRICED_PAUSE_MOST_MS = 5 * 60_000;

export const newClientOrderId = (): string => randomBytes(16).toString('hex');

export interface PairPlan {
  /** Whether orders were planned or cancellations asked for. */
  changed: boolean;
  /** Whether something is no longer to be sold: it is, or too little is left. */
  exitEnded: boolean;
  watches: Watch[];
  /** What is held and to be sold, and waits because the pair takes no orders. */
  waiting: readonly Waiting[];
}

interface Waiting {
  agentId: string;
  tickId: string;
  /** Whether a stop of the agent rests at the exchange meanwhile. */
  hasStop: boolean;
}

/**
 * The account must be locked. Without the exchange's rules nothing is planned, what no stop guards is
 * watched, and what was asked for stays. `rulesSinceMs`: since when the rules are known to be these;
 * what was refused before that holds nothing back. While orders may rest unseen no stop and no sale
 * is planned: none could leave, and the comparison that finds them plans.
 */
export async function planPair(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  symbol: string,
  rules: PairRules | null,
  rulesSinceMs = 0,
): Promise<PairPlan> {
  if (rules === null) {
    const watches = await watchesWithoutRules(tx.db, connection, symbol);
    return { changed: false, exitEnded: false, watches, waiting: [] };
  }
  const now = deps.clock.now();
  const fromMs = isClosed(rules.status)
    ? now - CLOSED_PAUSE_MS
    : Math.max(now - REFUSED_PAUSE_MS, rulesSinceMs + 1);
  const refused = { fromMs, toMs: now + REFUSED_PAUSE_MS };
  const unsold = { ...refused, fromMs: Math.max(fromMs, now - UNSOLD_PAUSE_MS) };
  const bid = deps.market.quote(symbol)?.bid ?? null;
  const facts = await readPairFacts(tx.db, connection, symbol, rules, {
    ...{ refused, unsold, bid, nowMs: now },
  });
  const actions = planStops(facts.input);
  const { orders, changed } = await carryOut(tx, deps, connection, facts, actions);
  const live = orders.filter((one) => !hasEnded(one));
  const isGone = rules.status === 'delisted';
  const { left, withheld } = isGone
    ? NO_DUST
    : await leaveDust(
        tx,
        deps,
        connection,
        symbol,
        { ...facts.input, orders: live },
        leaving(facts),
      );
  const holders = facts.input.holders.filter(({ agentId }) => !left.has(agentId));
  const input = { ...facts.input, orders: live, holders };
  if (isGone && facts.input.holders.length > 0) await tellDelisted(tx, deps, connection, symbol);
  // What was asked for stays: a pair may be listed again.
  const sales =
    isGone || facts.isUnread
      ? []
      : await sellWished(tx, deps, connection, facts, { ...input, withheld }, rulesSinceMs);
  const ended = new Set(sales.filter(({ sale }) => sale === 'ended').map(({ exit }) => exit));
  const exitEnded = ended.size > 0;
  const waiting = facts.exits.filter((exit) => !ended.has(exit));
  return {
    changed: changed || sales.some(({ sale }) => sale === 'planned'),
    exitEnded,
    waiting: isClosed(rules.status) ? waitingIn(waiting, input) : [],
    // What is left of one that was not sold is watched as it is now.
    watches:
      exitEnded || left.size > 0
        ? await readWatches(tx.db, connection, symbol, rules, bid)
        : watchesIn(facts, actions, symbol),
  };
}

/** Cancels and plans stops. Resolves to the orders of the pair, those that this has ended too. */
async function carryOut(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  { input, stored, refused, isUnread }: PairFacts,
  actions: readonly StopAction[],
): Promise<{ orders: LiveOrder[]; changed: boolean }> {
  let changed = false;
  const orders = new Map(input.orders.map((one) => [one.intent.clientOrderId, one]));
  for (const action of actions) {
    if (action.kind !== 'cancel') continue;
    const known = stored.get(action.clientOrderId);
    if (known === undefined) continue;
    const event = { kind: 'cancel_asked', atMs: deps.clock.now() } as const;
    const after = await applyEvents(tx, deps, connection, known, [event]);
    orders.set(action.clientOrderId, after.order);
    changed = true;
  }
  for (const action of actions) {
    if (action.kind !== 'place' || isUnread || refused.has(action.agentId)) continue;
    const { agentId, quantity, stopPrice } = action;
    const terms = { side: 'sell', type: 'stop', quantity, stopPrice, cause: 'stop_loss' } as const;
    const stop = await plan(tx, deps, connection, input.rules.symbol, { ...terms, agentId });
    orders.set(stop.intent.clientOrderId, stop);
    changed = true;
  }
  return { orders: [...orders.values()], changed };
}

/** The sales that were asked for, of what nothing holds back now. */
async function sellWished(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  { exits, refusedSales, unsold }: PairFacts,
  input: SaleInput,
  rulesSinceMs: number,
): Promise<{ exit: Exit; sale: Sale }[]> {
  const { rules, bid } = input;
  const now = deps.clock.now();
  const sales: { exit: Exit; sale: Sale }[] = [];
  for (const exit of exits)
    if (
      !refusedSales.has(exit.agentId) &&
      !unsold.has(exit.agentId) &&
      !isHeldBack(exit, rules, bid, now, rulesSinceMs)
    )
      sales.push({ exit, sale: await sell(tx, deps, connection, rules.symbol, exit, input) });
  return sales;
}

/** Agents that are to sell all of the pair that they hold. */
const leaving = ({ exits }: PairFacts): Set<string> =>
  new Set(exits.flatMap(({ agentId, quantity }) => (quantity === null ? [agentId] : [])));

function isHeldBack(
  { rejected, byExchange }: Exit,
  { status }: PairRules,
  bid: Fixed | null,
  now: number,
  rulesSinceMs: number,
): boolean {
  if (isClosed(status)) return isPausing(rejected, CLOSED_PAUSE_MS, CLOSED_PAUSE_MOST_MS, now);
  if (bid !== null || byExchange.lastMs < rulesSinceMs) return false;
  return isPausing(byExchange, REFUSED_PAUSE_MS, UNPRICED_PAUSE_MOST_MS, now);
}

/** Not where the last rejection was noted later than now: the clock was set back since. */
function isPausing(
  { count, lastMs }: Rejections,
  firstMs: number,
  mostMs: number,
  now: number,
): boolean {
  if (count === 0) return false;
  return !hasPassed(lastMs, Math.min(mostMs, firstMs * 2 ** (count - 1)), now);
}

/** The stops of a pair that the server has to watch, as they are stored now. Plans nothing. */
export async function readWatches(
  db: Db,
  connection: ConnectionRow,
  symbol: string,
  rules: PairRules | null,
  bid: Fixed | null,
): Promise<Watch[]> {
  if (rules === null) return watchesWithoutRules(db, connection, symbol);
  const facts = await readPairFacts(db, connection, symbol, rules, {
    refused: NONE,
    unsold: NONE,
    bid,
    nowMs: null,
  });
  return watchesIn(facts, planStops(facts.input), symbol);
}

/** How much an agent can count on of a pair, as it is stored now. */
export async function readOwned(
  db: Db,
  connection: ConnectionRow,
  { agentId, symbol, rules }: { agentId: string; symbol: string; rules: PairRules },
): Promise<Fixed> {
  const { input } = await readPairFacts(db, connection, symbol, rules, {
    refused: NONE,
    unsold: NONE,
    bid: null,
    nowMs: null,
  });
  return ownedNow(input, agentId);
}

const watchesIn = (
  { positionIds }: PairFacts,
  actions: readonly StopAction[],
  symbol: string,
): Watch[] =>
  actions.flatMap((action) => {
    const positionId = positionIds.get(action.agentId);
    return action.kind === 'watch' && positionId !== undefined
      ? { ...action, symbol, positionId }
      : [];
  });

/** Nobody can sell it there any more, we neither; the coins are the person's to withdraw. */
const tellDelisted = (
  tx: Tx,
  deps: BookDeps,
  { id: connectionId }: ConnectionRow,
  symbol: string,
): Promise<void> =>
  raiseAlarms(tx, deps, [
    { connectionId, kind: 'pair_delisted', about: symbol, detail: { symbol } },
  ]);

/** `input`: as it is after this planning; of what was left to the person nothing waits. */
const waitingIn = (exits: readonly Exit[], input: StopPlanInput): Waiting[] =>
  exits
    .filter(({ agentId }) => input.holders.some((one) => one.agentId === agentId))
    .map(({ agentId, tickId }) => ({
      agentId,
      tickId,
      hasStop: input.orders.some(
        ({ state, intent }) =>
          state === 'open' && intent.type === 'stop' && intent.agentId === agentId,
      ),
    }));

/** Once for each wish. */
export const tellWaiting = (
  tx: Tx,
  deps: BookDeps,
  { id: connectionId }: ConnectionRow,
  symbol: string,
  waiting: readonly Waiting[],
): Promise<void> =>
  raiseAlarms(
    tx,
    deps,
    waiting.map(({ agentId, tickId, hasStop }) => ({
      connectionId,
      kind: 'sale_waits_for_pair',
      about: `${agentId} ${symbol} ${tickId}`,
      detail: { symbol, hasStop },
    })),
  );

interface ToSell {
  free: Fixed;
  /** What is left of a part; null where all of the position is to go. */
  part: Fixed | null;
  /** Something is on sale, or rests, that has to end before. */
  isBusy: boolean;
}

/** Of a part what is left of it: stops of the rest stay, and only what is in its way is waited for. */
function toSellNow(input: StopPlanInput, exit: Exit): ToSell {
  const { agentId } = exit;
  const most = sellableNow(input, agentId);
  const part = partLeft(exit, input.rules);
  if (part === null) return { free: most, part, isBusy: saleExposure(agentId, input.orders) > 0n };
  const wanted = minimum(part, ownedNow(input, agentId));
  const sales = input.orders.filter(({ intent }) => intent.type !== 'stop');
  const isBusy = saleExposure(agentId, sales) > 0n || most < wanted;
  return { free: minimum(part, most), part, isBusy };
}

/**
 * Without a price, by step and least quantity alone: its stop may be gone by then, and the signer has
 * the exchange's own book. What is worth too little is turned down, and judged again with a price.
 */
const sizeSale = (quantity: Fixed, bid: Fixed | null, rules: PairRules): SizedOrder =>
  bid === null
    ? sizeOrder(quantity, ZERO, { ...rules, minNotional: ZERO })
    : sizeOrder(quantity, bid, rules);

/** Whether nothing is left of a part, or too little for an order, whatever coins are missing. */
function isSold(part: Fixed | null, bid: Fixed | null, rules: PairRules): boolean {
  if (part === null) return false;
  return part === ZERO || sizeSale(part, bid, rules).kind === 'dust';
}

/** A purchase that is out may fill yet: what it brings goes with a wish to sell all. */
const mayBringMore = ({ agentId, quantity }: Exit, { orders }: StopPlanInput): boolean =>
  quantity === null &&
  orders.some(({ intent }) => intent.agentId === agentId && intent.side === 'buy');

/** `withheld`: agents whose dust waits to be left to the person. */
type SaleInput = StopPlanInput & { withheld: ReadonlySet<string> };

type Sale = 'planned' | 'waiting' | 'ended';

/** Sells what may be sold now of a position that is to go. */
async function sell(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  symbol: string,
  exit: Exit,
  input: SaleInput,
): Promise<Sale> {
  const { agentId } = exit;
  const holder = input.holders.find((one) => one.agentId === agentId);
  const { bid } = input;
  const { free, part, isBusy } = toSellNow(input, exit);
  const sized = sizeSale(free, bid, input.rules);
  // Coins that are missing may come back, and a price may say that it is an order: no dust till then.
  const isDust = sized.kind === 'dust' && input.missing === 0n && bid !== null;
  const isGone = holder === undefined || (!isBusy && (isDust || isSold(part, bid, input.rules)));
  const isDone = isGone && !mayBringMore(exit, input);
  if (isDone && part === null && input.withheld.has(agentId)) return 'waiting';
  if (isDone)
    await tx.db
      .delete(liveExits)
      .where(and(eq(liveExits.agentId, agentId), eq(liveExits.symbol, symbol)));
  if (isDone && part === null && holder !== undefined && holder.stopPrice !== null)
    await noteTooSmall(tx, deps, {
      ...{ connectionId: connection.id, agentId, symbol, rules: input.rules },
      ...{ owned: free, stopPrice: holder.stopPrice },
    });
  if (isDone) return 'ended';
  // What is on sale already is waited for; the rest follows when its end is known.
  if (isBusy || sized.kind !== 'order') return 'waiting';
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
  return 'planned';
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
