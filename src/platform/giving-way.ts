/** Holds the page's reads while the worker that serves it gives way to a newer one. */

/** Longer than a slow phone takes to end a worker; then the page goes on as it was. */
const MOST_MS = 5_000;

let over: Promise<void> | null = null;

/**
 * From now on reads wait. Chromium ends the old worker as soon as it has nothing to do; a request
 * that comes just then starts it again, and it stays for as long as requests keep coming.
 */
export function holdReads(): void {
  over = new Promise((resolve) => {
    setTimeout(() => {
      over = null;
      resolve();
    }, MOST_MS);
  });
}

/** When a read may be sent; null for at once. Commands are never held. */
export const readsHeld = (): Promise<void> | null => over;
