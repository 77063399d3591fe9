/**
 * A plan of stops comes to rest: whatever the order of acknowledgements, ends, purchases and raises,
 * all that is held is guarded in the end, by a bounded number of orders.
 */
import { describe, expect, it } from 'vitest';
import { add, maximum, multiply, subtract, sum, ZERO } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import { hasEnded, openQuantity, planOrder } from '../../../engine/orders/live-order.ts';
import type { LiveOrder, OrderEvent } from '../../../engine/orders/live-order.ts';
import { applyOrderEvents } from '../../../engine/orders/order-lifecycle.ts';
import { planStops, type StopAction } from '../../../engine/orders/stop-plan.ts';
import fc from '../../support/property.ts';
import { intent, money, POLICY, RULES, shown } from './order-samples.ts';

/** At the exchange. */
interface Truth {
  filled: Fixed;
  live: boolean;
}

/** What may still happen from outside, so that every run has an end. */
interface Script {
  buys: readonly Fixed[];
  raises: readonly Fixed[];
  fills: readonly Fixed[];
  refusals: number;
}

interface Moment extends Script {
  orders: readonly LiveOrder[];
  truth: ReadonlyMap<string, Truth>;
  held: Fixed;
  owned: Fixed;
  stopPrice: Fixed;
}

/** Worth less than this at its stop, a quantity is no order by itself. */
const rules = { ...RULES, minNotional: money('10') };
const idOf = ({ intent: { clientOrderId } }: LiveOrder): string => clientOrderId;

function applied(moment: Moment, order: LiveOrder, ...events: OrderEvent[]): Moment {
  const step = applyOrderEvents(order, events, POLICY);
  const sold = step.effects.map((one) => (one.kind === 'book' ? one.fill.quantity : ZERO));
  return {
    ...moment,
    held: subtract(moment.held, sum(sold)),
    orders: moment.orders.map((one) => (idOf(one) === idOf(order) ? step.order : one)),
  };
}

const planOf = ({ held, stopPrice, orders }: Moment): StopAction[] =>
  planStops({
    rules,
    abilities: { replaysIds: false, restingStops: true },
    stopRoomBps: null,
    holders: [
      { agentId: 'agent', held, stopPrice, leaving: false, partToSell: ZERO, failedStop: null },
    ],
    orders: orders.filter((order) => !hasEnded(order)),
    missing: ZERO,
    baseFeeBps: ZERO,
    bid: null,
  });

/** As the server does after all news: cancellations and new stops are committed together. */
function planned(moment: Moment): Moment {
  const next = carriedOut(moment, planOf(moment));
  // What had not left when it was cancelled has ended with that.
  return next.orders.some((order, at) => hasEnded(order) && moment.orders[at]?.state === 'planned')
    ? planned(next)
    : next;
}

function carriedOut(moment: Moment, actions: readonly StopAction[]): Moment {
  let next = moment;
  for (const action of actions) {
    if (action.kind === 'watch') continue;
    if (action.kind === 'cancel') {
      const order = next.orders.find((one) => idOf(one) === action.clientOrderId);
      if (order !== undefined) next = applied(next, order, { kind: 'cancel_asked', atMs: 0 });
      continue;
    }
    const { quantity, stopPrice } = action;
    const order = planOrder(
      intent({
        clientOrderId: String(next.orders.length).padStart(32, '0'),
        ...{ side: 'sell', type: 'stop', quantity, stopPrice, limitPrice: null },
        reservation: { asset: 'BTC', amount: quantity },
      }),
    );
    next = { ...next, orders: [...next.orders, order] };
  }
  return next;
}

const setTruth = (moment: Moment, order: LiveOrder, truth: Truth): Moment => ({
  ...moment,
  truth: new Map([...moment.truth, [idOf(order), truth]]),
});

/** The exchange shows it as it is, with all its fills. */
function seen(moment: Moment, order: LiveOrder, { filled, live }: Truth): Moment {
  const { quantity, symbol } = order.intent;
  const exchangeOrderId = `O${idOf(order)}`;
  const part = subtract(filled, order.booked);
  const status = live ? 'open' : filled === quantity ? 'closed' : 'cancelled';
  const updatedAtMs = (order.seen?.updatedAtMs ?? 0) + 1;
  const events: OrderEvent[] = [
    {
      kind: 'seen',
      atMs: 0,
      order: shown({
        ...{ exchangeOrderId, clientOrderId: idOf(order), side: 'sell', type: 'stop' },
        ...{ quantity, filled, status, updatedAtMs },
      }),
    },
  ];
  if (part > 0n)
    events.push({
      kind: 'fill',
      atMs: 0,
      fill: {
        ...{ tradeId: `${idOf(order)} ${String(filled)}`, exchangeOrderId },
        ...{ clientOrderId: null, symbol, side: 'sell', quantity: part },
        ...{ price: money('50'), quoteAmount: part, fees: [], atMs: 0 },
      },
    });
  return applied(moment, order, ...events);
}

