/** Performance metrics match published results to nine decimals. */
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import {
  dailyEquity,
  growthRate,
  metricsOf,
  returnMetrics,
  returnsOf,
  tradeMetrics,
} from '../../../engine/accounting/performance-metrics.ts';

/** Nearer than 1e-9, as a figure and as a share of it. */
function within(value: number | null, published: number): void {
  expect(value).not.toBeNull();
  expect(
    Math.abs((value ?? Number.NaN) - published) / Math.min(1, Math.abs(published)),
  ).toBeLessThan(1e-9);
}

describe('metrics', () => {
  it("agree with empyrical's test table", () => {
    const returns = [Number.NaN, 1, 10, -4, 2, 3, 2, 1, -10].map((percent) => percent / 100);
    const result = returnMetrics(returns, 252);
    const published = {
      cagr: 1.9135925373194231,
      volatility: 0.9136465399704637,
      sharpe: 1.7238613961706866,
      sortino: 2.605531251673693,
      maxDrawdown: -0.1,
      calmar: 19.135925373194233,
    };
    for (const [name, value] of Object.entries(published))
      within(result[name as keyof typeof published], value);
  });

  it("agree with freqtrade's expectancy, its ratio and its growth rate", () => {
    const result = tradeMetrics([100, 200, 50, -150, 300, -100, 80, -30]);
    within(result.expectancy, 56.25);
    // As published, to the eight decimals it has; and what it is: (1 + 146 ÷ (280 ÷ 3)) × 5 ÷ 8 −
    // 1.
    expect(result.expectancyRatio?.toFixed(8)).toBe('0.60267857');
    within(result.expectancyRatio, 0.6026785714285714);
    within(result.winRate, 5 / 8);
    within(result.profitFactor, 730 / 280);
    // Published with four decimals; in full it is 1.5 to the power of 3.65, less one.
    expect(growthRate(1000, 1500, 100)?.toFixed(4)).toBe('3.3927');
    within(growthRate(1000, 1500, 100), 1.5 ** 3.65 - 1);
  });

  it('are null where undefined, never 0', () => {
    expect(returnMetrics([])).toEqual({
      totalReturn: null,
      cagr: null,
      volatility: null,
      maxDrawdown: null,
      sharpe: null,
      sortino: null,
      calmar: null,
    });
    const flat = returnMetrics([0, 0, 0]);
    expect([flat.sharpe, flat.sortino, flat.calmar]).toEqual([null, null, null]);
    expect(returnMetrics([0.1]).volatility).toBeNull();
    expect(tradeMetrics([])).toEqual({
      profitFactor: null,
      winRate: null,
      expectancy: null,
      expectancyRatio: null,
    });
    expect(tradeMetrics([5]).profitFactor).toBeNull();
    const nothing = metricsOf({ equity: [], results: [], exposedMs: 0, totalMs: 0, traded: 0 });
    expect(Object.values(nothing).every((value) => value === null)).toBe(true);
  });

  it('count a loss of the first day as a drawdown', () => {
    expect(
      metricsOf({
        equity: [
          [0, 100],
          [1000, 90],
          [2 * DAY_MS, 99],
        ],
        results: [],
        exposedMs: 1,
        totalMs: 4,
        traded: 50,
      }),
    ).toMatchObject({ exposure: 0.25 });
    expect(
      metricsOf({
        equity: [
          [0, 100],
          [1000, 90],
          [2 * DAY_MS, 99],
        ],
        results: [],
        exposedMs: 0,
        totalMs: 1,
        traded: 0,
      }).maxDrawdown,
    ).toBeCloseTo(-0.1, 12);
  });

  it('of a hundred days are those of a hundred days, from midnight or from noon', () => {
    const equity = Array.from(
      { length: 100 * 24 + 1 },
      (_, hour) => [(hour * DAY_MS) / 24, 1000 + (500 * hour) / 2400] as const,
    );
    expect(
      metricsOf({ equity, results: [], exposedMs: 0, totalMs: 1, traded: 0 }).cagr,
    ).toBeCloseTo(growthRate(1000, 1500, 100) ?? 0, 9);
    const sinceNoon = equity.map(([at, value]) => [at + DAY_MS / 2, value] as const);
    expect(
      metricsOf({ equity: sinceNoon, results: [], exposedMs: 0, totalMs: 1, traded: 0 }).cagr,
    ).toBeCloseTo(growthRate(1000, 1500, 100) ?? 0, 9);
  });

  it('grow a year of days at least one: an hour says nothing of a year', () => {
    const equity = [[0, 1000] as const, [DAY_MS / 24, 1001] as const];
    expect(
      metricsOf({ equity, results: [], exposedMs: 0, totalMs: 1, traded: 0 }).cagr,
    ).toBeCloseTo(growthRate(1000, 1001, 1) ?? 0, 9);
  });

  it('take the last equity of each UTC day and carry it over days without any', () => {
    expect(
      dailyEquity([
        [10, 1],
        [20, 2],
        [3 * DAY_MS + 5, 4],
      ]),
    ).toEqual([
      [0, 2],
      [DAY_MS, 2],
      [2 * DAY_MS, 2],
      [3 * DAY_MS, 4],
    ]);
    expect(
      dailyEquity([
        [0, 1],
        [20, 2],
        [DAY_MS, 3],
        [2 * DAY_MS, 4],
      ]),
    ).toEqual([
      [-DAY_MS, 1],
      [0, 3],
      [DAY_MS, 4],
    ]);
    expect(returnsOf([100, 110, 0, 5])).toEqual([expect.closeTo(0.1, 12), -1, Number.NaN]);
  });
});
