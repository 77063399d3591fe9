/**
 * Queues the stop of agents ahead of a call that cannot be queued, such as a sale: without an
 * answer to that call, the stop is still saved.
 */
import type { Agent } from '../../../../contract/agents.ts';
import { ApiError } from '../../../api/api-error.ts';
import { queue, stopAgent } from '../../../commands.ts';
import { failureSentence } from '../../../format/failure-sentence.ts';
import { samePerson } from '../../../identity/session.ts';
import { commandText } from '../../../stores/agent-view.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { showResult } from '../../show-result.ts';

/** The id of the stop in the queue; null where it is not there, which has been said. */
async function queuedStop(agent: Agent): Promise<string | null> {
  const stopping = stopAgent(agent);
  showResult(stopping);
  const result = await stopping.catch(() => null);
  return result?.said === 'saved' ? result.entry.commandId : null;
}

/** Where the stops are now. One that has left the queue is shown by its agent. */
const stopsText = (ids: readonly (string | null)[]): string[] => [
  ...new Set(
    queue.entries.filter(({ commandId }) => ids.includes(commandId)).map((one) => commandText(one)),
  ),
];

/** A disk that hangs or refuses holds up the call no longer than this, ms. */
const SAVED_WITHIN_MS = 2_000;

const late = (): Promise<null> =>
  new Promise((resolve) => {
    setTimeout(resolve, SAVED_WITHIN_MS, null);
  });

/** The reply to the call; null where it failed. `unanswered` is said where nobody answered. */
export async function stopFirst<Reply>(
  agents: readonly Agent[],
  call: () => Promise<Reply>,
  unanswered: string,
): Promise<Reply | null> {
  const isHere = samePerson();
  const stops = await Promise.all(agents.map((agent) => Promise.race([queuedStop(agent), late()])));
  try {
    return await call();
  } catch (error) {
    const silent = error instanceof ApiError && error.status === 0;
    const failed = silent ? unanswered : await failureSentence(error);
    if (!isHere()) return null;
    // Some of the server's sentences end without a full stop.
    pageToast('error', [failed.replace(/[^.]$/, '$&.'), ...stopsText(stops)].join(' '));
    return null;
  }
}
