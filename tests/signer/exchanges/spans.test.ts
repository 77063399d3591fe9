/** Exchanges count what came within a span: no span of it brings them more than four fifths. */
import { describe, expect, it } from 'vitest';
import { ALLOWANCES } from '../../../signer/exchanges/allowances.ts';
import { Budget, type Allowance } from '../../../signer/exchanges/budget.ts';
import { handClock } from '../../support/signer/desk-world.ts';

/** When each of so many requests left, one as soon as it may after the other, ms. */
async function timesOf(allowance: Allowance, count: number): Promise<number[]> {
  const clock = handClock();
  const budget = new Budget(allowance, clock);
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    await budget.take(1, 60_000);
    times.push(clock.now());
  }
  return times;
}

const mostWithin = (times: readonly number[], spanMs: number): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + spanMs).length));

describe('what leaves within a span', () => {
  it.each([
    ['public requests at Coinbase', ALLOWANCES.coinbase.byAddress, 1_000, 10],
    ['requests of one user at Coinbase', ALLOWANCES.coinbase.byKey, 1_000, 30],
    ['orders of one account at Binance', ALLOWANCES.binance.byKey, 10_000, 50],
  ] as const)(
    '%s stay below four fifths of the limit (F73)',
    async (_what, allowance, spanMs, limit) => {
      const times = await timesOf(allowance, limit * 4);
      expect(mostWithin(times, spanMs)).toBeLessThanOrEqual(limit * 0.8);
      // And it is used.
      expect(mostWithin(times, spanMs)).toBeGreaterThan(limit * 0.6);
    },
  );
});
