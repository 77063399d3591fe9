/** Lets one turn of a queue run at a time in all tabs and the worker, and holds up no stop for long. */
import type { DrainPorts } from './drain.ts';
import { PATIENCE_MS } from './sends-over.ts';

const ownPage = (): EventTarget | null => ('document' in globalThis ? globalThis : null);

/**
 * A page that is left lets go at once. WebKit keeps such a page with its locks, and nothing in it goes
 * on to give them back. Without Web Locks, and where a holder sleeps, the server's receipts still give
 * one command one effect.
 */
export const alone: DrainPorts['alone'] = async (name, work) => {
  const page = ownPage();
  const left = new AbortController();
  const waiting = new AbortController();
  const leave = (): void => {
    left.abort();
    waiting.abort();
  };
  const leaving = new Promise<null>((resolve) => {
    left.signal.addEventListener('abort', () => {
      resolve(null);
    });
  });
  let begun = false;
  const begin = () => {
    begun = true;
    return Promise.race([work(left.signal), leaving]);
  };
  const timer = setTimeout(() => {
    waiting.abort();
  }, PATIENCE_MS);
  page?.addEventListener('pagehide', leave);
  try {
    const locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
    return await (locks?.request(name, { signal: waiting.signal }, begin) ?? begin());
  } catch (error) {
    if (begun) throw error;
    return left.signal.aborted ? null : await begin();
  } finally {
    clearTimeout(timer);
    page?.removeEventListener('pagehide', leave);
  }
};
