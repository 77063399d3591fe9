/**
 * The normal distribution, which turns a z into a signal strength. A strength is not a probability
 * of profit.
 */

const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);

/** Error function to about 1e-15, by its series of positive terms (no cancellation). */
function erf(x: number): number {
  const size = Math.abs(x);
  if (Number.isNaN(x)) return Number.NaN;
  if (size > 6) return Math.sign(x);
  let term = size;
  let total = size;
  for (let n = 1; term > total * 1e-17; n += 1) {
    term *= (2 * size * size) / (2 * n + 1);
    total += term;
  }
  return Math.sign(x) * Math.min(1, TWO_OVER_ROOT_PI * Math.exp(-size * size) * total);
}

/** Φ(z): the share of a normal distribution below z. */
export function normalShare(z: number): number {
  return (1 + erf(z / Math.SQRT2)) / 2;
}

/** Signal strength c = q · max(0, 2Φ(z) − 1), in [0, 1]; 0 where z is unknown. */
export function strengthOf(z: number | null, quality: number): number {
  return z === null || Number.isNaN(z) ? 0 : quality * Math.max(0, 2 * normalShare(z) - 1);
}
