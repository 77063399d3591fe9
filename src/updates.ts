/** Registers the service worker and says when a newer build waits; refuses to reload over a person's head. */
import { proxy } from 'valtio';
import { log } from './log.ts';

/** `waiting`: a newer version is installed and takes over when the person says so, or at the next start. */
export const updates = proxy<{ waiting: boolean }>({ waiting: false });

let activate: () => void = () => undefined;

/** Lets the waiting version take over; the page reloads itself when it has. */
export function applyUpdate(): void {
  activate();
}

const RELOADED_KEY = 'tradewind.reloadedFor';
/** A page that is left open and looked at all day is told of a new version too. */
const LOOK_EVERY_MS = 60 * 60_000;

/** A missing chunk means an old shell: one reload brings the new one. A second in the same minute would be a loop. */
export function reloadOnce(storage: Storage, reload: () => void, now = Date.now()): boolean {
  const last = Number(storage.getItem(RELOADED_KEY) ?? '0');
  if (now - last < 60_000) return false;
  storage.setItem(RELOADED_KEY, String(now));
  reload();
  return true;
}

/**
 * What a page does when another worker comes to serve it. The first one of all changes nothing. A later one has been
 * asked for in some tab: that tab reloads, and so does one that nobody looks at; one in use says so, since what it has not
 * loaded yet may be gone.
 */
export function followTakeover(container: Pick<ServiceWorkerContainer, 'controller' | 'addEventListener'>, asked: () => boolean, reload: () => void): void {
  let served = container.controller !== null;
  container.addEventListener('controllerchange', () => {
    if (!served) {
      served = true;
    } else if (asked() || document.visibilityState === 'hidden') {
      reload();
    } else {
      activate = reload;
      updates.waiting = true;
    }
  });
}

export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const { Workbox } = await import('workbox-window');
  const worker = new Workbox('/sw.js', { scope: '/' });
  let asked = false;
  followTakeover(navigator.serviceWorker, () => asked, () => { location.reload(); });
  worker.addEventListener('waiting', () => {
    updates.waiting = true;
    activate = () => {
      asked = true;
      worker.messageSkipWaiting();
    };
  });
  await worker.register();
  const look = (): void => { if (document.visibilityState === 'visible') worker.update().catch((error: unknown) => { log.debug('No newer version could be looked for', error); }); };
  document.addEventListener('visibilitychange', look);
  setInterval(look, LOOK_EVERY_MS);
}
