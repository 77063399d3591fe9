/** Charts take turns, so that nobody's curiosity holds up the rest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHARTS_PER_PERSON, ChartTurns } from '../../../server/market/chart-turns.ts';
import { buildTestApp, type TestApp } from '../../support/app.ts';

const settle = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('charts', () => {
  it('are worked out one at a time, and one that fails holds up no other', async () => {
    const turns = new ChartTurns();
    let [now, most] = [0, 0];
    const work = (fails: boolean) => async () => {
      now += 1;
      most = Math.max(most, now);
      await settle();
      now -= 1;
      if (fails) throw new Error('no candles');
      return 'chart';
    };
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((uid, index) => turns.take(uid, work(index % 2 === 0))),
    );
    expect(results.map((result) => result.status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(most).toBe(1);
    for (let i = 0; i < 3 * CHARTS_PER_PERSON; i += 1) await turns.take('a', work(false));
  });
});

describe('a person who asks for many long charts at once', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await buildTestApp();
  }, 60_000);
  afterAll(() => test.close());

  it('gets some and is asked to wait for the others, while a neighbour gets theirs (F55)', async () => {
    const [alice, bob] = [await test.signToken('Alice1'), await test.signToken('Bob')];
    await test.call('tradingSettings', { token: alice });
    const symbols = test.market
      .pairs()
      .map(({ pair }) => pair)
      .slice(0, 12);
    const ask = (token: string, symbol: string, limit: number) =>
      test.call('candles', { token, query: { symbol, interval: '1d', limit } });
    const asked = symbols.map((symbol) => ask(alice, symbol, 200));
    const neighbour = await ask(bob, symbols[0] ?? '', 30);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(CHARTS_PER_PERSON);
    expect(statuses.filter((status) => status === 429)).toHaveLength(
      symbols.length - CHARTS_PER_PERSON,
    );
    expect(neighbour.status).toBe(200);
    expect((await ask(alice, symbols[0] ?? '', 30)).status).toBe(200);
  });
});
