/** Agents side by side: results after fees and trade figures. */
import { useMemo } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { agentCap } from '../../../contract/tiers.ts';
import { EmptyState, SkeletonRows } from '../../components/EmptyState.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { Amount, Ratio } from '../../components/Figures.tsx';
import { LinkButton } from '../../components/Button.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { ShareText } from '../../components/ShareText.tsx';
import { ariaSort, SortButton } from '../../components/SortButton.tsx';
import type { TableSort } from '../../components/table-order.ts';
import { useHeldOrder } from '../../components/use-held-order.ts';
import { CommandState } from '../../components/CommandState.tsx';
import { DataAge } from '../../shell/DataAge.tsx';
import { loadAgents } from '../../stores/agents-store.ts';
import { runningText, type AgentView } from '../../stores/agent-view.ts';
import { useAuth } from '../../stores/use-security.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio-store.ts';
import { chooseTable, tableChoices } from '../../stores/table-choices.ts';
import { POOL_NAME } from '../agents/agent-text.ts';
import { AgentActions } from '../agents/list/AgentActions.tsx';
import { AgentStatus } from '../agents/AgentStatus.tsx';
import { sumOf } from '../explain/equation.ts';
import { Explain } from '../explain/Explain.tsx';
import { useInsight, useSlot, useViewsOf } from '../use-store.ts';
import { compared, sortCompared, type Column, type Compared } from './compare-agents.ts';
import { Curves } from './Curves.tsx';
import { resultText } from './result-text.ts';
import { formatSpan } from '../../format/ages.ts';
import { formatNumber } from '../../format/numbers.ts';

const COLUMNS: readonly [Column, string][] = [
  ['total', 'Result'],
  ['realized', 'Realised'],
  ['unrealized', 'Unrealised'],
  ['fees', 'Fees'],
  ['trades', 'Trades'],
  ['winRate', 'Win rate'],
  ['profitFactor', 'Profit factor'],
  ['drawdown', 'Max. drawdown'],
  ['exposure', 'Exposure'],
];

function Figures({ row }: { row: Compared }) {
  const { agent } = row;
  const opens = (
    of: 'agent' | 'agent-realized' | 'agent-unrealized',
    shown: string,
    name: string,
  ) => (
    <Explain
      ask={{ of, id: agent.id, name: agent.name, shown }}
      name={`${name} of ${agent.name}`}
      plain
    >
      <Amount value={shown} change />
    </Explain>
  );
  return (
    <>
      <td className="num font-medium">{opens('agent', agent.total, 'the result')}</td>
      <td className="num">{opens('agent-realized', agent.realized, 'the realised result')}</td>
      <td className="num">
        {opens('agent-unrealized', agent.unrealized, 'the unrealised result')}
      </td>
      <td className="num">
        <Amount value={agent.fees} />
      </td>
      <td className="num">
        {row.trades === null ? (
          <Ratio value={null} why="Available after the next update" />
        ) : (
          formatNumber(row.trades)
        )}
      </td>
      <td className="num">
        <Ratio value={row.winRate} share why="No closed trade yet" />
      </td>
      <td className="num">
        <Ratio
          value={row.profitFactor}
          why={row.winRate === null ? 'No closed trade yet' : 'No losing trade yet'}
        />
      </td>
      <td className="num">
        <Amount
          value={row.drawdown === null ? null : row.drawdown.toFixed(6)}
          change
          why="No trade yet"
        />
      </td>
      <td className="num">
        <Ratio value={row.exposure} share why="No trade yet" />
      </td>
    </>
  );
}

/** Totals of the rows. Deleted agents are not included. */
const totalOf = (
  rows: readonly Compared[],
  key: 'total' | 'realized' | 'unrealized' | 'fees',
): string => sumOf(rows.map(({ agent }) => agent[key]));

/** The user's sort order, or by result. */
function useSort(): TableSort<Column> {
  const saved = useSnapshot(tableChoices).agents?.sort;
  return {
    key:
      COLUMNS.find(([column]) => column === saved?.key)?.[0] ??
      (saved?.key === 'name' ? 'name' : 'total'),
    down: saved?.down ?? true,
  };
}

function Heading({
  column,
  label,
  sort,
  isText = false,
}: {
  column: Column;
  label: string;
  sort: TableSort<Column>;
  isText?: boolean;
}) {
  return (
    <th scope="col" className={isText ? '' : 'num'} aria-sort={ariaSort(sort, column)}>
      <SortButton
        name={column}
        label={label}
        sort={sort}
        isText={isText}
        onSort={(next) => {
          void chooseTable('agents', { sort: next });
        }}
      />
    </th>
  );
}

type Row = AgentView & Compared;

function AgentRow({ row, rank }: { row: Row; rank: number | undefined }) {
  return (
    <tr>
      <td className="text-ink-3">{rank}</td>
      <td className="sticky left-0 z-[1] min-w-32 bg-ground py-1.5 whitespace-normal! sm:min-w-56">
        <Link
          href={`/agents/${encodeURIComponent(row.agent.id)}`}
          className="reach block max-w-56 font-medium break-words hover:text-accent"
        >
          {row.agent.name}
        </Link>
        <AgentStatus view={row} className="text-xs" />
        {row.entry !== null && row.commandText !== null && (
          <CommandState phase={row.entry.state} className="text-xs">
            {row.commandText}
          </CommandState>
        )}
        <span className="block text-xs text-ink-3">{POOL_NAME[row.agent.pool]}</span>
      </td>
      <Figures row={row} />
      <td>
        <AgentActions view={row} startable={false} />
      </td>
    </tr>
  );
}

