/** Which stops are placed, cancelled and watched for one pair. */
import { describe, expect, it } from 'vitest';
import { ZERO, type Fixed } from '../../../contract/money.ts';
import { planOrder } from '../../../engine/orders/live-order.ts';
import type { LiveOrder, OrderEvent } from '../../../engine/orders/live-order.ts';
import { applyOrderEvents } from '../../../engine/orders/order-lifecycle.ts';
import { planStops, saleExposure, sellableNow } from '../../../engine/orders/stop-plan.ts';
import type { StopHolder, StopPlanInput } from '../../../engine/orders/stop-plan.ts';
import { intent, money, POLICY, RULES, shown } from './order-samples.ts';

const holder = (over: Partial<StopHolder> = {}): StopHolder => ({
  agentId: 'agent',
  held: money('2'),
  stopPrice: money('50'),
  leaving: false,
  partToSell: ZERO,
  failedStop: null,
  ...over,
});

const input = (over: Partial<StopPlanInput> = {}): StopPlanInput => ({
  rules: RULES,
  abilities: { replaysIds: false, restingStops: true },
  stopRoomBps: null,
  holders: [holder()],
  orders: [],
  missing: ZERO,
  baseFeeBps: ZERO,
  bid: null,
  ...over,
});

/** Two coins are worth enough for an order from 48.75 on. */
const SMALL = { ...RULES, minNotional: money('97.5') };

const SENT: OrderEvent = { kind: 'send_started', atMs: 0 };
const UNKNOWN: OrderEvent = { kind: 'outcome_unknown', atMs: 0, cause: 'timeout' };
let ids = 0;

/** A stop of `quantity` that rests, and what happened to it since. */
function stop(quantity: string, price = '50', ...since: OrderEvent[]): LiveOrder {
  return stopAfter(
    quantity,
    price,
    SENT,
    { kind: 'acknowledged', atMs: 0, exchangeOrderId: 'O' },
    ...since,
  );
}

function stopAfter(quantity: string, price: string, ...events: OrderEvent[]): LiveOrder {
  const order = planOrder(
    intent({
      clientOrderId: String((ids += 1)).padStart(32, '0'),
      ...{ side: 'sell', type: 'stop', quantity: money(quantity), stopPrice: money(price) },
      reservation: { asset: 'BTC', amount: money(quantity) },
    }),
  );
  return applyOrderEvents(order, events, POLICY).order;
}

const brief = (plan: StopPlanInput): string[] =>
  planStops(plan).map((action) => {
    if (action.kind === 'cancel') return `cancel ${action.why}`;
    const quantity = Number(action.quantity) / 1e12;
    return action.kind === 'place' ? `place ${quantity}` : `watch ${quantity} ${action.why}`;
  });

