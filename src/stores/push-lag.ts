/** Whether a push message reported more than this device has loaded from the server. */
import { proxy } from 'valtio';
import { pushedSequence } from '../offline/pushed-state.ts';

/** The newest sequence that push messages to this device mentioned; null before the first. */
export const pushLag = proxy<{ pushedSequence: number | null }>({ pushedSequence: null });

export async function notePushLag(uid: string): Promise<void> {
  pushLag.pushedSequence = await pushedSequence(uid);
}

/** True while the list of agents is older than a push message. */
export const isBehind = (pushed: number | null, agents: number | undefined): boolean =>
  pushed !== null && agents !== undefined && agents < pushed;
