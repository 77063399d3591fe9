/** Goes on with the stops that were pressed on the first frame, before the app's code had run. */
import { sendQueued } from '../../../commands.ts';
import type { CaughtStop } from '../../../first-frame/catch-stops.ts';
import { agentsStore } from '../../../stores/agents-store.ts';
import { offerStopUndo, stopFrom } from './stop-press.ts';

/** A disk that has not answered in this time counts as one that cannot save, ms. */
const SAVE_DEADLINE_MS = 5_000;

const withoutAnswer = (): Promise<boolean> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(false);
    }, SAVE_DEADLINE_MS);
  });

/** The queue takes saved ones over by itself; one that could not be saved is pressed again. */
export async function takeCaughtStop({ press, bottomPx, byKey, saved }: CaughtStop): Promise<void> {
  const { agentId, agentName, seenGeneration, commandId } = press;
  const agent = { id: agentId, name: agentName, generation: seenGeneration };
  if (await Promise.race([saved, withoutAnswer()])) {
    offerStopUndo(agent, commandId, { bottomPx, byKey });
    await sendQueued();
  } else {
    const present = agentsStore.data?.agents.find(({ id }) => id === agentId) ?? agent;
    stopFrom(present, { bottomPx, byKey });
  }
}
