/** Exchanges count what came within a span: no span of it brings them more than four fifths. */
import { describe, expect, it } from 'vitest';
import { ALLOWANCES } from '../../../signer/exchanges/allowances.ts';
import { Budget, type Allowance } from '../../../signer/exchanges/budget.ts';
import { Door } from '../../../signer/exchanges/door.ts';
import { BINANCE_ENDPOINTS } from '../../../signer/exchanges/endpoints.ts';
import { Nonces } from '../../../signer/exchanges/nonces.ts';
import { keyOf } from '../../support/signer/adapter-world.ts';
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

describe('orders of one account at Binance', () => {
  it('have their limit for themselves: what is cancelled does not count', async () => {
    const clock = handClock();
    const startedMs = clock.now();
    const door = await Door.open({
      exchange: 'binance',
      key: keyOf('binance'),
      origin: null,
      byAddress: new Budget(ALLOWANCES.binance.byAddress, clock),
      byKey: new Budget(ALLOWANCES.binance.byKey, clock),
      clock,
      fetch: () => Promise.resolve(new Response('{}')),
    });
    for (let turn = 0; turn < 30; turn += 1) await door.ask(BINANCE_ENDPOINTS.cancel);
    expect(clock.now()).toBe(startedMs);
    // Twenty positions are sold after their stops went.
    for (let turn = 0; turn < 20; turn += 1) await door.ask(BINANCE_ENDPOINTS.place);
    expect(clock.now() - startedMs).toBeLessThan(3_000);
  });
});

describe('the numbers of a key’s requests at Kraken', () => {
  it('go on above those of the process before, however its clock was', () => {
    const notes: { level: number; atMs: number }[] = [];
    const record = (last: { level: number; atMs: number } | null) => ({
      last,
      note: (now: { level: number; atMs: number }) => notes.push(now),
    });
    const before = new Nonces();
    before.keepIn(record(null));
    const ahead = before.next(2_000_000_000_000, 2_000_000_000_000);
    const after = new Nonces();
    after.keepIn(record(notes.at(-1) ?? null));
    expect(after.next(1_900_000_000_000, 1_900_000_000_000)).toBe(ahead + 1);
  });

  it('are shared by all who ask with it', () => {
    const nonces = new Nonces();
    const given = [1, 2, 3].map(() => nonces.next(1_000, 1_000));
    expect(new Set(given).size).toBe(3);
  });
});
