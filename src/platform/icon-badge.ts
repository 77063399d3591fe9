/**
 * Keeps the number on the app's icon current. It is not cleared before queue and agents are loaded.
 */
import { subscribe } from 'valtio';
import { queue } from '../commands.ts';
import { session } from '../identity/session.ts';
import { needsPerson, showBadge } from '../offline/badge.ts';
import { agentsStore } from '../stores/agents-store.ts';

/** Called once. The worker may have set a number before, so nothing is assumed at the start. */
export function openBadge(): void {
  let shown: number | null = null;
  const follow = (): void => {
    // Before the queue is loaded an empty one means nothing; logged out there is no number.
    if (session.user === null ? session.status !== 'signed-out' : queue.storage === 'unopened')
      return;
    const number =
      session.user === null ? 0 : needsPerson(queue.entries, agentsStore.data?.agents ?? []);
    // Agents that are not loaded yet count as unknown, not as zero.
    const partly = session.user !== null && agentsStore.data === null && number === 0;
    if (partly || number === shown) return;
    shown = number;
    void showBadge(number);
  };
  for (const store of [queue, agentsStore, session]) subscribe(store, follow);
  // With no visible page the worker counts as well: the number is set again when the app is shown.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      shown = null;
      follow();
    }
  });
}
