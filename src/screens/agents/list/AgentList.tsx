/**
 * Lists all agents with their results, searchable and sortable: rows on a phone, columns on a wide
 * window.
 */
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { formatFixed, type Fixed } from '../../../../contract/money.ts';
import { Button } from '../../../components/Button.tsx';
import { classes } from '../../../components/class-names.ts';
import { Field } from '../../../components/Field.tsx';
import { Amount } from '../../../components/Figures.tsx';
import { noPriceText } from '../../../format/no-price.ts';
import type { AgentView } from '../../../stores/agent-view.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { Explain } from '../../explain/Explain.tsx';
import { ExplainAgent } from '../../explain/ExplainAgent.tsx';
import { AgentActions } from './AgentActions.tsx';
import { AgentName } from './AgentName.tsx';
import { AgentLine } from './AgentRow.tsx';
import { pairsText, POOL_NAME } from '../agent-text.ts';
import {
  hasStatus,
  listView,
  shownAgents,
  SORT_NAME,
  STATUS_NAME,
  together,
  turned,
  type SortKey,
  type StatusFilter,
} from './agent-list-view.ts';

/** With fewer agents there is no search. */
const FIND_FROM = 4;
const GRID =
  'grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 lg:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)_6rem_repeat(3,minmax(5.5rem,auto))_2.75rem] lg:gap-x-5';

function chipTone(on: boolean, urgent: boolean): string {
  if (on) return 'border-accent bg-accent-wash font-medium text-accent';
  if (urgent) return 'border-amber-line text-amber';
  return 'border-line-strong/60 text-ink-2 hover:text-ink';
}

function StatusChips({ views }: { views: readonly AgentView[] }) {
  const view = useSnapshot(listView);
  const current = views[0]?.current ?? true;
  return (
    <div
      role="group"
      aria-label={current ? 'Status' : 'Status when last seen'}
      className="flex flex-wrap gap-1 sm:gap-1.5"
    >
      {(Object.keys(STATUS_NAME) as StatusFilter[]).map((status) => {
        const count = views.filter((one) => hasStatus(one, status)).length;
        const on = view.status === status;
        return (
          <button
            key={status}
            type="button"
            aria-pressed={on}
            onClick={() => {
              listView.status = status;
            }}
            className={classes(
              'min-h-11 rounded-md border px-2 sm:px-2.5 pointer-fine:min-h-9',
              chipTone(on, status === 'needs-you' && count > 0),
            )}
          >
            {STATUS_NAME[status]} <span className="text-xs">{count}</span>
          </button>
        );
      })}
    </div>
  );
}

/** The order on a phone, where there are no column headers. */
function SortSelect() {
  const view = useSnapshot(listView);
  return (
    <label className="flex items-center gap-2 text-xs text-ink-3 lg:hidden">
      Sort by
      <select
        value={view.sort}
        onChange={(event) => {
          Object.assign(listView, turned({ ...view, sort: 'made' }, event.target.value as SortKey));
        }}
        className="h-11 rounded-md border border-line-strong/60 bg-surface px-2 text-ink pointer-fine:h-9"
      >
        {(Object.keys(SORT_NAME) as SortKey[]).map((key) => (
          <option key={key} value={key}>
            {SORT_NAME[key]}
          </option>
        ))}
      </select>
      <button
        type="button"
        aria-label={view.down ? 'Largest first. Reverse order' : 'Smallest first. Reverse order'}
        onClick={() => {
          listView.down = !view.down;
        }}
        className="flex size-11 items-center justify-center rounded-md border border-line-strong/60 text-ink-2 pointer-fine:size-9"
      >
        {view.down ? (
          <ArrowDown aria-hidden className="size-4" />
        ) : (
          <ArrowUp aria-hidden className="size-4" />
        )}
      </button>
    </label>
  );
}

function AgentSearch({ views, shown }: { views: readonly AgentView[]; shown: number }) {
  const view = useSnapshot(listView);
  return (
    <div className="mb-3 flex flex-col gap-3 sm:flex-row sm:flex-wrap sm:items-end">
      <div className="min-w-0 max-sm:[&_label]:sr-only sm:w-64">
        <Field
          label="Find an agent"
          placeholder="Name, pair or pool"
          value={view.query}
          autoComplete="off"
          type="search"
          onChange={(event) => {
            listView.query = event.target.value;
          }}
        />
      </div>
      <StatusChips views={views} />
      <SortSelect />
      <p role="status" className="sr-only">
        {shown} of {views.length} agents shown
      </p>
    </div>
  );
}

function Heading({ by, right = false }: { by: SortKey; right?: boolean }) {
  const view = useSnapshot(listView);
  const on = view.sort === by;
  const Arrow = view.down ? ArrowDown : ArrowUp;
  const order = view.down ? ', largest first' : ', smallest first';
  return (
    <button
      type="button"
      aria-pressed={on}
      aria-label={`Sort by ${SORT_NAME[by].toLowerCase()}${on ? order : ''}`}
      onClick={() => {
        Object.assign(listView, turned(view, by));
      }}
      className={classes(
        'inline-flex min-h-8 items-center gap-1 hover:text-ink',
        right && 'justify-self-end',
        on ? 'text-ink' : 'text-ink-3',
      )}
    >
      {SORT_NAME[by]}
      {on && <Arrow aria-hidden className="size-3" />}
    </button>
  );
}

