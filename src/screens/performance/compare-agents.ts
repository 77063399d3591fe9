/** The figures by which agents can be ranked, with the maximum drawdown of each. */
import type { Agent } from '../../../contract/agents.ts';
import type { AgentInsight } from '../../../contract/insight.ts';
import type { Portfolio } from '../../../contract/trading.ts';
import { exactly, sortRows, type SortValue, type TableSort } from '../../components/table-order.ts';
import { recordOf } from '../../stores/agent-record.ts';

export interface Compared {
  agent: Agent;
  trades: number | null;
  /** Shares of 1. */
  winRate: number | null;
  exposure: number | null;
  profitFactor: number | null;
  /** Maximum drawdown of its result in money, by the points of its line; 0 or negative. */
  drawdown: number | null;
}

export type Column =
  | 'name'
  | 'total'
  | 'realized'
  | 'unrealized'
  | 'fees'
  | 'trades'
  | 'winRate'
  | 'profitFactor'
  | 'exposure'
  | 'drawdown';

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

type Reading = Pick<Portfolio, 'asOf' | 'results' | 'positions'>;
type Figures = Pick<Compared, 'trades' | 'winRate' | 'profitFactor'>;

/** Counts from the results over time, for portfolios without results by agent. */
function figuresIn(insight: Pick<AgentInsight, 'figures'> | null, id: string): Figures {
  const figures = insight?.figures?.find(({ agentId }) => agentId === id);
  return {
    trades: insight?.figures === undefined ? null : (figures?.trades ?? 0),
    winRate: figures === undefined || figures.sells === 0 ? null : figures.wins / figures.sells,
    profitFactor: figures?.profitFactor ?? null,
  };
}

/**
 * Money and counts of one agent come from one reply, so that a closed trade is in all of them. The
 * rest comes from the results over time.
 */
export function compared<T extends { agent: Agent }>(
  views: readonly T[],
  insight: Pick<AgentInsight, 'figures' | 'series'> | null,
  portfolio: Reading | null = null,
): (T & Compared)[] {
  return views.map((view) => {
    const { id } = view.agent;
    const record = recordOf(id, portfolio);
    const points = insight?.series.find(({ agentId }) => agentId === id)?.points ?? [];
    const line =
      record === null || portfolio === null || points.length === 0
        ? points
        : [...points, [portfolio.asOf, Number(record.total)] as const];
    const figures: Figures =
      record === null || record.wins === null
        ? figuresIn(insight, id)
        : {
            trades: record.trades,
            winRate: record.sells === 0 ? null : record.wins / record.sells,
            profitFactor: record.profitFactor,
          };
    const money =
      record === null
        ? {}
        : {
            realized: record.realized,
            unrealized: record.unrealized,
            fees: record.fees,
            total: record.total,
          };
    return {
      ...view,
      ...figures,
      agent: { ...view.agent, ...money },
      exposure: insight?.figures?.find(({ agentId }) => agentId === id)?.exposure ?? null,
      drawdown: deepestFall(line),
    };
  });
}

const MONEY: ReadonlySet<Column> = new Set(['total', 'realized', 'unrealized', 'fees']);
const isMoney = (by: Column): by is 'total' | 'realized' | 'unrealized' | 'fees' => MONEY.has(by);

function valueOf(row: Compared, by: Column): SortValue {
  if (by === 'name') return row.agent.name;
  return isMoney(by) ? exactly(row.agent[by]) : row[by];
}

/** Equal agents keep their order; unknown values come last in both directions. */
export const sortCompared = <T extends Compared>(
  rows: readonly T[],
  { key, down }: TableSort<Column>,
): T[] => sortRows(rows, (row) => valueOf(row, key), down);
