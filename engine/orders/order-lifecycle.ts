/**
 * The life of an order as a pure state machine: an order and an event give the next order and what
 * follows. The table is in docs/live-trading.md, and a test compares it with this file.
 */
import { add, maximum, ZERO } from '../../contract/money.ts';
import type { VenueFill, VenueOrder } from '../../contract/venue.ts';
import { drawDown, endIsSeen, hasEnded, openQuantity, wholeQuantity } from './live-order.ts';
import type {
  LiveOrder,
  OrderAlarm,
  OrderEffect,
  OrderEnding,
  OrderEvent,
  OrderPolicy,
  OrderState,
  SeenOrder,
} from './live-order.ts';
import { refusalOfOrder } from './may-send.ts';
import { reservationShare, takenBy } from './reservation.ts';

export interface Step {
  /** The very same object where the event changed nothing. */
  order: LiveOrder;
  effects: readonly OrderEffect[];
}

type EventOf<Kind extends OrderEvent['kind']> = Extract<OrderEvent, { kind: Kind }>;

/**
 * Applies one event. Facts from outside are taken in every state and never throw; applied again,
 * they change nothing.
 * @throws RangeError for `send_started` where a request could double the order: the caller's
 * transaction fails, and nothing leaves.
 */
export function applyOrderEvent(order: LiveOrder, event: OrderEvent, policy: OrderPolicy): Step {
  switch (event.kind) {
    case 'send_started':
      return sendStarted(order, event, policy);
    case 'acknowledged':
      return shownToExist(order, event.exchangeOrderId, event.atMs, false);
    case 'rejected':
    case 'refused':
      return turnedDown(order, event);
    case 'outcome_unknown':
      return outcomeUnknown(order, event);
    case 'seen':
      return seen(order, event);
    case 'fill':
      return filled(order, event);
    case 'not_found':
      return notFound(order, event, policy);
    case 'cancel_asked':
      return cancelAsked(order, event);
    case 'cancel_acknowledged':
    case 'cancel_refused':
    case 'cancel_unknown':
      return cancelAnswered(order, event);
    case 'deadline_passed':
      return deadlinePassed(order, event);
    case 'time_passed':
      return timePassed(order, event, policy);
    case 'given_up':
      return givenUp(order, event, policy);
  }
}

const same = (order: LiveOrder): Step => ({ order, effects: [] });

/** One step after another, with the effects of both. */
function then(step: Step, next: (order: LiveOrder) => Step): Step {
  const after = next(step.order);
  return { order: after.order, effects: [...step.effects, ...after.effects] };
}

function alarm(order: LiveOrder, code: OrderAlarm): Step {
  if (order.alarms.has(code)) return same(order);
  return {
    order: { ...order, alarms: new Set([...order.alarms, code]) },
    effects: [{ kind: 'alarm', code }],
  };
}

/** Ends an order and lets go of the rest of its reservation, to the last digit. */
function end(
  order: LiveOrder,
  state: OrderState,
  ending: OrderEnding,
  code: string | null = order.code,
): Step {
  const { asset } = order.intent.reservation;
  return {
    order: { ...order, state, ending, code, reserved: ZERO, doubt: null },
    effects: order.reserved > 0n ? [{ kind: 'release', asset, amount: order.reserved }] : [],
  };
}

/** Makes an ended order live again and holds back what the rest of it may take. */
function reopen(order: LiveOrder): Step {
  const opened: LiveOrder = { ...order, state: 'open', ending: null, code: null };
  const amount = reservationShare(opened, openQuantity(opened));
  const { asset } = order.intent.reservation;
  return {
    order: { ...opened, reserved: amount },
    effects: amount > 0n ? [{ kind: 'reserve', asset, amount }] : [],
  };
}

function sendStarted(
  order: LiveOrder,
  { atMs }: EventOf<'send_started'>,
  policy: OrderPolicy,
): Step {
  const refusal = refusalOfOrder(order, policy, atMs);
  if (refusal !== null)
    throw new RangeError(`Order ${order.intent.clientOrderId} must not be sent: ${refusal}`);
  // A doubt is kept: it is older than the second attempt.
  return {
    order: {
      ...order,
      state: 'sending',
      attempts: order.attempts + 1,
      sentAtMs: order.sentAtMs ?? atMs,
    },
    effects: [],
  };
}

/**
 * The exchange has this order. Whatever we believed before gives way: an order said or proved not to
 * exist is opened again. `over` says that the same news ends it.
 */
