/**
 * Hashes of a backtest change with everything that matters and with nothing else; and the band that
 * a backtest predicts.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseFixed, type Fixed } from '../../../contract/money.ts';
import { Tested } from '../../../contract/backtest-record.ts';
import { backtest, type BacktestInput } from '../../../engine/backtest/run-backtest.ts';
import { bandAfter, noBand, spreadOf, studentT95 } from '../../../engine/backtest/drift.ts';
import { riskValues } from '../../../engine/execution/risk-profiles.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import {
  dailyLogReturns,
  dataHash,
  settingsHash,
  settingsText,
  testedWith,
} from '../../../engine/backtest/backtest-hashes.ts';
import { runOrder } from '../../../src/backtest/backtest-worker.ts';
import { random } from '../../support/tape.ts';

const rule = {
  pair: 'ETH/USDT',
  base: 'ETH',
  quote: 'USDT',
  lot: parseFixed('0.001'),
  minNotional: parseFixed('5'),
  halfSpreadBps: 2.5,
  feeBps: 10,
};
const FROM = Date.UTC(2026, 0, 1);
const agent: BacktestInput['agent'] = {
  pool: 'momentum_24h',
  profile: 'Moderate',
  risk: riskValues('Moderate'),
  pairs: ['ETH/USDT', 'BTC/USDT'],
  maxPositionSize: parseFixed('1000.50'),
  interval: '5-minute',
  frequency: 'optimized',
};
const candle = { time: FROM, open: 0.1, high: 1e21, low: 1e-7, close: 67123.45, volume: 0 };
const input: BacktestInput = {
  agent,
  candles: new Map([['ETH/USDT', [candle]]]),
  rules: new Map([['ETH/USDT', rule]]),
  deposit: parseFixed('10000'),
  maxTradeAmount: parseFixed('500'),
  from: FROM,
  to: FROM + DAY_MS,
};
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the hash of settings', () => {
  it('is of one text, written down here: whoever changes it makes every kept test look changed', async () => {
    expect(settingsText(input)).toBe(
      '{"frequency":"optimized","interval":"5-minute","maxPositionSize":"1000.5","maxTradeAmount":"500","pairs":["BTC/USDT","ETH/USDT"],"pool":"momentum_24h","profile":"Moderate",' +
        '"risk":{"dayLossHalt":0.04,"drawdownHalt":0.2,"maxPosition":0.1,"riskPerTrade":0.005,"stopLoss":0.05,"threshold":0.55,"volatilityTarget":0.2}}',
    );
    expect(await settingsHash(input)).toBe(sha(settingsText(input)));
  });

  it('does not see the order of pairs, money or data, and sees each setting', async () => {
    const same = await settingsHash(input);
    expect(
      await settingsHash({ ...input, agent: { ...agent, pairs: [...agent.pairs].reverse() } }),
    ).toBe(same);
    const others: Partial<BacktestInput['agent']>[] = [
      { pool: 'all_pools' },
      { profile: 'Aggressive' },
      { pairs: ['ETH/USDT'] },
      { maxPositionSize: 1n as Fixed },
      { interval: 'daily' },
      { frequency: 'high' },
      ...Object.keys(agent.risk).map((name) => ({ risk: { ...agent.risk, [name]: 0.123 } })),
    ];
    const hashes = await Promise.all([
      ...others.map((part) => settingsHash({ ...input, agent: { ...agent, ...part } })),
      settingsHash({ ...input, maxTradeAmount: 1n as Fixed }),
    ]);
    expect(new Set([same, ...hashes]).size).toBe(others.length + 2);
  });
});

describe('the hash of data', () => {
  it('is of one text, and sees every number of every candle, the rules, the money and the period', async () => {
    const same = await dataHash(input);
    expect(same).toBe(
      sha(
        `{"deposit":"10000","from":${FROM},"to":${FROM + DAY_MS}}\n{"base":"ETH","feeBps":10,"halfSpreadBps":2.5,"lot":"0.001","minNotional":"5","pair":"ETH/USDT","quote":"USDT"}\nETH/USDT\n${FROM},0.1,1e+21,1e-7,67123.45,0`,
      ),
    );
    const others = await Promise.all([
      ...(['time', 'open', 'high', 'low', 'close', 'volume'] as const).map((name) =>
        dataHash({ ...input, candles: new Map([['ETH/USDT', [{ ...candle, [name]: 5 }]]]) }),
      ),
      dataHash({ ...input, candles: new Map([['ETH/USDT', [candle, candle]]]) }),
      dataHash({ ...input, deposit: 1n as Fixed }),
      dataHash({ ...input, from: 0 }),
      dataHash({ ...input, to: 0 }),
      dataHash({ ...input, rules: new Map([['ETH/USDT', { ...rule, feeBps: 11 }]]) }),
      dataHash({ ...input, rules: new Map() }),
      dataHash({ ...input, witnesses: new Map([['USDC/USDT', [candle]]]) }),
    ]);
    expect(new Set([same, ...others]).size).toBe(others.length + 1);
    expect(await dataHash({ ...input, witnesses: new Map() })).toBe(same);
    expect(
      await dataHash({ ...input, agent: { ...agent, pool: 'all_pools' } } as BacktestInput),
    ).toBe(same);
  });

  it('is the same from rows of text, as the app has them, and from numbers, as files give them', async () => {
    const terms = {
      commandId: '',
      agent: { ...agent, pairs: [...agent.pairs], maxPositionSize: '1000.5' },
      quote: 'USDT',
      deposit: '10000',
      maxTradeAmount: '500',
      from: FROM,
      to: FROM + DAY_MS,
      historyFrom: FROM,
      baseInterval: '5m' as const,
      rules: [{ ...rule, lot: '0.001', minNotional: '5' }],
    };
    const price = '1' + '0'.repeat(21);
    const tested = await runOrder({
      terms,
      candles: { 'ETH/USDT': [[FROM, '0.10', price, '0.0000001', '67123.450', '0']] },
    }).tested();
    expect([tested.settings, tested.data, tested.engine]).toEqual([
      await settingsHash(input),
      await dataHash(input),
      '',
    ]);
    expect(Tested.safeParse(tested).success).toBe(true);
    expect(tested).toEqual({ ...(await testedWith(input, backtest(input))), engine: '' });
  });
});

describe('daily results', () => {
  it('are of whole days from the start on, and together the whole result', () => {
    const equity = [
      [0, 100],
      [DAY_MS / 2, 50],
      [DAY_MS, 110],
      [DAY_MS + 1, 70],
      [3 * DAY_MS, 121],
      [3.5 * DAY_MS, 10],
    ] as const;
    expect(dailyLogReturns(equity, 0, 3.5 * DAY_MS)).toEqual(
      [Math.log(1.1), Math.log(70 / 110), Math.log(121 / 70)].map((value) =>
        Number(value.toFixed(6)),
      ),
    );
    expect(dailyLogReturns([[0, 100]], 0, 2 * DAY_MS)).toEqual([0, 0]);
  });
});

describe('the band', () => {
  it("goes by Student's t as the tables have it", () => {
    for (const [freedom, table] of [
      [10, 1.8125],
      [19, 1.7291],
      [29, 1.6991],
      [60, 1.6706],
      [120, 1.6577],
    ] as const)
      expect(studentT95(freedom)).toBeCloseTo(table, 3);
  });

  it('grows with the square root of time, and by what the mean of the test is uncertain by', () => {
    const spread = { mean: 0, deviation: 0.01, days: 1e9 };
    const width = (after: number): number =>
      Math.log1p(bandAfter(spread, after).high) - Math.log1p(bandAfter(spread, after).low);
    expect(width(16) / width(4)).toBeCloseTo(2, 6);
    const few = { ...spread, days: 25 };
    expect(Math.log1p(bandAfter(few, 25).high)).toBeCloseTo(
      studentT95(24) * 0.01 * Math.sqrt(50),
      9,
    );
    expect(bandAfter({ ...few, mean: 0.002 }, 0)).toEqual({ low: 0, middle: 0, high: 0 });
  });

  it('stays a number whatever a device says of its days', () => {
    for (const daily of [
      Array<number>(365).fill(100),
      Array.from({ length: 365 }, (_, day) => (day % 2 === 0 ? 100 : -100)),
      Array<number>(365).fill(-100),
    ]) {
      expect(
        Object.values(bandAfter(spreadOf(daily), 300)).every(
          (share) => Number.isFinite(share) && share >= -1,
        ),
      ).toBe(true);
    }
  });

  it('holds nine in ten of results that are like the tested days, and not many more', () => {
    const next = random(7);
    const normal = (): number =>
      Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next());
    const [days, after, runs] = [30, 12, 4_000];
    let inside = 0;
    for (let run = 0; run < runs; run += 1) {
      const { low, high } = bandAfter(
        spreadOf(Array.from({ length: days }, () => 0.001 + 0.02 * normal())),
        after,
      );
      const live = Math.expm1(
        Array.from({ length: after }, () => 0.001 + 0.02 * normal()).reduce(
          (sum, one) => sum + one,
          0,
        ),
      );
      if (live >= low && live <= high) inside += 1;
    }
    // Three standard errors of 0.9 in 4,000.
    expect(Math.abs(inside / runs - 0.9)).toBeLessThan(3 * Math.sqrt((0.9 * 0.1) / runs));
  });

  it('is not drawn of too few days, of a test in which nothing moved, too soon, or beyond what was tested', () => {
    const spread = { mean: 0, deviation: 0.01, days: 30 };
    expect([
      noBand({ ...spread, days: 19 }, 5),
      noBand({ ...spread, deviation: 0 }, 5),
      noBand(spread, 0.9),
      noBand(spread, 30.1),
      noBand(spread, 30),
    ]).toEqual(['too_few_days', 'flat', 'too_soon', 'beyond', null]);
  });
});
