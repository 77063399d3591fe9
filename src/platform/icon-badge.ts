/**
 * Keeps the number on the app's icon current. It is not cleared before queue and agents are loaded.
 */
import { subscribe } from 'valtio';
import { queue } from '../commands.ts';
import { session } from '../identity/session.ts';
import { needsPerson, showBadge } from '../offline/badge.ts';
import { agentsStore } from '../stores/agents-store.ts';

/**
 * Called once. The worker may have set a number meanwhile, so that nothing is taken for shown at
 * the start.
 */
export function openBadge(): void {
  let shown: number | null = null;
  const follow = (): void => {
    // Before the disk is read an empty queue means nothing; signed out there is nobody whose number
    // it could be.
    if (session.user === null ? session.status !== 'signed-out' : queue.storage === 'unopened')
      return;
    const number =
      session.user === null ? 0 : needsPerson(queue.entries, agentsStore.data?.agents ?? []);
    // Agents that are not here yet are not agents that want nothing.
    const partly = session.user !== null && agentsStore.data === null && number === 0;
    if (partly || number === shown) return;
    shown = number;
    void showBadge(number);
  };
  for (const store of [queue, agentsStore, session]) subscribe(store, follow);
  // With no page in sight the worker counts as well: what is shown is set anew when the app is seen
  // again.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      shown = null;
      follow();
    }
  });
}
