/** Every transition of the order lifecycle, and the rules that no path through it may break. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  ENDED_STATES,
  hasEnded,
  LIVE_STATES,
  openQuantity,
  planOrder,
} from '../../../engine/orders/live-order.ts';
import type { LiveOrder, OrderEvent } from '../../../engine/orders/live-order.ts';
import { applyOrderEvent, applyOrderEvents } from '../../../engine/orders/order-lifecycle.ts';
import fc from '../../support/property.ts';
import {
  DEADLINE_MS,
  fillOf,
  intent,
  money,
  planned,
  POLICY,
  REPLAYING,
  SEARCHED,
  SENT_MS,
  shown,
  VENUE_ID,
} from './order-samples.ts';
import { brokenRules, EVENTS, ORDERS, transitionRows } from './transition-table.ts';

const sent: OrderEvent = { kind: 'send_started', atMs: SENT_MS };
const timeout: OrderEvent = { kind: 'outcome_unknown', atMs: 2_000, cause: 'timeout' };
const acknowledged: OrderEvent = { kind: 'acknowledged', atMs: 2_000, exchangeOrderId: VENUE_ID };
const rejected: OrderEvent = { kind: 'rejected', atMs: 3_000, code: 'EOrder:Insufficient funds' };
const proved: OrderEvent = {
  kind: 'not_found',
  atMs: DEADLINE_MS + POLICY.lagAllowanceMs,
  begunAtMs: DEADLINE_MS + POLICY.lagAllowanceMs,
  searched: SEARCHED,
};
const filling = (tradeId: string, over: Parameters<typeof fillOf>[1] = {}): OrderEvent => ({
  kind: 'fill',
  atMs: 3_000,
  fill: fillOf(tradeId, over),
});
const seeing = (over: Parameters<typeof shown>[0], atMs = 4_000): OrderEvent => ({
  kind: 'seen',
  atMs,
  order: shown({ updatedAtMs: atMs, ...over }),
});
const run = (events: OrderEvent[], policy = POLICY) => applyOrderEvents(planned(), events, policy);
const alarmsOf = (events: OrderEvent[]): string[] => [...run(events).order.alarms];
const ALL_EVENTS = Object.values(EVENTS).flatMap((variants) => Object.values(variants));

describe('the table of states and events', () => {
  it('is in the docs as the code has it, with no state or event left out', () => {
    const text = readFileSync('docs/live-trading.md', 'utf8');
    const rows = text
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\|[\s|-]+$/.test(line))
      .map((line) => line.split('|').slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim()));
    expect(rows).toEqual(transitionRows());
    expect(rows[0]?.slice(1).sort()).toEqual([...LIVE_STATES, ...ENDED_STATES].sort());
  });

  it('begins with an order of each state', () => {
    for (const [state, order] of Object.entries(ORDERS)) expect(order.state).toBe(state);
  });

  it('keeps the rules of every step from every state', () => {
    for (const order of Object.values(ORDERS))
      for (const event of ALL_EVENTS) expect(brokenRules(order, event)).toEqual([]);
  });

  it('keeps them along any path of events', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(ALL_EVENTS.length - 1), { maxLength: 14 }), (indexes) => {
        let order = planned();
        const trades = new Set<string>();
        for (const index of indexes) {
          const event = ALL_EVENTS[index] ?? sent;
          expect(brokenRules(order, event)).toEqual([]);
          try {
            order = applyOrderEvent(order, event, POLICY).order;
          } catch {
            continue;
          }
          if (event.kind === 'fill') trades.add(event.fill.tradeId);
        }
        // No fill is ever left out, and none is booked twice.
        expect([...order.fills].sort()).toEqual([...trades].sort());
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('what an order holds back', () => {
  it('is taken by fills and released exactly at its end', () => {
    const { order, effects } = run([sent, acknowledged, filling('a'), filling('b')]);
    // 2 × 100 and 0.1 %, less 2 × 99.099.
    expect(planned().reserved).toBe(money('200.2'));
    expect(effects).toContainEqual({ kind: 'release', asset: 'USD', amount: money('2.002') });
    expect(order.reserved).toBe(0n);
  });

  it('is never negative where a fill costs more than was thought', () => {
    const dear = filling('a', { quantity: money('2'), quoteAmount: money('500') });
    const { order, effects } = run([sent, acknowledged, dear]);
    expect(order.reserved).toBe(0n);
    expect(effects.find(({ kind }) => kind === 'book')).toMatchObject({
      beyondReservation: money('299.899'),
    });
  });

  it('adds up over any path: reserved − released − drawn is what is left', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(ALL_EVENTS.length - 1), { maxLength: 14 }), (indexes) => {
        let order = planned();
        let left: bigint = order.reserved;
        for (const index of indexes) {
          const event = ALL_EVENTS[index] ?? sent;
          let step;
          try {
            step = applyOrderEvent(order, event, POLICY);
          } catch {
            continue;
          }
          order = step.order;
          for (const effect of step.effects) {
            if (effect.kind === 'reserve') left += effect.amount;
            if (effect.kind === 'release') left -= effect.amount;
            if (effect.kind === 'book')
              left -= effect.fill.quoteAmount + money('0.099') - effect.beyondReservation;
          }
          expect(order.reserved).toBe(left);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('an unknown outcome', () => {
  it('is never resent where a repeated id could be a second order', () => {
    expect(() => run([sent, timeout, sent])).toThrow('would_double');
    expect(run([sent, timeout, { ...sent, atMs: 9_000 }], REPLAYING).order).toMatchObject({
      state: 'sending',
      attempts: 2,
      // Lists must reach back to the first request.
      sentAtMs: SENT_MS,
    });
  });

  it('is not resent after the deadline, nor once it was to be cancelled', () => {
    const late: OrderEvent = { kind: 'send_started', atMs: DEADLINE_MS };
    expect(() => run([sent, timeout, late], REPLAYING)).toThrow('deadline_passed');
    const asked: OrderEvent = { kind: 'cancel_asked', atMs: 3_000 };
    expect(() => run([sent, timeout, asked, sent], REPLAYING)).toThrow('to_be_cancelled');
  });

  it('stays unknown when the resend is turned down: the first request may hold the funds', () => {
    const { order } = run([sent, timeout, sent, rejected], REPLAYING);
    expect(order).toMatchObject({ state: 'unknown', doubt: { sinceMs: 2_000, cause: 'timeout' } });
    expect(order.reserved).toBe(money('200.2'));
  });

  it('is told once after five minutes and keeps its funds', () => {
    const at = (atMs: number): OrderEvent => ({ kind: 'time_passed', atMs });
    const early = run([sent, timeout, at(301_999)]);
    expect(early.effects.some(({ kind }) => kind === 'tell')).toBe(false);
    const { order, effects } = run([sent, timeout, at(302_000), at(900_000)]);
    expect(effects.filter(({ kind }) => kind === 'tell')).toEqual([
      { kind: 'tell', code: 'unknown_for_minutes' },
    ]);
    expect(order).toMatchObject({ state: 'unknown', reserved: money('200.2') });
  });

  it.each(['open', 'closed', 'trades'] as const)(
    'is not ended by a search that could not read %s',
    (list) => {
      const partial: OrderEvent = { ...proved, searched: { ...SEARCHED, [list]: false } };
      expect(run([sent, timeout, partial]).order.state).toBe('unknown');
    },
  );

  it('is not ended by a search that began before the allowance had passed', () => {
    const begunAtMs = DEADLINE_MS + POLICY.lagAllowanceMs - 1;
    expect(run([sent, timeout, { ...proved, begunAtMs }]).order.state).toBe('unknown');
    expect(run([sent, timeout, proved]).order).toMatchObject({
      state: 'expired',
      ending: 'absent',
      reserved: 0n,
    });
  });
});

describe('late contradictions', () => {
  it('an order proved absent and then found is open again, reserves again and is cancelled', () => {
    const { order, effects } = run([sent, timeout, proved, seeing({})]);
    expect(order).toMatchObject({ state: 'open', reserved: money('200.2'), ending: null });
    expect(effects).toContainEqual({ kind: 'alarm', code: 'found_after_end' });
    expect(effects).toContainEqual({ kind: 'reserve', asset: 'USD', amount: money('200.2') });
    // Its decision may have been made again.
    expect(effects).toContainEqual({ kind: 'cancel' });
    expect(order.cancel).toBe('asked');
  });

  it('a fill of an order proved absent is booked, and only the rest is reserved', () => {
    const { order, effects } = run([sent, timeout, proved, filling('a')]);
    expect(order).toMatchObject({ state: 'open', booked: money('1'), reserved: money('101.101') });
    expect(effects).toContainEqual(expect.objectContaining({ kind: 'book', late: true }));
  });

  it('an exchange that lists what it rejected contradicts nothing', () => {
    const { order } = run([sent, rejected, seeing({ status: 'rejected' })]);
    expect(order).toMatchObject({ state: 'rejected', alarms: new Set() });
  });

  it('an old word does not undo an end, a later one does', () => {
    const end = seeing({ status: 'cancelled' }, 5_000);
    expect(run([sent, acknowledged, end, seeing({}, 4_999)]).order.state).toBe('cancelled');
    expect(run([sent, acknowledged, end, seeing({}, 5_001)]).order.state).toBe('open');
  });

  it('an end that claims more than was booked waits for its fills again', () => {
    const none = seeing({ status: 'cancelled' });
    const more = seeing({ status: 'cancelled', filled: money('1') }, 6_000);
    const waiting = run([sent, acknowledged, none, more]).order;
    expect(waiting).toMatchObject({ state: 'open', reserved: money('100.1') });
    expect(openQuantity(waiting)).toBe(money('1'));
    const done = run([sent, acknowledged, none, more, filling('a')]);
    expect(done.order).toMatchObject({ state: 'cancelled', reserved: 0n, booked: money('1') });
  });

  it('says when two orders carry one id, and books the fills of both', () => {
    const second = filling('b', { exchangeOrderId: 'OTHER' });
    const { order } = run([sent, acknowledged, filling('a'), second]);
    expect(order).toMatchObject({ booked: money('2'), exchangeOrderId: VENUE_ID });
    expect([...order.alarms]).toEqual(['two_orders']);
  });

  it('books no fill of another pair or side, and says so', () => {
    expect(alarmsOf([sent, acknowledged, filling('a', { side: 'sell' })])).toEqual(['differs']);
    expect(run([sent, acknowledged, filling('a', { symbol: 'ETH/USD' })]).order.booked).toBe(0n);
  });
});

describe('an end that waits for its fills', () => {
  const over = seeing({ status: 'cancelled', filled: money('1') });

  it('keeps the order open and looks for them', () => {
    const { order, effects } = run([sent, acknowledged, over]);
    expect(order.state).toBe('open');
    expect(effects).toContainEqual({ kind: 'look_up' });
    expect(run([sent, acknowledged, over, filling('a')]).order.state).toBe('cancelled');
  });

  it('is not in doubt because no list shows it any more', () => {
    const later: OrderEvent = { ...proved, begunAtMs: 9e6 };
    const { order, effects } = run([sent, acknowledged, over, later]);
    expect([order.state, order.doubt]).toEqual(['open', null]);
    expect(effects.filter(({ kind }) => kind === 'look_up')).toHaveLength(1);
  });

  it('raises an alarm after five minutes, once', () => {
    const at = (atMs: number): OrderEvent => ({ kind: 'time_passed', atMs });
    const { effects } = run([sent, acknowledged, over, at(304_000), at(400_000)]);
    const alarms = effects.filter(({ kind }) => kind === 'alarm');
    expect(alarms).toEqual([{ kind: 'alarm', code: 'fills_missing' }]);
  });

  it('keeps the most that was ever said to be filled', () => {
    const part = seeing({ filled: money('1') }, 3_500);
    for (const status of ['open', 'cancelled'] as const) {
      const { order } = run([sent, acknowledged, part, seeing({ status })]);
      expect(order).toMatchObject({ state: 'open', seen: { status, filled: money('1') } });
    }
  });

  it('gives the same order whichever way its news comes', () => {
    const news = [acknowledged, filling('a'), filling('b'), seeing({ filled: money('1') }, 3_500)];
    const end = seeing({ status: 'closed', filled: money('2') });
    const last = (order: LiveOrder) => [order.state, order.booked, order.reserved, order.seen];
    const expected = last(run([sent, ...news, end]).order);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...news, end, ...news], { minLength: 9, maxLength: 9 }),
        (shuffled) => {
          expect(last(run([sent, ...shuffled]).order)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('an acknowledged order', () => {
  it('that no list shows is unknown, and is never ended by that', () => {
    const again: OrderEvent = { ...proved, atMs: 9e6, begunAtMs: 9e6 };
    const { order } = run([sent, acknowledged, proved, again]);
    expect(order).toMatchObject({ state: 'unknown', doubt: { cause: 'vanished' } });
    expect(run([sent, acknowledged, proved, seeing({})]).order.state).toBe('open');
  });

  it('is not sent again when it vanishes, though a repeated id is harmless', () => {
    const { order } = applyOrderEvents(
      planned({ deadlineMs: 9e9 }),
      [sent, acknowledged, { ...proved, begunAtMs: 9e6 }],
      REPLAYING,
    );
    expect(order.state).toBe('unknown');
    expect(() => applyOrderEvent(order, sent, REPLAYING)).toThrow('already_out');
  });

  it('ends on the word of the person after five minutes, and opens again if it turns up', () => {
    const given: OrderEvent = { kind: 'given_up', atMs: 9e6 };
    expect(run([sent, acknowledged, given]).order.state).toBe('open');
    expect(run([sent, timeout, { ...given, atMs: 301_999 }]).order.state).toBe('unknown');
    expect(run([sent, timeout, { ...given, atMs: 302_000 }]).order.state).toBe('cancelled');
    const lacking = seeing({ status: 'cancelled', filled: money('1') });
    expect(run([sent, acknowledged, lacking, given]).order.state).toBe('cancelled');
    expect(run([sent, acknowledged, lacking, { ...given, atMs: 303_999 }]).order.state).toBe(
      'open',
    );
    expect(run([sent, acknowledged, proved, given]).order).toMatchObject({
      state: 'cancelled',
      ending: 'given_up',
      reserved: 0n,
    });
    expect(alarmsOf([sent, acknowledged, proved, given, seeing({})])).toEqual(['found_after_end']);
  });

  it('that its person gave up for a fill that no list shows stays so at the same word, and opens at a new one', () => {
    const lacking = seeing({ status: 'cancelled', filled: money('1') });
    const given = [sent, acknowledged, lacking, { kind: 'given_up', atMs: 9e6 } as const];
    expect(run([...given, lacking]).order).toMatchObject({
      state: 'cancelled',
      ending: 'given_up',
    });
    expect(alarmsOf([...given, lacking])).toEqual([]);
    const more = seeing({ status: 'cancelled', filled: money('1.5') });
    expect(alarmsOf([...given, more])).toEqual(['found_after_end']);
  });

  it('ends on the word of the person where its key is refused, and is cancelled if it rests after all', () => {
    const given: OrderEvent = { kind: 'given_up', atMs: 5_000, isUnread: true };
    expect(run([given]).order.state).toBe('planned');
    expect(run([sent, given]).order.state).toBe('sending');
    expect(run([sent, acknowledged, given]).order).toMatchObject({
      state: 'cancelled',
      ending: 'given_up',
      reserved: 0n,
    });
    const found = [sent, acknowledged, given, seeing({})];
    expect(run(found).order).toMatchObject({ state: 'open', cancel: 'asked' });
    expect(alarmsOf(found)).toEqual(['found_after_end']);
  });
});

describe('an order that the person changed at the exchange', () => {
  const larger = seeing({ quantity: money('3') });

  it('counts for its larger quantity, and is said', () => {
    const { order } = run([sent, acknowledged, larger, filling('a'), filling('b')]);
    expect(order).toMatchObject({ state: 'open', alarms: new Set(['differs']) });
    expect(openQuantity(order)).toBe(money('1'));
    const { order: done } = applyOrderEvents(order, [filling('c')], POLICY);
    expect(done).toMatchObject({ state: 'filled', booked: money('3'), reserved: 0n });
  });
});

describe('a cancellation', () => {
  const asked: OrderEvent = { kind: 'cancel_asked', atMs: 3_000 };

  it('of an order not sent yet ends it at once', () => {
    const { order } = run([asked]);
    expect(order).toMatchObject({ state: 'cancelled', ending: 'withdrawn', reserved: 0n });
    expect(hasEnded(order)).toBe(true);
  });

  it('asked for while the request is out is made when the order shows itself', () => {
    const { effects } = run([sent, timeout, asked, acknowledged]);
    expect(effects.filter(({ kind }) => kind === 'cancel')).toHaveLength(1);
  });

  it.each(['cancel_acknowledged', 'cancel_refused', 'cancel_unknown'] as const)(
    'answered by %s ends nothing, and is looked up',
    (kind) => {
      const { order, effects } = run([sent, acknowledged, asked, { kind, atMs: 4_000 }]);
      expect(order.state).toBe('open');
      expect(effects).toContainEqual({ kind: 'look_up' });
    },
  );

  it('that was not ours is told', () => {
    const gone = seeing({ status: 'cancelled' });
    const told = { kind: 'tell', code: 'cancelled_at_exchange' };
    expect(run([sent, acknowledged, gone]).effects).toContainEqual(told);
    expect(run([sent, acknowledged, asked, gone]).effects).not.toContainEqual(told);
  });
});

it('an order must be for something, and reserve no less than nothing', () => {
  expect(() => planOrder(intent({ quantity: money('0') }))).toThrow(RangeError);
  expect(() => planned({ reservation: { asset: 'USD', amount: money('-1') } })).toThrow(RangeError);
});
