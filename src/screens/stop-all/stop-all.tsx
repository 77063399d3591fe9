/** Stop everything, from a shortcut or a fright: one sentence, one hold; works offline and refuses nothing. */
import { CircleStop } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { stopAll } from '../../commands.ts';
import { LinkButton } from '../../components/Button.tsx';
import { CommandState } from '../../components/CommandState.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { StatusBadge } from '../../components/Tags.tsx';
import { commandText } from '../../stores/agent-view.ts';
import { connection } from '../../stores/connection.ts';
import { act } from '../act.ts';
import { STATUS_TONE } from '../agents/AgentRow.tsx';
import { useAgentViews, useEntries } from '../reading.ts';

export default function StopAll() {
  const { views } = useAgentViews();
  const entry = useEntries().filter((one) => one.intent === 'stop-all').at(-1);
  const { online } = useSnapshot(connection);
  const running = views?.filter((view) => view.agent.status !== 'stopped') ?? [];
  const positions = views?.reduce((count, view) => count + view.agent.openPositions, 0) ?? 0;
  const sentence = views === null
    ? 'This device does not know your agents at the moment. The stop reaches every agent you have. Positions stay open, protected by their stops.'
    : `Stops ${running.length} running ${running.length === 1 ? 'agent' : 'agents'}, and any other that another device has started. ${positions} open ${positions === 1 ? 'position stays' : 'positions stay'} open, protected by stops.`;
  return (
    <div className="mx-auto flex max-w-md flex-col gap-6 py-6">
      <h1 className="text-xl">Stop all agents</h1>
      <p className="text-base text-ink-2">{sentence}</p>
      {online === 'offline' && <p className="text-amber">Offline: the stop is saved on this device and sent first when you are back.</p>}
      <HoldToConfirm label="Hold to stop all" sentence={sentence} tone="danger" wide icon={<CircleStop className="size-4.5" aria-hidden />} onConfirm={() => { act(stopAll()); }} />
      {entry !== undefined && entry.state !== 'cancelled' && <CommandState phase={entry.state}>{commandText(entry)}</CommandState>}
      {views !== null && views.length > 0 && (
        <ul>
          {views.map((view) => <li key={view.agent.id} className="rule row flex items-center justify-between gap-4 py-1.5"><span className="truncate">{view.agent.name}</span><StatusBadge tone={STATUS_TONE[view.agent.status]} className="max-w-[60%] shrink-0 text-xs">{view.statusText}</StatusBadge></li>)}
        </ul>
      )}
      <LinkButton to="/agents">All agents</LinkButton>
    </div>
  );
}