describe('a stop', () => {
  it('is placed for all that is held, and watched by the server until it is confirmed', () => {
    expect(brief(input())).toEqual(['place 2', 'watch 2 pending']);
    expect(brief(input({ orders: [stopAfter('2', '50')] }))).toEqual(['watch 2 pending']);
    expect(brief(input({ orders: [stop('2')] }))).toEqual([]);
  });

  it('is sized down to the step, after the fee that a sale takes from the coin', () => {
    const held = [holder({ held: money('1.23456789') })];
    expect(brief(input({ holders: held }))[0]).toBe('place 1.2345');
    expect(brief(input({ holders: held, baseFeeBps: money('26') }))[0]).toBe('place 1.2313');
  });

  it('has its price on the tick, upwards', () => {
    const [place] = planStops(input({ holders: [holder({ stopPrice: money('50.001') })] }));
    expect(place).toMatchObject({ kind: 'place', stopPrice: money('50.01') });
  });

  it('with a limit is watched beyond it while it rests, and not where the pair takes no orders', () => {
    const limited = { stopRoomBps: money('500') };
    const both = [stop('1.5'), stop('0.5')];
    const [watch, ...more] = planStops(input({ ...limited, orders: both }));
    expect(more).toEqual([]);
    expect(watch).toMatchObject({
      ...{ kind: 'watch', why: 'beyond_limit', quantity: money('2') },
      stopPrice: money('47.5'),
    });
    expect(brief(input({ ...limited, orders: [stop('1.5')] }))).toEqual([
      'place 0.5',
      'watch 0.5 pending',
      'watch 1.5 beyond_limit',
    ]);
    expect(brief(input({ ...limited, orders: [stopAfter('2', '50')] }))).toEqual([
      'watch 2 pending',
    ]);
    const rules = { ...RULES, status: 'cancel_only' } as const;
    expect(brief(input({ ...limited, rules, orders: [stop('2')] }))).toEqual([]);
    const leaving = [holder({ leaving: true })];
    expect(brief(input({ ...limited, holders: leaving, orders: [stop('2')] }))).toEqual([
      'cancel leaving',
    ]);
  });

  it('of little worth is watched beyond the limit that it has, and one without a limit is not', () => {
    const limited = { stopRoomBps: money('1000'), rules: SMALL };
    const [watch] = planStops(input({ ...limited, orders: [stop('2')] }));
    expect(watch).toMatchObject({ why: 'beyond_limit', stopPrice: money('48.75') });
    const saw = (limitPrice: Fixed | null): OrderEvent => ({
      kind: 'seen',
      atMs: 0,
      order: shown({
        ...{ exchangeOrderId: 'O', type: 'stop', side: 'sell', limitPrice },
        stopPrice: money('50'),
      }),
    });
    const own = stop('2', '50', saw(money('47')));
    const [watched] = planStops(input({ ...limited, orders: [own] }));
    expect(watched).toMatchObject({ why: 'beyond_limit', stopPrice: money('47') });
    expect(brief(input({ ...limited, orders: [stop('2', '50', saw(null))] }))).toEqual([]);
  });

  it('stays where its agent leaves and all that is held is worth too little for a sale', () => {
    const leaving = {
      stopRoomBps: money('1000'),
      rules: SMALL,
      holders: [holder({ leaving: true })],
    };
    const orders = [stop('2')];
    const at = (bid: string | null): string[] =>
      brief(input({ ...leaving, orders, bid: bid === null ? null : money(bid) }));
    expect(at('48.74')).toEqual(['watch 2 beyond_limit']);
    expect(at('48.75')).toEqual(['cancel leaving']);
    expect(at(null)).toEqual(['cancel leaving']);
    const unsent = [stopAfter('2', '50')];
    expect(brief(input({ ...leaving, orders: unsent, bid: money('45') }))).toEqual([
      'cancel leaving',
    ]);
  });

  it('that was too small to be sold is watched, and placed again once its size differs', () => {
    const failedStop = { quantity: money('2'), stopPrice: money('50'), why: 'too_small' } as const;
    expect(brief(input({ holders: [holder({ failedStop })] }))).toEqual(['watch 2 too_small']);
    const more = [holder({ failedStop, held: money('2.5') })];
    expect(brief(input({ holders: more }))[0]).toBe('place 2.5');
  });

  it('of another price is cancelled, and placed anew only when its end is known', () => {
    const old = stop('2', '49');
    expect(brief(input({ orders: [old] }))).toEqual(['cancel other_price', 'watch 2 pending']);
    const { order: asked } = applyOrderEvents(old, [{ kind: 'cancel_asked', atMs: 0 }], POLICY);
    expect(brief(input({ orders: [asked] }))).toEqual(['watch 2 pending']);
    const { order: gone } = applyOrderEvents(
      asked,
      [
        {
          kind: 'seen',
          atMs: 0,
          order: shown({
            exchangeOrderId: 'O',
            ...{ side: 'sell', type: 'stop', status: 'cancelled' },
          }),
        },
      ],
      POLICY,
    );
    expect(brief(input({ orders: [gone] }))).toEqual(['place 2', 'watch 2 pending']);
  });

  it.each([
    ['unknown', [UNKNOWN]],
    ['sending', []],
  ] as const)(
    'of unknown outcome (%s) counts in full: nothing is placed beside it',
    (_, events) => {
      const out = stopAfter('2', '50', SENT, ...events);
      expect(brief(input({ orders: [out] }))).toEqual(['watch 2 pending']);
      expect(sellableNow(input({ orders: [out] }), 'agent')).toBe(0n);
    },
  );

  it('whose cancellation has an unknown outcome is asked to go again, and counts', () => {
    const doubtful = stop(
      '2',
      '50',
      { kind: 'cancel_asked', atMs: 0 },
      { kind: 'cancel_unknown', atMs: 0 },
    );
    expect(brief(input({ orders: [doubtful] }))).toEqual(['cancel repeated', 'watch 2 pending']);
  });

  it('that was not sent is taken back where one that is to go may sell the same', () => {
    const going = stop('2', '50', { kind: 'cancel_asked', atMs: 0 });
    const next = stopAfter('2', '50');
    expect(brief(input({ orders: [going, next] }))).toEqual(['cancel too_much', 'watch 2 pending']);
    expect(planStops(input({ orders: [going, next] }))[0]).toMatchObject({
      clientOrderId: next.intent.clientOrderId,
    });
    const part = stop('1', '50', { kind: 'cancel_asked', atMs: 0 });
    expect(brief(input({ orders: [part, stopAfter('1', '50')] }))).toEqual(['watch 2 pending']);
  });

  it('is joined by a second where more is held, and a third is merged', () => {
    const more = [holder({ held: money('3') })];
    expect(brief(input({ holders: more, orders: [stop('2')] }))).toEqual([
      'place 1',
      'watch 1 pending',
    ]);
    expect(brief(input({ holders: more, orders: [stop('1'), stop('1')] }))).toEqual([
      'cancel to_merge',
      'watch 1 pending',
    ]);
  });

  it('takes in what is too little for an order of its own', () => {
    const more = [holder({ held: money('2.01') })];
    expect(brief(input({ holders: more, orders: [stop('2')] }))).toEqual([
      'cancel to_merge',
      'watch 0.01 pending',
    ]);
  });

  it('that sells more than is held is cancelled', () => {
    const less = [holder({ held: money('1') })];
    expect(brief(input({ holders: less, orders: [stop('2')] }))[0]).toBe('cancel too_much');
    // The newest goes, and the older one stays.
    const both = [stop('1'), stop('0.5')];
    const plan = planStops(input({ holders: less, orders: both }));
    expect(plan).toEqual([
      expect.objectContaining({ clientOrderId: both[1]?.intent.clientOrderId, why: 'too_much' }),
    ]);
  });

  it('is dropped by an agent that leaves or has no stop', () => {
    const orders = [stop('2')];
    expect(brief(input({ orders, holders: [holder({ leaving: true })] }))).toEqual([
      'cancel leaving',
    ]);
    expect(brief(input({ orders, holders: [holder({ stopPrice: null })] }))).toEqual([
      'cancel no_stop',
    ]);
  });
});

