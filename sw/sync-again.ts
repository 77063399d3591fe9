/** What follows from how a delivery ended: whether the browser tries again, and what a stop waits for. */
import type { Drained } from '../src/offline/drain.ts';
import { probe, type Line } from '../src/offline/send.ts';
import type { StopWait } from '../src/offline/stop-notification.ts';

const MAY_END_BY_ITSELF: readonly Drained['end'][] = [
  'offline',
  'waiting',
  'no-storage',
  'signed-out',
];

/**
 * `drained`: null where the delivery failed. A sync comes with the network, when the provider may not
 * answer yet: that is no log-out, and the browser gives up by itself after a few tries.
 */
export const mustSyncAgain = (drained: Drained | null): boolean =>
  drained === null || MAY_END_BY_ITSELF.includes(drained.end);

/**
 * What a stop that is still saved waits for after a delivery. `isTriedAgain`: something sends it
 * later, with no page open.
 */
export function waitOf(end: Drained['end'] | null, isTriedAgain: boolean): StopWait {
  if (end === 'sign-in') return 'needs-login';
  if (end === 'update') return 'needs-update';
  if (end === 'signed-out') return 'needs-token';
  return isTriedAgain ? 'waiting' : 'needs-app';
}

/** Without a network the provider renews no token either: that is no log-out. */
export async function withoutToken(line: Line): Promise<Drained> {
  return { end: (await probe(line)) === null ? 'offline' : 'signed-out', dueAt: null };
}
