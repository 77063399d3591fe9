/** The steps of the landing page's example: what a press and the network make of its Stop. */

/** How long the example's network takes for a send, ms. */
export const SEND_MS = 900;

/** The state of the example's Stop. As in the app, only the server's answer makes it "stopped". */
export type Demo = 'running' | 'saved' | 'sending' | 'stopped';

/** What a press of Stop does, and what the return of the network does. */
export const pressed = (at: Demo, online: boolean): Demo => {
  if (at !== 'running') return at;
  return online ? 'sending' : 'saved';
};
export const afterNetwork = (at: Demo, online: boolean): Demo => {
  if (at === 'saved' && online) return 'sending';
  // The network went while the Stop was being sent: the outcome is unknown, so it is not stopped.
  return at === 'sending' && !online ? 'saved' : at;
};
