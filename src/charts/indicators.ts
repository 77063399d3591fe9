/** Indicators over closing prices, each with the value that one more close would give. */

/**
 * A value for each close, null until there are enough, and a function for the next value without
 * recomputing.
 */
export interface Indicator {
  values: (number | null)[];
  next: (close: number) => number | null;
}

/** Simple moving average: the mean of the last `period` closes. */
export function simpleAverage(closes: readonly number[], period: number): Indicator {
  // Each mean is summed afresh, because a running sum would accumulate rounding errors.
  const mean = (list: readonly number[]): number | null =>
    list.length < period ? null : list.reduce((sum, close) => sum + close, 0) / period;
  const values = closes.map((_, index) =>
    mean(closes.slice(Math.max(0, index + 1 - period), index + 1)),
  );
  const last = period === 1 ? [] : closes.slice(1 - period);
  return { values, next: (close) => mean([...last, close]) };
}

/**
 * Exponential moving average: begins as the mean of the first `period` closes, then takes
 * 2 ÷ (period + 1) of each new one.
 */
export function exponentialAverage(closes: readonly number[], period: number): Indicator {
  const weight = 2 / (period + 1);
  let sum = 0;
  let average: number | null = null;
  const step = (
    before: number | null,
    total: number,
    close: number,
    count: number,
  ): number | null => {
    if (count < period) return null;
    return before === null ? (total + close) / period : before + weight * (close - before);
  };
  const values = closes.map((close, index) => {
    average = step(average, sum, close, index + 1);
    sum += close;
    return average;
  });
  return { values, next: (close) => step(average, sum, close, closes.length + 1) };
}

interface Moves {
  gain: number;
  loss: number;
}

/** 100 without a loss; 50 where the price did not move at all. */
function strength({ gain, loss }: Moves): number {
  if (gain === 0 && loss === 0) return 50;
  return (100 * gain) / (gain + loss);
}

/**
 * Relative strength index after Wilder (New Concepts in Technical Trading Systems, 1978): average
 * gain and loss begin as the means of the first `period` changes; each new change then counts one
 * part in `period`.
 */
export function relativeStrength(closes: readonly number[], period: number): Indicator {
  let moves: Moves = { gain: 0, loss: 0 };
  const step = (before: Moves, change: number, count: number): Moves => {
    const [gain, loss] = [Math.max(0, change), Math.max(0, -change)];
    if (count <= period)
      return { gain: before.gain + gain / period, loss: before.loss + loss / period };
    return {
      gain: (before.gain * (period - 1) + gain) / period,
      loss: (before.loss * (period - 1) + loss) / period,
    };
  };
  const values = closes.map((close, index) => {
    const before = closes[index - 1];
    if (before === undefined) return null;
    moves = step(moves, close - before, index);
    return index < period ? null : strength(moves);
  });
  return {
    values,
    next(close) {
      const before = closes.at(-1);
      if (before === undefined || closes.length < period) return null;
      return strength(step(moves, close - before, closes.length));
    },
  };
}
