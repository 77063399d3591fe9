/** Goes on with the stops that were pressed on the first frame, before the app's code had run. */
import { sendQueued } from '../../../commands.ts';
import { isSavedInTime, type CaughtStop } from '../../../first-frame/catch-stops.ts';
import { agentsStore } from '../../../stores/agents-store.ts';
import { offerStopUndo, stopFrom } from './stop-press.ts';

/** The queue takes saved ones over by itself; one that could not be saved is pressed again. */
export async function takeCaughtStop(caught: CaughtStop): Promise<void> {
  const { press, bottomPx, byKey } = caught;
  const { agentId, agentName, seenGeneration, commandId } = press;
  const agent = { id: agentId, name: agentName, generation: seenGeneration };
  if (await isSavedInTime(caught)) {
    offerStopUndo(agent, commandId, { bottomPx, byKey });
    await sendQueued();
  } else {
    const present = agentsStore.data?.agents.find(({ id }) => id === agentId) ?? agent;
    stopFrom(present, { bottomPx, byKey });
  }
}
