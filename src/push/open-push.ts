/**
 * Connects push to the page: a press on a notification opens its screen, and logout ends the
 * subscription.
 */
import { navigate } from 'wouter/use-browser-location';
import { onPurge } from '../identity/session.ts';
import { log } from '../platform/page-log.ts';

/** Whose notifications this browser gets; kept on the device. */
export const JOINED_KEY = 'tradewind.push';
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
}
