/** Whether a push message reported more than this device has loaded from the server. */
import { proxy } from 'valtio';
import { pushedSequence } from '../offline/pushed-state.ts';

/** The server's number that the messages to this device reach; null before the first. */
export const pushLag = proxy<{ pushedSequence: number | null }>({ pushedSequence: null });

export async function notePushLag(uid: string): Promise<void> {
  pushLag.pushedSequence = await pushedSequence(uid);
}

/** True while the list of agents is older than what a message knew of. */
export const isBehind = (pushed: number | null, agents: number | undefined): boolean =>
  pushed !== null && agents !== undefined && agents < pushed;
