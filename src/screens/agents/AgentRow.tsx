/** One agent in a list: its state by the server's word, what waits on this device, its result, its one act; refuses to guess. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { classes } from '../../components/class-names.ts';
import { CommandState } from '../../components/CommandState.tsx';
import { Amount } from '../../components/Figures.tsx';
import { Sparkline } from '../../components/Sparkline.tsx';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatAgo, formatUntil, formatWhen } from '../../format/times.ts';
import { insightStore } from '../../stores/analytics.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import { Explain } from '../explain/Explain.tsx';
import { useMarketNow, useMarketSpeed, useMarketState, type MarketState } from '../reading.ts';
import { AgentActs } from './AgentActs.tsx';
import { intervalText } from './agent-words.ts';

export const STATUS_TONE: Record<AgentView['agent']['status'], BadgeTone> = { running: 'good', stopped: 'neutral', halted: 'attention', faulted: 'bad' };

const INTERVAL_MS: Record<AgentView['agent']['execution_interval'], number> = { '5-minute': 300_000, '20-minute': 1_200_000, daily: 86_400_000 };
type Looks = Pick<AgentView['agent'], 'status' | 'lastRunAt' | 'nextRunAt' | 'execution_interval'>;

/** How many looks are overdue by its own rhythm, on the market clock; one may be on its way. */
export function missedLooks(agent: Looks, now: number): number {
  if (agent.status !== 'running' || agent.nextRunAt === null || now < agent.nextRunAt) return 0;
  return Math.floor((now - agent.nextRunAt) / INTERVAL_MS[agent.execution_interval]) + 1;
}

/** On a fast tape several looks pass between two words of the server: late is what stays late this long, wall clock. */
const LATE_AFTER_MS = 20_000;

/** Looks missed, once two are and that has lasted; 0 otherwise. */
export function useLate(agent: Looks, now: number, market: MarketState): number {
  const missed = market === 'moving' ? missedLooks(agent, now) : 0;
  const behind = missed >= 2;
  const [since, setSince] = useState<number | null>(null);
  const wall = useNow(5_000);
  useEffect(() => { setSince(behind ? Date.now() : null); }, [behind, agent.lastRunAt]);
  return behind && since !== null && wall - since >= LATE_AFTER_MS ? missed : 0;
}

/** Under this long in real time a coming look is not worth a word: it is there before it is read, ms. */
const SOON_MS = 2_000;

/**
 * When it last looked and looks next, on the market clock; of a tape that runs fast, the market's own time of the last
 * and the reader's wait for the next. Where no prices come there is nothing to look at, and without the server nobody
 * here knows what has been looked at since.
 */
export function runText(agent: Looks, now: number, market: MarketState = 'moving', late = 0, speed = 1): string {
  if (market === 'unknown' && agent.lastRunAt !== null) return `last known look ${formatWhen(agent.lastRunAt, now)}`;
  if (market === 'stopped' && agent.status !== 'stopped') return 'prices have stopped: nothing to look at';
  const last = agent.lastRunAt === null ? 'has not looked yet'
    : speed === 1 ? `looked ${formatAgo(Math.max(0, now - agent.lastRunAt))}` : `looked ${formatWhen(agent.lastRunAt, now)} market time`;
  if (agent.status !== 'running' || agent.nextRunAt === null) return last;
  if (late > 0) return `late: ${late} looks missed · ${last}`;
  const wait = (agent.nextRunAt - now) / speed;
  if (speed !== 1) return wait >= SOON_MS ? `${last} · next ${formatUntil(wait)}` : last;
  return wait > 0 ? `${last} · next ${formatUntil(wait)}` : `looks ${intervalText(agent.execution_interval)}`;
}

/** The agent's result over time. Its place is kept before the line is known. */
export function AgentLine({ agent: { id, name, total } }: { agent: Pick<AgentView['agent'], 'id' | 'name' | 'total'> }) {
  const points = useSnapshot(insightStore).data?.series.find((one) => one.agentId === id)?.points ?? [];
  return <span className="block h-5 w-16 sm:h-7 sm:w-24">{points.length > 1 && <Sparkline values={points.map(([, value]) => value)} change={Number(total)} label={`Result of ${name} over time`} className="h-full! w-full!" />}</span>;
}

export function AgentRow({ view }: { view: AgentView }) {
  const { agent, entry, commandText } = view;
  const now = useMarketNow(1_000);
  const market = useMarketState();
  const late = useLate(agent, now, market);
  const speed = useMarketSpeed();
  return (
    <li className="rule grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 py-2 sm:grid-cols-[minmax(0,1fr)_auto_minmax(7rem,auto)_auto] sm:gap-x-5">
      <Link href={`/agents/${encodeURIComponent(agent.id)}`} className="min-w-0 py-1 hover:text-accent">
        <span className="block truncate font-medium">{agent.name}</span>
        <StatusBadge tone={STATUS_TONE[agent.status]} className="text-xs">{view.statusText}</StatusBadge>
        {entry !== null && commandText !== null
          ? <span className="block"><CommandState phase={entry.state} className="text-xs">{commandText}</CommandState></span>
          : <span className={classes('block truncate text-xs', late > 0 ? 'text-amber' : 'text-ink-3')}>{runText(agent, now, market, late, speed)}</span>}
      </Link>
      <span className="hidden sm:block"><AgentLine agent={agent} /></span>
      <span className="flex flex-col items-end text-right">
        <Explain ask={{ of: 'agent', id: agent.id, name: agent.name, shown: agent.total }} name={`the result of ${agent.name}`} plain><Amount value={agent.total} change /></Explain>
        <span className="mt-1 sm:hidden"><AgentLine agent={agent} /></span>
      </span>
      <AgentActs view={view} />
    </li>
  );
}
