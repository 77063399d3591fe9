/** The signer's clock is set: what was noted on it before holds nothing up, and nothing is sent by it. */
import { describe, expect, it } from 'vitest';
import { Budget } from '../../signer/exchanges/budget.ts';
import { Kept } from '../../signer/exchanges/kept.ts';
import { openAdapter, type Said } from '../support/signer/adapter-world.ts';
import type { Answer, Asked } from '../support/signer/answer-server.ts';
import { handClock } from '../support/signer/desk-world.ts';
import { failed, krakenAnswers } from '../support/signer/kraken-answers.ts';

const HOUR_MS = 3_600_000;
const START = handClock().now();

/** Kraken, whose own clock stands still. */
function openKraken(said: Record<string, (asked: Asked) => Answer> = {}) {
  const answers = krakenAnswers(said, () => START);
  const routes: Said = new Proxy({}, { get: () => (asked: Asked) => answers(asked) as Answer });
  return openAdapter('kraken', routes);
}

type Kraken = Awaited<ReturnType<typeof openKraken>>;
const AT = { place: 'POST /0/private/AddOrder', time: 'GET /0/public/Time' };

/** The deadline of the last order, from Kraken's own time. */
const lastDeadline = ({ sentTo }: Kraken): number =>
  Date.parse(sentTo(AT.place).at(-1)?.params.deadline ?? '') - START;

describe("the signer's clock", () => {
  it.each([
    ['back', HOUR_MS, 0],
    // Before the offset is read anew all the same.
    ['ahead', 0, 5 * 60_000],
  ])(
    'that is set %s has the deadline of an order told by the exchange’s time',
    async (_which, before, after) => {
      const one = await openKraken();
      let running = 0;
      one.clock.running = () => running;
      one.clock.at = START + before;
      await one.adapter.place(one.order());
      expect(Math.abs(lastDeadline(one) - 20_500)).toBeLessThan(1_000);
      running += 1_000;
      one.clock.at = START + after;
      await one.adapter.place(one.order());
      expect(Math.abs(lastDeadline(one) - 20_500)).toBeLessThan(1_000);
    },
  );

  it('that runs on is not asked about again', async () => {
    const one = await openKraken();
    let running = 0;
    one.clock.running = () => running;
    for (let minute = 0; minute < 9; minute += 1) {
      running += 60_000;
      one.clock.at += 60_100;
      await one.adapter.place(one.order());
    }
    expect(one.sentTo(AT.time)).toHaveLength(1);
  });

  it('that Kraken finds too late is compared before the next order', async () => {
    const one = await openKraken({ AddOrder: () => failed('EService:Deadline elapsed') });
    expect(await one.adapter.place(one.order())).toMatchObject({ kind: 'rejected' });
    await one.adapter.place(one.order());
    expect(one.sentTo(AT.time)).toHaveLength(2);
  });

  it('that may be why Coinbase turned a token down is compared before the next question', async () => {
    const one = await openAdapter('coinbase', {
      'GET /api/v3/brokerage/time': () => ({
        body: { iso: '', epochSeconds: '1', epochMillis: String(START) },
      }),
      'GET /api/v3/brokerage/accounts': () => ({ status: 401, body: 'Unauthorized' }),
    });
    for (let times = 0; times < 2; times += 1)
      await expect(one.adapter.balances()).rejects.toMatchObject({ keyRejected: true });
    expect(one.sentTo('GET /api/v3/brokerage/time')).toHaveLength(2);
  });

  it('that is set back has an order searched for from long before, not from a time to come', async () => {
    const one = await openKraken();
    const sinceMs = one.clock.at;
    one.clock.at -= HOUR_MS;
    await one.adapter.lookUp(one.ref({ sinceMs }));
    const starts = ['ClosedOrders', 'TradesHistory'].map((list) =>
      Number(one.sentTo(`POST /0/private/${list}`)[0]?.params.start),
    );
    for (const start of starts) expect(start).toBeLessThan((START - HOUR_MS) / 1_000);
  });

  it('makes what is kept be read again when it is set back', async () => {
    const clock = handClock();
    let reads = 0;
    const kept = new Kept(
      () => Promise.resolve((reads += 1)),
      2_000,
      () => clock.now(),
    );
    await kept.get();
    clock.at -= HOUR_MS;
    expect(await kept.get()).toBe(2);
  });

  it.each([
    ['this process', false],
    ['one before it', true],
  ])('makes a ban that %s was given no longer than it was when it is set back', (_who, isOld) => {
    const clock = handClock();
    const untilMs = clock.now() + 60_000;
    const record = isOld ? { untilMs, lengthMs: 60_000, note: () => undefined } : null;
    const budget = new Budget({ burst: 10, perSecond: 1 }, clock, record);
    if (!isOld) budget.ban(untilMs);
    clock.at -= HOUR_MS;
    const ask = (): void => {
      budget.refuseBanned();
    };
    expect(ask).toThrow('exchange_ban');
    clock.at += 59_999;
    expect(ask).toThrow('exchange_ban');
    clock.at += 1;
    expect(ask).not.toThrow();
  });
});
