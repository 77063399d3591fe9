/**
 * Stop all takes back every start before it, also that of an agent whose creation the server has not
 * answered yet: the agent is created, and does not run.
 */
import { subscribe } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import { queue, stopAgent, type CommandResult } from '../../../commands.ts';
import { samePerson } from '../../../identity/session.ts';
import { agentsStore } from '../../../stores/agents-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { showResult } from '../../show-result.ts';
import { createOnce, type Created } from './create-once.ts';

export interface StopAllWatch {
  /** Aborted as soon as Stop all is pressed, here or in another tab of this user. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Watches for a Stop all that is pressed from now on. */
export function watchStopAll(): StopAllWatch {
  const pressed = new AbortController();
  const presses = queue.stopAllPresses;
  const newest = Math.max(0, ...queue.entries.map(({ sequence }) => sequence));
  const look = (): void => {
    const isLater = ({ intent, sequence }: (typeof queue.entries)[number]): boolean =>
      intent === 'stop-all' && sequence > newest;
    if (queue.stopAllPresses > presses || queue.entries.some(isLater)) pressed.abort();
  };
  // At the press itself: the next attempt may be about to go out.
  const end = subscribe(queue, look, true);
  return { signal: pressed.signal, end };
}

/**
 * `createOnce`, until Stop all is pressed. From then on the same key asks for the agent without its
 * start, so that no earlier attempt that is still on its way can start it.
 */
export async function createUnlessStopped(
  stopAll: StopAllWatch,
  ...[draftName, body, record]: Parameters<typeof createOnce>
): Promise<Created> {
  const isHere = samePerson();
  if (!body.enabled) return createOnce(draftName, body, record);
  try {
    return await createOnce(draftName, body, record, stopAll.signal);
  } catch (error) {
    // Who has logged in since has asked for no agent.
    if (!stopAll.signal.aborted || !isHere()) throw error;
    return createOnce(draftName, { ...body, enabled: false }, record);
  }
}

/** Says what came of an agent on whose way Stop all was pressed, and stops it where it runs. */
export function holdToStopAll({ agent }: Created): void {
  const present = agentsStore.data?.agents.find(({ id }) => id === agent.id) ?? agent;
  if (present.status === 'stopped') {
    pageToast(
      'blank',
      agent.status === 'stopped'
        ? `${agent.name} is not started: Stop all was pressed after Create.`
        : `${agent.name} had already started. It is stopped now. Check its positions.`,
    );
    return;
  }
  // Started again since: that was pressed later and holds.
  if (present.startedAt !== agent.startedAt) return;
  showResult(stopStarted(present));
}

/** Stops it, and says that it had started together with what came of its stop. */
async function stopStarted(agent: Agent): Promise<CommandResult> {
  const isHere = samePerson();
  const result = await stopAgent(agent);
  // Its name is nothing to somebody who has logged in since.
  if (!isHere()) return result;
  const started = `${agent.name} had already started.`;
  if (result.said !== 'saved') return { ...result, message: `${started} ${result.message}` };
  pageToast('blank', `${started} Its stop is saved and will be sent.`);
  return result;
}
