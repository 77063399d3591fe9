/** Delivers the queue from a page, and asks the worker for what the page cannot do itself. */
import { deliver as byHttp, type Deliver } from './deliver.ts';
import type { Outbox } from './outbox.ts';

const ownWorkers = (): ServiceWorkerContainer | undefined =>
  (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;

/**
 * WebKit can take IndexedDB from a page for as long as that lives, as where iOS ends the process that
 * serves it. The worker is started anew, and reads the queue. It says by the channel what it has
 * delivered.
 */
async function askWorker(outbox: Outbox): Promise<void> {
  try {
    await outbox.state();
    // Only writing fails here. The page has sent the stops, and the worker would send them again.
  } catch {
    const workers = ownWorkers();
    const worker = workers?.controller ?? (await workers?.getRegistration())?.active;
    worker?.postMessage({ type: 'drain' });
  }
}

export const deliver: Deliver = async (ports, line) => {
  const drained = await byHttp(ports, line);
  // As often as the page tries itself: its tries lie ever further apart, up to a minute.
  if (drained.end === 'no-storage') askWorker(ports.outbox).catch(() => undefined);
  return drained;
};
