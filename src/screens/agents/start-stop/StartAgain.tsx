/** The start that Undo of a sent stop leads to where it trades real money: never without its dialog. */
import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import { screenPart } from '../../../components/screen-part.tsx';
import { agentsStore } from '../../../stores/agents-store.ts';
import { stopOffer } from '../../../stores/stop-offer.ts';

const StartLiveDialog = screenPart(() => import('../../live/start/StartLiveDialog.tsx'));

const close = (): void => {
  stopOffer.startAgain = null;
};

export function StartAgain() {
  const { startAgain } = useSnapshot(stopOffer);
  // As it is now: a start names the state of the agent that the person has seen.
  const agent = useSnapshot(agentsStore).data?.agents.find(({ id }) => id === startAgain);
  // Nothing of a person who leaves is asked of the next one.
  useEffect(() => close, []);
  if (agent === undefined) return null;
  return (
    <Suspense>
      <StartLiveDialog agent={agent as Agent} open onOpenChange={close} />
    </Suspense>
  );
}
