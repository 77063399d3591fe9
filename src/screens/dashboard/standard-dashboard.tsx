/** The standard dashboard: equity, what happened, agents, positions; what needs the person first. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { LinkButton } from '../../components/Button.tsx';
import { EmptyState, ReadError, Skeleton, SkeletonRows } from '../../components/EmptyState.tsx';
import { EquityChart } from '../../components/EquityChart.tsx';
import { Section } from '../../components/Section.tsx';
import { session } from '../../identity/session.ts';
import { historyStore, loadHistory } from '../../stores/history.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import { useAuth } from '../../stores/security.ts';
import { AgentRow } from '../agents/AgentRow.tsx';
import { EquityFigure } from '../portfolio/Equity.tsx';
import { Fills } from '../portfolio/Fills.tsx';
import { Positions } from '../portfolio/Positions.tsx';
import { useAgentViews, useSlot } from '../reading.ts';
import { lastSeen, rememberSeen, sinceText } from './since.ts';

const SHOWN = 6;

function NeedsYou({ views }: { views: readonly AgentView[] }) {
  const urgent = views.filter((view) => view.alert || view.agent.status === 'faulted' || view.agent.status === 'halted');
  if (urgent.length === 0) return null;
  return (
    <section aria-label="Needs you" className="border-l-2 border-amber pl-4">
      <h2 className="text-sm font-semibold text-amber">Needs you</h2>
      <ul>{urgent.map((view) => <li key={view.agent.id} className="py-1.5"><Link href={`/agents/${encodeURIComponent(view.agent.id)}`} className="font-medium underline-offset-2 hover:underline">{view.agent.name}</Link><p className="text-ink-2">{view.alert ? view.commandText : view.statusText}</p></li>)}</ul>
    </section>
  );
}

/** The way in for a person who has nothing yet: one next step. */
function FirstStep() {
  const { hasUsedTrial, isSubscribed } = useAuth();
  return isSubscribed
    ? <EmptyState title="No agents yet" action={<LinkButton to="/guided-setup" tone="primary">Set up an agent</LinkButton>}>Four questions, then an agent that trades on paper.</EmptyState>
    : <EmptyState title="No agents yet" action={<LinkButton to="/subscription" tone="primary">{hasUsedTrial ? 'View Plans' : 'Start the free trial'}</LinkButton>}>{hasUsedTrial ? 'Agents are part of every plan from Starter.' : 'The free trial has everything of Standard, with up to 5 agents, on paper money.'}</EmptyState>;
}

export default function StandardDashboard() {
  const portfolio = useSlot(portfolioStore, loadPortfolio);
  const history = useSlot(historyStore, loadHistory);
  const { views, slot } = useAgentViews();
  const uid = useSnapshot(session).user?.uid ?? '';
  const [since] = useState(() => lastSeen(uid));
  const fills = history.data?.fills ?? [];
  const newest = fills[0]?.filledAt;
  useEffect(() => { if (uid !== '' && newest !== undefined) rememberSeen(uid, newest); }, [uid, newest]);
  const news = since === null ? null : sinceText(fills, since);
  const running = views?.filter((view) => view.agent.status === 'running').length ?? 0;
  return (
    <>
      <h1 className="sr-only">Dashboard</h1>
      <div className="grid gap-x-10 gap-y-7 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-7">
          <div>
            <EquityFigure portfolio={portfolio.data} />
            <ReadError message={portfolio.error} hasData={portfolio.data !== null} onRetry={() => { void loadPortfolio(true); }} />
            <div className="mt-2">{portfolio.data === null ? <Skeleton className="h-[204px] w-full" /> : <EquityChart curve={portfolio.data.equityCurve} quote={portfolio.data.quote} />}</div>
            <p className="min-h-5 text-ink-2">{news === null ? '' : `Since you left  ${news}`}</p>
          </div>
          {views !== null && <div className="empty:hidden xl:hidden"><NeedsYou views={views} /></div>}
          <Section title="Agents" aside={views === null || views.length === 0 ? undefined : <Link href="/agents" className="hover:text-ink">{running} of {views.length} running</Link>}>
            <ReadError message={slot.error} hasData={views !== null} />
            {views === null && slot.error === null && <SkeletonRows rows={3} rowClass="min-h-[77px]" label="Agents" />}
            {views !== null && views.length === 0 && <FirstStep />}
            {views !== null && <ul>{views.slice(0, SHOWN).map((view) => <AgentRow key={view.agent.id} view={view} />)}</ul>}
            {views !== null && views.length > SHOWN && <Link href="/agents" className="rule row flex items-center text-accent">All {views.length} agents</Link>}
          </Section>
          {/* Not before the list above it has its length: nothing may move under the finger. */}
          {(views !== null || slot.error !== null) && <Section title="Positions">
            {portfolio.data === null && portfolio.error === null && <SkeletonRows rows={2} rowClass="min-h-[49px]" label="Positions" />}
            {portfolio.data !== null && (portfolio.data.positions.length === 0
              ? <p className="rule row flex items-center text-ink-3">None open. Agents open them when a signal passes its threshold.</p>
              : <Positions portfolio={portfolio.data} />)}
          </Section>}
        </div>
        <aside className="flex min-w-0 flex-col gap-7" aria-label="What happened">
          {views !== null && <div className="hidden empty:hidden xl:block"><NeedsYou views={views} /></div>}
          <Section title="Latest trades" aside={fills.length > 0 ? <Link href="/portfolio" className="hover:text-ink">All</Link> : undefined}>
            {history.data === null && history.error === null && <SkeletonRows rows={4} rowClass="min-h-[53px]" label="Trades" />}
            {history.data !== null && fills.length === 0 && <p className="rule row flex items-center text-ink-3">No trades yet.</p>}
            {fills.length > 0 && <Fills fills={fills.slice(0, 8)} quote={portfolio.data?.quote ?? ''} />}
          </Section>
        </aside>
      </div>
    </>
  );
}
