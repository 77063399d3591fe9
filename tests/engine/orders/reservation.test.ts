/** What of a coin is held back at the exchange by orders that are not ours. */
import { describe, expect, it } from 'vitest';
import { heldElsewhere } from '../../../engine/orders/reservation.ts';
import { money, planned, SENT_MS } from './order-samples.ts';

const balance = (total: string, available: string) => ({
  asset: 'USD',
  total: money(total),
  available: money(available),
});
const resting = { ...planned(), state: 'open' as const, sentAtMs: SENT_MS };

describe('what orders that are not ours hold', () => {
  it('is what the exchange holds back less what our orders do there', () => {
    expect(heldElsewhere(balance('1000', '700'), [], SENT_MS + 1)).toBe(money('300'));
    // 2 BTC at 100 with a fee of 0.1 %.
    expect(heldElsewhere(balance('1000', '700'), [resting], SENT_MS + 1)).toBe(money('99.8'));
  });

  it('is nothing where the exchange holds back less than our orders may cost', () => {
    expect(heldElsewhere(balance('1000', '900'), [resting], SENT_MS + 1)).toBe(money('0'));
    expect(heldElsewhere(balance('1000', '1000'), [], SENT_MS + 1)).toBe(money('0'));
  });

  it('has nothing taken off for an order of ours that was not there when it was read', () => {
    const list = [planned(), { ...resting, sentAtMs: SENT_MS + 5 }];
    expect(heldElsewhere(balance('1000', '700'), list, SENT_MS + 1)).toBe(money('300'));
  });
});
