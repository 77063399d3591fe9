/** The page of one agent: state, result, positions, chart, decisions, trades and settings. */
import { Suspense, useCallback, useEffect, useState, type ComponentProps } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { Agent } from '../../../../contract/agents.ts';
import type { AgentInsight } from '../../../../contract/insight.ts';
import type { LiveAccount } from '../../../../contract/live.ts';
import type { AgentPerformance, Fill, History, Portfolio } from '../../../../contract/trading.ts';
import { Button } from '../../../components/Button.tsx';
import { CommandState } from '../../../components/CommandState.tsx';
import { EmptyState, Skeleton, SkeletonRows } from '../../../components/EmptyState.tsx';
import { ScreenError } from '../../../components/ScreenError.tsx';
import { Amount } from '../../../components/Figures.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { PaperPart } from '../../../components/PaperPart.tsx';
import { Line, Section } from '../../../components/Section.tsx';
import { screenPart } from '../../../components/screen-part.tsx';
import { Unread } from '../../../components/Unread.tsx';
import { useCurrent } from '../../../shell/data-age.ts';
import type { ScreenProps } from '../../../shell/routes.ts';
import { moneyOf } from '../../../stores/agent-money.ts';
import { recordOf } from '../../../stores/agent-record.ts';
import { agentsStore, loadAgents } from '../../../stores/agents-store.ts';
import { loadPerformance, performanceStore } from '../../../stores/analytics-store.ts';
import { connection } from '../../../stores/connection.ts';
import { historyStore, loadHistory } from '../../../stores/fills-store.ts';
import {
  evaluationMark,
  keepFresh,
  PERFORMANCE_REST_MS,
  PERFORMANCE_SPREAD_MS,
} from '../../../stores/keep-fresh.ts';
import { liveSlots } from '../../../stores/live-slots.ts';
import { loadPortfolio, portfolioStore } from '../../../stores/portfolio-store.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { emptySlot, type Slot } from '../../../stores/slot.ts';
import { TradesTable } from '../../portfolio/TradesTable.tsx';
import { Positions } from '../../portfolio/Positions.tsx';
import { useAgentView } from '../../use-agent-view.ts';
import { useIsHere } from '../../use-is-here.ts';
import {
  useInsight,
  useMarketNow,
  useMarketSpeed,
  useMarketState,
  useSlot,
} from '../../use-store.ts';
import { AgentDecisions } from './AgentDecisions.tsx';
import { AgentPageActions } from './AgentPageActions.tsx';
import { AgentResult } from './AgentResult.tsx';
import { Guards, HoldNotice } from './AgentHealth.tsx';
import { AgentStatus } from '../AgentStatus.tsx';
import { EntriesOffNotice } from '../EntriesOffNotice.tsx';
import { FirstTrade } from './FirstTrade.tsx';
import { ExitActions } from './ExitActions.tsx';
import { runText, useLate } from '../evaluation-times.ts';
import { FREQUENCY_NAME, intervalText, pairsText, POOL_NAME } from '../agent-text.ts';

const LiveAgainstBacktest = screenPart(() => import('../backtest/LiveAgainstBacktest.tsx'));
const AgentChart = screenPart(() => import('./AgentChart.tsx'));
const LiveAgentPart = screenPart(() => import('../../live/agent/LiveAgentPart.tsx'));
const BacktestPanel = screenPart(() => import('../backtest/BacktestPanel.tsx'));

const UNREAD = emptySlot<AgentPerformance>();
const NO_DECISIONS: AgentPerformance['decisions'] = [];

/** Placeholders of name, buttons, result and line. */
function Waiting() {
  const { online } = useSnapshot(connection);
  if (online === 'offline') return <SkeletonRows label="Agent" />;
  return (
    <div role="status" aria-label="Agent">
      <Skeleton className="mt-2 mb-3 h-4 w-14" />
      <div className="mb-7 flex flex-wrap items-start justify-between gap-4">
        <span>
          <Skeleton className="h-7 w-40" />
          <Skeleton className="mt-2 h-3.5 w-52" />
        </span>
        <Skeleton className="h-11 w-56 pointer-fine:h-9" />
      </div>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div>
          <Skeleton className="h-10 w-48" />
          <Skeleton className="mt-8 h-[204px] w-full" />
        </div>
        <SkeletonRows rows={8} label="Terms" />
      </div>
    </div>
  );
}

