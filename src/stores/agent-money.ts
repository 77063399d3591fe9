/** An agent's money by the newest word there is of it, the portfolio's or the list's; refuses to mix the two. */
import { add, formatFixed, parseFixed, ZERO, type Fixed } from '../../contract/money.ts';
import type { Agent } from '../../contract/agents.ts';
import type { Portfolio } from '../../contract/trading.ts';

export type AgentMoney = Pick<Agent, 'realized' | 'unrealized' | 'fees' | 'total'>;
type Listed = { sequence: number; asOf: number };
type Told = Pick<Portfolio, 'sequence' | 'servedAt' | 'results' | 'positions'>;

const total = (list: readonly (string | null)[]): Fixed => list.reduce<Fixed>((sum, text) => (text === null ? sum : add(sum, parseFixed(text))), ZERO);

/**
 * The stream marks the portfolio every two seconds and tells of an agent only when something happens to it: without this
 * an agent's unrealised result would stand beside positions that say another.
 */
export function moneyOf(agent: Agent, list: Listed, portfolio: Told | null): AgentMoney {
  if (portfolio?.results === undefined || portfolio.sequence < list.sequence || portfolio.servedAt < list.asOf) return agent;
  const pairs = portfolio.results.find(({ agentId }) => agentId === agent.id)?.pairs ?? [];
  const realized = total(pairs.map((pair) => pair.realized));
  const unrealized = total(portfolio.positions.filter(({ agentId }) => agentId === agent.id).map((position) => position.unrealized));
  return { realized: formatFixed(realized), unrealized: formatFixed(unrealized), fees: formatFixed(total(pairs.map((pair) => pair.fees))), total: formatFixed(add(realized, unrealized)) };
}
