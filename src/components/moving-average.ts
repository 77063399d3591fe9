/** Moving averages for charts, by their plain definitions; refuses to say one before it has as many values as its period. */

/**
 * The exponential moving average: begins as the mean of the first `period` values and then takes 2 ÷ (period + 1) of
 * each new one. Null until then.
 */
export function exponentialAverage(values: readonly number[], period: number): (number | null)[] {
  const weight = 2 / (period + 1);
  let sum = 0;
  let average: number | null = null;
  return values.map((value, index) => {
    if (index < period) {
      sum += value;
      average = index === period - 1 ? sum / period : null;
    } else if (average !== null) {
      average += weight * (value - average);
    }
    return average;
  });
}
