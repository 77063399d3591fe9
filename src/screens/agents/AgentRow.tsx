/** One agent in a list: its state by the server's word, what waits on this device, its result, its one act; refuses to guess. */
import { Link } from 'wouter';
import { CommandState } from '../../components/CommandState.tsx';
import { Amount } from '../../components/Figures.tsx';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';
import { formatAgo, formatUntil, formatWhen } from '../../format/times.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import { useMarketNow, useMarketState, type MarketState } from '../reading.ts';
import { AgentActs } from './AgentActs.tsx';
import { intervalText } from './agent-words.ts';

export const STATUS_TONE: Record<AgentView['agent']['status'], BadgeTone> = { running: 'good', stopped: 'neutral', halted: 'attention', faulted: 'bad' };

/**
 * When it last looked and looks next, on the market clock. The server tells of a look only when something came of it, so
 * a next look that is past says nothing of the agent: then its rhythm is what is known. Where no prices come there is
 * nothing to look at, and without the server nobody here knows what has been looked at since.
 */
export function runText(agent: Pick<AgentView['agent'], 'status' | 'lastRunAt' | 'nextRunAt' | 'execution_interval'>, now: number, market: MarketState = 'moving'): string {
  if (market === 'unknown' && agent.lastRunAt !== null) return `last known look ${formatWhen(agent.lastRunAt, now)}`;
  if (market === 'stopped' && agent.status !== 'stopped') return 'prices have stopped: nothing to look at';
  const last = agent.lastRunAt === null ? 'has not looked yet' : `looked ${formatAgo(Math.max(0, now - agent.lastRunAt))}`;
  if (agent.status !== 'running' || agent.nextRunAt === null) return last;
  return agent.nextRunAt > now ? `${last} · next ${formatUntil(agent.nextRunAt - now)}` : `looks ${intervalText(agent.execution_interval)}`;
}

export function AgentRow({ view }: { view: AgentView }) {
  const { agent, entry, commandText } = view;
  const now = useMarketNow(1_000);
  const market = useMarketState();
  return (
    <li className="rule grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 py-2">
      <Link href={`/agents/${encodeURIComponent(agent.id)}`} className="min-w-0 py-1 hover:text-accent">
        <span className="block truncate font-medium">{agent.name}</span>
        <StatusBadge tone={STATUS_TONE[agent.status]} className="text-xs">{view.statusText}</StatusBadge>
        {entry !== null && commandText !== null
          ? <CommandState phase={entry.state} className="text-xs">{commandText}</CommandState>
          : <span className="block truncate text-xs text-ink-3">{runText(agent, now, market)}</span>}
      </Link>
      <Amount value={agent.total} change className="text-right" />
      <AgentActs view={view} />
    </li>
  );
}
