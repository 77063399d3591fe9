/** One figure of a benchmark, and the statistics shared by its sections. */

export interface Measurement {
  section: string;
  what: string;
  value: number | null;
  unit: string;
}

/** The q-quantile by the nearest-rank rule; null of nothing. */
export function quantile(values: readonly number[], q: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? null;
}

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);
