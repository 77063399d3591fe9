/** An order at an exchange as we know it: what was committed, what happened since, what is held. */
import { add, maximum, minimum, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type {
  ClientOrderId,
  OrderSide,
  OrderType,
  Searched,
  UnknownCause,
  VenueAbilities,
  VenueFill,
  VenueOrder,
  VenueSymbol,
} from '../../contract/venue.ts';

/** Funds that an order holds back until it ends. */
export interface Reservation {
  asset: string;
  amount: Fixed;
}

/** What the decision's transaction commits before a byte leaves. */
export interface OrderIntent {
  clientOrderId: ClientOrderId;
  connectionId: string;
  accountId: string;
  agentId: string;
  symbol: VenueSymbol;
  side: OrderSide;
  type: OrderType;
  quantity: Fixed;
  limitPrice: Fixed | null;
  stopPrice: Fixed | null;
  /** The exchange accepts the request no later than this (ms UTC). */
  deadlineMs: number;
  /** Why: a decision, a stop, a close. */
  cause: string;
  reservation: Reservation;
}

export const ENDED_STATES = ['filled', 'cancelled', 'rejected', 'expired'] as const;
export const LIVE_STATES = ['planned', 'sending', 'unknown', 'open'] as const;
export type OrderState = (typeof ENDED_STATES)[number] | (typeof LIVE_STATES)[number];

/**
 * What ended an order. All but `exchange` claim that it never took effect; proof of the opposite
 * opens it again.
 */
export type OrderEnding =
  | 'exchange'
  | 'rejected'
  | 'refused'
  /** Proved: its deadline passed, and it is nowhere at the exchange. */
  | 'absent'
  /** Its deadline passed before it was sent. */
  | 'unsent'
  /** Cancelled before it was sent. */
  | 'withdrawn'
  /** The person looked at the exchange and said so. */
  | 'given_up';

/** The newest word of the exchange. `filled` never goes down. */
export interface SeenOrder {
  status: VenueOrder['status'];
  quantity: Fixed;
  filled: Fixed;
  updatedAtMs: number;
  /** Null where it has none; absent in what was kept from before. */
  limitPrice?: Fixed | null;
}

export interface OrderDoubt {
  sinceMs: number;
  /** `interrupted`: our process ended while the request was out. `vanished`: acknowledged, then not found. */
  cause: UnknownCause | 'interrupted' | 'vanished';
  /** The person has been told, once. */
  told: boolean;
}

export type OrderAlarm =
  /** The exchange knows an order that our records say was never sent. */
  | 'sent_without_record'
  /** It was said or proved not to exist, and it does. */
  | 'found_after_end'
  /** Two orders at the exchange carry its id. */
  | 'two_orders'
  /** The exchange's order has another pair or side, or another quantity. */
  | 'differs'
  /** More was filled than it was for. */
  | 'overfilled'
  /** A fill after the exchange had given a smaller final quantity. */
  | 'fill_after_end'
  /** A rejection of an order that is known to exist. */
  | 'rejected_though_known'
  /** It ended with more filled than the fills we were given, for minutes. */
  | 'fills_missing';

export interface LiveOrder {
  readonly intent: OrderIntent;
  readonly state: OrderState;
  /** Requests that may have left: each one is committed before. */
  readonly attempts: number;
  readonly sentAtMs: number | null;
  readonly exchangeOrderId: string | null;
  /** The sum of its fills, and their trade ids. */
  readonly booked: Fixed;
  readonly fills: ReadonlySet<string>;
  /** What is still held back, in the asset of `intent.reservation`. */
  readonly reserved: Fixed;
  readonly seen: SeenOrder | null;
  /** Our clock when the exchange last showed it, and when its end was first seen. */
  readonly lastSeenMs: number | null;
  readonly endSeenMs: number | null;
  readonly doubt: OrderDoubt | null;
  readonly cancel: 'asked' | 'acknowledged' | 'refused' | 'unknown' | null;
  /** When a cancellation was last asked for or answered. */
  readonly cancelAtMs: number | null;
  readonly ending: OrderEnding | null;
  /** The exchange's or our own code for a rejection. */
  readonly code: string | null;
  /** Each alarm is raised once per order. */
  readonly alarms: ReadonlySet<OrderAlarm>;
}

/** All times are on our clock, but for those inside `order` and `fill`. */
export type OrderEvent =
  | { kind: 'send_started'; atMs: number }
  | { kind: 'acknowledged'; atMs: number; exchangeOrderId: string }
  | { kind: 'rejected'; atMs: number; code: string }
  | { kind: 'refused'; atMs: number; code: string }
  | { kind: 'outcome_unknown'; atMs: number; cause: UnknownCause | 'interrupted' }
  | { kind: 'seen'; atMs: number; order: VenueOrder }
  | { kind: 'fill'; atMs: number; fill: VenueFill }
  /** `begunAtMs`: when the search began; what happened after that it cannot have seen. */
  | { kind: 'not_found'; atMs: number; begunAtMs: number; searched: Searched }
  | { kind: 'cancel_asked'; atMs: number }
  | { kind: 'cancel_acknowledged'; atMs: number }
  | { kind: 'cancel_refused'; atMs: number }
  | { kind: 'cancel_unknown'; atMs: number }
  | { kind: 'deadline_passed'; atMs: number }
  | { kind: 'time_passed'; atMs: number }
  /** `isUnread`: the exchange refuses the key, so that no list can say what became of it. */
  | { kind: 'given_up'; atMs: number; isUnread?: boolean };

/** What follows from an event, to be done in the transaction that stores the order. */
export type OrderEffect =
  | { kind: 'reserve'; asset: string; amount: Fixed }
  | { kind: 'release'; asset: string; amount: Fixed }
  /**
   * Write the fill's ledger entries. `late`: the order had ended. `beyondReservation`: what it took
   * on top of what was held back.
   */
  | { kind: 'book'; fill: VenueFill; late: boolean; beyondReservation: Fixed }
  | { kind: 'look_up' }
  /** It exists now, and it was to be cancelled. */
  | { kind: 'cancel' }
  | { kind: 'tell'; code: 'unknown_for_minutes' | 'cancelled_at_exchange' }
  | { kind: 'alarm'; code: OrderAlarm };

export interface OrderPolicy {
  /** The exchange answers a repeated id with the original order, so a resend is harmless. */
  replaysIds: boolean;
  /** Lists may lag and clocks may differ by this much together. */
  lagAllowanceMs: number;
  /** An unknown outcome older than this is told, and its pair takes no entries. */
  tellAfterMs: number;
}

/** Covers two minutes of lag and clocks that differ by 30 seconds, with 30 seconds to spare. */
const LAG_ALLOWANCE_MS = 180_000;
const TELL_AFTER_MS = 300_000;

/** The policy for an exchange with these abilities. */
export function orderPolicy({ replaysIds }: Pick<VenueAbilities, 'replaysIds'>): OrderPolicy {
  return { replaysIds, lagAllowanceMs: LAG_ALLOWANCE_MS, tellAfterMs: TELL_AFTER_MS };
}

/** A new order: committed, nothing sent. */
export function planOrder(intent: OrderIntent): LiveOrder {
  if (intent.quantity <= 0n) throw new RangeError('An order needs a positive quantity');
  if (intent.reservation.amount < 0n) throw new RangeError('A reservation cannot be negative');
  return {
    intent,
    state: 'planned',
    attempts: 0,
    sentAtMs: null,
    exchangeOrderId: null,
    booked: ZERO,
    fills: new Set(),
    reserved: intent.reservation.amount,
    seen: null,
    lastSeenMs: null,
    endSeenMs: null,
    doubt: null,
    cancel: null,
    cancelAtMs: null,
    ending: null,
    code: null,
    alarms: new Set(),
  };
}

export function hasEnded(order: LiveOrder): boolean {
  return ENDED_STATES.some((state) => state === order.state);
}

/** The exchange has said that the order is over, whether or not we have all its fills. */
export function endIsSeen(order: LiveOrder): boolean {
  return order.seen !== null && order.seen.status !== 'open';
}

/** Its whole quantity, or what the person made of it at the exchange, where that is more. */
export function wholeQuantity(order: LiveOrder): Fixed {
  return maximum(order.intent.quantity, order.seen?.quantity ?? ZERO);
}

/**
 * The most that may still be filled and has not been booked. For an order over at the exchange this
 * is what is known to be missing.
 */
export function openQuantity(order: LiveOrder): Fixed {
  if (hasEnded(order)) return ZERO;
  const most = order.seen !== null && endIsSeen(order) ? order.seen.filled : wholeQuantity(order);
  return maximum(ZERO, subtract(most, order.booked));
}

/** What the exchange says is filled, or our fills where they are ahead of it. */
export function filledQuantity(order: LiveOrder): Fixed {
  return maximum(order.booked, order.seen?.filled ?? ZERO);
}

/** Asked for on every fill: `amount` at most is taken from what is held back. */
export function drawDown(reserved: Fixed, amount: Fixed): { left: Fixed; beyond: Fixed } {
  const taken = minimum(reserved, maximum(ZERO, amount));
  return { left: subtract(reserved, taken), beyond: subtract(maximum(ZERO, amount), taken) };
}

/** The amounts of `fees` in one coin, added up. */
export function feeIn(fill: Pick<VenueFill, 'fees'>, asset: string): Fixed {
  let total = ZERO;
  for (const fee of fill.fees) if (fee.asset === asset) total = add(total, fee.amount);
  return total;
}
