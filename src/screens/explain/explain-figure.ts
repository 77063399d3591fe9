/** Which figures can be explained, and from which data. All parts of a sum are from one moment. */
import type { Analytics, Fill, Portfolio } from '../../../contract/trading.ts';
import {
  ofAgent,
  ofAgentRealized,
  ofAgentUnrealized,
  ofDay,
  ofEquity,
  ofFees,
  ofPosition,
  ofRealized,
  ofResult,
  ofSale,
  ofToday,
  ofUnrealized,
  type Account,
} from './account-sums.ts';
import { ofAgents, ofDrawdown, ofHeld, ofSince, type AgentSums } from './combined-sums.ts';
import { ofDays, ofMeasured, ofPair } from './measure-sums.ts';
import type { Explanation } from './equation.ts';

/** `book`: a closed account, which the stores do not hold. */
export type Ask =
  | { of: 'equity' | 'today' | 'result' | 'realized' | 'unrealized' | 'fees'; book?: Account }
  | { of: 'agent' | 'agent-realized' | 'agent-unrealized'; id: string; name: string; shown: string }
  | { of: 'agents' | 'agents-realized' | 'agents-unrealized'; ids?: readonly string[] }
  | { of: 'held'; title: string; ids: readonly string[] }
  | { of: 'drawdown' }
  | { of: 'since'; marketAt: number }
  | { of: 'position'; id: string; book?: Account }
  | { of: 'sale'; fill: Fill; quote: string }
  | { of: 'day'; start: number; book?: Measured }
  | { of: 'days' | 'by-agent' | 'by-pair' | 'by-hour'; book?: Measured }
  | { of: 'pair'; pair: string; book?: Measured };

export interface Measured {
  analytics: Analytics;
  fills: readonly Fill[];
}
export interface Sources {
  portfolio: Portfolio | null;
  fills: readonly Fill[];
  analytics: Analytics | null;
  agents: readonly AgentSums[];
}

const NOTHING: Explanation = {
  title: 'Not available',
  quote: '',
  words: 'Not loaded on this device yet.',
  equations: [],
};
const ACCOUNT = {
  equity: ofEquity,
  today: ofToday,
  result: ofResult,
  realized: ofRealized,
  unrealized: ofUnrealized,
  fees: ofFees,
} as const;

function ofOneAgent(
  ask: Extract<Ask, { id: string; shown: string }>,
  account: Account,
): Explanation {
  const agent = { id: ask.id, name: ask.name, total: ask.shown };
  if (ask.of === 'agent-unrealized') return ofAgentUnrealized(account, agent);
  const result = account.portfolio.results?.find(({ agentId }) => agentId === ask.id) ?? {
    agentId: ask.id,
    agentName: ask.name,
    pairs: [],
  };
  return ask.of === 'agent' ? ofAgent(account, agent) : ofAgentRealized(account, result);
}

export function explain(ask: Ask, { portfolio, fills, analytics, agents }: Sources): Explanation {
  const account =
    'book' in ask && ask.book !== undefined && 'portfolio' in ask.book
      ? ask.book
      : portfolio === null
        ? null
        : { portfolio, fills };
  const measured =
    'book' in ask && ask.book !== undefined && 'analytics' in ask.book
      ? ask.book
      : analytics === null
        ? null
        : { analytics, fills };
  switch (ask.of) {
    case 'equity':
    case 'today':
    case 'result':
    case 'realized':
    case 'unrealized':
    case 'fees':
      return account === null ? NOTHING : ACCOUNT[ask.of](account);
    case 'agent':
    case 'agent-realized':
    case 'agent-unrealized':
      return account === null ? NOTHING : ofOneAgent(ask, account);
    case 'agents':
      return account === null ? NOTHING : ofAgents(account, agents, 'total', ask.ids);
    case 'agents-realized':
      return account === null ? NOTHING : ofAgents(account, agents, 'realized', ask.ids);
    case 'agents-unrealized':
      return account === null ? NOTHING : ofAgents(account, agents, 'unrealized', ask.ids);
    case 'held':
      return account === null ? NOTHING : ofHeld(account, ask.title, ask.ids);
    case 'drawdown':
      return account === null ? NOTHING : ofDrawdown(account);
    case 'since':
      return account === null ? NOTHING : ofSince(account, ask.marketAt);
    case 'position': {
      const position = account?.portfolio.positions.find(({ id }) => id === ask.id);
      return position === undefined || account === null
        ? { ...NOTHING, words: 'This position is closed.' }
        : ofPosition(position, account.portfolio.quote);
    }
    case 'sale':
      return ofSale(ask.fill, ask.quote);
    case 'day': {
      const day = measured?.analytics.daily?.find(({ start }) => start === ask.start);
      return day === undefined || measured === null
        ? NOTHING
        : ofDay(
            day,
            measured.fills,
            measured.analytics.quote,
            new Date(day.start).toISOString().slice(0, 10),
          );
    }
    case 'days':
      return measured === null ? NOTHING : ofDays(measured);
    case 'by-agent':
    case 'by-pair':
    case 'by-hour':
      return measured === null ? NOTHING : ofMeasured(measured, ask.of);
    case 'pair':
      return measured === null ? NOTHING : ofPair(measured, ask.pair);
  }
}