function AgentTable({
  rows,
  sort,
  hold,
}: {
  rows: readonly Row[];
  sort: TableSort<Column>;
  hold: ReturnType<typeof useHeldOrder>['hold'];
}) {
  const ranks = new Map(
    sortCompared(rows, { key: 'total', down: true }).map(({ agent }, index) => [
      agent.id,
      index + 1,
    ]),
  );
  return (
    <div className="sheet-scroll">
      <table className="sheet-table">
        <thead>
          <tr>
            <th scope="col" className="w-6">
              <abbr title="Rank by result" className="no-underline">
                #
              </abbr>
            </th>
            <Heading column="name" label="Agent" sort={sort} isText />
            {COLUMNS.map(([column, label]) => (
              <Heading key={column} column={column} label={label} sort={sort} />
            ))}
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody {...hold}>
          {rows.map((row) => (
            <AgentRow key={row.agent.id} row={row} rank={ranks.get(row.agent.id)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The line it is read from is as coarse as its account is old. */
function DrawdownNote({ stepMs }: { stepMs: number }) {
  return (
    <p className="mt-2 max-w-[72ch] text-xs text-ink-3">
      Max. drawdown is the deepest fall of a result at steps of {formatSpan(stepMs)}. Dips between
      two steps are not in it, and steps grow longer with time.
    </p>
  );
}

/** Totals of all agents. */
function Together({ rows, current }: { rows: readonly Compared[]; current: boolean }) {
  const { subscriptionTier } = useAuth();
  return (
    <Section title="Total" className="max-w-md">
      <dl>
        <Line term="Result">
          <Explain ask={{ of: 'agents' }} name="the result of all agents">
            <Amount value={totalOf(rows, 'total')} change quote={rows[0]?.agent.quote ?? ''} />
          </Explain>
        </Line>
        <Line term="Realised, net of fees">
          <Explain ask={{ of: 'agents-realized' }} name="what all agents realised">
            <Amount value={totalOf(rows, 'realized')} change />
          </Explain>
        </Line>
        <Line term="Unrealised">
          <Explain ask={{ of: 'agents-unrealized' }} name="what all agents hold unrealised">
            <Amount value={totalOf(rows, 'unrealized')} change />
          </Explain>
        </Line>
        <Line term="Fees">
          <Amount value={totalOf(rows, 'fees')} />
        </Line>
        <Line term="Agents">
          {runningText(
            rows.map(({ agent }) => agent),
            current,
          )}
          , {agentCap(subscriptionTier)} with your plan
        </Line>
      </dl>
    </Section>
  );
}

export default function PerformanceScreen() {
  const { views, current, slot } = useViewsOf(null);
  const portfolio = useSlot(portfolioStore, loadPortfolio).data;
  const words = portfolio === null ? null : resultText(portfolio);
  const insight = useInsight().data;
  const sort = useSort();
  const compares = views === null ? [] : compared(views, insight, portfolio);
  const sorted = sortCompared(compares, sort);
  const { order, hold } = useHeldOrder(sorted.map(({ agent }) => agent.id));
  const rows = order.flatMap((id) => sorted.find(({ agent }) => agent.id === id) ?? []);
  const agents = useMemo(
    () => views?.map(({ agent }) => ({ id: agent.id, name: agent.name })) ?? [],
    [views],
  );
  return (
    <>
      <ScreenTitle
        title="Performance"
        note={
          <>
            Agents side by side, after fees <DataAge kind="agents" />
          </>
        }
      />
      <ScreenError
        message={slot.error}
        hasData={views !== null}
        onRetry={() => {
          void loadAgents(true);
        }}
      />
      {views === null && slot.error === null && <SkeletonRows rows={5} label="Agents" />}
      {views !== null && views.length === 0 && (
        <EmptyState
          title="Nothing to compare yet"
          action={
            <LinkButton to="/agents" tone="primary">
              Agents
            </LinkButton>
          }
        >
          Each agent appears here with its result and fees.
        </EmptyState>
      )}
      {views !== null && views.length > 0 && (
        <div className="flex flex-col gap-8">
          <div>
            <AgentTable rows={rows} sort={sort} hold={hold} />
            {insight !== null && <DrawdownNote stepMs={insight.stepMs} />}
          </div>
          <Section title="Over time" aside="result, realised and unrealised">
            <Curves agents={agents} insight={insight} quote={portfolio?.quote ?? ''} />
          </Section>
          <Together rows={rows} current={current} />
          {words !== null && (
            <Section title="Share" className="max-w-2xl">
              <ShareText
                label="Share result"
                what={{ title: 'Tradewind', text: words, url: `${location.origin}/` }}
              />
            </Section>
          )}
        </div>
      )}
    </>
  );
}
