/** Filters and sorts the list of agents as its person last chose while the app is open. */
import { proxy } from 'valtio';
import { subscribeKey } from 'valtio/utils';
import { add, parseFixed, ZERO, type Fixed } from '../../../../contract/money.ts';
import { session } from '../../../identity/session.ts';
import type { AgentView } from '../../../stores/agent-view.ts';
import { POOL_NAME } from '../agent-text.ts';

export type StatusFilter = 'all' | 'running' | 'stopped' | 'needs-you';
export type SortKey = 'made' | 'name' | 'lastCheck' | 'realized' | 'unrealized' | 'total';

export interface ListView {
  query: string;
  status: StatusFilter;
  sort: SortKey;
  /** Largest first; for names and creation date, last first. */
  down: boolean;
}

const UNCHOSEN: ListView = { query: '', status: 'all', sort: 'made', down: false };
export const listView = proxy<ListView>({ ...UNCHOSEN });
// The next person at this device finds no search of the one before, in any tab.
let uid = session.user?.uid;
subscribeKey(session, 'user', (user) => {
  if (user?.uid !== uid) Object.assign(listView, UNCHOSEN);
  uid = user?.uid;
});

export const STATUS_NAME: Record<StatusFilter, string> = {
  all: 'All',
  running: 'Running',
  stopped: 'Stopped',
  'needs-you': 'Needs you',
};
export const SORT_NAME: Record<SortKey, string> = {
  made: 'Date created',
  name: 'Name',
  lastCheck: 'Last check',
  realized: 'Realised',
  unrealized: 'Unrealised',
  total: 'Result',
};

const needsYou = ({ agent, alert, canReview }: AgentView): boolean =>
  alert || canReview || agent.status === 'halted' || agent.status === 'faulted';

export function hasStatus(view: AgentView, status: StatusFilter): boolean {
  if (status === 'all') return true;
  return status === 'needs-you' ? needsYou(view) : view.agent.status === status;
}

/** By name, pair or pool: every word must match. */
function matches({ agent }: AgentView, query: string): boolean {
  const text = [agent.name, ...agent.trading_pairs, POOL_NAME[agent.pool], agent.risk_profile]
    .join(' ')
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const compareFixed = (a: Fixed, b: Fixed): number => (a < b ? -1 : a > b ? 1 : 0);

function compare(a: AgentView, b: AgentView, sort: SortKey): number {
  switch (sort) {
    case 'made':
      return a.agent.createdAt - b.agent.createdAt;
    case 'name':
      return a.agent.name.localeCompare(b.agent.name);
    case 'lastCheck':
      return (a.agent.lastRunAt ?? 0) - (b.agent.lastRunAt ?? 0);
    case 'realized':
    case 'unrealized':
    case 'total':
      return compareFixed(parseFixed(a.money[sort] ?? '0'), parseFixed(b.money[sort] ?? '0'));
  }
}

/** What has no price has no result to be sorted by: it comes last in both directions. */
const isUnknown = ({ money }: AgentView, sort: SortKey): boolean =>
  (sort === 'unrealized' || sort === 'total') && money[sort] === null;

/** Equal agents keep the server's order in both directions. */
export function shownAgents(
  views: readonly AgentView[],
  { query, status, sort, down }: Readonly<ListView>,
): AgentView[] {
  const way = down ? -1 : 1;
  return views
    .filter((view) => hasStatus(view, status) && matches(view, query))
    .sort(
      (a, b) =>
        Number(isUnknown(a, sort)) - Number(isUnknown(b, sort)) || way * compare(a, b, sort),
    );
}

/** The order after a press on a header: figures and times begin with the largest, names with A. */
export function turned(view: Readonly<ListView>, key: SortKey): Pick<ListView, 'sort' | 'down'> {
  return view.sort === key
    ? { sort: key, down: !view.down }
    : { sort: key, down: key !== 'name' && key !== 'made' };
}

/** A sum is null where one of the agents has no known result. */
export function together(
  views: readonly AgentView[],
): Record<'realized' | 'unrealized' | 'total', Fixed | null> {
  const sum = (key: 'realized' | 'unrealized' | 'total'): Fixed | null =>
    views.reduce<Fixed | null>((all, { money: { [key]: value } }) => {
      return all === null || value === null ? null : add(all, parseFixed(value));
    }, ZERO);
  return { realized: sum('realized'), unrealized: sum('unrealized'), total: sum('total') };
}
