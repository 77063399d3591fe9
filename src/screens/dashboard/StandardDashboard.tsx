/** The standard dashboard: equity, agents, positions, trades, and what needs the user. */
import { Suspense, useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Agent } from '../../../contract/agents.ts';
import type { History, Portfolio } from '../../../contract/trading.ts';
import {
  ChartPlace,
  NotRead,
  ReadError,
  Skeleton,
  SkeletonRows,
} from '../../components/EmptyState.tsx';
import { EquityChart } from '../../components/EquityChart.tsx';
import { Section } from '../../components/Section.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { useCurrent } from '../../shell/data-age.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { historyStore, loadHistory } from '../../stores/fills-store.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio-store.ts';
import { runningText, type AgentView } from '../../stores/agent-view.ts';
import type { Slot } from '../../stores/slot.ts';
import { AgentRow } from '../agents/list/AgentRow.tsx';
import { EquityFigure } from '../portfolio/EquityFigure.tsx';
import { Fills } from '../portfolio/Fills.tsx';
import { Positions } from '../portfolio/Positions.tsx';
import { useInsight, useSlot, useViewsOf } from '../use-store.ts';
import { EntriesOffNotice } from '../agents/EntriesOffNotice.tsx';
import { NeedsYou } from './NeedsYou.tsx';
import { SinceYouLeft } from './SinceYouLeft.tsx';

const SHOWN = 6;
/** What Pro adds comes last, because it may arrive later. The PRO dashboard begins with it. */
const ProParts = screenPart(() => import('./ProParts.tsx'));
const Exposures = screenPart(() => import('./Exposures.tsx'));
const FirstStep = screenPart(() => import('./FirstStep.tsx'));

interface OverviewFacts {
  agents: readonly Agent[] | null;
  portfolio: Portfolio | null;
}

/** At most six agents: those that need the user, then running ones, then those with positions. */
function foremost(views: readonly AgentView[]): AgentView[] {
  if (views.length <= SHOWN) return [...views];
  const weight = ({ alert, canReview, entry, agent }: AgentView): number =>
    (alert || canReview || agent.status === 'faulted' || agent.status === 'halted' ? 8 : 0) +
    (entry === null ? 0 : 4) +
    (agent.status === 'running' ? 2 : 0) +
    (agent.openPositions > 0 ? 1 : 0);
  return [...views].sort((a, b) => weight(b) - weight(a)).slice(0, SHOWN);
}

export interface OverviewProps {
  pro: boolean;
  title?: string;
  /** The top of the screen, whose size does not change while loading. */
  lead?: (known: OverviewFacts) => ReactNode;
}

function EquityPart({ portfolio: { data, error } }: { portfolio: Slot<Portfolio> }) {
  return (
    <div>
      <EquityFigure portfolio={data} failed={error !== null} />
      <ReadError
        message={error}
        hasData={data !== null}
        onRetry={() => {
          void loadPortfolio(true);
        }}
      />
      <div className="mt-2">
        {data === null ? (
          <ChartPlace
            what="Equity"
            className="h-[204px] w-full pointer-fine:h-[192px]"
            failed={error !== null}
          />
        ) : (
          <EquityChart curve={data.equityCurve} quote={data.quote} now={[data.asOf, data.equity]} />
        )}
      </div>
    </div>
  );
}

interface AgentsPartProps extends Pick<OverviewFacts, 'agents'> {
  views: readonly AgentView[] | null;
  current: boolean;
  error: string | null;
}

function AgentsPart({ views, agents, current, error }: AgentsPartProps) {
  return (
    <Section
      title="Agents"
      aside={
        views === null || views.length === 0 ? undefined : (
          <Link href="/agents" className="reach inline-block hover:text-ink">
            {runningText(agents ?? [], current)}
          </Link>
        )
      }
    >
      <ReadError message={error} hasData={views !== null} />
      {views === null && error === null && (
        <SkeletonRows rows={3} rowClass="min-h-[77px]" label="Agents" />
      )}
      {views !== null && views.length === 0 && (
        <div className="min-h-54">
          <Suspense fallback={<Skeleton className="h-52 w-full" />}>
            <FirstStep />
          </Suspense>
        </div>
      )}
      {views !== null && (
        <ul>
          {foremost(views).map((view) => (
            <AgentRow key={view.agent.id} view={view} />
          ))}
        </ul>
      )}
      {views !== null && views.length > SHOWN && (
        <Link href="/agents" className="rule row flex items-center text-accent">
          All {views.length} agents
        </Link>
      )}
    </Section>
  );
}

