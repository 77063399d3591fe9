/** Shows the result of a command in a toast where the screen itself does not. */
import type { CommandResult } from '../commands.ts';
import { failureSentence } from '../format/failure-sentence.ts';
import { samePerson } from '../identity/session.ts';
import { pageToast } from '../stores/toast-store.ts';

/** A queued command: saved ones are seen in the tray and on the agent; the rest is said. */
export function showResult(press: Promise<CommandResult>): void {
  press.then(
    (result) => {
      if (result.said === 'sent') pageToast('success', result.message);
      else if (result.said !== 'saved') pageToast('error', result.message);
    },
    async (error: unknown) => {
      pageToast('error', await failureSentence(error));
    },
  );
}

/**
 * A call that is not queued: true when the server has taken it. A failure is said and nothing else
 * happens. Nothing is said to somebody who has logged in since.
 */
export async function showFailure(work: Promise<unknown>, done?: string): Promise<boolean> {
  const isHere = samePerson();
  try {
    await work;
    if (done !== undefined && isHere()) pageToast('success', done);
    return true;
  } catch (error) {
    const sentence = await failureSentence(error);
    if (isHere()) pageToast('error', sentence);
    return false;
  }
}
