/** The correlation of two pairs' daily returns over the last 30 days. */
import { DAY_MS } from '../execution/schedule.ts';
import { closeAt } from './candle-series.ts';
import type { Series } from './candle-series.ts';

/** Daily returns between midnights UTC, so that the figure changes once a day. */
const CORRELATION_DAYS = 30;
const CORRELATION_DAYS_MIN = 20;

/** Null where too few days are known of both. */
export type Correlation = (pair: string, other: string) => number | null;

/** The newest day read of each series. */
const READ = new WeakMap<Series, { day: number; returns: Float64Array }>();

/**
 * Log returns of the days that end at `day` (a midnight), newest first; NaN where an end is
 * missing.
 */
function returnsTo(series: Series, day: number): Float64Array {
  const known = READ.get(series);
  if (known?.day === day) return known.returns;
  const returns = new Float64Array(CORRELATION_DAYS);
  let newer = closeAt(series, day);
  for (let back = 0; back < CORRELATION_DAYS; back += 1) {
    const older = closeAt(series, day - (back + 1) * DAY_MS);
    returns[back] = newer === null || older === null ? Number.NaN : Math.log(newer / older);
    newer = older;
  }
  READ.set(series, { day, returns });
  return returns;
}

/** Reads nothing that closed after the midnight before `at`. */
export function correlationAt(series: ReadonlyMap<string, Series>, at: number): Correlation {
  const day = Math.floor(at / DAY_MS) * DAY_MS;
  return (pair, other) => {
    const [one, two] = [series.get(pair), series.get(other)];
    return one === undefined || two === undefined
      ? null
      : pearson(returnsTo(one, day), returnsTo(two, day));
  };
}

/** Over the days that both have; null with fewer than 20, or where one did not move. */
export function pearson(one: Float64Array, two: Float64Array): number | null {
  let [n, meanOne, meanTwo] = [0, 0, 0];
  for (let i = 0; i < one.length; i += 1) {
    const [x, y] = [one[i] ?? Number.NaN, two[i] ?? Number.NaN];
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    n += 1;
    meanOne += x;
    meanTwo += y;
  }
  if (n < CORRELATION_DAYS_MIN) return null;
  [meanOne, meanTwo] = [meanOne / n, meanTwo / n];
  let [both, squaresOne, squaresTwo] = [0, 0, 0];
  for (let i = 0; i < one.length; i += 1) {
    const [x, y] = [(one[i] ?? Number.NaN) - meanOne, (two[i] ?? Number.NaN) - meanTwo];
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    both += x * y;
    squaresOne += x * x;
    squaresTwo += y * y;
  }
  return squaresOne > 0 && squaresTwo > 0 ? both / Math.sqrt(squaresOne * squaresTwo) : null;
}
