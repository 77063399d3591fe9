/**
 * Plans the stops that rest at the exchange for one pair: sized to what agents hold after fees, and
 * at no moment more than that, whatever becomes of the requests.
 */
import { add, maximum, minimum, subtract, sum, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { leastOfStop } from '../../contract/stop-limit.ts';
import type { ClientOrderId, PairRules, VenueAbilities } from '../../contract/venue.ts';
import { hasEnded, openQuantity } from './live-order.ts';
import type { LiveOrder } from './live-order.ts';
import { sizeOrder, stopOnTick, withinOwned } from './order-size.ts';

export interface StopHolder {
  agentId: string;
  /** What the ledger says it holds of the pair, after fees. */
  held: Fixed;
  /** Null: the agent has no stop. */
  stopPrice: Fixed | null;
  /** It is to sell everything: its stops go, and none comes. */
  leaving: boolean;
  /** Of a part that is to be sold, what no order of it sells yet: its stops leave that much free. */
  partToSell: Fixed;
  /** The last stop that did not stay; the same one is not placed again. */
  failedStop: FailedStop | null;
}

export interface FailedStop {
  quantity: Fixed;
  stopPrice: Fixed;
  why: 'rejected' | 'cancelled_at_exchange' | 'too_small';
}

export interface StopPlanInput {
  rules: PairRules;
  abilities: VenueAbilities;
  /** How far below its price a stop's limit lies; null where it becomes a market order. */
  stopRoomBps: Fixed | null;
  holders: readonly StopHolder[];
  /** Every order of ours on the pair that has not ended; ended ones are ignored. */
  orders: readonly LiveOrder[];
  /** Coins that the ledger's holdings have and the account lacks: fees in the coin, withdrawals. */
  missing: Fixed;
  /** The fee that a sale takes from the coin sold; zero where it comes out of the quote currency. */
  baseFeeBps: Fixed;
  /** Of the market, in quote currency; null where none is known. */
  bid: Fixed | null;
}

/** Why the server watches the price instead of a stop at the exchange, or beside it. */
export type WatchReason =
  | 'not_supported'
  | 'pair_not_trading'
  | 'rejected'
  | 'cancelled_at_exchange'
  /** The market has reached its price, where all of it is worth too little for an order. */
  | 'too_small'
  /** A stop is on its way, of unknown outcome, or must end before the next one can be placed. */
  | 'pending'
  /** A stop rests, and below its limit it sells nothing: `stopPrice` is that limit. */
  | 'beyond_limit'
  /** Too little for an order: nobody can sell it, the server neither. */
  | 'dust';

export type StopAction =
  | { kind: 'place'; agentId: string; quantity: Fixed; stopPrice: Fixed }
  | CancelAction
  | WatchAction;
export interface WatchAction {
  kind: 'watch';
  agentId: string;
  quantity: Fixed;
  stopPrice: Fixed;
  why: WatchReason;
  /** All that the agent can count on: what a sale would be for. */
  owned: Fixed;
}
export interface CancelAction {
  kind: 'cancel';
  agentId: string;
  clientOrderId: ClientOrderId;
  why: CancelReason;
}
export type CancelReason =
  | 'too_much'
  | 'other_price'
  | 'no_stop'
  | 'leaving'
  | 'to_merge'
  | 'repeated';

/** More stops of one agent on one pair are merged: exchanges allow few. */
const STOPS_PER_AGENT = 2;

/** What an agent's orders may still sell, whatever the exchange makes of them. */
export function saleExposure(agentId: string, orders: Iterable<LiveOrder>): Fixed {
  let most = ZERO;
  for (const order of orders)
    if (order.intent.agentId === agentId && order.intent.side === 'sell')
      most = add(most, openQuantity(order));
  return most;
}

/**
 * What each agent can count on: what it holds, less its part of what is missing from the account.
 * The last agents bear it first, so that the answer is the same each time.
 */
function dependable(input: StopPlanInput): Map<string, Fixed> {
  let missing = maximum(ZERO, input.missing);
  const sure = new Map<string, Fixed>();
  for (const { agentId, held } of [...input.holders].reverse()) {
    const lost = minimum(missing, maximum(ZERO, held));
    missing = subtract(missing, lost);
    sure.set(agentId, withinOwned(subtract(held, lost), input.baseFeeBps));
  }
  return sure;
}

/**
 * All that an agent can count on of the pair: what a stop, or a sale of all of it, is sized and judged
 * by. Of coins that the account has not nothing can be sold.
 */
export const ownedNow = (input: StopPlanInput, agentId: string): Fixed =>
  dependable(input).get(agentId) ?? ZERO;

/**
 * The quantity that an agent may order to sell now: what it owns and no live order of its own might
 * sell. A request with an unknown outcome counts in full.
 */
export function sellableNow(input: StopPlanInput, agentId: string): Fixed {
  const owned = ownedNow(input, agentId);
  return maximum(ZERO, subtract(owned, saleExposure(agentId, input.orders)));
}

/**
 * The actions that bring the pair's stops to what they should be. A stop with other terms is
 * cancelled first and placed anew once its end is known; the server watches meanwhile. Commit a
 * `place` as a planned order before planning again: the plan then has nothing more to do.
 */
export function planStops(input: StopPlanInput): StopAction[] {
  const sure = dependable(input);
  return input.holders.flatMap((holder) =>
    planFor(holder, sure.get(holder.agentId) ?? ZERO, input),
  );
}

function planFor(holder: StopHolder, owned: Fixed, input: StopPlanInput): StopAction[] {
  const { agentId } = holder;
  const live = input.orders.filter(
    (order) => order.intent.agentId === agentId && order.intent.side === 'sell' && !hasEnded(order),
  );
  const price = holder.stopPrice === null ? null : stopOnTick(holder.stopPrice, input.rules);
  const guarded = maximum(ZERO, subtract(owned, holder.partToSell));
  const isKept = holder.leaving && isLeftToStops(owned, live, input);
  const leaving = holder.leaving && !isKept;
  const cancels = stopsToCancel({ leaving, isKept }, { owned, guarded }, price, live, input.rules);
  if (price === null || leaving || guarded <= 0n) return cancels;
  const gone = new Set(cancels.map((one) => one.clientOrderId));
  const stops = live.filter((order) => order.intent.type === 'stop');
  const stays = stops.filter((order) => isStaying(order) && !gone.has(idOf(order)));
  const beyond = watchLimit(agentId, owned, stays, input);
  if (isKept) return [...cancels, ...beyond];
  const coverage: Coverage = {
    free: maximum(ZERO, subtract(guarded, saleExposure(agentId, live))),
    // Only what the exchange has confirmed protects.
    lacking: subtract(guarded, total(stays.filter((order) => order.state === 'open'))),
    stays,
    isOneGoing: stays.length < stops.length,
    owned,
  };
  return [...cancels, ...cover(holder, price, coverage, input), ...beyond];
}

/**
 * Whether all that is held is worth too little for a sale now, while a stop of it rests: that stop
 * is all that may sell it yet, and no other could take its place below its price.
 */
function isLeftToStops(
  owned: Fixed,
  live: readonly LiveOrder[],
  { bid, rules }: StopPlanInput,
): boolean {
  const rests = (order: LiveOrder): boolean =>
    order.intent.type === 'stop' && order.state === 'open' && isStaying(order);
  return bid !== null && sizeOrder(owned, bid, rules).kind === 'dust' && live.some(rests);
}

/** A price that falls through stop and limit at once leaves the stop's order above the market. */
function watchLimit(
  agentId: string,
  owned: Fixed,
  stays: readonly LiveOrder[],
  { rules, stopRoomBps }: StopPlanInput,
): StopAction[] {
  if (stopRoomBps === null || rules.status !== 'trading') return [];
  const resting = stays.filter((order) => order.state === 'open');
  const stopPrice = highestLimit(resting, stopRoomBps, rules);
  if (stopPrice === null) return [];
  const quantity = total(resting);
  return [{ kind: 'watch', agentId, quantity, stopPrice, why: 'beyond_limit', owned }];
}

/** As the exchange shows it, and until it has shown it as the signer sets it; null: it has none. */
export function limitOfResting(
  { intent: { quantity, stopPrice }, seen }: LiveOrder,
  roomBps: Fixed,
  rules: PairRules,
): Fixed | null {
  if (seen?.limitPrice !== undefined) return seen.limitPrice;
  return stopPrice === null ? null : leastOfStop(quantity, stopPrice, roomBps, rules);
}

/** Below it one of these stops sells nothing any more; null where none has a limit. */
export const highestLimit = (
  resting: readonly LiveOrder[],
  roomBps: Fixed,
  rules: PairRules,
): Fixed | null =>
  resting
    .map((order) => limitOfResting(order, roomBps, rules))
    .reduce((high, limit) => (high === null || (limit ?? ZERO) > high ? limit : high), null);

const isStaying = ({ cancel }: LiveOrder): boolean => cancel === null || cancel === 'refused';
const idOf = (order: LiveOrder): ClientOrderId => order.intent.clientOrderId;
const total = (orders: readonly LiveOrder[]): Fixed => sum(orders.map(openQuantity));

interface Leaving {
  leaving: boolean;
  /** It is to leave, and its stops stay whatever their price. */
  isKept: boolean;
}

/** Stops of other terms, the newest of those that are too many, and all of an agent that leaves. */
function stopsToCancel(
  holder: Leaving,
  { owned, guarded }: { owned: Fixed; guarded: Fixed },
  price: Fixed | null,
  live: readonly LiveOrder[],
  rules: PairRules,
): CancelAction[] {
  // One that was asked to go is not asked again before the answer is in. To repeat it is harmless.
  const staying = live.filter((order) => isStaying(order) || order.cancel === 'unknown');
  let excess = subtract(total(staying), guarded);
  // One that is to go may sell until it has ended: what nobody has sent yet would sell the same.
  let beyond = subtract(total(live), owned);
  const cancels: CancelAction[] = [];
  for (const order of [...staying].reverse()) {
    if (order.intent.type !== 'stop') continue;
    const isBeyond = order.state === 'planned' && beyond > 0n;
    const reason = isBeyond ? 'too_much' : reasonToCancel(holder, price, order, excess, rules);
    const why = reason ?? (order.cancel === 'unknown' ? 'repeated' : null);
    if (why === null) continue;
    excess = subtract(excess, openQuantity(order));
    if (order.state === 'planned') beyond = subtract(beyond, openQuantity(order));
    cancels.push(cancelOf(order, why));
  }
  return cancels;
}

function cancelOf({ intent }: LiveOrder, why: CancelReason): CancelAction {
  return { kind: 'cancel', agentId: intent.agentId, clientOrderId: intent.clientOrderId, why };
}

function reasonToCancel(
  { leaving, isKept }: Leaving,
  price: Fixed | null,
  order: LiveOrder,
  excess: Fixed,
  rules: PairRules,
): CancelReason | null {
  if (excess > 0n) return 'too_much';
  if (leaving) return 'leaving';
  if (isKept) return null;
  if (price === null) return 'no_stop';
  // Where nothing new can be placed, a stop at the old price is better than none.
  return order.intent.stopPrice === price || !takesStops(rules) ? null : 'other_price';
}

const takesStops = (rules: PairRules): boolean =>
  rules.status === 'trading' && rules.takesStops !== false;

interface Coverage {
  /** What may be ordered to sell now. */
  free: Fixed;
  /** What no confirmed stop covers. */
  lacking: Fixed;
  stays: readonly LiveOrder[];
  /** A stop that does not stay has not ended yet. */
  isOneGoing: boolean;
  owned: Fixed;
}

function cover(
  holder: StopHolder,
  stopPrice: Fixed,
  { free, lacking, stays, isOneGoing, owned }: Coverage,
  { rules, abilities }: StopPlanInput,
): StopAction[] {
  if (lacking <= 0n) return [];
  const { agentId, failedStop } = holder;
  const watch = (why: WatchReason): StopAction => ({
    kind: 'watch',
    agentId,
    quantity: lacking,
    stopPrice,
    why,
    owned,
  });
  if (!abilities.restingStops) return [watch('not_supported')];
  if (!takesStops(rules)) return [watch('pair_not_trading')];
  const last = stays.at(-1);
  // What the one that goes leaves free belongs to the same stop: one of this part would be merged
  // in its turn, and so on, and no second one has to go for a part that is too small.
  if (last !== undefined && isOneGoing) return [watch('pending')];
  const now = sizeOrder(free, stopPrice, rules);
  const isLeftOver = now.kind === 'dust' && now.why !== 'below_step';
  if (last !== undefined && (isLeftOver || (now.kind === 'order' && isCrowded(stays)))) {
    // Together with a stop that rests already it can be sold; by itself it cannot, or is one too many.
    return last.state === 'open'
      ? [cancelOf(last, 'to_merge'), watch('pending')]
      : [watch('pending')];
  }
  if (now.kind === 'dust') return [watch(free === lacking ? 'dust' : 'pending')];
  const { quantity } = now;
  if (failedStop !== null && isSame(failedStop, quantity, stopPrice))
    return [watch(failedStop.why)];
  return [{ kind: 'place', agentId, quantity, stopPrice }, watch('pending')];
}

const isCrowded = (stays: readonly LiveOrder[]): boolean => stays.length >= STOPS_PER_AGENT;

function isSame(failed: FailedStop, quantity: Fixed, stopPrice: Fixed): boolean {
  return failed.quantity === quantity && failed.stopPrice === stopPrice;
}