describe('the server watches, and says why', () => {
  it('where the exchange has no stops, or the pair does not trade', () => {
    const abilities = { replaysIds: false, restingStops: false };
    expect(brief(input({ abilities }))).toEqual(['watch 2 not_supported']);
    const rules = { ...RULES, status: 'cancel_only' as const };
    expect(brief(input({ rules }))).toEqual(['watch 2 pair_not_trading']);
    // A stop at the old price is better than none.
    expect(brief(input({ rules, orders: [stop('2', '49')] }))).toEqual([]);
  });

  it('where the pair trades and takes no stops', () => {
    const rules = { ...RULES, takesStops: false };
    expect(brief(input({ rules }))).toEqual(['watch 2 pair_not_trading']);
    // One that rests stays, at the old price too, until what it guards is sold.
    expect(brief(input({ rules, orders: [stop('2', '49')] }))).toEqual([]);
    expect(brief(input({ rules, orders: [stop('1.5')] }))).toEqual(['watch 0.5 pair_not_trading']);
    const leaving = [holder({ leaving: true })];
    expect(brief(input({ rules, holders: leaving, orders: [stop('2')] }))).toEqual([
      'cancel leaving',
    ]);
  });

  it.each(['rejected', 'cancelled_at_exchange'] as const)(
    'where the same stop was %s, until size or price change',
    (why) => {
      const failedStop = { quantity: money('2'), stopPrice: money('50'), why };
      expect(brief(input({ holders: [holder({ failedStop })] }))).toEqual([`watch 2 ${why}`]);
      const moved = holder({ failedStop, stopPrice: money('51') });
      expect(brief(input({ holders: [moved] }))[0]).toBe('place 2');
    },
  );

  it('where what is held is dust', () => {
    for (const held of ['0.00001', '0.001'])
      expect(brief(input({ holders: [holder({ held: money(held) })] }))).toEqual([
        `watch ${held === '0.00001' ? '0.00001' : held} dust`,
      ]);
  });
});

describe('several agents on one pair', () => {
  const two = [holder({ agentId: 'ann' }), holder({ agentId: 'bob', held: money('1') })];

  it('each have stops for what is theirs', () => {
    expect(planStops(input({ holders: two })).filter(({ kind }) => kind === 'place')).toMatchObject(
      [
        { agentId: 'ann', quantity: money('2') },
        { agentId: 'bob', quantity: money('1') },
      ],
    );
  });

  it('shrink, the last first, where the account has less than they hold', () => {
    const plan = planStops(input({ holders: two, missing: money('1.5') }));
    expect(plan).toMatchObject([{ kind: 'place', agentId: 'ann', quantity: money('1.5') }, {}]);
    expect(sellableNow(input({ holders: two, missing: money('1.5') }), 'bob')).toBe(0n);
  });
});

it('an exit may sell what no other order of the agent might', () => {
  const orders = [stop('1.5')];
  expect(saleExposure('agent', orders)).toBe(money('1.5'));
  expect(sellableNow(input({ orders }), 'agent')).toBe(money('0.5'));
  expect(sellableNow(input({ orders }), 'nobody')).toBe(0n);
});
