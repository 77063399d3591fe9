/**
 * Registers the service worker and reports a waiting update. The page never reloads while the user
 * is typing.
 */
import { proxy } from 'valtio';
import { log } from './page-log.ts';

/**
 * `waiting`: a newer version is installed and takes over when the person says so, or at the next
 * start.
 */
export const updates = proxy<{ waiting: boolean }>({ waiting: false });

let activate: () => void = () => undefined;
let checkNow: () => void = () => undefined;
let sendsAreOver: () => Promise<void> = () => Promise.resolve();

const RELOADED_KEY = 'tradewind.reloadedFor';
/** A page that is left open and looked at all day is told of a new version too. */
const CHECK_EVERY_MS = 60 * 60_000;
/**
 * How long a newer build may take to be found, and to be laid down, before this one is loaded
 * again, ms.
 */
const FOUND_MS = 5_000;
const LAID_MS = 30_000;

/** Lets the waiting version take over; the page reloads itself when it has. */
export function applyUpdate(): void {
  if (updates.waiting) activate();
  else
    void renew(() => {
      location.reload();
    });
}

/** Asks the server now, for a page that has been told that it is too old. */
export function checkForUpdate(): void {
  checkNow();
}

/** The fields somebody has typed into; those of a screen that is gone count no more. */
const typed = new Set<Element>();

export function isTyping(): boolean {
  for (const field of typed) if (!field.isConnected) typed.delete(field);
  return typed.size > 0;
}

function offer(how: () => void): void {
  activate = how;
  updates.waiting = true;
}

/** What nobody has asked for waits where a form would be lost by it. */
function gently(reload: () => void): () => void {
  return () => {
    if (isTyping()) offer(reload);
    else reload();
  };
}

/**
 * A missing chunk means an old shell: one reload brings the new one. A second in the same minute
 * would be a loop, and where the browser keeps nothing (reading `sessionStorage` throws there)
 * nobody could tell the first from the second: no reload.
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

/**
 * The newest build that can be had: the worker would answer a mere reload with the page it has.
 * Where there is none, or it cannot be laid down, this one is loaded again. Sends go first.
 */
async function renew(reload: () => void): Promise<void> {
  const container = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
  const registration = await container?.getRegistration().catch(() => undefined);
  await Promise.race([registration?.update().catch(() => undefined), pause(FOUND_MS)]);
  const next = registration?.waiting ?? registration?.installing;
  if (next != null && (await Promise.race([laidDown(next), pause(LAID_MS)])) === true) {
    container?.addEventListener('controllerchange', reload, { once: true });
    next.postMessage({ type: 'SKIP_WAITING' });
    return;
  }
  await sendsAreOver();
  reload();
}

/** Watches for parts that are gone and for forms that would be. Called before anything is drawn. */
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
    // The chunk of an older build is gone from the server. Offline the reload would only lose what
    // is on the screen.
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
 * What a page does when another worker comes to serve it. The first one of all changes nothing. A
 * later one has been asked for in some tab: that tab reloads, and so does one that nobody looks at
 * or types in; one in use says so, since what it has not loaded yet may be gone.
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
 * A worker that waits is a newer version only beside one that is active. Firefox and WebKit take
 * longer to activate the very first worker than workbox waits before it says "waiting"; nothing
 * newer exists then.
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
      worker.messageSkipWaiting();
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