/** What may come of an order next: answers, ends, fills. */
function nextOf(moment: Moment, order: LiveOrder): Moment[] {
  if (hasEnded(order)) return [];
  const truth = moment.truth.get(idOf(order));
  if (truth === undefined) {
    const sent = setTruth(moment, order, { filled: ZERO, live: true });
    const acknowledged = { kind: 'acknowledged', atMs: 0 } as const;
    return [
      applied(
        sent,
        order,
        { kind: 'send_started', atMs: 0 },
        { ...acknowledged, exchangeOrderId: `O${idOf(order)}` },
      ),
    ];
  }
  const next: Moment[] = [];
  const isNews = !truth.live || truth.filled > order.booked;
  if (isNews) next.push(seen(moment, order, truth));
  if (truth.live && (order.cancel === 'asked' || order.cancel === 'unknown')) {
    const gone = setTruth(moment, order, { ...truth, live: false });
    next.push(applied(gone, order, { kind: 'cancel_acknowledged', atMs: 0 }));
    // Its end may be seen before the answer.
    next.push(seen(gone, order, { ...truth, live: false }));
    if (moment.refusals > 0) {
      const fewer = { ...moment, refusals: moment.refusals - 1 };
      next.push(applied(fewer, order, { kind: 'cancel_refused', atMs: 0 }));
      next.push(applied({ ...gone, ...fewer, truth: gone.truth }, order, CANCEL_UNKNOWN));
      next.push(applied(fewer, order, CANCEL_UNKNOWN));
    }
  }
  const [fill, ...fills] = moment.fills;
  if (truth.live && fill !== undefined) {
    const left = subtract(order.intent.quantity, truth.filled);
    const part = left < fill ? left : fill;
    const filled = add(truth.filled, part);
    const sold = { ...moment, fills, owned: subtract(moment.owned, part) };
    next.push(setTruth(sold, order, { filled, live: filled < order.intent.quantity }));
  }
  return next;
}

const CANCEL_UNKNOWN: OrderEvent = { kind: 'cancel_unknown', atMs: 0 };

function after(moment: Moment): Moment[] {
  const next = moment.orders.flatMap((order) => nextOf(moment, order));
  const [buy, ...buys] = moment.buys;
  if (buy !== undefined) {
    const [held, owned] = [add(moment.held, buy), add(moment.owned, buy)];
    next.push({ ...moment, buys, held, owned });
  }
  const [stopPrice, ...raises] = moment.raises;
  if (stopPrice !== undefined) next.push({ ...moment, raises, stopPrice });
  return next.map(planned);
}

/** What the exchange may still sell. */
const offered = ({ orders, truth }: Moment): Fixed =>
  sum(
    orders.map((order) => {
      const { filled, live } = truth.get(idOf(order)) ?? { filled: ZERO, live: false };
      return live ? subtract(order.intent.quantity, filled) : ZERO;
    }),
  );

const begin = (script: Script, held: Fixed): Moment =>
  planned({
    ...script,
    ...{ orders: [], truth: new Map(), held, owned: held, stopPrice: money('50') },
  });

/** What is wrong with a moment in which nothing more happens. */
function unrestIn(moment: Moment): string | null {
  const { held, stopPrice, orders } = moment;
  const resting = orders.filter((order) => !hasEnded(order));
  const guarded = sum(resting.map(openQuantity));
  if (resting.some(({ state, cancel }) => state !== 'open' || (cancel ?? 'refused') !== 'refused'))
    return 'a stop is on its way';
  if (resting.some((order) => order.intent.stopPrice !== stopPrice)) return 'an old price';
  const isDust = multiply(held, stopPrice, 'down') < rules.minNotional;
  return guarded === held || (isDust && guarded === ZERO) ? null : 'not all is guarded';
}

const oversold = (moment: Moment): boolean =>
  moment.owned < 0n || offered(moment) > maximum(ZERO, moment.owned);

