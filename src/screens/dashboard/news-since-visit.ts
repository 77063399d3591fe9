/** Counts trades, stop losses and halts since the last visit, from the data on this device. */
import { formatFixed, parseFixed, subtract } from '../../../contract/money.ts';
import type { Agent } from '../../../contract/agents.ts';
import type { Fill, Portfolio } from '../../../contract/trading.ts';
import { isHeld, type Seen } from '../../stores/last-visit.ts';

export interface News {
  /**
   * Market clock, ms: the last valuation before the visit, which may be hours or days before it.
   * Change and trades are counted from there, so that they agree.
   */
  from: number;
  trades: number;
  stops: number;
  /** Change of equity since, decimal text; null where the curve does not reach back. */
  profit: string | null;
  /** Agents halted or faulted since. */
  held: { id: string; name: string }[];
  /** The loaded trades do not reach back to the visit: there may be more. */
  more: boolean;
}

export function newsSince(
  since: Seen,
  fills: readonly Pick<Fill, 'decidedAt' | 'reason'>[],
  portfolio: Pick<Portfolio, 'equity' | 'equityCurve'> | null,
  agents: readonly Pick<Agent, 'id' | 'name' | 'status'>[],
): News {
  const held = agents
    .filter((agent) => isHeld(agent) && !since.held.includes(agent.id))
    .map(({ id, name }) => ({ id, name }));
  const then = portfolio?.equityCurve.findLast(([at]) => at <= since.marketAt);
  const from = then?.[0] ?? since.marketAt;
  const fresh = fills.filter((fill) => fill.decidedAt > from);
  const profit =
    portfolio === null || then === undefined
      ? null
      : formatFixed(subtract(parseFixed(portfolio.equity), parseFixed(then[1])));
  return {
    from,
    trades: fresh.length,
    stops: fresh.filter((fill) => fill.reason.includes('stop')).length,
    profit,
    held,
    more: fresh.length > 0 && fresh.length === fills.length && fills.length >= 200,
  };
}

const count = (many: number, one: string, more: string): string =>
  `${many} ${many === 1 ? one : more}`;

/** `3 trades · 1 stop hit · Drift halted`. */
export function newsText(news: Pick<News, 'trades' | 'stops' | 'more' | 'held'>): string {
  const parts = [];
  if (news.trades > 0)
    parts.push(`${news.more ? 'at least ' : ''}${count(news.trades, 'trade', 'trades')}`);
  if (news.stops > 0) parts.push(`${count(news.stops, 'stop', 'stops')} hit`);
  for (const { name } of news.held) parts.push(`${name} halted`);
  return parts.length === 0 ? 'no trades, nothing halted' : parts.join(' · ');
}
