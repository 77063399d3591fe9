/** Renews the subscription of a browser that gets notifications, after each login. */
import { subscribeKey } from 'valtio/utils';
import { session } from '../identity/session.ts';
import { log } from '../platform/page-log.ts';
import { JOINED_KEY } from './open-push.ts';

/** How long the first renewal waits, so that it does not slow down the start, ms. */
const AFTER_START_MS = 10_000;

function renew(uid: string, afterMs: number): void {
  setTimeout(() => {
    import('./device.ts')
      .then(({ renewPush }) => renewPush(uid))
      .catch((error: unknown) => {
        log.warn('Notifications could not be renewed', error);
      });
  }, afterMs);
}

/**
 * The first login that a page sees may be an old one. Each that follows is new, as after a reset of
 * the password, and the server takes the device for one that was left until it hears of that.
 */
export function openRenewal(): void {
  let afterMs = AFTER_START_MS;
  const settle = (): void => {
    if (session.status !== 'signed-in') return;
    const uid = session.user?.uid;
    if (uid !== undefined && localStorage.getItem(JOINED_KEY) === uid) renew(uid, afterMs);
    afterMs = 0;
  };
  subscribeKey(session, 'status', settle);
  settle();
}
