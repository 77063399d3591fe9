/** Every state and every event of the order lifecycle, and what each pair of them gives. */
import { hasEnded } from '../../../engine/orders/live-order.ts';
import type { LiveOrder, OrderEvent, OrderState } from '../../../engine/orders/live-order.ts';
import { applyOrderEvent, applyOrderEvents } from '../../../engine/orders/order-lifecycle.ts';
import {
  DEADLINE_MS,
  fillOf,
  money,
  planned,
  POLICY,
  SEARCHED,
  SENT_MS,
  shown,
  VENUE_ID,
} from './order-samples.ts';

const sent: OrderEvent = { kind: 'send_started', atMs: SENT_MS };
const acknowledged: OrderEvent = { kind: 'acknowledged', atMs: 2_000, exchangeOrderId: VENUE_ID };
const unknown: OrderEvent = { kind: 'outcome_unknown', atMs: 2_000, cause: 'timeout' };
const fill = (tradeId: string): OrderEvent => ({
  kind: 'fill',
  atMs: 3_000,
  fill: fillOf(tradeId),
});
const seen = (over: Parameters<typeof shown>[0]): OrderEvent => ({
  kind: 'seen',
  atMs: 4_000,
  order: shown({ updatedAtMs: 4_000, ...over }),
});
const PROVED_MS = DEADLINE_MS + POLICY.lagAllowanceMs;

const path = (...events: OrderEvent[]): LiveOrder =>
  applyOrderEvents(planned(), events, POLICY).order;

/** One order for each state, reached as an exchange makes it. A new state does not compile. */
export const ORDERS: Record<OrderState, LiveOrder> = {
  planned: path(),
  sending: path(sent),
  unknown: path(sent, unknown),
  open: path(sent, acknowledged),
  filled: path(sent, acknowledged, fill('a'), fill('b')),
  cancelled: path(sent, acknowledged, seen({ status: 'cancelled' })),
  rejected: path(sent, { kind: 'rejected', atMs: 2_000, code: 'EOrder:Insufficient funds' }),
  expired: path(sent, unknown, {
    kind: 'not_found',
    atMs: PROVED_MS,
    begunAtMs: PROVED_MS,
    searched: SEARCHED,
  }),
};

/** Every event, some in several variants, named as in the docs. A new kind does not compile. */
export const EVENTS: Record<OrderEvent['kind'], Record<string, OrderEvent>> = {
  send_started: { 'send started': sent },
  acknowledged: { acknowledged },
  rejected: { 'rejected by the exchange': { kind: 'rejected', atMs: 5_000, code: 'E' } },
  refused: { 'refused by us': { kind: 'refused', atMs: 5_000, code: 'limit' } },
  outcome_unknown: { 'outcome unknown': unknown },
  seen: {
    'seen open': seen({ status: 'open' }),
    'seen open, later than its end': seen({ status: 'open', updatedAtMs: 9_000 }),
    'seen over, nothing filled': seen({ status: 'cancelled', updatedAtMs: 9_000 }),
    'seen expired, nothing filled': seen({ status: 'expired', updatedAtMs: 9_000 }),
    'seen rejected, nothing filled': seen({ status: 'rejected', updatedAtMs: 9_000 }),
    'seen over, with fills we lack': seen({
      status: 'closed',
      filled: money('3'),
      updatedAtMs: 9_000,
    }),
  },
  fill: {
    'part filled': { kind: 'fill', atMs: 5_000, fill: fillOf('c') },
    'wholly filled': {
      kind: 'fill',
      atMs: 5_000,
      fill: fillOf('d', { quantity: money('2'), quoteAmount: money('198') }),
    },
  },
  not_found: {
    'not found, too early': {
      kind: 'not_found',
      atMs: PROVED_MS,
      begunAtMs: 100_000,
      searched: SEARCHED,
    },
    'not found, lists incomplete': {
      kind: 'not_found',
      atMs: PROVED_MS,
      begunAtMs: PROVED_MS,
      searched: { ...SEARCHED, trades: false },
    },
    'not found, proved': {
      kind: 'not_found',
      atMs: PROVED_MS,
      begunAtMs: PROVED_MS,
      searched: SEARCHED,
    },
  },
  cancel_asked: { 'cancel asked': { kind: 'cancel_asked', atMs: 5_000 } },
  cancel_acknowledged: {
    'cancel acknowledged': { kind: 'cancel_acknowledged', atMs: 5_000 },
  },
  cancel_refused: { 'cancel refused': { kind: 'cancel_refused', atMs: 5_000 } },
  cancel_unknown: { 'cancel unknown': { kind: 'cancel_unknown', atMs: 5_000 } },
  deadline_passed: { 'deadline passed': { kind: 'deadline_passed', atMs: DEADLINE_MS } },
  time_passed: { 'five minutes passed': { kind: 'time_passed', atMs: 400_000 } },
  given_up: {
    'given up by the person, too early': { kind: 'given_up', atMs: 5_000 },
    'given up after five minutes': { kind: 'given_up', atMs: 400_000 },
    'given up, its key refused': { kind: 'given_up', atMs: 5_000, isUnread: true },
  },
};

/** `–`: nothing changed. `error`: thrown. `!`: an alarm. Otherwise the state after it. */
export function cellOf(order: LiveOrder, event: OrderEvent): string {
  try {
    const step = applyOrderEvent(order, event, POLICY);
    if (step.order === order) return '–';
    const alarmed = step.effects.some(({ kind }) => kind === 'alarm');
    return `${step.order.state}${alarmed ? '!' : ''}`;
  } catch (error) {
    if (error instanceof RangeError) return 'error';
    throw error;
  }
}

/** The whole table, as the docs have it: a row for each event, a column for each state. */
export function transitionRows(): string[][] {
  const states = Object.keys(ORDERS) as OrderState[];
  const rows = Object.values(EVENTS).flatMap((variants) =>
    Object.entries(variants).map(([name, event]) => [
      name,
      ...states.map((state) => cellOf(ORDERS[state], event)),
    ]),
  );
  return [['event', ...states], ...rows];
}

/** What holds for every step, whatever the state and the event. */
export function brokenRules(before: LiveOrder, event: OrderEvent): string[] {
  let step;
  try {
    step = applyOrderEvent(before, event, POLICY);
  } catch {
    return [];
  }
  const { order, effects } = step;
  const broken: string[] = [];
  if (order.reserved < 0n) broken.push('reservation below zero');
  if (hasEnded(order) && order.reserved !== 0n) broken.push('ended with a reservation');
  if (order.booked < before.booked) broken.push('booked went down');
  if ((order.seen?.filled ?? 0n) < (before.seen?.filled ?? 0n)) broken.push('filled went down');
  const isRepeated = event.kind === 'send_started' || event.kind === 'cancel_asked';
  const again = isRepeated ? null : applyOrderEvent(order, event, POLICY);
  if (again !== null && again.order !== order) broken.push('said twice, it counts twice');
  const books = effects.filter(({ kind }) => kind === 'book').length;
  if (books !== (order.booked === before.booked ? 0 : 1)) broken.push('booked without an effect');
  return broken;
}
