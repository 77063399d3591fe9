/** Agents side by side, by what they earned after fees; refuses a ranking by luck alone: trades stand beside. */
import { useState } from 'react';
import { Link } from 'wouter';
import type { Agent } from '../../../contract/agents.ts';
import { EmptyState, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Amount } from '../../components/Figures.tsx';
import { LinkButton } from '../../components/Button.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { ShareWords } from '../../components/ShareWords.tsx';
import { CommandState } from '../../components/CommandState.tsx';
import { StatusBadge } from '../../components/Tags.tsx';
import { DataAge } from '../../shell/DataAge.tsx';
import { loadAgents } from '../../stores/agents.ts';
import { analyticsStore, loadAnalytics, loadSummary, summaryStore } from '../../stores/analytics.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import { POOL_NAME } from '../agents/agent-words.ts';
import { AgentActs } from '../agents/AgentActs.tsx';
import { STATUS_TONE } from '../agents/AgentRow.tsx';
import { useAgentViews, useSlot } from '../reading.ts';
import { resultWords } from './result-words.ts';

type Column = 'name' | 'total' | 'realized' | 'unrealized' | 'fees';
const COLUMNS: readonly [Column, string][] = [['total', 'Result'], ['realized', 'Realised'], ['unrealized', 'Unrealised'], ['fees', 'Fees']];

/** Best first; names from A. */
export function sortAgents<T extends { agent: Pick<Agent, Column> }>(views: readonly T[], by: Column): T[] {
  return [...views].sort((a, b) => (by === 'name' ? a.agent.name.localeCompare(b.agent.name) : Number(b.agent[by]) - Number(a.agent[by])));
}

export default function Performance() {
  const { views, slot } = useAgentViews();
  const summary = useSlot(summaryStore, loadSummary).data;
  const portfolio = useSlot(portfolioStore, loadPortfolio).data;
  const words = portfolio === null ? null : resultWords(portfolio);
  const perAgent = useSlot(analyticsStore, loadAnalytics).data?.perAgent ?? [];
  const [by, setBy] = useState<Column>('total');
  const heading = (column: Column, label: string, numeric: boolean) => (
    <th key={column} scope="col" className={numeric ? 'num' : ''} aria-sort={by === column ? (column === 'name' ? 'ascending' : 'descending') : 'none'}>
      <button type="button" className={`min-h-8 ${by === column ? 'font-semibold text-ink' : ''}`} onClick={() => { setBy(column); }}>{label}</button>
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
              <thead><tr>{heading('name', 'Agent', false)}<th scope="col">State</th><th scope="col">Pool</th><th scope="col" className="num">Trades</th>{COLUMNS.map(([column, label]) => heading(column, label, true))}<th scope="col"><span className="sr-only">Acts</span></th></tr></thead>
              <tbody>
                {sortAgents(views, by).map((view) => ({ view, agent: view.agent })).map(({ view, agent }) => (
                  <tr key={agent.id}>
                    <td><Link href={`/agents/${encodeURIComponent(agent.id)}`} className="block max-w-40 truncate font-medium hover:text-accent md:max-w-72">{agent.name}</Link></td>
                    <td className="min-w-44 whitespace-normal"><StatusBadge tone={STATUS_TONE[agent.status]} className="text-xs">{view.statusText}</StatusBadge>{view.entry !== null && view.commandText !== null && <CommandState phase={view.entry.state} className="text-xs">{view.commandText}</CommandState>}</td>
                    <td className="text-ink-2">{POOL_NAME[agent.pool]}</td>
                    <td className="num">{perAgent.find((row) => row.agentId === agent.id)?.trades ?? '—'}</td>
                    <td className="num"><Amount value={agent.total} change /></td>
                    <td className="num"><Amount value={agent.realized} change /></td>
                    <td className="num"><Amount value={agent.unrealized} change /></td>
                    <td className="num"><Amount value={agent.fees} /></td>
                    <td><AgentActs view={view} startable={false} /></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Section title="Together" className="max-w-md">
            {summary === null ? <SkeletonRows rows={5} label="Together" /> : (
              <dl>
                <Line term="Result"><Amount value={summary.totalProfit} change quote={summary.quote} /></Line>
                <Line term="Realised, net of fees"><Amount value={summary.realized} change /></Line>
                <Line term="Unrealised"><Amount value={summary.unrealized} change /></Line>
                <Line term="Fees"><Amount value={summary.fees} /></Line>
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
