/** One agent in a list: its state by the server's word, what waits on this device, its result, its one act; refuses to guess. */
import { CircleStop, Play } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { stopAgent } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { CommandState } from '../../components/CommandState.tsx';
import { Amount } from '../../components/Figures.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';
import { formatAgo, formatUntil } from '../../format/times.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import { act } from '../act.ts';
import { useMarketNow } from '../reading.ts';
import { intervalText } from './agent-words.ts';
import { StartDialog } from './StartDialog.tsx';

export const STATUS_TONE: Record<AgentView['agent']['status'], BadgeTone> = { running: 'good', stopped: 'neutral', halted: 'attention', faulted: 'bad' };

/**
 * When it last looked and looks next, on the market clock. The server tells of a look only when something came of it, so
 * a next look that is past says nothing of the agent: then its rhythm is what is known.
 */
export function runText(agent: Pick<AgentView['agent'], 'status' | 'lastRunAt' | 'nextRunAt' | 'execution_interval'>, now: number): string {
  const last = agent.lastRunAt === null ? 'has not looked yet' : `looked ${formatAgo(Math.max(0, now - agent.lastRunAt))}`;
  if (agent.status !== 'running' || agent.nextRunAt === null) return last;
  return agent.nextRunAt > now ? `${last} · next ${formatUntil(agent.nextRunAt - now)}` : `looks ${intervalText(agent.execution_interval)}`;
}

export function stopSentence(view: Pick<AgentView, 'agent'>): string {
  const { name, openPositions } = view.agent;
  return openPositions === 0
    ? `${name} opens nothing more. It holds no positions.`
    : `${name} opens nothing more. Its ${openPositions} ${openPositions === 1 ? 'position stays' : 'positions stay'} open and protected by stops.`;
}

export function AgentRow({ view }: { view: AgentView }) {
  const { agent, entry, commandText } = view;
  const [starting, setStarting] = useState(false);
  const now = useMarketNow(1_000);
  return (
    <li className="rule grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 py-2">
      <Link href={`/agents/${encodeURIComponent(agent.id)}`} className="min-w-0 py-1 hover:text-accent">
        <span className="block truncate font-medium">{agent.name}</span>
        <StatusBadge tone={STATUS_TONE[agent.status]} className="text-xs">{view.statusText}</StatusBadge>
        {entry !== null && commandText !== null
          ? <CommandState phase={entry.state} className="text-xs">{commandText}</CommandState>
          : <span className="block truncate text-xs text-ink-3">{runText(agent, now)}</span>}
      </Link>
      <Amount value={agent.total} change className="text-right" />
      <div className="flex w-11 justify-end pointer-fine:w-9">
        {view.canStop && <HoldToConfirm compact label={`Stop ${agent.name}`} sentence={stopSentence(view)} icon={<CircleStop className="size-4.5" aria-hidden />} onConfirm={() => { act(stopAgent(agent)); }} />}
        {!view.canStop && view.canStart && <Button size="icon" aria-label={`Start ${agent.name}`} onClick={() => { setStarting(true); }}><Play className="size-4" aria-hidden /></Button>}
      </div>
      <StartDialog agent={agent} open={starting} onOpenChange={setStarting} />
    </li>
  );
}
