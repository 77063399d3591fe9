/** What a person can do about one agent from any list: stop it, start it, take back or look at what waits; refuses to hide Stop. */
import { CircleAlert, CircleStop, Play, Undo2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { cancelCommand, stopAgent } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import type { AgentView } from '../../stores/agent-view.ts';
import { pageToast } from '../../stores/toasts.ts';
import { act } from '../act.ts';
import { StartDialog } from './StartDialog.tsx';

const ConfirmStart = lazy(() => import('./ConfirmStart.tsx'));

export function stopSentence(view: Pick<AgentView, 'agent'>): string {
  const { name, openPositions } = view.agent;
  return openPositions === 0
    ? `${name} opens nothing more. It holds no positions.`
    : `${name} opens nothing more. Its ${openPositions} ${openPositions === 1 ? 'position stays' : 'positions stay'} open and protected by stops.`;
}

/** Takes back what was never sent, and says so where it was too late. */
export async function undo(commandId: string): Promise<void> {
  const result = await cancelCommand(commandId);
  if (result === 'undone') pageToast('success', 'Taken back. Nothing was sent.');
  if (result === 'already-sent') pageToast('blank', 'Already on its way. Use the opposite command instead.');
}

export function AgentActs({ view, startable = true }: { view: AgentView; startable?: boolean }) {
  const { agent, entry } = view;
  const [starting, setStarting] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  return (
    <div className="flex min-w-11 justify-end gap-2 pointer-fine:min-w-9">
      {view.canReview && <Button size="icon" aria-label={`Review the start of ${agent.name}`} title="Review" className="text-amber" onClick={() => { setReviewing(true); }}><CircleAlert className="size-4.5" aria-hidden /></Button>}
      {view.canUndo && entry !== null && <Button size="icon" aria-label={`Take back: ${view.wish === 'stop' ? 'stop' : 'start'} ${agent.name}`} title="Undo" onClick={() => { void undo(entry.commandId); }}><Undo2 className="size-4" aria-hidden /></Button>}
      {view.canStop && <HoldToConfirm compact label={`Stop ${agent.name}`} sentence={stopSentence(view)} icon={<CircleStop className="size-4.5" aria-hidden />} onConfirm={() => { act(stopAgent(agent)); }} />}
      {startable && !view.canStop && view.canStart && <Button size="icon" aria-label={`Start ${agent.name}`} onClick={() => { setStarting(true); }}><Play className="size-4" aria-hidden /></Button>}
      {startable && <StartDialog agent={agent} open={starting} onOpenChange={setStarting} />}
      {reviewing && entry !== null && <Suspense><ConfirmStart entry={entry} open onOpenChange={setReviewing} /></Suspense>}
    </div>
  );
}
