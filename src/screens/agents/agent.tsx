/** One agent: its state, start and stop, its terms, results, positions, trades and every decision with its reason. */
import { CircleStop, Play, Undo2 } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link, useLocation } from 'wouter';
import type { Agent } from '../../../contract/agents.ts';
import { AGENT_NAME_MAX, AGENT_PAIRS_MAX } from '../../../contract/limits.ts';
import type { AgentPerformance } from '../../../contract/trading.ts';
import { api } from '../../api/api.ts';
import { stopAgent } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { CommandState } from '../../components/CommandState.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState, ReadError, Skeleton, SkeletonRows } from '../../components/EmptyState.tsx';
import { Amount, Ratio } from '../../components/Figures.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/Tags.tsx';
import type { ScreenProps } from '../../shell/routes.ts';
import { moneyOf } from '../../stores/agent-money.ts';
import { agentView } from '../../stores/agent-view.ts';
import { agentsStore, loadAgents } from '../../stores/agents.ts';
import { loadPerformance, performanceStore } from '../../stores/analytics.ts';
import { connection } from '../../stores/connection.ts';
import { historyStore, loadHistory } from '../../stores/history.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio.ts';
import { emptySlot, type Slot } from '../../stores/slot.ts';
import { act, tried } from '../act.ts';
import { Explain } from '../explain/Explain.tsx';
import { Fills } from '../portfolio/Fills.tsx';
import { Positions } from '../portfolio/Positions.tsx';
import { useEntries, useMarketNow, useMarketSpeed, useMarketState, useSlot } from '../reading.ts';
import type { AgentDraft } from './agent-draft.ts';
import { CreateDialog } from './agents.tsx';
import { stopSentence, undo } from './AgentActs.tsx';
import { AgentDecisions } from './AgentDecisions.tsx';
import { Guards, HoldNotice } from './AgentStanding.tsx';
import { EntriesOffNotice } from './EntriesOff.tsx';
import { runText, STATUS_TONE, useLate } from './agent-looks.ts';
import { FREQUENCY_NAME, intervalText, pairsText, POOL_NAME } from './agent-words.ts';
import { StartDialog } from './StartDialog.tsx';

const ConfirmStart = lazy(() => import('./ConfirmStart.tsx'));
const EditAgentForm = lazy(() => import('./EditAgentForm.tsx'));
const AgainstTest = lazy(() => import('./AgainstTest.tsx'));
const AgentChart = lazy(() => import('./AgentChart.tsx'));
const WouldHaveDone = lazy(() => import('./WouldHaveDone.tsx'));

const UNKNOWN_LOOKS = { status: 'stopped', lastRunAt: null, nextRunAt: null, execution_interval: '5-minute' } as const;
const UNREAD = emptySlot<AgentPerformance>();
const NO_DECISIONS: AgentPerformance['decisions'] = [];

/** The same terms under a name of its own. What the pool decides is not written down as a choice of pairs. */
export function copyOf(agent: Agent): AgentDraft {
  return {
    name: `${agent.name.slice(0, AGENT_NAME_MAX - 5)} copy`, pool: agent.pool, pairs: agent.trading_pairs.length > AGENT_PAIRS_MAX ? [] : [...agent.trading_pairs],
    risk_profile: agent.risk_profile, size: String(agent.max_position_size), execution_interval: agent.execution_interval,
  };
}

function Acts({ agent, editing, onEdit }: { agent: Agent; editing: boolean; onEdit: (open: boolean) => void }) {
  const view = agentView(agent, useEntries());
  const [starting, setStarting] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const [copying, setCopying] = useState(false);
  const count = useSnapshot(agentsStore).data?.agents.length ?? 0;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {view.canStart && <Button tone="primary" onClick={() => { setStarting(true); }}><Play className="size-4" aria-hidden />Start</Button>}
      {view.canStop && <Button tone="danger" onClick={() => { act(stopAgent(agent)); }}><CircleStop className="size-4" aria-hidden />Stop</Button>}
      {view.canReview && <Button tone="primary" onClick={() => { setReviewing(true); }}>Review the start</Button>}
      {reviewing && view.entry !== null && <Suspense><ConfirmStart entry={view.entry} open onOpenChange={setReviewing} /></Suspense>}
      {view.canUndo && view.entry !== null && <Button onClick={() => { if (view.entry !== null) void undo(view.entry.commandId); }}><Undo2 className="size-4" aria-hidden />Undo</Button>}
      <Button onClick={() => { onEdit(true); }}>Edit</Button>
      <Button onClick={() => { setCopying(true); }}>Duplicate</Button>
      <CreateDialog key={String(copying)} open={copying} onOpenChange={setCopying} count={count} title={`Duplicate ${agent.name}`} draft={copyOf(agent)} />
      <StartDialog agent={agent} open={starting} onOpenChange={setStarting} />
      <Dialog open={editing} onOpenChange={onEdit} wide title={`Edit ${agent.name}`} description="What is open stays; the next decision uses the new terms.">
        <Suspense fallback={<SkeletonRows rows={5} />}><EditAgentForm agent={agent} onSaved={() => { onEdit(false); }} /></Suspense>
      </Dialog>
    </div>
  );
}

