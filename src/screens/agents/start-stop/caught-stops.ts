/** Goes on with the stops that were pressed on the first frame, before the app's code had run. */
import { sendQueued } from '../../../commands.ts';
import { isSavedInTime, type CaughtStop } from '../../../first-frame/catch-stops.ts';
import { offerStopUndo, stopFrom } from './stop-press.ts';

/**
 * The queue takes saved ones over by itself; one that could not be saved is pressed again. Both are
 * one command, under one id and of one time: the disk may have it all the same.
 */
export async function takeCaughtStop(caught: CaughtStop): Promise<void> {
  const { press, bottomPx, byKey } = caught;
  const { agentId, agentName, seenGeneration, commandId, pressedAt } = press;
  const agent = { id: agentId, name: agentName, generation: seenGeneration };
  if (await isSavedInTime(caught)) {
    offerStopUndo(agent, commandId, { bottomPx, byKey });
    await sendQueued();
    return;
  }
  caught.isLate = true;
  stopFrom(agent, { bottomPx, byKey }, { press: { id: commandId, at: pressedAt } });
}
