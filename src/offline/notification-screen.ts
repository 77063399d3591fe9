/** Puts notifications on the screen and lists those on it, one at a time in all tabs and the worker. */

const LOCK = 'notifications';
/** A browser that hangs with one of them holds up no other for longer, ms. */
const PATIENCE_MS = 2_000;

/**
 * Chromium loses the record of a notification that is put on the screen while another realm lists
 * them: it stays there, and nothing finds it to say what became of a stop, or to close it at
 * log-out.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
  if (locks === undefined) return work();
  let begun = false;
  try {
    return await locks.request(LOCK, { signal: AbortSignal.timeout(PATIENCE_MS) }, () => {
      begun = true;
      return work();
    });
  } catch (error) {
    if (begun) throw error;
    return work();
  }
}

export const putOnScreen = (
  registration: ServiceWorkerRegistration,
  title: string,
  options: NotificationOptions,
): Promise<void> => inTurn(() => registration.showNotification(title, options));

export const onScreen = (registration: ServiceWorkerRegistration): Promise<Notification[]> =>
  inTurn(() => registration.getNotifications());