/** What cannot be taken back stands apart from Stop, each with what it does, and is held. */
function GettingOut({ agent }: { agent: Agent }) {
  const view = agentView(agent, useEntries());
  const [, go] = useLocation();
  const { online } = useSnapshot(connection);
  const offline = online === 'offline';
  const holds = agent.openPositions > 0;
  const sell = async (): Promise<void> => {
    if (offline) {
      // Selling cannot wait on a device; stopping can.
      act(stopAgent(agent));
      return;
    }
    if (await tried(api.call('liquidateAgent', { params: { id: agent.id } }), `${agent.name} is stopped and has sold.`)) {
      await Promise.all([loadAgents(true), loadPortfolio(true), loadHistory(true)]);
    }
  };
  const remove = async (): Promise<void> => {
    if (await tried(api.call('deleteAgent', { params: { id: agent.id } }), `${agent.name} deleted. Its trades stay in the history.`)) {
      await loadAgents(true);
      go('/agents');
    }
  };
  const sellText = offline ? 'Offline: the stop is saved now. Selling needs the server.' : `${stopSentence(view)} Then all of them are sold at the bid, less fees.`;
  const kept = holds ? 'It can be deleted once it holds nothing.' : agent.status === 'running' ? 'It can be deleted once it is stopped.' : offline ? 'Deleting needs the server.' : null;
  return (
    <Section title="Getting out">
      {holds && <div className="rule flex flex-col items-start gap-2 py-3"><p className="text-ink-2">{sellText}</p><HoldToConfirm label="Stop and sell" sentence={sellText} onConfirm={() => { void sell(); }} /></div>}
      <div className="rule flex flex-col items-start gap-2 py-3">
        <p className="text-ink-2">{kept ?? `Deletes ${agent.name} for good. Its trades stay in the history.`}</p>
        {!holds && agent.status !== 'running' && <HoldToConfirm label="Delete" tone="danger-quiet" sentence={`Deletes ${agent.name}. Its trades stay in the history.`} disabled={offline} onConfirm={() => { void remove(); }} />}
      </div>
    </Section>
  );
}

function Results({ agent, slot }: { agent: Agent; slot: Slot<AgentPerformance> }) {
  const metrics = slot.data?.metrics;
  const why = 'Not enough trades yet';
  return (
    <dl>
      <Line term="Result"><Explain ask={{ of: 'agent', id: agent.id, name: agent.name, shown: agent.total }} name="the result"><Amount value={agent.total} change quote={agent.quote} /></Explain></Line>
      <Line term="Realised, net of fees"><Explain ask={{ of: 'agent-realized', id: agent.id, name: agent.name, shown: agent.realized }} name="what was realised"><Amount value={agent.realized} change /></Explain></Line>
      <Line term="Unrealised"><Explain ask={{ of: 'agent-unrealized', id: agent.id, name: agent.name, shown: agent.unrealized }} name="what is unrealised"><Amount value={agent.unrealized} change /></Explain></Line>
      <Line term="Fees"><Amount value={agent.fees} /></Line>
      <Line term="Trades">{slot.data?.trades ?? '—'}</Line>
      <Line term="Win rate"><Ratio value={metrics?.winRate} share why={why} /></Line>
      <Line term="Profit factor"><Ratio value={metrics?.profitFactor} why={why} /></Line>
      <Line term="Expectancy a trade"><Ratio value={metrics?.expectancy} why={why} /></Line>
    </dl>
  );
}

/** The places of its name, its acts, its chart and its figures. */
function Waiting() {
  const { online } = useSnapshot(connection);
  if (online === 'offline') return <SkeletonRows label="Agent" />;
  return (
    <div role="status" aria-label="Agent">
      <Skeleton className="mt-2 mb-3 h-4 w-14" />
      <div className="mb-7 flex flex-wrap items-start justify-between gap-4"><span><Skeleton className="h-7 w-40" /><Skeleton className="mt-2 h-3.5 w-52" /></span><Skeleton className="h-11 w-56 pointer-fine:h-9" /></div>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]"><Skeleton className="h-[340px] w-full" /><SkeletonRows rows={8} label="Results" /></div>
    </div>
  );
}

/** Whether the server's own list is here without it: then there is nothing to read, as on the way out after a deletion. */
const isGone = (id: string): boolean => agentsStore.data !== null && agentsStore.origin !== 'snapshot' && !agentsStore.data.agents.some((one) => one.id === id);

