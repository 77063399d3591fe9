/** Takes back a queued command and says what came of it. */
import { cancelCommand, type CancelResult } from '../commands.ts';
import { pageToast } from '../stores/toast-store.ts';

/** The disk failed: what was to be undone still waits and will be sent. */
export const NOT_UNDONE = 'Could not be undone on this device.';

/** The same of a command that is over and only shown. */
export const NOT_DISMISSED = 'Could not be dismissed on this device.';

/** What is said of what was taken back. */
export const UNDONE: Partial<Record<CancelResult, string>> = {
  undone: 'Undone. Nothing was sent.',
  'start-unknown': 'Undone. The earlier start was sent, but not confirmed by the server.',
};

/** It is sent, or may have been: only the opposite command undoes it. */
export const ON_ITS_WAY = 'Already on its way. Use the opposite command instead.';

export async function undoCommand(commandId: string, notDone = NOT_UNDONE): Promise<CancelResult> {
  const result = await cancelCommand(commandId);
  const undone = UNDONE[result];
  if (undone !== undefined) pageToast('success', undone);
  if (result === 'already-sent') pageToast('blank', ON_ITS_WAY);
  if (result === 'not-done') pageToast('error', notDone);
  return result;
}