function shownToExist(order: LiveOrder, id: string, atMs: number, over: boolean): Step {
  if (order.exchangeOrderId !== null && order.exchangeOrderId !== id)
    return alarm(order, 'two_orders');
  const known: LiveOrder =
    order.exchangeOrderId === id
      ? order
      : { ...order, exchangeOrderId: id, sentAtMs: order.sentAtMs ?? atMs, lastSeenMs: atMs };
  if (order.state === 'open') return same(known);
  if (hasEnded(order)) {
    if (order.ending === 'exchange') return same(known);
    const reopened = then(alarm(known, 'found_after_end'), reopen);
    return over ? reopened : then(reopened, (one) => toBeCancelled(one, atMs));
  }
  const opened: Step = {
    order: { ...known, state: 'open', doubt: null, lastSeenMs: atMs },
    effects: [],
  };
  if (order.cancel !== null && !over) opened.effects = [{ kind: 'cancel' }];
  return order.state === 'planned'
    ? then(opened, (one) => alarm(one, 'sent_without_record'))
    : opened;
}

/** Its decision may have been made again since: what is left of it must not be filled as well. */
function toBeCancelled(order: LiveOrder, atMs: number): Step {
  return {
    order: { ...order, cancel: 'asked', cancelAtMs: atMs },
    effects: [{ kind: 'cancel' }],
  };
}

/** A rejection is proof only where this was the sole request and nothing shows that it arrived. */
function turnedDown(order: LiveOrder, event: EventOf<'rejected' | 'refused'>): Step {
  if (hasEnded(order)) return same(order);
  if (order.state === 'open' || order.exchangeOrderId !== null)
    return alarm(order, 'rejected_though_known');
  if (order.attempts > 1) {
    // The repeat was turned down, perhaps because the first one holds the funds.
    if (order.state !== 'sending') return same(order);
    const doubt = order.doubt ?? { sinceMs: event.atMs, cause: 'unreadable', told: false };
    return { order: { ...order, state: 'unknown', doubt }, effects: [{ kind: 'look_up' }] };
  }
  return end(order, 'rejected', event.kind, event.code);
}

function outcomeUnknown(order: LiveOrder, event: EventOf<'outcome_unknown'>): Step {
  if (order.state !== 'sending' && order.state !== 'planned') return same(order);
  const doubt = order.doubt ?? { sinceMs: event.atMs, cause: event.cause, told: false };
  const doubtful: LiveOrder = {
    ...order,
    state: 'unknown',
    doubt,
    attempts: Math.max(1, order.attempts),
    sentAtMs: order.sentAtMs ?? event.atMs,
  };
  const step: Step = { order: doubtful, effects: [{ kind: 'look_up' }] };
  return order.state === 'planned' ? then(step, (one) => alarm(one, 'sent_without_record')) : step;
}

const isOurs = (order: LiveOrder, shown: Pick<VenueOrder | VenueFill, 'symbol' | 'side'>) =>
  shown.symbol === order.intent.symbol && shown.side === order.intent.side;

function seen(order: LiveOrder, event: EventOf<'seen'>): Step {
  const shown = event.order;
  if (!isOurs(order, shown)) return alarm(order, 'differs');
  const over = shown.status !== 'open';
  if (confirmsNothingHappened(order, shown)) return same(withWord(order, event));
  if (wasKnownWhenGivenUp(order, shown)) return same(order);
  const existing = shownToExist(order, shown.exchangeOrderId, event.atMs, over);
  if (existing.order.exchangeOrderId !== shown.exchangeOrderId) return existing;
  return then(existing, (known) => {
    const news = newest(known.seen, shown);
    if (news === known.seen) return same(known);
    const noted = withWord(known, event);
    const differs = shown.quantity !== order.intent.quantity && !over;
    return then(differs ? alarm(noted, 'differs') : same(noted), (one) => afterNews(known, one));
  });
}

function withWord(order: LiveOrder, { order: shown, atMs }: EventOf<'seen'>): LiveOrder {
  const over = shown.status !== 'open';
  return {
    ...order,
    exchangeOrderId: shown.exchangeOrderId,
    ending: hasEnded(order) ? 'exchange' : order.ending,
    seen: newest(order.seen, shown),
    lastSeenMs: atMs,
    endSeenMs: over ? (order.endSeenMs ?? atMs) : null,
  };
}

/** An exchange may list what it turned down: over, and nothing filled. That is no contradiction. */
function confirmsNothingHappened(order: LiveOrder, shown: VenueOrder): boolean {
  const isDenied = hasEnded(order) && order.ending !== 'exchange' && order.exchangeOrderId === null;
  return isDenied && shown.status !== 'open' && shown.filled === 0n;
}

