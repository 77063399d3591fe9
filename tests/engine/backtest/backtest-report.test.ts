/**
 * A backtest's report adds up: with open lots, with holes in the candles, with candles of two
 * lengths, in any order of pairs.
 */
import { describe, expect, it } from 'vitest';
import { add, formatFixed, parseFixed, subtract, sum, toNumber } from '../../../contract/money.ts';
import { backtest, type BacktestInput } from '../../../engine/backtest/run-backtest.ts';
import { backtestReport } from '../../../engine/backtest/backtest-report.ts';
import { riskValues } from '../../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import { makeSeries, volatilityAt } from '../../../engine/signals/candle-series.ts';
import type { Candle } from '../../../engine/market-types.ts';
import { plainBacktest } from './plain-loop.ts';
import { hasRecorded, madeTape, MONDAY, recorded, rulesOf } from '../tape.ts';

const BASES = ['BTC', 'ETH', 'XRP', 'LINK', 'AVAX', 'DOT', 'DOGE', 'LTC'];
const FROM = MONDAY + 35 * DAY_MS;

/**
 * Hourly candles that climb and swing, all pairs alike but for a little, so that they all want in
 * at once.
 */
function climbing(seed: number, days: number, drift = 0.002): Candle[] {
  let price = 50 + seed * 7;
  return Array.from({ length: days * 24 }, (_, i): Candle => {
    const open = price;
    price *= 1 + drift + 0.006 * Math.sin(i / 5) + 0.003 * Math.sin(i * (1 + seed / 3));
    return {
      time: MONDAY + i * HOUR_MS,
      open,
      high: Math.max(open, price),
      low: Math.min(open, price),
      close: price,
      volume: 400_000,
    };
  });
}

const inputOf = (
  candles: Map<string, readonly Candle[]>,
  to: number,
  more: Partial<BacktestInput['agent']> = {},
): BacktestInput => ({
  agent: {
    pool: 'base_ecosystem',
    profile: 'Aggressive',
    risk: riskValues('Aggressive'),
    pairs: [...candles.keys()],
    maxPositionSize: parseFixed('1000000'),
    interval: '20-minute',
    frequency: 'high',
    ...more,
  },
  candles,
  rules: new Map([...candles.keys()].map((pair) => [pair, rulesOf(pair)])),
  deposit: parseFixed('10000'),
  maxTradeAmount: parseFixed('1000000'),
  from: FROM,
  to,
});