/**
 * Whether the server's list is loaded and lacks this agent, as after a deletion: then nothing is
 * requested, and nothing that was read of it before is shown.
 */
const isGone = (id: string): boolean => {
  const { data, origin } = agentsStore;
  return data !== null && origin !== 'snapshot' && !data.agents.some((one) => one.id === id);
};

const OLDER = 'The server’s list of agents is older than the one saved on this device.';

/** Whether the server has answered, or not, since this is shown. */
function useAnswered(): boolean {
  const { online } = useSnapshot(connection);
  const [isAnswered, setIsAnswered] = useState(false);
  const isHere = useIsHere();
  useEffect(() => {
    if (online === 'offline') return;
    void loadAgents().then(() => {
      if (isHere.current) setIsAnswered(true);
    });
  }, [online, isHere]);
  return isAnswered;
}

/** Why there is no agent to show: loading, failed, or not found. */
function Absent({ slot, again }: { slot: Slot<unknown>; again: () => void }) {
  const { online } = useSnapshot(connection);
  const isAnswered = useAnswered();
  // Only the server can say that it is gone: a saved list may be older than the agent.
  if (slot.data === null || slot.origin === 'snapshot') {
    // After a restored backup its list may be the older one, and is not taken.
    const failure = slot.error ?? (isAnswered ? OLDER : null);
    if (failure === null || online === 'offline') return <Waiting />;
    return (
      <EmptyState
        screen
        title="Could not load this agent"
        action={<Button onClick={again}>Try again</Button>}
      >
        {failure}
      </EmptyState>
    );
  }
  const all = (
    <Link href="/agents" className="text-accent underline underline-offset-2">
      All agents
    </Link>
  );
  return (
    <EmptyState screen title="Agent not found" action={all}>
      It may have been deleted.
    </EmptyState>
  );
}

/** Name, state and buttons. Stop is visible without scrolling. */
function Head({ agent }: { agent: Agent }) {
  const [editing, setEditing] = useState(false);
  const current = useCurrent('agents');
  const view = useAgentView(agent, current);
  const now = useMarketNow(1_000);
  const known = useMarketState();
  const market = current ? known : 'unknown';
  const speed = useMarketSpeed();
  const late = useLate(agent, now, market);
  return (
    <div className="mb-5 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-xl break-words">
          {agent.name}
          {connectionOf(agent) !== null && <LiveTag className="ml-2 align-middle" />}
        </h1>
        <AgentStatus view={view} />
        {view.entry !== null && view.commandText !== null ? (
          <div>
            <CommandState phase={view.entry.state}>{view.commandText}</CommandState>
          </div>
        ) : (
          <p className={`text-xs ${late > 0 ? 'text-amber' : 'text-ink-3'}`}>
            {runText(agent, now, market, late, speed)}
          </p>
        )}
      </div>
      <AgentPageActions agent={agent} editing={editing} onEdit={setEditing} />
    </div>
  );
}

/** The agent's positions; their place is reserved while the account loads. */
function Held({
  agent,
  portfolio,
  error,
}: {
  agent: Agent;
  portfolio: Portfolio | null;
  error: string | null;
}) {
  if (portfolio === null) {
    if (agent.openPositions === 0) return null;
    return (
      <Section title="Positions">
        <Unread
          error={error}
          rows={agent.openPositions}
          rowClass="min-h-[49px]"
          label="Positions"
        />
      </Section>
    );
  }
  const positions = portfolio.positions.filter((position) => position.agentId === agent.id);
  if (positions.length === 0) return null;
  return (
    <Section title="Positions">
      <Positions portfolio={{ positions, quote: portfolio.quote }} showAgent={false} table />
    </Section>
  );
}

/** What it holds: on paper its positions; at an exchange its orders as well. */
function Holdings({
  agent,
  connectionId,
  ...paper
}: {
  agent: Agent;
  connectionId: string | null;
  portfolio: Portfolio | null;
  /** Why the paper account could not be read. */
  error: string | null;
}) {
  if (connectionId === null) return <Held agent={agent} {...paper} />;
  return (
    <Suspense fallback={<SkeletonRows rows={4} label="Positions and orders" />}>
      <LiveAgentPart agent={agent} connectionId={connectionId} />
    </Suspense>
  );
}

