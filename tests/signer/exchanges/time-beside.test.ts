/** What needs no time of the exchange does not wait for it as a sale does. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openExchange } from '../../../signer/exchanges/open-exchange.ts';
import { parseFixed } from '../../../contract/money.ts';
import { keyOf, ORDER_ID } from '../../support/signer/adapter-world.ts';
import { krakenAnswers, ok } from '../../support/signer/kraken-answers.ts';
import { queueClock } from '../../support/signer/queue-clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Kraken, with all of its limit for public calls used up for half a minute when the test says so. */
async function openKraken() {
  const clock = queueClock();
  const asked: string[] = [];
  /** As each order that left names it, ms UTC. */
  const deadlines: number[] = [];
  const opened = await openExchange('kraken', {
    origin: null,
    clock,
    fetch: (input, init) => {
      const url = new URL(input as string);
      const call = url.pathname.split('/').at(-1) ?? '';
      asked.push(call);
      const body = new URLSearchParams(typeof init?.body === 'string' ? init.body : '');
      if (call === 'AddOrder') deadlines.push(Date.parse(body.get('deadline') ?? ''));
      const said = krakenAnswers({ CancelOrder: () => ok({ count: 1 }) }, () => clock.now())({
        method: init?.method ?? 'GET',
        path: url.pathname,
        origin: url.origin,
        params: Object.fromEntries(url.searchParams),
        body: '',
        headers: {},
      });
      return Promise.resolve(new Response(said === 'drop' ? '' : JSON.stringify(said.body)));
    },
  });
  const adapter = await opened.withKey(keyOf('kraken'), 'connection-1');
  const symbol = 'BTC/USD';
  await opened.data.rules();
  const useUp = async (): Promise<void> => {
    // Names are read first.
    const rules = opened.data.rules();
    await clock.runFor(20_000);
    await rules;
    const untilMs = clock.now() + 60_000;
    for (let turn = 0; turn < 32; turn += 1)
      void opened.data.book(symbol, { untilMs }).catch(() => undefined);
    await clock.runFor(0);
  };
  const sell = (): void => {
    const sale = { side: 'sell', type: 'market', limitPrice: null, stopPrice: null } as const;
    const quantity = parseFixed('0.001');
    const rest = { quantity, worstPrice: parseFixed('59000'), deadlineMs: clock.now() + 55_000 };
    void adapter
      .place({ ...sale, ...rest, clientOrderId: ORDER_ID, symbol })
      .catch(() => undefined);
  };
  const cancel = () =>
    adapter.cancel({ clientOrderId: ORDER_ID, exchangeOrderId: 'O1', symbol, sinceMs: 0 });
  return { asked, cancel, clock, deadlines, sell, useUp };
}

describe('a cancellation at Kraken, while a sale waits for its time', () => {
  it('leaves at once where the time was read before', async () => {
    const one = await openKraken();
    const first = one.cancel();
    await one.clock.runFor(1_000);
    expect(await first).toEqual({ kind: 'confirmed' });
    // It is due to be read again.
    await one.clock.runFor(601_000);
    await one.useUp();
    one.sell();
    await one.clock.runFor(0);
    const before = one.asked.filter((call) => call === 'CancelOrder').length;
    void one.cancel();
    await one.clock.runFor(0);
    expect(one.asked.filter((call) => call === 'CancelOrder')).toHaveLength(before + 1);
    await one.clock.runFor(200_000);
  });

  it('leaves after five seconds where it was not', async () => {
    const one = await openKraken();
    await one.useUp();
    one.sell();
    await one.clock.runFor(0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const cancelled = one.cancel();
    await one.clock.runFor(1_000);
    expect(one.asked).not.toContain('CancelOrder');
    vi.advanceTimersByTime(5_000);
    await one.clock.runFor(0);
    expect(await cancelled).toEqual({ kind: 'confirmed' });
    await one.clock.runFor(200_000);
  });

  it('takes no patience away from a sale that comes after it', async () => {
    const one = await openKraken();
    await one.useUp();
    void one.cancel();
    one.sell();
    await one.clock.runFor(50_000);
    expect(one.asked).toContain('AddOrder');
    await one.clock.runFor(200_000);
  });

  it('sets no clock back by as long as the time was waited for', async () => {
    const one = await openKraken();
    await one.useUp();
    const deadlineMs = one.clock.now() + 55_000;
    one.sell();
    await one.clock.runFor(50_000);
    expect(one.deadlines).toHaveLength(1);
    expect(Math.abs((one.deadlines[0] ?? 0) - deadlineMs)).toBeLessThan(1_500);
    await one.clock.runFor(200_000);
  });
});
