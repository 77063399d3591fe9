/** Lets the browser through between two pieces of long work, and waits for when it rests. */

/** A busy page never rests: what waits for that comes after this long in any case, ms. */
const IDLE_WAIT_MS = 5_000;
/** Where the browser does not tell when it rests, ms. */
const SOON_MS = 200;

interface Yielding {
  scheduler?: { yield?: () => Promise<void> };
}

/** Resolves in a task of its own. */
export function breathe(): Promise<void> {
  const { scheduler } = globalThis as Yielding;
  if (scheduler?.yield !== undefined) return scheduler.yield();
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** Resolves in an idle moment, or soon where the browser knows none. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    const now = (): void => {
      resolve();
    };
    if ('requestIdleCallback' in globalThis) requestIdleCallback(now, { timeout: IDLE_WAIT_MS });
    else setTimeout(now, SOON_MS);
  });
}
