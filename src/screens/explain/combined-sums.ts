/**
 * The sums behind combined figures: all agents, exposure, drawdown, and the change since a visit.
 */
import type { AgentResult } from '../../../contract/trading.ts';
import { formatNumber, formatQuantity, formatShare } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import {
  base,
  ofAgent,
  ofAgentRealized,
  ofAgentUnrealized,
  OLDER,
  ofSales,
  type Account,
} from './account-sums.ts';
import { equation, less, sumOf, type Explanation, type Row } from './equation.ts';

export interface AgentSums {
  id: string;
  name: string;
  total: string;
  realized: string;
  unrealized: string;
}
export type Gathered = 'total' | 'realized' | 'unrealized';

const NAMES: Record<Gathered, { title: string; label: string }> = {
  total: { title: 'All agents', label: 'Result' },
  realized: { title: 'All agents, realised', label: 'Realised, net of fees' },
  unrealized: { title: 'All agents, unrealised', label: 'Unrealised' },
};

function openOf(account: Account, agent: AgentSums, figure: Gathered): Explanation {
  if (figure === 'total') return ofAgent(account, agent);
  if (figure === 'unrealized') return ofAgentUnrealized(account, agent);
  const nothing: AgentResult = { agentId: agent.id, agentName: agent.name, pairs: [] };
  return ofAgentRealized(
    account,
    account.portfolio.results?.find(({ agentId }) => agentId === agent.id) ?? nothing,
  );
}

/** Sum over all agents, or over `ids`. */
export function ofAgents(
  account: Account,
  agents: readonly AgentSums[],
  figure: Gathered,
  ids?: readonly string[],
): Explanation {
  const some = ids === undefined ? agents : agents.filter(({ id }) => ids.includes(id));
  const { title, label } = NAMES[figure];
  const rows = some.map((agent): Row => ({
    key: agent.id,
    label: agent.name,
    value: agent[figure],
    change: true,
    open: () => openOf(account, agent, figure),
  }));
  return {
    title:
      some.length === agents.length
        ? title
        : title.replace('All agents', `${some.length} of ${agents.length} agents`),
    quote: account.portfolio.quote,
    words: 'Deleted agents are not included.',
    equations: [
      equation('Agents', rows, {
        label,
        value: sumOf(some.map((agent) => agent[figure])),
        change: true,
      }),
    ],
  };
}

/** The value of some positions as a share of equity. Without a price a position counts at cost. */
export function ofHeld({ portfolio }: Account, title: string, ids: readonly string[]): Explanation {
  const held = portfolio.positions.filter(({ id }) => ids.includes(id));
  const rows = held.map((one): Row => ({
    key: one.id,
    label: `${base(one.pair)} ${formatQuantity(one.quantity)}`,
    note: one.value === null ? `${one.agentName}, at cost (no price yet)` : one.agentName,
    value: one.value ?? one.cost,
  }));
  const value = sumOf(rows.map((row) => row.value));
  const equity = Number(portfolio.equity);
  return {
    title,
    quote: portfolio.quote,
    words: 'Open positions in this asset, at the bid.',
    equations: [equation('Positions', rows, { label: 'Value', value })],
    facts: [
      {
        label: 'Share of equity',
        text:
          equity === 0 ? '—' : formatShare(Number(value) / equity, { signed: false, decimals: 1 }),
      },
    ],
  };
}

/** Drawdown of this account's equity. */
export function ofDrawdown({ portfolio }: Account): Explanation {
  const { drawdown } = portfolio;
  if (drawdown == null)
    return {
      title: 'Drawdown',
      quote: portfolio.quote,
      words: 'Available after the next update.',
      equations: [],
    };
  const { peak: high, peakAt: highAt } = drawdown;
  const fall = sumOf([portfolio.equity, less(high)]);
  return {
    title: 'Drawdown',
    quote: portfolio.quote,
    words: `Highest equity: ${formatMoment(highAt)}.`,
    equations: [
      equation(
        'Fall',
        [
          { key: 'equity', label: 'Equity now', value: portfolio.equity },
          { key: 'high', label: 'Highest equity', value: less(high) },
        ],
        { label: 'Fall', value: fall, change: true },
      ),
    ],
    facts: [
      {
        label: 'Share of highest equity',
        text: Number(high) === 0 ? '—' : formatShare(Number(fall) / Number(high), { decimals: 1 }),
      },
    ],
  };
}

/**
 * The change since a visit, from the last valuation at or before it. `marketAt`: market clock, ms.
 */
export function ofSince({ portfolio, fills }: Account, marketAt: number): Explanation {
  const { quote } = portfolio;
  const title = 'Since you left';
  const then = portfolio.equityCurve.findLast(([at]) => at <= marketAt);
  if (then === undefined)
    return {
      title,
      quote,
      words: 'No data back to your last visit.',
      equations: [],
    };
  const change = sumOf([portfolio.equity, less(then[1])]);
  // From that valuation on, so that both sums cover the same time.
  const mine = fills.filter((fill) => fill.decidedAt > then[0]);
  const complete = fills.length === 0 || fills.some((fill) => fill.decidedAt <= then[0]);
  const realized = sumOf(mine.map((fill) => fill.realized));
  return {
    title,
    quote,
    words: `Since ${formatMoment(then[0])}, the last valuation before you left.`,
    equations: [
      equation(
        'Equity',
        [
          { key: 'now', label: 'Now', value: portfolio.equity },
          { key: 'then', label: 'Then', value: less(then[1]) },
        ],
        { label: 'Change', value: change, change: true },
      ),
      equation(
        'Where it came from',
        [
          {
            key: 'realized',
            label: 'Realised since, net of fees',
            value: realized,
            change: true,
            open: () => ofSales('Realised since you left', mine, realized, quote),
          },
          {
            key: 'held',
            label: complete ? 'Change in open positions' : `Change in open positions (${OLDER})`,
            value: sumOf([change, less(realized)]),
            change: true,
          },
        ],
        { label: 'Change', value: change, change: true },
      ),
    ],
    facts: [
      {
        label: 'Trades since',
        text: complete ? formatNumber(mine.length) : `at least ${formatNumber(mine.length)}`,
      },
    ],
  };
}