export default function AgentScreen({ params }: ScreenProps) {
  const id = params.id ?? '';
  const agents = useSlot(agentsStore, loadAgents);
  const read = useCallback(() => (isGone(id) ? Promise.resolve() : loadPerformance(id, true)), [id]);
  const slots = useSnapshot(performanceStore).byAgent as Record<string, Slot<AgentPerformance>>;
  useSlot(agentsStore, read);
  const slot = slots[id] ?? UNREAD;
  const history = useSlot(historyStore, loadHistory);
  const portfolio = useSlot(portfolioStore, loadPortfolio).data;
  const [editing, setEditing] = useState(false);
  const now = useMarketNow(1_000);
  const market = useMarketState();
  const speed = useMarketSpeed();
  const entries = useEntries();
  const agent = agents.data?.agents.find((one) => one.id === id) ?? slot.data?.agent;
  const late = useLate(agent ?? UNKNOWN_LOOKS, now, market);
  if (agent === undefined) {
    if (agents.data === null && agents.error === null) return <Waiting />;
    // That it is gone is the server's to say.
    if (agents.data === null) return <EmptyState screen title="This agent could not be read" action={<Button onClick={() => { void loadAgents(true); void read(); }}>Try again</Button>}>{agents.error}</EmptyState>;
    return <EmptyState screen title="This agent is not here" action={<Link href="/agents" className="text-accent underline underline-offset-2">All agents</Link>}>It was deleted, or it is not yours.</EmptyState>;
  }
  const view = agentView(agent, entries);
  const positions = portfolio?.positions.filter((position) => position.agentId === id) ?? [];
  const live = (history.data?.fills ?? []).filter((fill) => fill.agentId === id);
  const known = new Set(live.map((fill) => fill.id));
  const fills = [...live, ...(slot.data?.fills ?? []).filter((fill) => !known.has(fill.id))].sort((a, b) => b.filledAt - a.filledAt);
  return (
    <>
      <Link href="/agents" className="mb-1 inline-flex min-h-8 items-center text-xs text-ink-3 hover:text-ink">Agents</Link>
      <div className="mb-5 flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h1 className="text-xl break-words">{agent.name}</h1>
          <StatusBadge tone={STATUS_TONE[agent.status]}>{view.statusText}</StatusBadge>
          {view.entry !== null && view.commandText !== null
            ? <div><CommandState phase={view.entry.state}>{view.commandText}</CommandState></div>
            : <p className={`text-xs ${late > 0 ? 'text-amber' : 'text-ink-3'}`}>{runText(agent, now, market, late, speed)}</p>}
        </div>
        <Acts agent={agent} editing={editing} onEdit={setEditing} />
      </div>
      <EntriesOffNotice agentId={agent.id} />
      <HoldNotice agent={agent} />
      <ReadError message={slot.error} hasData={slot.data !== null} onRetry={() => { void read(); }} />
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-8">
          <Section title="Price and its trades"><Suspense fallback={<Skeleton className={`${agent.trading_pairs.length > 1 ? 'h-[484px]' : 'h-[440px]'} w-full md:h-[352px]`} />}><AgentChart pairs={agent.trading_pairs} fills={fills} rhythm={agent.execution_interval} quote={agent.quote} /></Suspense></Section>
          {portfolio === null && agent.openPositions > 0 && <Section title="Positions"><SkeletonRows rows={agent.openPositions} rowClass="min-h-[49px]" label="Positions" /></Section>}
          {positions.length > 0 && portfolio !== null && <Section title="Positions"><Positions portfolio={{ positions, quote: portfolio.quote }} showAgent={false} /></Section>}
          <Section title="Decisions" className="min-h-[22rem]" aside={slot.data === null ? undefined : 'newest first'}>
            {slot.data === null && slot.error === null && <SkeletonRows rows={12} rowClass="min-h-[53px]" label="Decisions" />}
            {slot.data !== null && (slot.data.decisions.length === 0 ? <EmptyState title="No decisions yet">Each look at a closed candle is recorded here with its reason, the ones without a trade too.</EmptyState> : <AgentDecisions decisions={slot.data.decisions} older={slot.data.decisionCounts} />)}
          </Section>
          <Section title="Trades">
            {fills.length === 0 ? <EmptyState title="No trades yet">They appear with price, fee and reason as they are made.</EmptyState> : <Fills fills={fills.slice(0, 100)} quote={agent.quote} showAgent={false} />}
          </Section>
          <Suspense fallback={<Skeleton className="h-20 w-full" />}><WouldHaveDone ask={{ agentId: id }} version={agent.version} heading="h2" /></Suspense>
          {/* Last in its column: it comes with a later answer, and moves nothing. */}
          <Suspense><AgainstTest agent={agent} /></Suspense>
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <Section title="Results"><Results agent={agents.data === null ? agent : { ...agent, ...moneyOf(agent, agents.data, portfolio) }} slot={slot} /></Section>
          <Section title="Terms">
            <dl>
              <Line term="Pool">{POOL_NAME[agent.pool]}</Line>
              <Line term="Pairs">{pairsText(agent)}</Line>
              <Line term="Risk profile">{agent.risk_profile}</Line>
              <Line term="Most in one position"><Amount value={String(agent.max_position_size)} quote={agent.quote} /></Line>
              <Line term="Looks">{intervalText(agent.execution_interval)}{speed === 1 ? '' : ' of market time'}</Line>
              <Line term="Rebalances">{FREQUENCY_NAME[agent.tradingFrequency]}</Line>
            </dl>
          </Section>
          <Guards agent={agent} decisions={slot.data?.decisions ?? NO_DECISIONS} />
          <GettingOut agent={agent} />
        </div>
      </div>
    </>
  );
}
