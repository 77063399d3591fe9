/** Renews the subscription of a browser that gets notifications, some time after the start. */
import { subscribeKey } from 'valtio/utils';
import { session } from '../identity/session.ts';
import { log } from '../platform/page-log.ts';
import { JOINED_KEY } from './open-push.ts';

/** How long the renewal waits, so that it does not slow down the start, ms. */
const RENEW_AFTER_MS = 10_000;

function renew(uid: string): void {
  setTimeout(() => {
    import('./device.ts')
      .then(({ renewPush }) => renewPush(uid))
      .catch((error: unknown) => {
        log.warn('Notifications could not be renewed', error);
      });
  }, RENEW_AFTER_MS);
}

/** Once for a page, for the first user that it sees logged in. */
export function openRenewal(): void {
  const settle = (): void => {
    if (session.status !== 'signed-in') return;
    stop();
    const uid = session.user?.uid;
    if (uid !== undefined && localStorage.getItem(JOINED_KEY) === uid) renew(uid);
  };
  const stop = subscribeKey(session, 'status', settle);
  settle();
}
