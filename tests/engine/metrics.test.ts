/** Published results, to nine decimals. */
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../engine/schedule.ts';
import { dailyEquity, growthRate, metricsOf, returnMetrics, returnsOf, tradeMetrics } from '../../engine/metrics.ts';

describe('metrics', () => {
  it("agree with empyrical's test table", () => {
    const returns = [Number.NaN, 1, 10, -4, 2, 3, 2, 1, -10].map((percent) => percent / 100);
    const result = returnMetrics(returns, 252);
    expect(result.cagr).toBeCloseTo(1.9135925373194231, 9);
    expect(result.volatility).toBeCloseTo(0.9136465399704637, 9);
    expect(result.sharpe).toBeCloseTo(1.7238613961706866, 9);
    expect(result.sortino).toBeCloseTo(2.605531251673693, 9);
    expect(result.maxDrawdown).toBeCloseTo(-0.1, 9);
    expect(result.calmar).toBeCloseTo(19.135925373194233, 9);
  });

  it("agree with freqtrade's expectancy, its ratio and its growth rate", () => {
    const result = tradeMetrics([100, 200, 50, -150, 300, -100, 80, -30]);
    expect(result.expectancy).toBeCloseTo(56.25, 9);
    expect(result.expectancyRatio).toBeCloseTo(0.6026785714285714, 9);
    expect(result.winRate).toBeCloseTo(5 / 8, 9);
    expect(result.profitFactor).toBeCloseTo(730 / 280, 9);
    expect(growthRate(1000, 1500, 100)).toBeCloseTo(3.3927, 4);
  });

  it('are null where undefined, never 0', () => {
    expect(returnMetrics([])).toEqual({ totalReturn: null, cagr: null, volatility: null, maxDrawdown: null, sharpe: null, sortino: null, calmar: null });
    const flat = returnMetrics([0, 0, 0]);
    expect([flat.sharpe, flat.sortino, flat.calmar]).toEqual([null, null, null]);
    expect(returnMetrics([0.1]).volatility).toBeNull();
    expect(tradeMetrics([])).toEqual({ profitFactor: null, winRate: null, expectancy: null, expectancyRatio: null });
    expect(tradeMetrics([5]).profitFactor).toBeNull();
    const nothing = metricsOf({ equity: [], results: [], exposedMs: 0, totalMs: 0, traded: 0 });
    expect(Object.values(nothing).every((value) => value === null)).toBe(true);
  });

  it('count a loss of the first day as a drawdown', () => {
    expect(metricsOf({ equity: [[0, 100], [1000, 90], [DAY_MS, 99]], results: [], exposedMs: 1, totalMs: 4, traded: 50 })).toMatchObject({ exposure: 0.25 });
    expect(metricsOf({ equity: [[0, 100], [1000, 90], [DAY_MS, 99]], results: [], exposedMs: 0, totalMs: 1, traded: 0 }).maxDrawdown).toBeCloseTo(-0.1, 12);
  });

  it('take the last equity of each UTC day and carry it over days without any', () => {
    expect(dailyEquity([[10, 1], [20, 2], [3 * DAY_MS + 5, 4]])).toEqual([[0, 2], [DAY_MS, 2], [2 * DAY_MS, 2], [3 * DAY_MS, 4]]);
    expect(returnsOf([100, 110, 0, 5])).toEqual([expect.closeTo(0.1, 12), -1, Number.NaN]);
  });
});