/**
 * Two at most are merged for each purchase and raise, and each refusal or fill may need one more.
 */
const mostOrders = ({ buys, raises, fills, refusals }: Script): number =>
  2 + 2 * (buys.length + raises.length + fills.length + refusals);

const keyOf = (moment: Moment): string =>
  JSON.stringify(
    [
      moment.orders.map(({ intent: of, ...one }) => [
        ...[of.quantity, of.stopPrice, one.state, one.cancel, one.booked, one.seen?.status],
      ]),
      [...moment.truth].map(([id, { filled, live }]) => [id, filled, live]),
      [moment.held, moment.stopPrice, moment.refusals],
      [moment.buys.length, moment.raises.length, moment.fills.length],
    ],
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );

/** Every order of events; the number of moments, or what is wrong. */
function everyOrder(script: Script, held: Fixed): number | string {
  const first = begin(script, held);
  const known = new Set([keyOf(first)]);
  const open = [first];
  const most = mostOrders(script);
  for (let moment = open.pop(); moment !== undefined; moment = open.pop()) {
    if (moment.orders.length > most) return `more than ${most} orders`;
    if (oversold(moment)) return 'more is offered than is owned';
    const next = after(moment);
    const wrong = next.length === 0 ? unrestIn(moment) : null;
    if (wrong !== null) return wrong;
    for (const one of next) {
      const key = keyOf(one);
      if (known.has(key)) continue;
      known.add(key);
      open.push(one);
    }
  }
  return known.size;
}

const amounts = (...texts: string[]): Fixed[] => texts.map(money);
const NOTHING: Script = { buys: [], raises: [], fills: [], refusals: 0 };

describe('the plan of stops comes to rest', () => {
  it.each<[string, Partial<Script>]>([
    ['increased twice', { buys: amounts('1', '1') }],
    ['increased three times', { buys: amounts('1', '1', '1') }],
    ['increased twice and its stop raised', { buys: amounts('1', '1'), raises: amounts('51') }],
    ['increased twice, where cancellations fail', { buys: amounts('1', '1'), refusals: 2 }],
    ['increased by too little for a stop', { buys: amounts('1', '0.1', '0.1') }],
    ['increased twice while a stop sells', { buys: amounts('1', '1'), fills: amounts('0.5') }],
  ])('where a position is %s, whatever the order of events', (_, script) => {
    expect(everyOrder({ ...NOTHING, ...script }, money('2'))).toBeTypeOf('number');
  });

  it('where a stop is merged, while another one rests', () => {
    const script = { ...NOTHING, buys: amounts('1', '0.1') };
    const most: number[] = [];
    let moment = begin(script, money('2'));
    const go = (pick: (next: Moment[]) => Moment | undefined): void => {
      moment = pick(after(moment)) ?? moment;
    };
    // Both stops rest; then too little for a third is bought, and one of them goes.
    go(([acknowledged]) => acknowledged);
    go((next) => next.at(-1));
    go(([acknowledged]) => acknowledged);
    for (let step = 0; step < 6; step += 1) {
      go((next) => (step === 0 ? next.at(-1) : next[0]));
      const isStaying = ({ state, cancel }: LiveOrder): boolean =>
        state === 'open' && cancel === null;
      most.push(moment.orders.filter(isStaying).length);
    }
    expect(Math.min(...most)).toBe(1);
    expect(unrestIn(moment)).toBeNull();
  });

  it('where anything is bought, raised, sold and refused in any order', () => {
    const amount = fc.constantFrom(...amounts('0.0001', '0.1', '0.3', '1', '2.5'));
    const script = fc.record({
      buys: fc.array(amount, { maxLength: 5 }),
      raises: fc
        .array(fc.integer({ min: 51, max: 80 }), { maxLength: 3 })
        .map((list) => list.toSorted((a, b) => a - b).map((price) => money(String(price)))),
      fills: fc.array(amount, { maxLength: 3 }),
      refusals: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(script, amount, fc.array(fc.nat(), { minLength: 20 }), (of, held, picks) => {
        let moment = begin(of, held);
        let next = after(moment);
        for (let step = 0; next.length > 0; step += 1) {
          moment = next[(picks[step % picks.length] ?? 0) % next.length] ?? moment;
          expect(oversold(moment)).toBe(false);
          expect(moment.orders.length).toBeLessThanOrEqual(mostOrders(of));
          next = after(moment);
        }
        expect(unrestIn(moment)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