function Decided({ id, slot }: { id: string; slot: Slot<AgentPerformance> }) {
  const { data } = slot;
  return (
    <Section
      title="Decisions"
      className="min-h-[22rem]"
      aside={data === null ? undefined : 'newest first'}
    >
      {data === null && slot.error === null && (
        <SkeletonRows rows={12} rowClass="min-h-[53px]" label="Decisions" />
      )}
      {data !== null && data.decisions.length === 0 && (
        <EmptyState title="No decisions yet">
          Every check appears here with its reason, including checks without a trade.
        </EmptyState>
      )}
      {data !== null && data.decisions.length > 0 && (
        <AgentDecisions key={id} decisions={data.decisions} older={data.decisionCounts} />
      )}
    </Section>
  );
}

function Terms({ agent }: { agent: Agent }) {
  const speed = useMarketSpeed();
  return (
    <Section title="Settings">
      <dl>
        <Line term="Pool">{POOL_NAME[agent.pool]}</Line>
        <Line term="Pairs">{pairsText(agent)}</Line>
        <Line term="Risk profile">{agent.risk_profile}</Line>
        <Line term="Largest position">
          <Amount value={String(agent.max_position_size)} quote={agent.quote} />
        </Line>
        <Line term="Checks the market">
          {intervalText(agent.execution_interval)}
          {speed === 1 ? '' : ' (market time)'}
        </Line>
        <Line term="Rebalances">{FREQUENCY_NAME[agent.tradingFrequency]}</Line>
      </dl>
    </Section>
  );
}

/** The agent's decisions and results, loaded again after each of its evaluations and trades. */
function useAgentReadings(id: string): {
  slot: Slot<AgentPerformance>;
  read: () => Promise<void>;
  insight: Slot<AgentInsight>;
} {
  const read = useCallback(
    () => (isGone(id) ? Promise.resolve() : loadPerformance(id, true)),
    [id],
  );
  const slots = useSnapshot(performanceStore).byAgent as Record<string, Slot<AgentPerformance>>;
  useSlot(agentsStore, read);
  const insight = useInsight();
  useEffect(
    () =>
      keepFresh({
        mark: () => evaluationMark(id),
        read,
        restMs: PERFORMANCE_REST_MS,
        spreadMs: PERFORMANCE_SPREAD_MS,
      }),
    [id, read],
  );
  // What was read of an agent outlives it in the store.
  return { slot: (isGone(id) ? undefined : slots[id]) ?? UNREAD, read, insight };
}

/** Fills from the stream and from the server, each once, newest first. */
function tradesOf(id: string, streamed: readonly Fill[], read: readonly Fill[]): Fill[] {
  const live = streamed.filter((fill) => fill.agentId === id);
  const known = new Set(live.map((fill) => fill.id));
  return [...live, ...read.filter((fill) => !known.has(fill.id))].sort(
    (a, b) => b.filledAt - a.filledAt,
  );
}

/** `known`: whether the server's word of trades is here, of now or of an earlier time. */
function Trades({
  fills,
  known,
  error,
  quote,
}: {
  fills: readonly Fill[];
  known: boolean;
  error: string | null;
  quote: string;
}) {
  const current = useCurrent('history');
  if (!known)
    return (
      <Section title="Trades">
        <Unread error={error} rows={2} label="Trades" />
      </Section>
    );
  return (
    <Section title="Trades">
      {fills.length === 0 ? (
        <EmptyState title={current ? 'No trades yet' : 'No trades when last seen'}>
          Each trade appears here with its price, fee and reason.
        </EmptyState>
      ) : (
        <TradesTable fills={fills} most={100} quote={quote} showAgent={false} />
      )}
    </Section>
  );
}

/** The reads of an agent's page. */
interface Reads {
  slot: Slot<AgentPerformance>;
  /** Null where the agent is at an exchange: nothing of the paper account is shown of it. */
  paper: Slot<Portfolio> | null;
  history: Slot<History>;
}

/** Why trades are not known: one of the two reads that tell of them is enough. */
const tradesError = ({ slot, history }: Reads): string | null =>
  history.error === null ? null : slot.error;

/** The first read that failed and left something out, and the way to try all that did again. */
function NotAllRead({ reads, read }: { reads: Reads; read: () => Promise<void> }) {
  const { slot, paper, history } = reads;
  const paperError = paper?.data === null ? paper.error : null;
  return (
    <ScreenError
      message={slot.error ?? paperError}
      hasData={slot.data !== null && paperError === null}
      onRetry={() => {
        if (slot.error !== null) void read();
        if ((paper?.error ?? null) !== null) void loadPortfolio(true);
        if (history.error !== null) void loadHistory(true);
      }}
    />
  );
}

