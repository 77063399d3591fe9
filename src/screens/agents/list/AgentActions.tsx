/** The buttons of one agent in a list: stop, start, undo or review. */
import { CircleAlert, Play, Undo2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Button } from '../../../components/Button.tsx';
import { latePart, LatePart } from '../../../components/LatePart.tsx';
import { screenPart } from '../../../components/screen-part.tsx';
import { unprotectedText, type AgentView } from '../../../stores/agent-view.ts';
import { undoCommand } from '../../undo-command.ts';
import { StopButton, useStopPlace } from '../start-stop/StopButton.tsx';

const startDialog = latePart(
  'the dialog of a start',
  async () => (await import('../start-stop/StartDialog.tsx')).StartDialog,
);
const ConfirmStart = screenPart(() => import('../start-stop/ConfirmStart.tsx'));

/** What becomes of its positions, where not each is known to have a stop loss. */
function uncertainSentence({
  agent: { openPositions },
  unprotected,
}: Pick<AgentView, 'agent' | 'unprotected'>): string {
  const isOne = openPositions === 1;
  const its = `Its ${openPositions} ${isOne ? 'position' : 'positions'}`;
  const stay = isOne ? 'stays open' : 'stay open';
  if (unprotected === null) return `${its} ${stay}. ${UNKNOWN_STOPS}`;
  return unprotected < openPositions
    ? `${its} ${stay}${unprotectedText(openPositions, unprotected)}.`
    : `${its} ${isOne ? 'has' : 'have'} no stop loss and ${stay}.`;
}

const UNKNOWN_STOPS = 'This device does not know its stop losses.';

export function stopSentence(view: Pick<AgentView, 'agent' | 'current' | 'unprotected'>): string {
  const { unprotected } = view;
  const { name, openPositions } = view.agent;
  if (!view.current) {
    const held =
      openPositions === 0
        ? 'It had no positions when last seen'
        : `It had ${openPositions} ${openPositions === 1 ? 'position' : 'positions'} when last seen`;
    const gone =
      unprotected !== null && unprotected > 0 ? `, ${unprotected} without a stop loss` : '';
    const stops =
      unprotected === null
        ? ` ${UNKNOWN_STOPS}`
        : unprotected === 0
          ? ' Open positions keep their stop losses.'
          : '';
    return `${name} opens no new positions once the server has the stop. ${held}${gone}.${stops}`;
  }
  if (openPositions > 0 && unprotected !== 0)
    return `${name} opens no new positions. ${uncertainSentence(view)}`;
  return openPositions === 0
    ? `${name} opens no new positions. It has none open.`
    : `${name} opens no new positions. Its ${openPositions} ${openPositions === 1 ? 'position keeps its stop loss' : 'positions keep their stop losses'}.`;
}

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
