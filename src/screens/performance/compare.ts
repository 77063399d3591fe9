/** Agents beside one another: every figure that can be ranked, and how deep each has fallen; refuses to rank the unknown. */
import type { Agent } from '../../../contract/agents.ts';
import type { AgentInsight } from '../../../contract/insight.ts';

export interface Compared {
  agent: Agent;
  trades: number | null;
  /** Shares of 1. */
  winRate: number | null;
  exposure: number | null;
  profitFactor: number | null;
  /** Deepest fall of its result from its highest so far, in money, by the points of its line; 0 or negative. */
  drawdown: number | null;
}

export type Column = 'name' | 'total' | 'realized' | 'unrealized' | 'fees' | 'trades' | 'winRate' | 'profitFactor' | 'exposure' | 'drawdown';

export function deepestFall(points: readonly (readonly [number, number])[]): number | null {
  if (points.length === 0) return null;
  let highest = 0;
  let deepest = 0;
  for (const [, result] of points) {
    highest = Math.max(highest, result);
    deepest = Math.min(deepest, result - highest);
  }
  return deepest;
}

export function compared<T extends { agent: Agent }>(views: readonly T[], insight: Pick<AgentInsight, 'figures' | 'series'> | null): (T & Compared)[] {
  return views.map((view) => {
    const figures = insight?.figures?.find(({ agentId }) => agentId === view.agent.id);
    const known = insight?.figures !== undefined;
    return {
      ...view, trades: known ? figures?.trades ?? 0 : null, winRate: figures === undefined || figures.sells === 0 ? null : figures.wins / figures.sells,
      exposure: figures?.exposure ?? null, profitFactor: figures?.profitFactor ?? null,
      drawdown: deepestFall(insight?.series.find(({ agentId }) => agentId === view.agent.id)?.points ?? []),
    };
  });
}

const valueOf = (row: Compared, by: Exclude<Column, 'name'>): number | null =>
  (by === 'total' || by === 'realized' || by === 'unrealized' || by === 'fees' ? Number(row.agent[by]) : row[by]);

/** Highest first unless turned round; names from A; what is not known stands last either way. */
export function sortCompared<T extends Compared>(rows: readonly T[], by: Column, turned = false): T[] {
  const way = turned ? -1 : 1;
  if (by === 'name') return [...rows].sort((a, b) => way * a.agent.name.localeCompare(b.agent.name));
  return [...rows].sort((a, b) => {
    const [one, other] = [valueOf(a, by), valueOf(b, by)];
    if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
    return way * (other - one);
  });
}
