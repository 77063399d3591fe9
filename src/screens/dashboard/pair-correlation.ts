/** Correlation between the results of two agents. Too few common moves give none. */
import type { AgentSeries } from '../../../contract/insight.ts';

/** With fewer common moves a correlation is mostly chance. */
export const LEAST_MOVES = 20;

export interface Pairing {
  a: string;
  b: string;
  value: number | null;
  why: string | null;
}

const changes = (points: AgentSeries['points']): Map<number, number> =>
  new Map(points.slice(1).map(([at, value], index) => [at, value - (points[index]?.[1] ?? value)]));

/** Pearson correlation of common steps in which at least one of the two moved. */
export function correlation(a: AgentSeries, b: AgentSeries): Pairing {
  const other = changes(b.points);
  const both = [...changes(a.points)].flatMap(([at, x]) => {
    const y = other.get(at);
    return y === undefined || (x === 0 && y === 0) ? [] : [[x, y] as const];
  });
  const none = (why: string): Pairing => ({ a: a.agentId, b: b.agentId, value: null, why });
  if (both.length < LEAST_MOVES)
    return none(`${both.length} of ${LEAST_MOVES} common moves needed`);
  const mean = (at: 0 | 1): number => both.reduce((sum, pair) => sum + pair[at], 0) / both.length;
  const [mx, my] = [mean(0), mean(1)];
  let [xy, xx, yy] = [0, 0, 0];
  for (const [x, y] of both) {
    xy += (x - mx) * (y - my);
    xx += (x - mx) ** 2;
    yy += (y - my) ** 2;
  }
  return xx === 0 || yy === 0
    ? none('one of them has not moved')
    : { a: a.agentId, b: b.agentId, value: xy / Math.sqrt(xx * yy), why: null };
}

const strength = ({ value }: Pairing): number => (value === null ? -1 : Math.abs(value));

/** Every pair of agents, the most correlated first, those without a figure last. */
export function pairings(series: readonly AgentSeries[]): Pairing[] {
  return series
    .flatMap((a, index) => series.slice(index + 1).map((b) => correlation(a, b)))
    .sort((one, two) => strength(two) - strength(one));
}
