/** Reports a waiting update, and loads it. The page never reloads while the user is typing. */
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

/** How to check, once there is a service worker. */
export function checkBy(check: () => void): void {
  checkNow = check;
}

/**
 * Fields with unsaved entries, and what screens hold of them; those of an unmounted screen don't
 * count.
 */
export const typed = new Set<{ readonly isConnected: boolean }>();

export function isTyping(): boolean {
  for (const field of typed) if (!field.isConnected) typed.delete(field);
  return typed.size > 0;
}

export function offer(how: () => void): void {
  activate = how;
  updates.waiting = true;
}

/** An update nobody asked for waits while a form has entries. */
export function gently(reload: () => void): () => void {
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
export async function letTakeOver(ask: () => void): Promise<void> {
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
      // Without this, each search field ever typed into would keep its whole screen in memory.
      isTyping();
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
