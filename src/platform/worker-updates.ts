/** Registers the service worker and follows its updates. Loaded after the first picture. */
import { Workbox } from 'workbox-window';
import { checkBy, gently, letTakeOver, offer } from './app-updates.ts';
import { log } from './page-log.ts';

/** Interval of checks for a new version on a page that stays open. */
const CHECK_EVERY_MS = 60 * 60_000;

/**
 * Handles a new service worker. The first one changes nothing. A later one was activated in some
 * tab: that tab reloads, and so do idle ones; one in use shows a notice, since chunks it has not
 * loaded may be gone.
 */
export function followTakeover(
  container: Pick<ServiceWorkerContainer, 'controller' | 'addEventListener'>,
  asked: () => boolean,
  reload: () => void,
): void {
  let served = container.controller !== null;
  container.addEventListener('controllerchange', () => {
    if (!served) served = true;
    else if (asked()) reload();
    else if (document.visibilityState === 'hidden') gently(reload)();
    else offer(reload);
  });
}

/**
 * A waiting worker is a newer version only beside an active one: Firefox and WebKit activate the
 * very first worker later than workbox expects.
 */
export const isNewer = ({
  active,
  waiting,
}: Pick<ServiceWorkerRegistration, 'active' | 'waiting'>): boolean =>
  active !== null && waiting !== null;

export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const worker = new Workbox('/sw.js', { scope: '/' });
  let asked = false;
  followTakeover(
    navigator.serviceWorker,
    () => asked,
    () => {
      location.reload();
    },
  );
  const offerNewer = (registration: ServiceWorkerRegistration | undefined): void => {
    if (registration === undefined || !isNewer(registration)) return;
    offer(() => {
      asked = true;
      void letTakeOver(() => {
        worker.messageSkipWaiting();
      });
    });
  };
  worker.addEventListener('waiting', () => {
    void navigator.serviceWorker.getRegistration().then(offerNewer);
  });
  await worker.register();
  const check = (): void => {
    if (document.visibilityState === 'visible')
      worker.update().catch((error: unknown) => {
        log.debug('Could not check for a newer version', error);
      });
  };
  checkBy(check);
  document.addEventListener('visibilitychange', check);
  setInterval(check, CHECK_EVERY_MS);
}
