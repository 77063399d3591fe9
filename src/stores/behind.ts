/**
 * Whether more has happened than this device has seen, as a push message with a gap before it
 * showed; refuses to forget it before a fresh read.
 */
import { proxy } from 'valtio';
import { toldByPush } from '../offline/pushed-state.ts';

/** `told`: the server's number that messages to this device reach; null before the first. */
export const behind = proxy<{ told: number | null }>({ told: null });

export async function noteBehind(uid: string): Promise<void> {
  behind.told = await toldByPush(uid);
}

/** True while the list of agents is older than what a message knew of. */
export const isBehind = (told: number | null, agents: number | undefined): boolean =>
  told !== null && agents !== undefined && agents < told;
