/** The offer to undo the last stop, with the state of that stop. */
import { Undo2 } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Button } from '../../../components/Button.tsx';
import { classes } from '../../../components/class-names.ts';
import { agentsStore } from '../../../stores/agents-store.ts';
import { connection } from '../../../stores/connection.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { pauseOffer, resumeOffer, stopOffer, type StopOffer } from '../../../stores/stop-offer.ts';
import { useEntries } from '../../use-store.ts';
import { undoStopText } from './undo-stop-text.ts';
import { undoStop } from './stop-press.ts';

/** The offer with its current state; null where there is nothing to undo. */
export function useStopOffer(): { offer: StopOffer; words: string } | null {
  const { offer } = useSnapshot(stopOffer);
  const entries = useEntries();
  const { online } = useSnapshot(connection);
  const agents = useSnapshot(agentsStore).data?.agents;
  if (offer === null) return null;
  const entry = entries.find((one) => one.commandId === offer.commandId);
  // From then on it is shown as an alert.
  if (entry?.state === 'failed' || entry?.state === 'lapsed') return null;
  const agent = agents?.find(({ id }) => id === offer.agent.id);
  const isUnsent = entry?.state === 'saved' && entry.attempts === 0;
  // While it is on its way, a start before it may have taken effect.
  const isStopped =
    online !== 'offline' &&
    (entry?.state ?? 'accepted') === 'accepted' &&
    agent?.status === 'stopped';
  return {
    offer,
    words: undoStopText(
      offer.agent.name,
      isUnsent ? 'unsent' : isStopped ? 'stopped' : 'sent',
      agent !== undefined && connectionOf(agent) !== null,
    ),
  };
}

/** `agentId`: only offers of this agent. */
export function UndoStop({ agentId, className }: { agentId?: string; className?: string }) {
  const offered = useStopOffer();
  // The dialog around it may have been closed while it was pointed at.
  useEffect(() => resumeOffer, []);
  if (offered === null || (agentId !== undefined && offered.offer.agent.id !== agentId))
    return null;
  const { offer, words } = offered;
  return (
    <section
      aria-label="Undo"
      onPointerEnter={pauseOffer}
      onPointerLeave={({ currentTarget }) => {
        if (!currentTarget.contains(document.activeElement)) resumeOffer();
      }}
      onFocus={pauseOffer}
      onBlur={resumeOffer}
      className={classes('flex min-h-11 items-center justify-between gap-3', className)}
    >
      <p className="min-w-0 flex-1">{words}</p>
      <Button
        size="sm"
        data-act={`undo ${offer.agent.id}`}
        onClick={() => {
          void undoStop();
        }}
      >
        <Undo2 className="size-4" aria-hidden />
        Undo
      </Button>
    </section>
  );
}
