/** What follows from what an exchange shows: for our orders, for the books, and for sending. */
import { describe, expect, it } from 'vitest';
import type { Fixed } from '../../../contract/money.ts';
import type { VenueFill } from '../../../contract/venue.ts';
import type { LiveOrder, OrderEvent } from '../../../engine/orders/live-order.ts';
import { applyOrderEvents } from '../../../engine/orders/order-lifecycle.ts';
import { reconcile } from '../../../engine/orders/reconcile.ts';
import type { OurRecords, Reconciliation, VenueFacts } from '../../../engine/orders/reconcile.ts';
import {
  DEADLINE_MS,
  fillOf,
  ID,
  money,
  planned,
  POLICY,
  shown,
  VENUE_ID,
} from './order-samples.ts';

const SENT: OrderEvent = { kind: 'send_started', atMs: 1_000 };
const UNKNOWN: OrderEvent = { kind: 'outcome_unknown', atMs: 2_000, cause: 'timeout' };
const ACKNOWLEDGED: OrderEvent = { kind: 'acknowledged', atMs: 2_000, exchangeOrderId: VENUE_ID };
const NOW_MS = 20_000;
const PROVED_MS = DEADLINE_MS + POLICY.lagAllowanceMs;

const orderAfter = (...events: OrderEvent[]): LiveOrder =>
  applyOrderEvents(planned(), events, POLICY).order;

const facts = (over: Partial<VenueFacts> = {}): VenueFacts => ({
  begunAtMs: NOW_MS,
  open: [],
  closed: [],
  trades: [],
  balances: [{ asset: 'USD', total: money('1000'), available: money('1000') }],
  closedSinceMs: 0,
  tradesSinceMs: 0,
  ...over,
});

const records = (over: Partial<OurRecords> = {}): OurRecords => ({
  orders: [],
  knownTrades: new Set(),
  handTrades: [],
  reconciledToMs: 1_000_000,
  openedAtMs: null,
  owned: new Map([['USD', money('1000')]]),
  holdings: new Map(),
  pending: new Map(),
  missing: new Map(),
  orphans: new Set(),
  isFirst: false,
  isStarting: false,
  ...over,
});

const run = (
  shownFacts: Partial<VenueFacts>,
  ours: Partial<OurRecords> = {},
  nowMs = NOW_MS,
): Reconciliation => reconcile(facts(shownFacts), records(ours), POLICY, nowMs);

const balance = (asset: string, amount: string) => ({
  asset,
  total: money(amount),
  available: money(amount),
});
const eventsOf = (found: Reconciliation): string[] =>
  found.steps.map(({ event, order }) => `${event.kind} → ${order.state}`);

