/** The range in which a live result is expected, given the daily results of a backtest. */
import type { NoBand } from '../../contract/backtest-record.ts';

/** With fewer days a backtest says nothing about how much a day varies. */
const LEAST_TESTED_DAYS = 20;
const LEAST_LIVE_DAYS = 1;
/** One in twenty lies below the band and one in twenty above: the normal quantile of 0.95. */
const Z = 1.6448536269514722;

/**
 * Student's t for 0.95 and `freedom` degrees, by the expansion of Abramowitz and Stegun, 26.7.5;
 * within 1e-4 of the tables from 10 degrees on.
 */
export function studentT95(freedom: number): number {
  const [z3, z5, z7] = [Z ** 3, Z ** 5, Z ** 7];
  return (
    Z +
    (z3 + Z) / (4 * freedom) +
    (5 * z5 + 16 * z3 + 3 * Z) / (96 * freedom ** 2) +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * Z) / (384 * freedom ** 3)
  );
}

export interface Spread {
  mean: number;
  deviation: number;
  days: number;
}

export function spreadOf(daily: readonly number[]): Spread {
  const days = daily.length;
  const mean = daily.reduce((sum, value) => sum + value, 0) / Math.max(1, days);
  const deviation =
    days < 2
      ? 0
      : Math.sqrt(daily.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (days - 1));
  return { mean, deviation, days };
}

/**
 * No band is wider than this many times the equity: a device may send results that no market has.
 */
const GROWTH_MAX = Math.log(1e6);
const grownBy = (sum: number): number => Math.expm1(Math.min(sum, GROWTH_MAX));

/**
 * The prediction interval for the sum of `after` further daily results, given `days` of a test: h·m
 * ± t·s·√(h + h²/n) (Hahn and Meeker, Statistical Intervals, chapter 4: the mean of h future
 * observations, times h). It grows with the square root of time, and with what the test's own mean
 * is uncertain by. Days are taken as independent and alike. Shares of the equity at the start: 0.01
 * is 1 %.
 */
export function bandAfter(
  { mean, deviation, days }: Spread,
  after: number,
): { low: number; middle: number; high: number } {
  const half = studentT95(days - 1) * deviation * Math.sqrt(after + after ** 2 / days);
  return {
    low: grownBy(mean * after - half),
    middle: grownBy(mean * after),
    high: grownBy(mean * after + half),
  };
}

/** Why no band can be given; null where one can. */
export function noBand({ deviation, days }: Spread, liveDays: number): NoBand | null {
  return days < LEAST_TESTED_DAYS
    ? 'too_few_days'
    : deviation === 0
      ? 'flat'
      : liveDays < LEAST_LIVE_DAYS
        ? 'too_soon'
        : liveDays > days
          ? 'beyond'
          : null;
}
