/** Delivers the queue from a page, and asks the worker for what the page cannot do itself. */
import { deliver as byHttp, type Deliver } from './deliver.ts';
import { unmarkedIn } from './delivery-changes.ts';
import type { Outbox } from './outbox.ts';
import { StorageFault } from './user-database.ts';

const ownWorkers = (): ServiceWorkerContainer | undefined =>
  (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;

interface SyncRegistration {
  sync?: { register(tag: string): Promise<void> };
}

const SYNC_TAG = 'outbox';

/**
 * Asks the browser to wake the worker when the network is back, where supported. Nothing depends on
 * it.
 */
export async function askForSync(): Promise<void> {
  try {
    const registration = (await ownWorkers()?.getRegistration()) as SyncRegistration | undefined;
    await registration?.sync?.register(SYNC_TAG);
  } catch {
    // Not allowed, not supported, or no worker yet: the page sends by itself.
  }
}

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

/** The disk is back: the next page must not take for unsent what went past it. */
export async function tellDisk(outbox: Outbox): Promise<void> {
  try {
    await unmarkedIn(outbox);
  } catch (error) {
    // The next change stores it.
    if (!(error instanceof StorageFault)) throw error;
  }
}

export const deliver: Deliver = async (ports, line) => {
  const drained = await byHttp(ports, line);
  // As often as the page tries itself: its tries lie ever further apart, up to a minute.
  if (drained.end === 'no-storage') askWorker(ports.outbox).catch(() => undefined);
  if (drained.end !== 'empty') void askForSync();
  return drained;
};