/** On a phone only the result opens: realised and unrealised are rows of its sum. */
function Row({ view }: { view: AgentView }) {
  const { agent, money } = view;
  const why = noPriceText(money.unpriced);
  const opens = (
    of: 'agent' | 'agent-realized' | 'agent-unrealized',
    shown: string | null,
    name: string,
    className?: string,
  ): ReactNode => (
    <ExplainAgent agent={agent} of={of} shown={shown} what={`${name} of ${agent.name}`}>
      <Amount value={shown} change why={why} {...(className === undefined ? {} : { className })} />
    </ExplainAgent>
  );
  return (
    <li className={classes('rule py-2', GRID)}>
      <AgentName view={view} />
      <span className="hidden min-w-0 text-xs text-ink-3 lg:block">
        <span className="block truncate text-ink-2">
          {POOL_NAME[agent.pool]}, {agent.risk_profile}
        </span>
        <span className="block truncate" title={agent.trading_pairs.join(', ')}>
          {pairsText(agent)}
        </span>
      </span>
      <span className="hidden lg:block">
        <AgentLine agent={agent} />
      </span>
      <span className="hidden text-right lg:block">
        {opens('agent-realized', money.realized, 'the realised result')}
      </span>
      <span className="hidden text-right lg:block">
        {opens('agent-unrealized', money.unrealized, 'the unrealised result')}
      </span>
      <span className="flex flex-col items-end text-right">
        {opens('agent', money.total, 'the result', 'font-medium')}
        <span className="text-xs text-ink-3 lg:hidden">
          <span className="block">
            realised <Amount value={money.realized} change />
          </span>
          <span className="block">
            open <Amount value={money.unrealized} change why={why} />
          </span>
        </span>
        <span className="mt-1 lg:hidden">
          <AgentLine agent={agent} />
        </span>
      </span>
      <AgentActions view={view} />
    </li>
  );
}

function Headings() {
  return (
    <div role="group" aria-label="Order" className={classes('text-xs max-lg:hidden', GRID)}>
      <span className="flex gap-3">
        <Heading by="name" />
        <Heading by="lastCheck" />
        <Heading by="made" />
      </span>
      <span className="text-ink-3">Terms</span>
      <span className="text-ink-3">Over time</span>
      <Heading by="realized" right />
      <Heading by="unrealized" right />
      <Heading by="total" right />
      <span />
    </div>
  );
}

/** Says that no agent matches, and clears the filter. */
function NoMatch({ views }: { views: readonly AgentView[] }) {
  const chosen = useSnapshot(listView);
  return (
    <div className="rule flex flex-wrap items-center justify-between gap-3 py-4 text-ink-2">
      <p>
        No agent of {views.length} is{' '}
        {chosen.status === 'all' ? 'like that' : STATUS_NAME[chosen.status].toLowerCase()}
        {views[0]?.current === false && chosen.status !== 'all' ? ', as last seen' : ''}
        {chosen.query.trim() === '' ? '' : ` and matches “${chosen.query.trim()}”`}.
      </p>
      <Button
        size="sm"
        onClick={() => {
          listView.query = '';
          listView.status = 'all';
        }}
      >
        Show all
      </Button>
    </div>
  );
}

/** Totals of the agents shown. */
function Together({ shown, whole }: { shown: readonly AgentView[]; whole: boolean }) {
  const sums = together(shown);
  const why = noPriceText(shown.flatMap(({ money }) => money.unpriced ?? []));
  const ids = shown.map(({ agent }) => agent.id);
  // The sums are those of the paper account.
  const isLive = shown.some(({ agent }) => connectionOf(agent) !== null);
  const opens = (
    of: 'agents' | 'agents-realized' | 'agents-unrealized',
    value: Fixed | null,
    name: string,
  ): ReactNode => {
    const figure = (
      <Amount
        value={value === null ? null : formatFixed(value)}
        change
        why={why}
        {...(of === 'agents' ? { className: 'font-semibold' } : {})}
      />
    );
    if (isLive) return figure;
    return (
      <Explain ask={{ of, ids }} name={`${name} of ${whole ? 'all agents' : 'these agents'}`} plain>
        {figure}
      </Explain>
    );
  };
  return (
    <div className={classes('rule py-2.5', GRID)}>
      <span className="text-ink-2">
        {whole ? 'All together' : `These ${shown.length} together`}
      </span>
      <span className="hidden lg:block" />
      <span className="hidden lg:block" />
      <span className="hidden text-right lg:block">
        {opens('agents-realized', sums.realized, 'the realised result')}
      </span>
      <span className="hidden text-right lg:block">
        {opens('agents-unrealized', sums.unrealized, 'the unrealised result')}
      </span>
      <span className="text-right">
        {opens('agents', sums.total, 'the result')}
        <span className="block text-xs text-ink-3 lg:hidden">
          realised{' '}
          <Amount value={sums.realized === null ? null : formatFixed(sums.realized)} change />
        </span>
      </span>
      <span className="w-11 pointer-fine:w-9" />
    </div>
  );
}

export function AgentList({ views }: { views: readonly AgentView[] }) {
  const chosen = useSnapshot(listView);
  const findable = views.length >= FIND_FROM;
  const shown = findable ? shownAgents(views, chosen) : [...views];
  return (
    <>
      {findable && <AgentSearch views={views} shown={shown.length} />}
      <Headings />
      <ul>
        {shown.map((view) => (
          <Row key={view.agent.id} view={view} />
        ))}
      </ul>
      {shown.length === 0 && <NoMatch views={views} />}
      {shown.length > 1 && <Together shown={shown} whole={shown.length === views.length} />}
    </>
  );
}
