/** An agent's money from the newer of portfolio and list, never from both. */
import { add, formatFixed, parseFixed, ZERO, type Fixed } from '../../contract/money.ts';
import type { Agent, OtherFee } from '../../contract/agents.ts';
import type { Portfolio } from '../../contract/trading.ts';
import { connectionOf } from './shown-account.ts';

type KnownMoney = Pick<Agent, 'realized' | 'unrealized' | 'fees' | 'otherFees' | 'total'>;
interface UnpricedMoney extends Pick<Agent, 'realized' | 'fees' | 'otherFees'> {
  unrealized: null;
  total: null;
  /** Pairs that it holds without a price. */
  unpriced: readonly string[];
}
/** Of what has no price no result is known. */
export type AgentMoney = (KnownMoney & { unpriced?: undefined }) | UnpricedMoney;
type Listed = { sequence: number; asOf: number };
type Told = Pick<Portfolio, 'sequence' | 'servedAt' | 'results' | 'positions'>;

interface LiveResult {
  readonly agentId: string;
  readonly realized: string;
  readonly fees: string;
  readonly otherFees?: readonly OtherFee[] | undefined;
}
interface LiveReading {
  readonly sequence: number;
  readonly results?: readonly LiveResult[] | undefined;
  readonly positions: readonly Pick<
    Portfolio['positions'][number],
    'agentId' | 'pair' | 'unrealized'
  >[];
}
const NOTHING: Omit<LiveResult, 'agentId'> = { realized: '0', fees: '0' };

export const total = (list: readonly (string | null)[]): Fixed =>
  list.reduce<Fixed>((sum, text) => (text === null ? sum : add(sum, parseFixed(text))), ZERO);

/**
 * Of the newest reading of the agent's own account: the portfolio for one on paper, the account at
 * the exchange for a live one.
 */
export function moneyOf(
  agent: Agent,
  list: Listed | null,
  { portfolio, account }: { portfolio: Told | null; account: LiveReading | null },
): AgentMoney {
  return connectionOf(agent) !== null
    ? liveMoneyOf(agent, list, account)
    : paperMoneyOf(agent, list, portfolio);
}

/** The stream revalues the portfolio often, but reports an agent only when something happens to it. */
function paperMoneyOf(agent: Agent, list: Listed | null, portfolio: Told | null): AgentMoney {
  if (
    list === null ||
    portfolio?.results === undefined ||
    portfolio.sequence < list.sequence ||
    portfolio.servedAt < list.asOf
  )
    return agent;
  const { realized, unrealized, fees, total: result } = recordedMoney(agent.id, portfolio) ?? agent;
  return { realized, unrealized, fees, total: result };
}

/** The pairs of positions without a price. */
export const unpricedIn = (
  positions: readonly { pair: string; unrealized: string | null }[],
): string[] => positions.flatMap(({ pair, unrealized }) => (unrealized === null ? pair : []));

/** A reading of its account values what a live agent holds anew. */
export function liveMoneyOf(
  agent: Agent,
  list: Pick<Listed, 'sequence'> | null,
  account: LiveReading | null,
): AgentMoney {
  const own = account?.positions.filter((one) => one.agentId === agent.id) ?? [];
  const unpriced = unpricedIn(own);
  const unknown = { unrealized: null, total: null, unpriced };
  // A reading kept from before does not say what was realised by whom.
  if (account?.results === undefined || account.sequence < (list?.sequence ?? 0))
    // The list counts what has no price as nothing.
    return unpriced.length > 0 && agent.openPositions > 0 ? { ...agent, ...unknown } : agent;
  const {
    realized,
    fees,
    otherFees = agent.otherFees,
  } = account.results.find((one) => one.agentId === agent.id) ?? NOTHING;
  const unrealized = total(own.map((one) => one.unrealized));
  return {
    realized,
    fees,
    ...(otherFees === undefined ? {} : { otherFees: [...otherFees] }),
    ...(unpriced.length > 0
      ? unknown
      : {
          unrealized: formatFixed(unrealized),
          total: formatFixed(add(parseFixed(realized), unrealized)),
        }),
  };
}

/** An agent's money in this account, from one portfolio; null where it has no results by agent. */
export function recordedMoney(
  agentId: string,
  portfolio: Pick<Portfolio, 'results' | 'positions'>,
): Pick<Agent, 'realized' | 'unrealized' | 'fees' | 'total'> | null {
  if (portfolio.results === undefined) return null;
  const pairs = portfolio.results.find((one) => one.agentId === agentId)?.pairs ?? [];
  const realized = total(pairs.map((pair) => pair.realized));
  const unrealized = total(
    portfolio.positions.filter((one) => one.agentId === agentId).map((one) => one.unrealized),
  );
  return {
    realized: formatFixed(realized),
    unrealized: formatFixed(unrealized),
    fees: formatFixed(total(pairs.map((pair) => pair.fees))),
    total: formatFixed(add(realized, unrealized)),
  };
}
