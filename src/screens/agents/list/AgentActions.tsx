/** The buttons of one agent in a list: stop, start, undo or review. */
import { CircleAlert, Play, Undo2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Button } from '../../../components/Button.tsx';
import { latePart, LatePart } from '../../../components/LatePart.tsx';
import { screenPart } from '../../../components/screen-part.tsx';
import type { AgentView } from '../../../stores/agent-view.ts';
import { undoCommand } from '../../undo-command.ts';
import { StopButton, useStopPlace } from '../start-stop/StopButton.tsx';

const startDialog = latePart(
  'the dialog of a start',
  async () => (await import('../start-stop/StartDialog.tsx')).StartDialog,
);
const ConfirmStart = screenPart(() => import('../start-stop/ConfirmStart.tsx'));

export function AgentActions({ view, startable = true }: { view: AgentView; startable?: boolean }) {
  const { agent, entry } = view;
  const [starting, setStarting] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const isStopPlace = useStopPlace(view);
  return (
    <div className="flex min-w-11 justify-end gap-2 pointer-fine:min-w-9">
      {view.canReview && (
        <Button
          size="icon"
          aria-label={`Review start of ${agent.name}`}
          title="Review"
          className="text-amber"
          onClick={() => {
            setReviewing(true);
          }}
        >
          <CircleAlert className="size-4.5" aria-hidden />
        </Button>
      )}
      {/* The Undo of a stop is offered elsewhere: nothing may appear close to Stop's own place. */}
      {view.canUndo && view.pendingIntent === 'start' && entry !== null && (
        <Button
          size="icon"
          data-act={`take back ${entry.commandId}`}
          aria-label={`Undo: start ${agent.name}`}
          title="Undo"
          onClick={() => {
            void undoCommand(entry.commandId);
          }}
        >
          <Undo2 className="size-4" aria-hidden />
        </Button>
      )}
      {isStopPlace && <StopButton view={view} shows="icon" />}
      {startable && !isStopPlace && view.canStart && (
        <Button
          size="icon"
          data-act={`start ${agent.id}`}
          aria-label={`Start ${agent.name}`}
          onClick={() => {
            setStarting(true);
          }}
        >
          <Play className="size-4" aria-hidden />
        </Button>
      )}
      {startable && (
        <LatePart
          part={startDialog}
          needed={starting}
          onMissing={() => {
            setStarting(false);
          }}
          props={{ agent, open: starting, onOpenChange: setStarting }}
        />
      )}
      {reviewing && entry !== null && (
        <Suspense>
          <ConfirmStart entry={entry} open onOpenChange={setReviewing} />
        </Suspense>
      )}
    </div>
  );
}
