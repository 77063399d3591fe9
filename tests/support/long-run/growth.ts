/** Tells growth that goes on from what a process takes on at its start. */

/** Of the last third of the readings to the middle third; above it memory counts as growing. */
export const FLAT = 1.15;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * How much the last third of the readings has more than the middle third. The first third is left
 * out: parts are loaded then, and lists grow to their limits. What grows evenly, by three fifths of
 * its start over the whole run, comes to more than `FLAT`.
 */
export function growth(readings: readonly number[]): number {
  const third = Math.floor(readings.length / 3);
  const middle = readings.slice(third, readings.length - third);
  const last = readings.slice(readings.length - Math.max(1, third));
  return median(last) / median(middle);
}