/** The same word about its end: its person gave it up for what that end claims and no trade shows. */
const wasKnownWhenGivenUp = (order: LiveOrder, shown: VenueOrder): boolean =>
  order.ending === 'given_up' &&
  order.exchangeOrderId === shown.exchangeOrderId &&
  shown.status !== 'open' &&
  order.seen !== null &&
  newest(order.seen, shown) === order.seen;

/** What the exchange's word means for an order that it knows. */
function afterNews(before: LiveOrder, order: LiveOrder): Step {
  if (hasEnded(order)) {
    // It claims more than we have booked, or that the order lives after all.
    const claims = order.seen !== null && order.seen.filled > order.booked;
    return claims || !endIsSeen(order) ? then(reopen(order), settle) : same(order);
  }
  const withdrawn =
    order.seen?.status === 'cancelled' &&
    order.cancel === null &&
    order.intent.type !== 'market' &&
    !endIsSeen(before);
  const step: Step = {
    order,
    effects: withdrawn ? [{ kind: 'tell', code: 'cancelled_at_exchange' }] : [],
  };
  return then(step, (one) => {
    const settled = settle(one);
    const isWaiting = !hasEnded(settled.order) && endIsSeen(settled.order) && !endIsSeen(before);
    return isWaiting ? { ...settled, effects: [...settled.effects, { kind: 'look_up' }] } : settled;
  });
}

/** The later of two words; `filled` only grows, and an end is undone by a later word alone. */
function newest(known: SeenOrder | null, shown: VenueOrder): SeenOrder {
  const { status, quantity, updatedAtMs } = shown;
  const filledMost = maximum(known?.filled ?? ZERO, shown.filled);
  const limitPrice = known?.limitPrice ?? shown.limitPrice;
  const news = { status, quantity, filled: filledMost, updatedAtMs, limitPrice };
  if (known === null) return news;
  // Of one that rests since before limits were kept.
  const isLimitNew = known.limitPrice === undefined && known.status === 'open';
  if (isLimitNew && status === 'open') return { ...known, filled: filledMost, limitPrice };
  const isLater = updatedAtMs > known.updatedAtMs;
  if (known.status === 'open') {
    if (status !== 'open' || isLater) return news;
  } else if (status === 'open') return isLater ? news : known;
  return filledMost > known.filled ? { ...known, filled: filledMost } : known;
}

/** Ends an order whose fills add up to what the exchange says, or to its whole quantity. */
function settle(order: LiveOrder): Step {
  const { seen: word, booked } = order;
  if (word === null || word.status === 'open')
    return booked >= wholeQuantity(order) ? end(order, 'filled', 'exchange') : same(order);
  if (booked < word.filled) return same(order);
  if (booked > 0n && booked >= word.quantity) return end(order, 'filled', 'exchange');
  switch (word.status) {
    case 'expired':
      return end(order, 'expired', 'exchange');
    case 'rejected':
      return end(order, booked > 0n ? 'cancelled' : 'rejected', 'exchange');
    case 'closed':
      return end(order, booked > 0n ? 'filled' : 'cancelled', 'exchange');
    case 'cancelled':
      return end(order, 'cancelled', 'exchange');
  }
}

/** A fill is booked in every state, once per trade id: only fills move money. */
function filled(order: LiveOrder, { fill, atMs }: EventOf<'fill'>): Step {
  if (order.fills.has(fill.tradeId)) return same(order);
  if (!isOurs(order, fill)) return alarm(order, 'differs');
  const late = hasEnded(order);
  return then(shownToExist(order, fill.exchangeOrderId, atMs, false), (known) => {
    const taken = takenBy(fill, order.intent.reservation.asset);
    const { left, beyond } = drawDown(known.reserved, taken);
    const booked: LiveOrder = {
      ...known,
      booked: add(known.booked, fill.quantity),
      fills: new Set([...known.fills, fill.tradeId]),
      reserved: left,
      lastSeenMs: atMs,
    };
    const step: Step = {
      order: booked,
      effects: [{ kind: 'book', fill, late, beyondReservation: beyond }],
    };
    return then(then(step, sayIfTooMuch), (one) => (hasEnded(one) ? same(one) : settle(one)));
  });
}

function sayIfTooMuch(order: LiveOrder): Step {
  if (order.booked > wholeQuantity(order)) return alarm(order, 'overfilled');
  const word = order.seen;
  const isBeyondEnd = word !== null && word.status !== 'open' && order.booked > word.filled;
  return isBeyondEnd ? alarm(order, 'fill_after_end') : same(order);
}

