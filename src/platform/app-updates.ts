/**
 * Registers the service worker and reports a waiting update. The page never reloads while the user
 * is typing.
 */
import { proxy } from 'valtio';
import { holdReads } from './giving-way.ts';
import { log } from './page-log.ts';

/**
 * `waiting`: a newer version is installed and takes over when the user chooses, or at the next
 * start.
 */
export const updates = proxy<{ waiting: boolean }>({ waiting: false });

let activate: () => void = () => undefined;
let checkNow: () => void = () => undefined;
let sendsAreOver: () => Promise<void> = () => Promise.resolve();

const RELOADED_KEY = 'tradewind.reloadedFor';
/** Interval of checks for a new version on a page that stays open. */
const CHECK_EVERY_MS = 60 * 60_000;
/** How long finding and installing a newer build may take before this one is reloaded, ms. */
const FOUND_MS = 5_000;
const LAID_MS = 30_000;

/** Activates the waiting version; the page then reloads itself. */
export function applyUpdate(): void {
  if (updates.waiting) activate();
  else
    void renew(() => {
      location.reload();
    });
}

/** Checks now, for a page that the server rejects as too old. */
export function checkForUpdate(): void {
  checkNow();
}

/** Fields with unsaved entries; those of an unmounted screen don't count. */
const typed = new Set<Element>();

export function isTyping(): boolean {
  for (const field of typed) if (!field.isConnected) typed.delete(field);
  return typed.size > 0;
}

function offer(how: () => void): void {
  activate = how;
  updates.waiting = true;
}

/** An update nobody asked for waits while a form has entries. */
function gently(reload: () => void): () => void {
  return () => {
    if (isTyping()) offer(reload);
    else reload();
  };
}

/**
 * A missing chunk means an old shell: one reload brings the new one. A second within a minute would
 * be a loop; where `sessionStorage` is not available the two could not be told apart, so there is
 * no reload.
 */
export function reloadOnce(storage: () => Storage, reload: () => void, now = Date.now()): boolean {
  try {
    const last = Number(storage().getItem(RELOADED_KEY) ?? '0');
    if (now - last < 60_000) return false;
    storage().setItem(RELOADED_KEY, String(now));
  } catch {
    return false;
  }
  reload();
  return true;
}

const pause = (ms: number): Promise<null> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(null);
    }, ms);
  });

function laidDown(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (): void => {
      if (worker.state !== 'installing') resolve(worker.state !== 'redundant');
    };
    worker.addEventListener('statechange', settle);
    settle();
  });
}

/** The new worker waits for sends as well; here their end decides from when reads are held. */
async function letTakeOver(ask: () => void): Promise<void> {
  await sendsAreOver();
  holdReads();
  ask();
}

/**
 * Loads the newest available build: the worker would answer a mere reload with its own page. If
 * there is none, this one is reloaded. Pending sends finish first.
 */
async function renew(reload: () => void): Promise<void> {
  const container = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
  const registration = await container?.getRegistration().catch(() => undefined);
  await Promise.race([registration?.update().catch(() => undefined), pause(FOUND_MS)]);
  const next = registration?.waiting ?? registration?.installing;
  if (next != null && (await Promise.race([laidDown(next), pause(LAID_MS)])) === true) {
    container?.addEventListener('controllerchange', reload, { once: true });
    await letTakeOver(() => {
      next.postMessage({ type: 'SKIP_WAITING' });
    });
    return;
  }
  await sendsAreOver();
  reload();
}

/** Watches for missing chunks and unsaved forms. Called before anything is rendered. */
export function openUpdates(sends: () => Promise<void>): void {
  sendsAreOver = sends;
  document.addEventListener(
    'input',
    ({ target }) => {
      if (target instanceof Element) typed.add(target);
    },
    { capture: true, passive: true },
  );
  addEventListener('vite:preloadError', (event) => {
    log.error('Could not load a part of the app', event.payload);
    // The chunk of an older build is gone from the server. Offline a reload would only lose the
    // page.
    if (!navigator.onLine) return;
    const anew = (): void => {
      void renew(
        gently(() => {
          location.reload();
        }),
      );
    };
    gently(() => {
      reloadOnce(() => sessionStorage, anew);
    })();
  });
}

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
  const { Workbox } = await import('workbox-window');
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
  checkNow = () => {
    if (document.visibilityState === 'visible')
      worker.update().catch((error: unknown) => {
        log.debug('Could not check for a newer version', error);
      });
  };
  document.addEventListener('visibilitychange', checkNow);
  setInterval(checkNow, CHECK_EVERY_MS);
}