function PositionsPart({
  portfolio: { data, error },
  current,
}: {
  portfolio: Slot<Portfolio>;
  current: boolean;
}) {
  return (
    <Section title="Positions" aside={<DataAge kind="portfolio" />}>
      {data === null && error === null && (
        <SkeletonRows rows={2} rowClass="min-h-[49px]" label="Positions" />
      )}
      {data === null && error !== null && <NotRead />}
      {data !== null &&
        (data.positions.length === 0 ? (
          <p className="rule row flex items-center text-ink-3">
            {current ? 'None open.' : 'None open when last seen.'} Agents open positions when a
            signal is strong enough.
          </p>
        ) : (
          <Positions portfolio={data} table />
        ))}
    </Section>
  );
}

function LatestTrades({
  history: { data, error },
  quote,
}: {
  history: Slot<History>;
  quote: string;
}) {
  const current = useCurrent('history');
  const fills = data?.fills ?? [];
  return (
    <Section
      title="Latest trades"
      aside={
        fills.length > 0 ? (
          <span className="flex items-baseline gap-3">
            <DataAge kind="history" />
            <Link href="/portfolio" className="reach -mx-2 inline-block px-2 hover:text-ink">
              All
            </Link>
          </span>
        ) : undefined
      }
    >
      {data === null && error === null && (
        <SkeletonRows rows={4} rowClass="min-h-[53px]" label="Trades" />
      )}
      {data === null && error !== null && <NotRead />}
      {data !== null && fills.length === 0 && (
        <p className="rule row flex items-center text-ink-3">
          {current ? 'No trades yet.' : 'No trades when last seen.'}
        </p>
      )}
      {fills.length > 0 && <Fills fills={fills.slice(0, 8)} quote={quote} />}
    </Section>
  );
}

export function Overview({ pro, title = 'Dashboard', lead }: OverviewProps) {
  const portfolio = useSlot(portfolioStore, loadPortfolio);
  const history = useSlot(historyStore, loadHistory);
  // Its totals are the paper account's; accounts at an exchange have a screen of their own.
  const { views, all, current, slot } = useViewsOf(null);
  const money = useCurrent('portfolio');
  useInsight();
  const agents = useMemo(() => views?.map((view) => view.agent) ?? null, [views]);
  return (
    <>
      <h1 className="sr-only">{title}</h1>
      {lead !== undefined && (
        <div className="mb-9">{lead({ agents, portfolio: portfolio.data })}</div>
      )}
      <div className="grid gap-x-10 gap-y-7 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-7">
          <EquityPart portfolio={portfolio} />
          {views !== null && views.length > 0 && <EntriesOffNotice className="" />}
          <SinceYouLeft
            portfolio={portfolio.data}
            fills={history.data?.fills ?? null}
            agents={agents}
          />
          {all !== null && (
            <div className="empty:hidden xl:hidden">
              <NeedsYou views={all} />
            </div>
          )}
          <AgentsPart views={views} agents={agents} current={current} error={slot.error} />
          {/* Waits for the list above to reach its length, so that nothing moves under the finger. */}
          {(views !== null || slot.error !== null) && (
            <PositionsPart portfolio={portfolio} current={money} />
          )}
        </div>
        <aside className="flex min-w-0 flex-col gap-7" aria-label="Activity">
          {all !== null && (
            <div className="hidden empty:hidden xl:block">
              <NeedsYou views={all} />
            </div>
          )}
          <LatestTrades history={history} quote={portfolio.data?.quote ?? ''} />
        </aside>
      </div>
      {pro && agents !== null && portfolio.data !== null && (
        <Suspense>
          {lead === undefined && (
            <div className="mt-9">
              <ProParts agents={agents} portfolio={portfolio.data} />
            </div>
          )}
          <Exposures agents={agents} portfolio={portfolio.data} />
        </Suspense>
      )}
    </>
  );
}

export default function StandardDashboard() {
  return <Overview pro={false} />;
}
