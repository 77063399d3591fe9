/**
 * What a test of an agent goes by: the live terms, and from them, in the page's own worker, the
 * trades that the live wiring made.
 */
import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BacktestTermsBody } from '../../../contract/backtest.ts';
import type { CallBody } from '../../../contract/calls.ts';
import type { CandleRow } from '../../../contract/market.ts';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import type { Database } from '../../../server/db/database.ts';
import { fills } from '../../../server/db/schema.ts';
import { runOrder } from '../../../src/backtest/backtest-worker.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import { STEP_MS } from '../../support/tape-market.ts';
import { AGGRESSIVE, openFloor } from '../../support/trading.ts';

let database: Database;
beforeAll(async () => {
  database = await openEmptyDatabase();
});
afterAll(async () => {
  await database.close();
});

/** Half a day of looks. */
const LOOKS = 150;
const TERMS: NonNullable<CallBody<'backtestTerms'>['terms']> = {
  trading_pairs: ['USDC/USDT', 'DAI/USDT', 'TUSD/USDT'],
  risk_profile: 'Aggressive',
  max_position_size: 5_000,
  execution_interval: '5-minute',
  pool: 'stablecoin_arbitrage',
  trading_frequency: 'high',
};
const exact = (text: string | null): string | null =>
  text === null ? null : formatFixed(parseFixed(text));

