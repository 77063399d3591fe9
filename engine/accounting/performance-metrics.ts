/** Performance metrics on daily UTC equity. A measure that is undefined is null, never 0. */
import type { Metrics } from '../../contract/trading.ts';
import { DAY_MS } from '../execution/schedule.ts';
import { deviation, mean } from '../signals/candle-series.ts';

/** Crypto trades every day. */
const DAYS_A_YEAR = 365;

export type EquityPoint = readonly [atMs: number, equity: number];

/** The UTC day (its 00:00, ms) that a point of equity belongs to: 00:00 ends the day before. */
export function equityDay(at: number): number {
  return (Math.ceil(at / DAY_MS) - 1) * DAY_MS;
}

/**
 * Last equity of each UTC day, oldest first. A day without a point has the value of the day before.
 */
export function dailyEquity(points: readonly EquityPoint[]): EquityPoint[] {
  const days: [number, number][] = [];
  for (const [at, equity] of points) {
    const day = equityDay(at);
    let last = days.at(-1);
    while (last && last[0] + DAY_MS < day) {
      last = [last[0] + DAY_MS, last[1]];
      days.push(last);
    }
    if (last?.[0] === day) last[1] = equity;
    else days.push([day, equity]);
  }
  return days;
}

/** Simple returns between neighbours; NaN where a value before is not positive. */
export function returnsOf(equity: readonly number[]): number[] {
  return equity.slice(1).map((value, i) => {
    const before = equity[i] ?? 0;
    return before > 0 ? value / before - 1 : Number.NaN;
  });
}

export type ReturnMetrics = Pick<
  Metrics,
  'totalReturn' | 'cagr' | 'volatility' | 'maxDrawdown' | 'sharpe' | 'sortino' | 'calmar'
>;

/**
 * From periodic simple returns (0.01 is 1 %), `periods` of them a year. A return that is not a
 * number counts as a period without one: in the length of time, not in the averages. `passed`: the
 * periods that have passed, where the first and the last are not whole ones.
 */
export function returnMetrics(
  returns: readonly number[],
  periods = DAYS_A_YEAR,
  passed = returns.length,
): ReturnMetrics {
  const known = returns.filter((value) => !Number.isNaN(value));
  if (known.length === 0)
    return {
      totalReturn: null,
      cagr: null,
      volatility: null,
      maxDrawdown: null,
      sharpe: null,
      sortino: null,
      calmar: null,
    };
  const ending = known.reduce((total, value) => total * (1 + value), 1);
  const average = mean(known) ?? 0;
  const spread = deviation(known);
  const downside = Math.sqrt(
    known.reduce((total, value) => total + Math.min(value, 0) ** 2, 0) / known.length,
  );
  const annual = growthRate(1, ending, passed, periods);
  const fall = maxDrawdown(known);
  return {
    totalReturn: ending - 1,
    cagr: annual,
    volatility: spread === null ? null : spread * Math.sqrt(periods),
    maxDrawdown: fall,
    sharpe: spread === null || spread === 0 ? null : (average / spread) * Math.sqrt(periods),
    sortino: downside === 0 ? null : (average / downside) * Math.sqrt(periods),
    calmar: annual === null || fall === 0 ? null : annual / Math.abs(fall),
  };
}

/**
 * Annual growth that leads from one value to another in a number of periods; null without a start
 * or a duration.
 */
export function growthRate(
  from: number,
  to: number,
  periodsPassed: number,
  periodsAYear = DAYS_A_YEAR,
): number | null {
  if (from <= 0 || periodsPassed <= 0) return null;
  return to <= 0 ? -1 : (to / from) ** (periodsAYear / periodsPassed) - 1;
}

/** Deepest fall under the highest value so far, the starting value included; 0 or negative. */
function maxDrawdown(returns: readonly number[]): number {
  let value = 1;
  let highest = 1;
  let deepest = 0;
  for (const change of returns) {
    value *= 1 + (Number.isNaN(change) ? 0 : change);
    highest = Math.max(highest, value);
    deepest = Math.min(deepest, value / highest - 1);
  }
  return deepest;
}

export interface TradeMetrics {
  profitFactor: number | null;
  winRate: number | null;
  /** Mean result of a trade, in money. */
  expectancy: number | null;
  /** What is won for each unit risked: (1 + mean win ÷ mean loss) × win rate − 1. */
  expectancyRatio: number | null;
}

/** From the results of closed trades, net of fees. */
export function tradeMetrics(results: readonly number[]): TradeMetrics {
  if (results.length === 0)
    return { profitFactor: null, winRate: null, expectancy: null, expectancyRatio: null };
  const wins = results.filter((result) => result > 0);
  const losses = results.filter((result) => result < 0);
  const winRate = wins.length / results.length;
  const won = mean(wins) ?? 0;
  const lost = Math.abs(mean(losses) ?? 0);
  return {
    profitFactor: losses.length === 0 ? null : (won * wins.length) / (lost * losses.length),
    winRate,
    expectancy: mean(results),
    expectancyRatio: lost === 0 ? null : (1 + won / lost) * winRate - 1,
  };
}

export interface MetricsInput {
  /** Equity at any moments, oldest first; the first is the starting value. */
  equity: readonly EquityPoint[];
  /** Results of sells, net of fees. */
  results: readonly number[];
  /** Time with a position open, and the whole time, ms. */
  exposedMs: number;
  totalMs: number;
  /** Sum of the notionals of all fills. */
  traded: number;
}

/** Every measure of one account or agent. Turnover is traded ÷ mean daily equity. */
export function metricsOf(input: MetricsInput): Metrics {
  const first = input.equity[0];
  // The starting value comes first, so that a loss on the first day counts. It is no day itself.
  const days = dailyEquity(input.equity)
    .map(([, equity]) => equity)
    .slice(first && first[0] % DAY_MS === 0 ? 1 : 0);
  const values = first ? [first[1], ...days] : days;
  const { profitFactor, winRate, expectancy } = tradeMetrics(input.results);
  const averageEquity = mean(days);
  const returns = returnsOf(values);
  // A growth rate of less than a day says nothing of a year.
  const daysPassed = Math.max(1, ((input.equity.at(-1)?.[0] ?? 0) - (first?.[0] ?? 0)) / DAY_MS);
  return {
    ...returnMetrics(returns, DAYS_A_YEAR, daysPassed),
    profitFactor,
    winRate,
    expectancy,
    exposure: input.totalMs > 0 ? input.exposedMs / input.totalMs : null,
    turnover: averageEquity !== null && averageEquity > 0 ? input.traded / averageEquity : null,
  };
}
