/** Agents side by side, by what they earned after fees; refuses a ranking by luck alone: trades stand beside. */
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { EmptyState, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Amount, Ratio } from '../../components/Figures.tsx';
import { LinkButton } from '../../components/Button.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { ShareWords } from '../../components/ShareWords.tsx';
import { CommandState } from '../../components/CommandState.tsx';
import { StatusBadge } from '../../components/Tags.tsx';
import { DataAge } from '../../shell/DataAge.tsx';
import { loadAgents } from '../../stores/agents.ts';
import { insightStore, loadInsight, loadSummary, summaryStore } from '../../stores/analytics.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import { POOL_NAME } from '../agents/agent-words.ts';
import { AgentActs } from '../agents/AgentActs.tsx';
import { STATUS_TONE } from '../agents/agent-looks.ts';
import { sumOf } from '../explain/equation.ts';
import { Explain } from '../explain/Explain.tsx';
import { useAgentViews, useSlot } from '../reading.ts';
import { compared, sortCompared, type Column, type Compared } from './compare.ts';
import { Curves } from './Curves.tsx';
import { resultWords } from './result-words.ts';

const COLUMNS: readonly [Column, string][] = [
  ['total', 'Result'], ['realized', 'Realised'], ['unrealized', 'Unrealised'], ['fees', 'Fees'], ['trades', 'Trades'], ['winRate', 'Win rate'],
  ['profitFactor', 'Profit factor'], ['drawdown', 'Deepest fall'], ['exposure', 'Exposure'],
];

function Figures({ row }: { row: Compared }) {
  const { agent } = row;
  const opens = (of: 'agent' | 'agent-realized' | 'agent-unrealized', shown: string, name: string) => <Explain ask={{ of, id: agent.id, name: agent.name, shown }} name={`${name} of ${agent.name}`} plain><Amount value={shown} change /></Explain>;
  return (
    <>
      <td className="num font-medium">{opens('agent', agent.total, 'the result')}</td>
      <td className="num">{opens('agent-realized', agent.realized, 'what was realised')}</td>
      <td className="num">{opens('agent-unrealized', agent.unrealized, 'what is unrealised')}</td>
      <td className="num"><Amount value={agent.fees} /></td>
      <td className="num">{row.trades ?? <Ratio value={null} why="Comes with the next reading" />}</td>
      <td className="num"><Ratio value={row.winRate} share why="Nothing closed yet" /></td>
      <td className="num"><Ratio value={row.profitFactor} why="No loss yet to divide by" /></td>
      <td className="num"><Amount value={row.drawdown === null ? null : row.drawdown.toFixed(6)} change why="No trade yet" /></td>
      <td className="num"><Ratio value={row.exposure} share why="No trade yet" /></td>
    </>
  );
}

/** The rows of the table added up: agents that were deleted are not among them. */
const totalOf = (rows: readonly Compared[], key: 'total' | 'realized' | 'unrealized' | 'fees'): string => sumOf(rows.map(({ agent }) => agent[key]));

export default function Performance() {
  const { views, slot } = useAgentViews();
  const summary = useSlot(summaryStore, loadSummary).data;
  const portfolio = useSlot(portfolioStore, loadPortfolio).data;
  const words = portfolio === null ? null : resultWords(portfolio);
  const insight = useSlot(insightStore, loadInsight).data;
  const [by, setBy] = useState<Column>('total');
  const [turned, setTurned] = useState(false);
  const rows = views === null ? [] : sortCompared(compared(views, insight), by, turned);
  const ranks = new Map(sortCompared(rows, 'total').map(({ agent }, index) => [agent.id, index + 1]));
  const agents = useMemo(() => views?.map(({ agent }) => ({ id: agent.id, name: agent.name })) ?? [], [views]);
  const press = (column: Column): void => { setTurned(by === column && !turned); setBy(column); };
  const downFirst = by !== 'name';
  const heading = (column: Column, label: string, numeric: boolean) => (
    <th key={column} scope="col" className={numeric ? 'num' : ''} aria-sort={by !== column ? 'none' : downFirst !== turned ? 'descending' : 'ascending'}>
      <button type="button" className={`min-h-8 ${by === column ? 'font-semibold text-ink' : 'hover:text-ink'}`} onClick={() => { press(column); }}>{label}<span aria-hidden className="ml-1 inline-block w-2 text-[0.7em]">{by !== column ? '' : downFirst !== turned ? '▼' : '▲'}</span></button>
    </th>
  );
  return (
    <>
      <ScreenTitle title="Performance" note={<>Agents side by side, after fees <DataAge kind="agents" /></>} />
      <ReadError message={slot.error} hasData={views !== null} onRetry={() => { void loadAgents(true); }} />
      {views === null && slot.error === null && <SkeletonRows rows={5} label="Agents" />}
      {views !== null && views.length === 0 && <EmptyState title="Nothing to compare yet" action={<LinkButton to="/agents" tone="primary">Agents</LinkButton>}>Each agent appears here with its result, realised and unrealised, and its fees.</EmptyState>}
      {views !== null && views.length > 0 && (
        <div className="flex flex-col gap-8">
          <div className="sheet-scroll">
            <table className="sheet-table">
              <thead><tr><th scope="col" className="w-6"><abbr title="Rank by result" className="no-underline">#</abbr></th>{heading('name', 'Agent', false)}{COLUMNS.map(([column, label]) => heading(column, label, true))}<th scope="col"><span className="sr-only">Acts</span></th></tr></thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.agent.id}>
                    <td className="text-ink-3">{ranks.get(row.agent.id)}</td>
                    <td className="sticky left-0 z-[1] min-w-32 bg-ground py-1.5 whitespace-normal! sm:min-w-56"><Link href={`/agents/${encodeURIComponent(row.agent.id)}`} className="block max-w-56 font-medium break-words hover:text-accent">{row.agent.name}</Link><StatusBadge tone={STATUS_TONE[row.agent.status]} className="text-xs">{row.statusText}</StatusBadge>{row.entry !== null && row.commandText !== null && <CommandState phase={row.entry.state} className="text-xs">{row.commandText}</CommandState>}<span className="block text-xs text-ink-3">{POOL_NAME[row.agent.pool]}</span></td>
                    <Figures row={row} />
                    <td><AgentActs view={row} startable={false} /></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Section title="Over time" aside="result, realised and unrealised"><Curves agents={agents} insight={insight} quote={portfolio?.quote ?? ''} /></Section>
          <Section title="Together" className="max-w-md">
            {summary === null ? <SkeletonRows rows={5} label="Together" /> : (
              <dl>
                <Line term="Result"><Explain ask={{ of: 'agents' }} name="the result of all agents"><Amount value={totalOf(rows, 'total')} change quote={summary.quote} /></Explain></Line>
                <Line term="Realised, net of fees"><Explain ask={{ of: 'agents-realized' }} name="what all agents realised"><Amount value={totalOf(rows, 'realized')} change /></Explain></Line>
                <Line term="Unrealised"><Explain ask={{ of: 'agents-unrealized' }} name="what all agents hold unrealised"><Amount value={totalOf(rows, 'unrealized')} change /></Explain></Line>
                <Line term="Fees"><Amount value={totalOf(rows, 'fees')} /></Line>
                <Line term="Agents">{summary.running} running of {summary.total}, {summary.cap} allowed</Line>
              </dl>
            )}
          </Section>
          {words !== null && (
            <Section title="Tell somebody" className="max-w-2xl">
              <ShareWords label="Share the result" what={{ title: 'Tradewind', text: words, url: `${location.origin}/` }} />
            </Section>
          )}
        </div>
      )}
    </>
  );
}
