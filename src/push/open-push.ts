/**
 * Connects push to the page: a press on a notification opens its screen, and logout ends the
 * subscription.
 */
import { subscribeKey } from 'valtio/utils';
import { navigate } from 'wouter/use-browser-location';
import { onPurge, session } from '../identity/session.ts';
import { log } from '../platform/page-log.ts';

const JOINED_KEY = 'tradewind.push';
/** How long the renewal waits, so that it does not slow down the start, ms. */
const RENEW_AFTER_MS = 10_000;

/** Called once, before `openSession()`. */
export function openPush(): void {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data as { type?: unknown; path?: unknown } | null;
    if (
      message?.type === 'open' &&
      typeof message.path === 'string' &&
      /^\/(?!\/)/.test(message.path)
    )
      navigate(message.path);
  });
  onPurge(async (uid) => {
    if (localStorage.getItem(JOINED_KEY) !== uid) return;
    // What is shown or still comes says nothing without the user's database, so that a failure here
    // holds up no sign-out.
    await import('./device.ts')
      .then(({ dropPush }) => dropPush())
      .catch((error: unknown) => {
        log.warn('This browser could not be unsubscribed from notifications', error);
      });
  });
  const renew = (): void => {
    const uid = session.user?.uid;
    if (
      session.status !== 'signed-in' ||
      uid === undefined ||
      localStorage.getItem(JOINED_KEY) !== uid
    )
      return;
    setTimeout(() => {
      import('./device.ts')
        .then(({ renewPush }) => renewPush(uid))
        .catch((error: unknown) => {
          log.warn('Notifications could not be renewed', error);
        });
    }, RENEW_AFTER_MS);
  };
  const stop = subscribeKey(session, 'status', (status) => {
    if (status === 'signed-in') {
      stop();
      renew();
    }
  });
}