describe('our orders', () => {
  it('are found by our id or the exchange’s, with their fills, and nothing is new the next time', () => {
    const order = orderAfter(SENT, UNKNOWN);
    const closed = [shown({ status: 'closed', filled: money('2') })];
    const trades = [fillOf('a'), fillOf('b')];
    const balances = [balance('USD', '801.802'), balance('BTC', '2')];
    const found = run({ closed, trades, balances }, { orders: [order] });
    expect(eventsOf(found)).toEqual(['seen → open', 'fill → open', 'fill → filled']);
    expect([found.external, found.alarms, [...found.pending]]).toEqual([[], [], []]);
    const after = found.steps.at(-1)?.order ?? order;
    const owned = new Map([
      ['USD', money('801.802')],
      ['BTC', money('2')],
    ]);
    const again = run(
      { closed, trades, balances },
      { orders: [after], owned, knownTrades: new Set(['a', 'b']) },
    );
    expect([again.steps, again.external, again.alarms, [...again.pending]]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  it('that were being sent when the process ended are in doubt at the start', () => {
    const found = run({}, { orders: [orderAfter(SENT)], isStarting: true });
    expect(eventsOf(found)).toEqual(['outcome_unknown → unknown']);
    expect(found.steps[0]?.order.doubt?.cause).toBe('interrupted');
    expect(run({}, { orders: [orderAfter(SENT)] }).steps).toEqual([]);
  });

  it('that no list shows are absent after the deadline and the allowance, not before', () => {
    const orders = [orderAfter(SENT, UNKNOWN)];
    expect(run({ begunAtMs: PROVED_MS - 1 }, { orders }, PROVED_MS + 9).steps).toEqual([]);
    const found = run({ begunAtMs: PROVED_MS }, { orders }, PROVED_MS);
    expect(eventsOf(found)).toEqual(['not_found → expired']);
  });

  it.each([
    ['closed orders do not reach back to it', { closedSinceMs: 1_001 }],
    ['trades do not reach back to it', { tradesSinceMs: 1_001 }],
    ['open orders could not be read', { open: null }],
  ])('are not absent where %s', (_, lists) => {
    const orders = [orderAfter(SENT, UNKNOWN)];
    expect(run({ begunAtMs: PROVED_MS, ...lists }, { orders }, PROVED_MS).steps).toEqual([]);
  });

  it('are told of once after five minutes', () => {
    const orders = [orderAfter(SENT, UNKNOWN)];
    const found = run({ begunAtMs: 3_000 }, { orders }, 302_000);
    expect(found.steps.flatMap(({ effects }) => effects)).toEqual([
      { kind: 'tell', code: 'unknown_for_minutes' },
    ]);
  });

  it.each([
    ['cancel_unknown', 5_001, true],
    ['cancel_refused', 5_001, true],
    ['cancel_unknown', 5_000, false],
    ['cancel_acknowledged', 5_001, false],
    ['cancel_acknowledged', 5_001 + POLICY.lagAllowanceMs, true],
  ] as const)(
    'still open after %s are cancelled again: read at %i, %s',
    (kind, begunAtMs, again) => {
      const order = orderAfter(
        SENT,
        ACKNOWLEDGED,
        { kind: 'cancel_asked', atMs: 4_000 },
        { kind, atMs: 5_000 },
      );
      const found = run({ open: [shown({})], begunAtMs }, { orders: [order] }, begunAtMs);
      expect(eventsOf(found).includes('cancel_asked → open')).toBe(again);
    },
  );

  it('whose cancellation was out when the process ended are cancelled again', () => {
    const orders = [orderAfter(SENT, ACKNOWLEDGED, { kind: 'cancel_asked', atMs: 4_000 })];
    const open = [shown({})];
    expect(eventsOf(run({ open }, { orders }))).toEqual(['seen → open']);
    const found = run({ open }, { orders, isStarting: true });
    expect(eventsOf(found)).toEqual(['seen → open', 'cancel_asked → open']);
    expect(found.steps.at(-1)?.effects).toEqual([{ kind: 'cancel' }]);
  });

  it('cancelled by the person are said to be', () => {
    const order = orderAfter(SENT, ACKNOWLEDGED);
    const found = run({ closed: [shown({ status: 'cancelled' })] }, { orders: [order] });
    expect(found.steps.flatMap(({ effects }) => effects)).toContainEqual({
      kind: 'tell',
      code: 'cancelled_at_exchange',
    });
  });
});

describe('trades that are not of our orders', () => {
  const hand = fillOf('h', { exchangeOrderId: 'HAND', side: 'sell' });
  const balances = [balance('USD', '1098.901'), balance('BTC', '-1')];

  it('are booked as made by hand, once', () => {
    const found = run({ trades: [hand], balances });
    expect(found.external).toEqual([{ kind: 'hand_trade', fill: hand }]);
    expect([...found.pending]).toEqual([]);
    expect(run({ trades: [hand] }, { knownTrades: new Set(['h']) }).external).toEqual([]);
  });

  it('wait while one of our orders may be theirs, and its absence is not proved by then', () => {
    const mine = fillOf('x', { exchangeOrderId: 'NEW', atMs: 2_500 });
    const order = orderAfter(SENT, UNKNOWN);
    const found = run({ trades: [mine], begunAtMs: PROVED_MS }, { orders: [order] }, PROVED_MS);
    expect([found.external, found.steps]).toEqual([[], []]);
    expect(found.gate).toMatchObject({ kind: 'open', doubtfulSymbols: new Set(['BTC/USD']) });
  });

  it.each([
    ['of the other side', { side: 'sell' as const }],
    ['of another pair', { symbol: 'ETH/USD' }],
    ['from long before the order', { atMs: 1_000 - POLICY.lagAllowanceMs - 1 }],
  ])('do not wait %s', (_, over) => {
    const theirs = fillOf('x', { exchangeOrderId: 'HAND', atMs: 2_500, ...over });
    const found = run({ trades: [theirs] }, { orders: [orderAfter(SENT, UNKNOWN)] });
    expect(found.external).toEqual([{ kind: 'hand_trade', fill: theirs }]);
  });

  it('do not wait where a list shows that their order is somebody else’s', () => {
    const theirs = fillOf('x', { exchangeOrderId: 'HAND', atMs: 2_500 });
    const closed = [shown({ exchangeOrderId: 'HAND', clientOrderId: null, status: 'closed' })];
    const order = orderAfter(SENT, UNKNOWN);
    const found = run({ trades: [theirs], closed }, { orders: [order] });
    expect(found.external).toEqual([{ kind: 'hand_trade', fill: theirs }]);
  });

  it('belong to us where another trade of the same list names our id', () => {
    const first = fillOf('a');
    const second = fillOf('b', { clientOrderId: ID });
    const order = orderAfter(SENT, UNKNOWN);
    const found = run({ trades: [first, second] }, { orders: [order] });
    expect(eventsOf(found)).toEqual(['fill → open', 'fill → filled']);
  });

  it('booked as made by hand are taken back when their order turns out to be ours', () => {
    const order = orderAfter(SENT, UNKNOWN, {
      ...{ kind: 'not_found', atMs: PROVED_MS, begunAtMs: PROVED_MS },
      searched: { byClientId: true, open: true, closed: true, trades: true },
    });
    const fill = fillOf('a');
    const found = run(
      { closed: [shown({ status: 'cancelled', filled: money('1') })], trades: [fill] },
      { orders: [order], handTrades: [fill], knownTrades: new Set(['a']) },
    );
    expect(found.external).toEqual([{ kind: 'hand_trade_undone', fill }]);
    expect(found.steps.at(-1)?.order).toMatchObject({ state: 'cancelled', booked: money('1') });
    expect(found.alarms).toContainEqual(
      expect.objectContaining({ kind: 'order', code: 'found_after_end' }),
    );
  });

  it('with our id but another pair are external, and raise an alarm', () => {
    const other: VenueFill = fillOf('x', { clientOrderId: ID, symbol: 'ETH/USD' });
    const found = run({ trades: [other] }, { orders: [orderAfter(SENT, ACKNOWLEDGED)] });
    expect(found.external).toEqual([{ kind: 'hand_trade', fill: other }]);
    expect(found.alarms).toContainEqual(expect.objectContaining({ code: 'differs' }));
  });
});

describe('an order that rests for longer than the lists reach back', () => {
  const begunAtMs = NOW_MS + POLICY.lagAllowanceMs;
  const lists = { begunAtMs, closedSinceMs: begunAtMs - 1, tradesSinceMs: 0 };
  const orders = [orderAfter(SENT, ACKNOWLEDGED)];

  it('stays as it is where no list shows it', () => {
    expect(eventsOf(run(lists, { orders }, begunAtMs))).toEqual([]);
  });

  it('has vanished where the exchange does not know its id either', () => {
    const absent = new Set([orders[0]?.exchangeOrderId ?? '']);
    expect(eventsOf(run({ ...lists, absent }, { orders }, begunAtMs))).toEqual([
      'not_found → unknown',
    ]);
  });
});

describe('orders that are not ours', () => {
  it('are listed and otherwise left alone', () => {
    const theirs = shown({ clientOrderId: null, exchangeOrderId: 'HAND' });
    const found = run({ open: [theirs] });
    expect([found.foreign, found.steps, found.alarms]).toEqual([[theirs], [], []]);
  });

  it('raise an alarm, once, where they carry an id of our kind', () => {
    const orphan = shown({ clientOrderId: 'f'.repeat(32), exchangeOrderId: 'ORPHAN' });
    expect(run({ open: [orphan] }).alarms).toEqual([{ kind: 'orphan', order: orphan }]);
    expect(run({ open: [orphan] }, { orphans: new Set(['ORPHAN']) }).alarms).toEqual([]);
  });
});

describe('balances', () => {
  const more = { balances: [balance('USD', '1100')] };
  const since = (sinceMs: number, amount: string): Partial<OurRecords> => ({
    pending: new Map([['USD', { amount: money(amount), sinceMs }]]),
  });
  const later = NOW_MS + POLICY.lagAllowanceMs;

  it('that differ are a deposit only after the difference has stayed the same', () => {
    const first = run(more);
    expect(first.external).toEqual([]);
    expect([...first.pending]).toEqual([['USD', { amount: money('100'), sinceMs: NOW_MS }]]);
    const soon = run({ ...more, begunAtMs: later - 1 }, since(NOW_MS, '100'));
    expect(soon.external).toEqual([]);
    const found = run({ ...more, begunAtMs: later }, since(NOW_MS, '100'));
    expect(found.external).toEqual([{ kind: 'deposit', asset: 'USD', amount: money('100') }]);
    expect([...found.pending]).toEqual([]);
    const other = run({ ...more, begunAtMs: later }, since(NOW_MS, '99'));
    expect([...other.pending]).toEqual([['USD', { amount: money('100'), sinceMs: later }]]);
  });

  it('that lack less than the exchange counts of a coin hold nothing back', () => {
    const counted = (total: string) => ({
      balances: [{ ...balance('USD', total), finest: money('0.0001') }],
    });
    // A trade of 10.00005 took 10.0001 from a wallet that has four decimals.
    expect(run(counted('999.99995')).gate).toMatchObject({ doubtfulAssets: new Set() });
    expect(run(counted('999.9999')).gate).toMatchObject({ doubtfulAssets: new Set(['USD']) });
    const found = run({ ...counted('999.99995'), begunAtMs: later }, since(NOW_MS, '-0.00005'));
    expect(found.external).toEqual([
      { kind: 'withdrawal', asset: 'USD', amount: money('-0.00005') },
    ]);
  });

  it('that lack something are a withdrawal although a sale that was sent since is out', () => {
    const less = { balances: [balance('USD', '900')] };
    const orders = [orderAfter({ kind: 'send_started', atMs: NOW_MS + 1 })];
    const found = run({ ...less, begunAtMs: later }, { ...since(NOW_MS, '-100'), orders });
    expect(found.external).toEqual([{ kind: 'withdrawal', asset: 'USD', amount: money('-100') }]);
    const holdings = new Map([['USD', money('950')]]);
    const told = run({ ...less, begunAtMs: later }, { ...since(NOW_MS, '-100'), orders, holdings });
    expect([...told.missing]).toEqual([['USD', money('50')]]);
  });

  it('that lack something keep us from buying with that coin, and are a withdrawal later', () => {
    const less = { balances: [balance('USD', '900')] };
    expect(run(less).gate).toMatchObject({ kind: 'open', doubtfulAssets: new Set(['USD']) });
    const found = run({ ...less, begunAtMs: later }, since(NOW_MS, '-100'));
    expect(found.external).toEqual([{ kind: 'withdrawal', asset: 'USD', amount: money('-100') }]);
    expect(found.gate).toMatchObject({ kind: 'open', doubtfulAssets: new Set() });
  });

  it('are not judged while an order of ours may explain them', () => {
    const orders = [orderAfter(SENT, UNKNOWN)];
    const found = run({ ...more, begunAtMs: later }, { ...since(NOW_MS, '100'), orders });
    expect(found.external).toEqual([]);
    expect([...found.pending]).toEqual([['USD', { amount: money('100'), sinceMs: later }]]);
  });

  it('of a new connection are its opening', () => {
    const owned = new Map<string, Fixed>();
    const found = run({}, { isFirst: true, owned });
    expect(found.external).toEqual([{ kind: 'opening', asset: 'USD', amount: money('1000') }]);
  });

  it('that were the opening have every trade before them in them, but none of our orders (F72)', () => {
    const openedAtMs = fillOf('x').atMs + 1;
    const byHand = fillOf('x', { clientOrderId: null, exchangeOrderId: 'HAND' });
    expect(run({ trades: [byHand] }, { openedAtMs }).external).toEqual([]);
    const since = run({ trades: [byHand] }, { openedAtMs: byHand.atMs });
    expect(since.external).toEqual([{ kind: 'hand_trade', fill: byHand }]);
    const ours = { openedAtMs, orders: [orderAfter(SENT, ACKNOWLEDGED)] };
    expect(eventsOf(run({ trades: [fillOf('x')] }, ours))).toEqual(['fill → open']);
  });

  it('that lack coins of agents raise an alarm, once for each amount', () => {
    const ours = {
      owned: new Map([
        ['USD', money('1000')],
        ['BTC', money('1')],
      ]),
      holdings: new Map([['BTC', money('3')]]),
    };
    const balances = [balance('USD', '1000'), balance('BTC', '1')];
    const found = run({ balances }, ours);
    const alarm = { kind: 'coins_missing', asset: 'BTC', amount: money('2') };
    expect(found.alarms).toEqual([alarm]);
    expect(run({ balances }, { ...ours, missing: found.missing }).alarms).toEqual([]);
  });
});

describe('the gate', () => {
  it('is closed while any list could not be read', () => {
    const gates = (['open', 'closed', 'trades', 'balances'] as const).map(
      (list) => run({ [list]: null }).gate,
    );
    expect(gates.map(({ kind }) => kind)).toEqual(['closed', 'closed', 'closed', 'closed']);
    expect(run({}).gate.kind).toBe('open');
  });

  it('is closed where trades do not reach back to the last reconciliation and the lag before it', () => {
    const reconciledToMs = 500_000;
    const tradesSinceMs = reconciledToMs - POLICY.lagAllowanceMs;
    expect(run({ tradesSinceMs }, { reconciledToMs }).gate.kind).toBe('open');
    expect(run({ tradesSinceMs: tradesSinceMs + 1 }, { reconciledToMs }).gate).toEqual({
      kind: 'closed',
      reasons: ['trades_unread'],
    });
  });
});
