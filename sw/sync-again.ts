/** Whether a sync that has drained the queue counts as failed, so that the browser tries again. */
import type { Drained } from '../src/offline/drain.ts';

const MAY_END_BY_ITSELF: readonly Drained['end'][] = [
  'offline',
  'waiting',
  'no-storage',
  'signed-out',
];

/**
 * `drained`: null without a user or a token. A sync comes with the network, when the provider may not
 * answer yet: that is no log-out, and the browser gives up by itself after a few tries.
 */
export const mustSyncAgain = (drained: Drained | null): boolean =>
  drained === null || MAY_END_BY_ITSELF.includes(drained.end);