function Chart({ agent, fills }: { agent: Agent; fills: Fill[] }) {
  return (
    <Section title="Price and trades">
      <Suspense fallback={<Skeleton className="h-[440px] w-full md:h-[352px]" />}>
        <AgentChart
          pairs={agent.trading_pairs}
          fills={fills}
          rhythm={agent.execution_interval}
          quote={agent.quote}
        />
      </Suspense>
    </Section>
  );
}

/** The backtest, and how the live result compares with it. */
function Tests({ agent, id }: { agent: Agent; id: string }) {
  return (
    <>
      <Suspense fallback={<Skeleton className="h-20 w-full" />}>
        <PaperPart isBesideLive={connectionOf(agent) !== null}>
          <BacktestPanel ask={{ agentId: id }} version={agent.version} heading="h2" />
        </PaperPart>
      </Suspense>
      {/* Last in its column, because it arrives later and must not move anything. */}
      <Suspense>
        <LiveAgainstBacktest agent={agent} />
      </Suspense>
    </>
  );
}

function ToAgents() {
  return (
    <Link
      href="/agents"
      className="mb-1 inline-flex min-h-11 items-center text-xs pointer-fine:min-h-8 text-ink-3 hover:text-ink"
    >
      Agents
    </Link>
  );
}

/** Where the line of the result ends; undefined where that is not known. */
function nowOf(
  account: { asOf: number } | null,
  money: { total: string | null } | null,
): [number, string] | undefined {
  return account === null || money === null || money.total === null
    ? undefined
    : [account.asOf, money.total];
}

/** The narrow column: the terms, the guards and the ways out. */
function Side(props: ComponentProps<typeof Guards>) {
  return (
    <div className="flex min-w-0 flex-col gap-8">
      <Terms agent={props.agent} />
      <Guards {...props} />
      <ExitActions agent={props.agent} />
    </div>
  );
}

export default function AgentScreen({ params }: ScreenProps) {
  const id = params.id ?? '';
  const agents = useSlot(agentsStore, loadAgents);
  const { slot, read, insight } = useAgentReadings(id);
  const history = useSlot(historyStore, loadHistory);
  const accounts = useSnapshot(liveSlots).accounts as Record<string, Slot<LiveAccount>>;
  const paper = useSlot(portfolioStore, loadPortfolio);
  const agent = agents.data?.agents.find((one) => one.id === id) ?? slot.data?.agent;
  if (agent === undefined)
    return (
      <Absent
        slot={agents}
        again={() => {
          void loadAgents(true);
          void read();
        }}
      />
    );
  const connectionId = connectionOf(agent);
  const atExchange = connectionId === null ? null : (accounts[connectionId]?.data ?? null);
  // The portfolio is the paper account's: an agent at an exchange has nothing in it.
  const portfolio = connectionId === null ? paper.data : null;
  const fills = tradesOf(id, history.data?.fills ?? [], slot.data?.fills ?? []);
  const reads = { slot, paper: connectionId === null ? paper : null, history };
  const record = recordOf(id, portfolio);
  const money = {
    ...agent,
    ...moneyOf(agent, agents.data, { portfolio, account: atExchange }),
  };
  return (
    <div className={connectionId === null ? undefined : 'live-frame'}>
      <ToAgents />
      <Head agent={agent} />
      <EntriesOffNotice agentId={agent.id} />
      <HoldNotice agent={agent} />
      {connectionId === null && <FirstTrade key={agent.id} agent={agent} />}
      <NotAllRead reads={reads} read={read} />
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-8">
          <AgentResult
            agent={money}
            record={record}
            insight={insight.data}
            failed={insight.error !== null}
            now={atExchange === null ? nowOf(portfolio, record) : nowOf(atExchange, money)}
          />
          <Holdings
            agent={agent}
            connectionId={connectionId}
            portfolio={portfolio}
            error={paper.error}
          />
          <Chart agent={agent} fills={fills} />
          <Decided id={id} slot={slot} />
          {/* At an exchange its orders above say what was filled. */}
          {(connectionId === null || fills.length > 0) && (
            <Trades
              fills={fills}
              known={history.data !== null || slot.data !== null}
              error={tradesError(reads)}
              quote={agent.quote}
            />
          )}
          <Tests agent={agent} id={id} />
        </div>
        <Side agent={agent} decisions={slot.data?.decisions ?? NO_DECISIONS} />
      </div>
    </div>
  );
}
