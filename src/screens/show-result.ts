/** Shows the result of a command in a toast where the screen itself does not. */
import type { CommandResult } from '../commands.ts';
import { failureSentence } from '../format/failure-sentence.ts';
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
 * happens.
 */
export async function showFailure(work: Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work;
    if (done !== undefined) pageToast('success', done);
    return true;
  } catch (error) {
    pageToast('error', await failureSentence(error));
    return false;
  }
}