/**
 * Absence is proved by a complete search begun after the deadline and the allowance for lag. An
 * order that was once acknowledged is never ended by absence.
 */
function notFound(order: LiveOrder, event: EventOf<'not_found'>, policy: OrderPolicy): Step {
  const { searched, begunAtMs } = event;
  const isComplete = searched.open && searched.closed && searched.trades;
  if (!isComplete || hasEnded(order) || order.state === 'planned') return same(order);
  if (order.exchangeOrderId === null) {
    const provesAbsence = begunAtMs >= order.intent.deadlineMs + policy.lagAllowanceMs;
    return provesAbsence ? end(order, 'expired', 'absent') : same(order);
  }
  if (order.state !== 'open' || endIsSeen(order)) return same(order);
  const since = Math.max(order.sentAtMs ?? 0, order.lastSeenMs ?? 0);
  if (begunAtMs < since + policy.lagAllowanceMs) return same(order);
  const doubt = { sinceMs: event.atMs, cause: 'vanished' as const, told: false };
  return { order: { ...order, state: 'unknown', doubt }, effects: [{ kind: 'look_up' }] };
}

function cancelAsked(order: LiveOrder, { atMs }: EventOf<'cancel_asked'>): Step {
  if (hasEnded(order)) return same(order);
  const asked: LiveOrder = { ...order, cancel: 'asked', cancelAtMs: atMs };
  if (order.state === 'planned') return end(asked, 'cancelled', 'withdrawn');
  const isKnown = order.exchangeOrderId !== null;
  return { order: asked, effects: isKnown ? [{ kind: 'cancel' }] : [] };
}

/** No answer to a cancellation ends an order: only its end as seen does, with what it filled. */
function cancelAnswered(
  order: LiveOrder,
  event: EventOf<'cancel_acknowledged' | 'cancel_refused' | 'cancel_unknown'>,
): Step {
  const answers = {
    cancel_acknowledged: 'acknowledged',
    cancel_refused: 'refused',
    cancel_unknown: 'unknown',
  } as const;
  const cancel = answers[event.kind];
  if (hasEnded(order) || order.cancel === cancel || order.state === 'planned') return same(order);
  return { order: { ...order, cancel, cancelAtMs: event.atMs }, effects: [{ kind: 'look_up' }] };
}

function deadlinePassed(order: LiveOrder, { atMs }: EventOf<'deadline_passed'>): Step {
  if (order.state !== 'planned' || atMs < order.intent.deadlineMs) return same(order);
  return end(order, 'expired', 'unsent');
}

/** Says once, after minutes, that an outcome is unknown or that fills are missing. */
function timePassed(order: LiveOrder, { atMs }: EventOf<'time_passed'>, policy: OrderPolicy): Step {
  const sinceMs = stuckSince(order);
  if (sinceMs === null || atMs - sinceMs < policy.tellAfterMs) return same(order);
  const { doubt } = order;
  if (doubt === null) return alarm(order, 'fills_missing');
  if (doubt.told) return same(order);
  return {
    order: { ...order, doubt: { ...doubt, told: true } },
    effects: [{ kind: 'tell', code: 'unknown_for_minutes' }],
  };
}

/**
 * After minutes, the person's word ends what nothing else can: a doubt, fills that never came, or an
 * order that may rest where nobody can look any more.
 */
function givenUp(
  order: LiveOrder,
  { atMs, isUnread = false }: EventOf<'given_up'>,
  policy: OrderPolicy,
): Step {
  const sinceMs = stuckSince(order);
  const isOut = order.state === 'open' || order.state === 'unknown';
  const isStuck = sinceMs !== null && atMs - sinceMs >= policy.tellAfterMs;
  return isStuck || (isUnread && isOut) ? end(order, 'cancelled', 'given_up') : same(order);
}

/** Since when an order has been unknown, or over at the exchange without its fills. */
function stuckSince(order: LiveOrder): number | null {
  if (hasEnded(order)) return null;
  return order.doubt?.sinceMs ?? (endIsSeen(order) ? order.endSeenMs : null);
}

/** Applies events in turn, with all their effects. */
export function applyOrderEvents(
  order: LiveOrder,
  events: Iterable<OrderEvent>,
  policy: OrderPolicy,
): Step {
  let step = same(order);
  for (const event of events) step = then(step, (one) => applyOrderEvent(one, event, policy));
  return step;
}