describe('the terms of a test', () => {
  it("name the pool's list of the market's own time, and the stablecoins that tell the peg of what is paid with", async () => {
    const pairs = ['BTC/USDT', 'MATIC/USDT', 'APT/USDT', 'USDC/USDT'];
    const terms: typeof TERMS = { ...TERMS, trading_pairs: [], pool: 'weekly_leaders' };
    const then = await openFloor({ candles: 10, sourceId: 'early', pairs }, database);
    await then.join('earlier');
    const january = await then.call('earlier', 'backtestTerms', { body: { terms, days: 7 } });
    expect([january.agent.pairs, january.universe, january.witnesses]).toEqual([
      ['BTC/USDT', 'MATIC/USDT'],
      { version: 1, from: 0 },
      ['USDC/USDT'],
    ]);
    const later = await openFloor(
      { candles: 10, sourceId: 'late', pairs, warmUpDays: 200 },
      database,
    );
    await later.join('later');
    const july = await later.call('later', 'backtestTerms', { body: { terms, days: 30 } });
    expect([july.agent.pairs, july.universe]).toEqual([
      ['BTC/USDT', 'APT/USDT'],
      { version: 2, from: Date.UTC(2024, 6, 1) },
    ]);
    expect(july.from).toBeLessThan(july.universe?.from ?? 0);
    expect(
      (
        await later.call('later', 'backtestTerms', {
          body: { terms: { ...terms, trading_pairs: ['BTC/USDT'] }, days: 30 },
        })
      ).universe,
    ).toBeNull();
  });

  it('begin where candles of the source reach, on the finest that do, and say what was asked for', async () => {
    const floor = await openFloor(
      { candles: 10, sourceId: 'short', pairs: ['BTC/USDT'] },
      database,
    );
    await floor.join('short');
    const terms: typeof TERMS = { ...TERMS, pool: 'momentum_24h', trading_pairs: ['BTC/USDT'] };
    const ask = (days: number) => floor.call('short', 'backtestTerms', { body: { terms, days } });
    const whole = await ask(7);
    expect([whole.to - whole.from, whole.baseInterval, whole.reach]).toEqual([
      7 * DAY_MS,
      '5m',
      undefined,
    ]);
    // 60 hours of 5-minute candles, 30 days of hours, two years of days: Kraken.
    floor.market.candlesKept = 720;
    const hoursFrom = floor.market.oldest('1h') + HOUR_MS;
    const told = async (days: number) => {
      const { baseInterval, from, historyFrom, reach, to } = await ask(days);
      expect(reach).toEqual({
        source: floor.market.source.label,
        finest: '5m',
        askedFrom: to - days * DAY_MS,
        hoursFrom,
      });
      expect(historyFrom).toBeLessThanOrEqual(from - 30 * DAY_MS);
      return [baseInterval, (to - from) / DAY_MS];
    };
    expect(await told(1)).toEqual(['5m', 1]);
    expect(await told(7)).toEqual(['1h', 7]);
    const [interval, days] = await told(30);
    expect(interval).toBe('1h');
    expect(days).toBeGreaterThan(28.8);
    expect(days).toBeLessThan(29);
    expect(await told(90)).toEqual(['1d', 90]);
    expect(await told(365)).toEqual(['1d', 365]);
  });

  it('lead, on the candles that the market gives out, to the trades that were made live on them', async () => {
    const floor = await openFloor(
      { candles: LOOKS + 20, sourceId: 'tested', pegged: true, pairs: TERMS.trading_pairs },
      database,
    );
    for (const [pair, list] of floor.market.tape)
      floor.market.tape.set(
        pair,
        list.map((candle) => ({ ...candle, open: Number(candle.open.toFixed(6)) })),
      );
    await floor.join('tester');
    const before = await floor.call('tester', 'backtestTerms', { body: { terms: TERMS, days: 1 } });
    const { agent } = await floor.call('tester', 'createAgent', {
      body: { ...TERMS, name: 'Tested', enabled: true },
    });
    const scheduler = floor.scheduler();
    await scheduler.open();
    const from = (Math.floor(floor.market.now() / STEP_MS) + 1) * STEP_MS;
    await floor.run(scheduler, LOOKS);
    const live = await database.db
      .select()
      .from(fills)
      .where(eq(fills.agentId, agent.id))
      .orderBy(asc(fills.filledMarketMs), asc(fills.pair));
    const terms = await floor.call('tester', 'backtestTerms', {
      body: { agentId: agent.id, days: 1 },
    });
    expect({ ...terms.agent, to: terms.to, deposit: before.deposit }).toEqual({
      ...before.agent,
      to: from + (LOOKS - 1) * STEP_MS,
      deposit: '10000',
    });
    expect(terms.to - terms.from).toBe(DAY_MS);
    expect(terms.historyFrom).toBeLessThanOrEqual(terms.from - 30 * DAY_MS);
    const candles = Object.fromEntries(
      [...floor.market.tape].map(([pair, list]) => [
        pair,
        list.map(({ time, open, high, low, close, volume }): CandleRow => [
          time,
          String(open),
          String(high),
          String(low),
          String(close),
          String(volume),
        ]),
      ]),
    );
    const shares: number[] = [];
    // The account as it was when the agent began.
    const { outcome, tested: told } = runOrder(
      { terms: { ...terms, from, to: from + LOOKS * STEP_MS, deposit: '10000' }, candles },
      (share) => {
        shares.push(share);
      },
    );
    const opening = (ms: number): number => Math.floor(ms / STEP_MS) * STEP_MS;
    const made = (side: 'buy' | 'sell'): string[] =>
      live
        .filter((fill) => fill.side === side)
        .map(
          ({ pair, filledMarketMs, price }) =>
            `${pair} ${opening(filledMarketMs)} ${String(exact(price))}`,
        );
    const tested = outcome.trades.flatMap(
      ({ pair, entryTime, entryPrice, exitTime, exitPrice }) => [
        ['buy', `${pair} ${Date.parse(entryTime)} ${entryPrice}`] as const,
        ...(exitTime === null
          ? []
          : [['sell', `${pair} ${Date.parse(exitTime)} ${String(exitPrice)}`] as const]),
      ],
    );
    for (const side of ['buy', 'sell'] as const) {
      expect(made(side).length, side).toBeGreaterThan(0);
      // A sale of several purchases is a trade for each of them.
      expect(
        [...new Set(tested.filter(([one]) => one === side).map(([, what]) => what))].sort(),
      ).toEqual([...new Set(made(side))].sort());
    }
    expect(outcome.finalEquity === '10000').toBe(false);
    // Started after it, the agent keeps what it was tested with.
    const kept = await told();
    await floor.call('tester', 'stopAgent', { params: { id: agent.id }, body: {} });
    await floor.call('tester', 'startAgent', { params: { id: agent.id }, body: { tested: kept } });
    expect((await floor.call('tester', 'agentInsight', {})).tests).toMatchObject([
      {
        agentId: agent.id,
        sameSettings: true,
        sameEngine: null,
        settings: kept.settings,
        data: kept.data,
        noBand: 'too_few_days',
      },
    ]);
    expect(outcome.curve.length).toBeLessThanOrEqual(401);
    expect(shares[0]).toBe(0);
    expect([...shares].sort((a, b) => a - b)).toEqual(shares);
  });

  it("are nobody else's, need what creating an agent needs, and count days in reason", async () => {
    const floor = await openFloor({ candles: 20, sourceId: 'tested-2' }, database);
    await floor.join('owner');
    await floor.join('other');
    await floor.join('free', null);
    const { agent } = await floor.call('owner', 'createAgent', { body: { ...AGGRESSIVE } });
    const ask = (uid: string, body: CallBody<'backtestTerms'>): Promise<unknown> =>
      floor.call(uid, 'backtestTerms', { body }).then(
        () => 'answered',
        (error: { code?: string }) => error.code,
      );
    expect(await ask('owner', { agentId: agent.id, days: 30 })).toBe('answered');
    expect(await ask('other', { agentId: agent.id, days: 30 })).toBe('not_found');
    expect(await ask('free', { terms: TERMS, days: 30 })).toBe('insufficient_permissions');
    for (const days of [0, 366, 1.5, '30'])
      expect(BacktestTermsBody.safeParse({ agentId: agent.id, days }).success, String(days)).toBe(
        false,
      );
    expect(BacktestTermsBody.safeParse({ days: 30 }).success).toBe(false);
  });
});
