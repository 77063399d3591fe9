/**
 * Notes the server's clock among the facts of the queue, where the worker finds it: a queue that never
 * sends anything learns of none.
 */
import { readAs } from '../../contract/readers.ts';
import { EMPTY_META, QUEUE_META, queueMeta } from './queue-store.ts';
import { heldDatabase, StorageFault } from './user-database.ts';

/** `offsetMs`: server's clock − device's. Never throws for storage. */
export async function noteClockOffset(uid: string, offsetMs: number): Promise<void> {
  try {
    await heldDatabase(uid)?.transact(['meta'], 'readwrite', (transaction) => {
      const store = transaction.objectStore('meta');
      const present = store.get(QUEUE_META) as IDBRequest<unknown>;
      present.onsuccess = () => {
        const meta = readAs(queueMeta, present.result) ?? EMPTY_META;
        if (meta.clockOffsetMs !== offsetMs)
          store.put({ ...meta, clockOffsetMs: offsetMs }, QUEUE_META);
      };
    });
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
  }
}
