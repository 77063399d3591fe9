/** An agent's name with its state, and what waits for it or when it looks; leads to its screen, refuses to claim more than the server has said. */
import { Link } from 'wouter';
import { classes } from '../../components/class-names.ts';
import { CommandState } from '../../components/CommandState.tsx';
import { StatusBadge } from '../../components/Tags.tsx';
import type { AgentView } from '../../stores/agent-view.ts';
import { useMarketNow, useMarketSpeed, useMarketState } from '../reading.ts';
import { runText, STATUS_TONE, useLate } from './agent-looks.ts';
import { useEntriesOff } from './EntriesOff.tsx';

/** On a phone the next look must not be cut off: whose time it is, the line under the header says. */
export const narrow = (looks: string): string => looks.replace(' market time', '').replace('last known look', 'last look');

export function AgentName({ view }: { view: AgentView }) {
  const { agent, entry, commandText } = view;
  const now = useMarketNow(1_000);
  const market = useMarketState();
  const late = useLate(agent, now, market);
  const speed = useMarketSpeed();
  const off = useEntriesOff(agent.id);
  const looks = runText(agent, now, market, late, speed);
  return (
    <Link href={`/agents/${encodeURIComponent(agent.id)}`} className="min-w-0 py-1 hover:text-accent">
      <span className="block truncate font-medium">{agent.name}</span>
      <StatusBadge tone={STATUS_TONE[agent.status]} className="text-xs">{view.statusText}</StatusBadge>
      {off?.scope === 'agent' && <span className="block truncate text-xs text-amber">New trades off by the operator</span>}
      {entry !== null && commandText !== null
        ? <span className="block"><CommandState phase={entry.state} className="text-xs">{commandText}</CommandState></span>
        : <span className={classes('block truncate text-xs', late > 0 ? 'text-amber' : 'text-ink-3')}><span className="max-sm:hidden">{looks}</span><span className="sm:hidden">{narrow(looks)}</span></span>}
    </Link>
  );
}
