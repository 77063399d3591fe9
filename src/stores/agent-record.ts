/** Counts and money of an agent's trades, from one portfolio. */
import { divide, formatFixed, parseFixed, subtract, toNumber, ZERO } from '../../contract/money.ts';
import type { Portfolio } from '../../contract/trading.ts';
import { recordedMoney, total } from './agent-money.ts';

/** Of this account. */
export interface AgentRecord extends NonNullable<ReturnType<typeof recordedMoney>> {
  trades: number;
  /** Sales: each closed a position or a part of one. */
  sells: number;
  /** Null where the portfolio does not say, as in an old snapshot. */
  wins: number | null;
  profitFactor: number | null;
  /** Realised per sale; null without one. */
  expectancy: string | null;
}

/** All figures of an agent from one portfolio; null where it has no results by agent. */
export function recordOf(
  agentId: string,
  portfolio: Pick<Portfolio, 'results' | 'positions'> | null,
): AgentRecord | null {
  const money = portfolio === null ? null : recordedMoney(agentId, portfolio);
  if (money === null) return null;
  const realized = parseFixed(money.realized);
  const pairs = portfolio?.results?.find((one) => one.agentId === agentId)?.pairs ?? [];
  const sells = pairs.reduce((sum, pair) => sum + pair.sells, 0);
  const isTold = pairs.every((pair) => pair.wins !== undefined && pair.won !== undefined);
  const won = total(pairs.map((pair) => pair.won ?? null));
  const lost = subtract(won, realized);
  return {
    ...money,
    trades: pairs.reduce((sum, pair) => sum + pair.trades, 0),
    sells,
    wins: isTold ? pairs.reduce((sum, pair) => sum + (pair.wins ?? 0), 0) : null,
    profitFactor: isTold && lost > ZERO ? toNumber(won) / toNumber(lost) : null,
    expectancy:
      sells === 0 ? null : formatFixed(divide(realized, parseFixed(String(sells)), 'half-even')),
  };
}