describe('what a backtest reports', () => {
  it('adds up while lots are held: what the listed trades won and what is unrealised are final equity less the deposit', () => {
    let partly = 0;
    for (let days = 2; days < 14; days += 1) {
      const input = inputOf(
        new Map([1, 2, 3].map((seed) => [`P${'ABCD'[seed] ?? ''}/USDT`, climbing(seed, 60)])),
        FROM + days * DAY_MS,
      );
      const result = backtest(input);
      const report = backtestReport(input, result);
      const listed = sum(
        report.trades.flatMap(({ pnl }) => (pnl === null ? [] : [parseFixed(pnl)])),
      );
      expect(formatFixed(add(listed, parseFixed(report.unrealized)))).toBe(
        formatFixed(subtract(result.finalEquity, input.deposit)),
      );
      expect(report.realized).toBe(formatFixed(listed));
      const held = new Set(
        report.trades.filter(({ exitTime }) => exitTime === null).map(({ pair }) => pair),
      );
      if (report.trades.some(({ exitTime, pair }) => exitTime !== null && held.has(pair)))
        partly += 1;
    }
    expect(partly).toBeGreaterThan(0);
  });

  it
    .skipIf(!BASES.every((base) => hasRecorded('1h', base)))
    .each(['base_ecosystem', 'all_pools', 'weekly_leaders'] as const)(
    'is the same to the last digit whatever the order in which the pairs are named: %s',
    (pool) => {
      const tapes = BASES.map((base) => [`${base}/USDT`, recorded('1h', base)] as const);
      const run = (list: typeof tapes) => {
        const input = {
          ...inputOf(new Map(list), Date.UTC(2022, 1, 1), { pool, interval: 'daily' }),
          from: Date.UTC(2021, 7, 1),
        };
        // All but the pairs as they were named.
        return { ...backtestReport(input, backtest(input)), settings: null };
      };
      const one = run(tapes);
      expect(one.trades.length).toBeGreaterThan(20);
      expect(run([...tapes].reverse())).toEqual(one);
    },
  );

  it("sells at a stop with the impact of the pair's own volatility, as a live agent does", () => {
    const crash = FROM + 3 * DAY_MS + 7 * HOUR_MS;
    const calm = climbing(1, 60, 0.004).map((candle) =>
      candle.time === crash ? { ...candle, low: candle.low / 2 } : candle,
    );
    const stops = backtest(inputOf(new Map([['PAA/USDT', calm]]), FROM + 5 * DAY_MS)).trades.filter(
      ({ reason }) => reason === 'stop_loss',
    );
    expect(stops).toHaveLength(1);
    const [fill] = stops;
    const candle = calm.find(({ time }) => time === fill?.filledAt);
    if (fill === undefined || candle === undefined) throw new Error('No stop');
    const known =
      volatilityAt(
        makeSeries(
          'PAA/USDT',
          calm.filter(({ time }) => time < candle.time),
        ),
        candle.time,
      )?.daily ?? 0;
    expect(known).toBeGreaterThan(0);
    const [price, bid] = [toNumber(fill.price), toNumber(fill.quoteBid)];
    expect(
      (1 - price / bid) / (known * Math.sqrt(toNumber(fill.quantity) / (candle.volume * 24))),
    ).toBeCloseTo(1, 6);
  });

  it('values what is held at its newest price where its candle is missing, so that no halt comes of a hole', () => {
    const hole = (time: number): boolean => (time - FROM) % (5 * HOUR_MS) === 3 * HOUR_MS;
    const tapes = (holes: boolean) =>
      new Map(
        [1, 2, 3].map(
          (seed) =>
            [
              `P${'ABCD'[seed] ?? ''}/USDT`,
              climbing(seed, 60, 0.004).filter(
                ({ time }) => !holes || seed === 1 || time < FROM || !hole(time),
              ),
            ] as const,
        ),
      );
    const risk = {
      ...riskValues('Aggressive'),
      maxPosition: 0.9,
      riskPerTrade: 0.9,
      volatilityTarget: 9,
      stopLoss: 0.4,
      dayLossHalt: 0.05,
      drawdownHalt: 0.2,
    };
    const run = (holes: boolean) =>
      inputOf(tapes(holes), FROM + 20 * DAY_MS, { risk, frequency: 'optimized' });
    expect([...backtest(run(false)).reasons.keys()]).not.toContain('drawdown');
    const { reasons } = backtest(run(true));
    expect(reasons.get('no_price')).toBeGreaterThan(50);
    expect([...reasons.keys()]).not.toContain('drawdown');
    expect([...reasons.keys()]).not.toContain('day_loss');
  });

  it('counts the hours of a hole as held, and no hour that the candles do not reach', () => {
    const whole = new Map([['PAA/USDT', climbing(1, 60, 0.004)] as const]);
    const holed = new Map([
      [
        'PAA/USDT',
        climbing(1, 60, 0.004).filter(
          ({ time }) => time < FROM || (time - FROM) % (10 * HOUR_MS) < 7 * HOUR_MS,
        ),
      ] as const,
    ]);
    const exposure = (candles: Map<string, readonly Candle[]>, to: number) =>
      backtest(inputOf(candles, to, { frequency: 'optimized' })).metrics.exposure ?? 0;
    expect(exposure(whole, FROM + 20 * DAY_MS)).toBeGreaterThan(0.99);
    expect(exposure(holed, FROM + 20 * DAY_MS)).toBeGreaterThan(0.99);
    expect(exposure(whole, FROM + 200 * DAY_MS)).toBeGreaterThan(0.99);
  });

  it('keeps time where one pair has hourly candles and another finer ones, and knows no close before it is', () => {
    const fine = madeTape(3, MONDAY, 45 * 288);
    const coarse = climbing(2, 45, 0.004);
    const input = inputOf(
      new Map<string, readonly Candle[]>([
        ['PAA/USDT', fine],
        ['PBB/USDT', coarse],
      ]),
      FROM + 5 * DAY_MS,
      { interval: '5-minute' },
    );
    const result = backtest(input);
    expect(result.trades.some(({ pair }) => pair === 'PBB/USDT')).toBe(true);
    const points = result.curve.all();
    expect(points.every(([at], i) => i === 0 || at > (points[i - 1]?.[0] ?? 0))).toBe(true);
    expect(points).toHaveLength(5 * 288 + 1);
    const { curve, ...fast } = result;
    expect({ ...fast, worth: curve.all() }).toEqual(plainBacktest(input));
    // Another ending of the hour that is running changes no point before that hour is over.
    const at = FROM + 2 * DAY_MS + 7 * HOUR_MS;
    const other = backtest({
      ...input,
      candles: new Map<string, readonly Candle[]>([
        ['PAA/USDT', fine],
        [
          'PBB/USDT',
          coarse.map((candle) =>
            candle.time === at
              ? { ...candle, high: candle.high * 1.05, close: candle.close * 1.05 }
              : candle,
          ),
        ],
      ]),
    });
    const before = (all: typeof points) => all.filter(([time]) => time < at + HOUR_MS);
    expect(before(other.curve.all())).toEqual(before(points));
    expect(other.curve.all()).not.toEqual(points);
  });
});
