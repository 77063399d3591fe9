/** Stop everything, from a shortcut or a fright: who runs, what becomes of positions, one hold, the result; works offline and refuses nothing. */
import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { stopAll } from '../../commands.ts';
import { Button, LinkButton } from '../../components/Button.tsx';
import { CommandState } from '../../components/CommandState.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/Tags.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatAgo } from '../../format/times.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { commandText, type AgentView } from '../../stores/agent-view.ts';
import { connection } from '../../stores/connection.ts';
import { act } from '../act.ts';
import { undo } from '../agents/AgentActs.tsx';
import { STATUS_TONE } from '../agents/agent-looks.ts';
import { useAgentViews, useEntries } from '../reading.ts';

const count = (many: number, one: string, more: string): string => `${many} ${many === 1 ? one : more}`;

/** What a press does, to whom, and what it leaves. `running` null: this device does not know. */
export function stopAllSentence(running: readonly string[] | null, positions: number): string {
  if (running === null) return 'This device does not know your agents at the moment. The stop reaches every agent you have. Positions stay open, protected by their stops.';
  const kept = positions === 0 ? 'No position is open.' : `${count(positions, 'open position stays', 'open positions stay')} open, protected by ${positions === 1 ? 'its stop' : 'their stops'}: stopping sells nothing.`;
  return running.length === 0
    ? `Nothing runs, as far as this device knows. A stop still reaches what another device has started. ${kept}`
    : `Stops ${running.join(', ')}, and whatever another device has started. ${kept}`;
}

function Names({ title, views }: { title: string; views: readonly AgentView[] }) {
  if (views.length === 0) return null;
  return (
    <Section title={title} aside={<DataAge kind="agents" />}>
      <ul>
        {views.map((view) => (
          <li key={view.agent.id} className="rule row flex flex-wrap items-center justify-between gap-x-4 py-1.5">
            <span className="min-w-0 truncate">{view.agent.name}</span>
            <StatusBadge tone={STATUS_TONE[view.agent.status]} className="max-w-[60%] shrink-0 text-xs">{view.statusText}</StatusBadge>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export default function StopAll() {
  const { views, slot } = useAgentViews();
  const entry = useEntries().filter((one) => one.intent === 'stop-all' && one.state !== 'cancelled').at(-1);
  const { online } = useSnapshot(connection);
  const [pressed, setPressed] = useState(false);
  const now = useNow(1_000);
  const running = views?.filter((view) => view.agent.status !== 'stopped') ?? [];
  const stopped = views?.filter((view) => view.agent.status === 'stopped') ?? [];
  const positions = views?.reduce((sum, view) => sum + view.agent.openPositions, 0) ?? 0;
  const sentence = stopAllSentence(views === null ? null : running.map((view) => view.agent.name), positions);
  const waits = entry !== undefined && (entry.state === 'saved' || entry.state === 'sending');
  const done = pressed && (entry === undefined || entry.state === 'accepted') && views !== null && running.length === 0;
  const idle = views !== null && running.length === 0;
  return (
    <div className="mx-auto flex max-w-md flex-col gap-5 py-6">
      <h1 className="text-xl">Stop all agents</h1>
      {/* Room for its four lines on a phone: the button must not move under the finger once the agents are read. */}
      <p className="min-h-24 text-base text-ink-2 sm:min-h-18">{sentence}</p>
      {views !== null && online === 'offline' && <p className="text-ink-2">{slot.savedAt === null ? '' : `Known ${formatAgo(Math.max(0, now - slot.savedAt))}.`}</p>}
      {online === 'offline' && !waits && <p className="text-amber">Offline: the stop is saved on this device and sent first when you are back.</p>}
      {!waits && <HoldToConfirm label="Hold to stop all" sentence={sentence} tone={idle ? 'danger-quiet' : 'danger'} wide icon={<CircleStop className="size-4.5" aria-hidden />} onConfirm={() => { setPressed(true); act(stopAll()); }} />}
      <div role="status" className="flex flex-wrap items-center justify-between gap-3 empty:hidden">
        {entry !== undefined && !done && <CommandState phase={entry.state}>{commandText(entry)}</CommandState>}
        {entry?.state === 'saved' && entry.attempts === 0 && <Button size="sm" onClick={() => { void undo(entry.commandId); }}>Undo</Button>}
        {done && <CommandState phase="accepted">{`All ${count(stopped.length, 'agent is', 'agents are')} stopped, by the server's word.`}</CommandState>}
      </div>
      <Names title="Not stopped" views={running} />
      <Names title="Stopped" views={stopped} />
      <LinkButton to="/agents">All agents</LinkButton>
    </div>
  );
}
