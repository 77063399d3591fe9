/** When an order may leave. */
import { describe, expect, it } from 'vitest';
import type { OrderEvent } from '../../../engine/orders/live-order.ts';
import { CLOSED_AT_START, sendRefusal, symbolsInDoubt } from '../../../engine/orders/may-send.ts';
import type { Gate } from '../../../engine/orders/may-send.ts';
import { applyOrderEvents } from '../../../engine/orders/order-lifecycle.ts';
import { DEADLINE_MS, planned, POLICY, REPLAYING } from './order-samples.ts';

const open = (assets: string[] = [], symbols: string[] = []): Gate => ({
  kind: 'open',
  doubtfulAssets: new Set(assets),
  doubtfulSymbols: new Set(symbols),
});
const SENT: OrderEvent = { kind: 'send_started', atMs: 1_000 };
const UNKNOWN: OrderEvent = { kind: 'outcome_unknown', atMs: 2_000, cause: 'timeout' };
const doubtful = applyOrderEvents(planned(), [SENT, UNKNOWN], POLICY).order;
const TOLD_MS = 2_000 + POLICY.tellAfterMs;
const buy = planned({ clientOrderId: 'b'.repeat(32), deadlineMs: 9e9 });
const sale = planned({ clientOrderId: 'c'.repeat(32), side: 'sell', deadlineMs: 9e9 });

describe('an order', () => {
  it('does not leave before a reconciliation has succeeded, a sale neither', () => {
    expect(sendRefusal(buy, CLOSED_AT_START, [], POLICY, 0)).toBe('not_reconciled');
    expect(sendRefusal(sale, CLOSED_AT_START, [], POLICY, 0)).toBe('not_reconciled');
    expect(sendRefusal(buy, open(), [], POLICY, 0)).toBeNull();
  });

  it('leaves no second time where its id could be taken for a new order', () => {
    expect(sendRefusal(doubtful, open(), [doubtful], POLICY, 3_000)).toBe('would_double');
    expect(sendRefusal(doubtful, open(), [doubtful], REPLAYING, 3_000)).toBeNull();
    expect(sendRefusal(doubtful, open(), [], REPLAYING, DEADLINE_MS)).toBe('deadline_passed');
  });

  it('buys nothing in a pair with an outcome unknown for five minutes; exits go on', () => {
    expect([...symbolsInDoubt([doubtful], POLICY, TOLD_MS - 1)]).toEqual([]);
    expect(sendRefusal(buy, open(), [doubtful], POLICY, TOLD_MS - 1)).toBeNull();
    expect(sendRefusal(buy, open(), [doubtful], POLICY, TOLD_MS)).toBe('symbol_in_doubt');
    expect(sendRefusal(sale, open(), [doubtful], POLICY, TOLD_MS)).toBeNull();
  });

  it('a resend does not lift the doubt', () => {
    const { order } = applyOrderEvents(doubtful, [SENT], REPLAYING);
    expect([...symbolsInDoubt([order], REPLAYING, TOLD_MS)]).toEqual(['BTC/USD']);
  });

  it('buys nothing with a coin or in a pair that is in doubt; exits go on', () => {
    expect(sendRefusal(buy, open(['USD']), [], POLICY, 0)).toBe('asset_in_doubt');
    expect(sendRefusal(buy, open([], ['BTC/USD']), [], POLICY, 0)).toBe('symbol_in_doubt');
    expect(sendRefusal(sale, open(['BTC'], ['BTC/USD']), [], POLICY, 0)).toBeNull();
  });
});
