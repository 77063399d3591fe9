/** Keeps the last frames of screens in the user's database, where that keeps snapshots. */
import { frameKey, FRAME_PATHS, type FramePath, type FrameRecord } from './frame-record.ts';
import { heldDatabase, StorageFault, type UserDatabase } from './user-database.ts';

/**
 * Saves a frame, unless the user wants nothing saved. Never throws for storage: a frame is cache,
 * and the first to give way.
 * @returns whether it was saved.
 */
export async function writeFrame(
  uid: string,
  path: FramePath,
  record: FrameRecord,
  database: UserDatabase | null = heldDatabase(uid),
): Promise<boolean> {
  if (database === null) return false;
  try {
    return await database.transact(
      ['snapshots', 'meta'],
      'readwrite',
      (transaction) =>
        new Promise<boolean>((resolve, reject) => {
          // Read in the writing transaction, so that a change of the choice cannot slip between.
          const choice = transaction.objectStore('meta').get('keepSnapshots');
          choice.onsuccess = () => {
            if (choice.result !== false)
              transaction.objectStore('snapshots').put(record, frameKey(path));
            resolve(choice.result !== false);
          };
          choice.onerror = () => {
            reject(choice.error ?? new Error('get failed'));
          };
        }),
      'relaxed',
    );
  } catch (error) {
    if (error instanceof StorageFault) return false;
    throw error;
  }
}

/** Deletes all frames. */
export async function deleteFrames(database: UserDatabase): Promise<void> {
  await database.transact(['snapshots'], 'readwrite', (transaction) => {
    for (const path of FRAME_PATHS) transaction.objectStore('snapshots').delete(frameKey(path));
  });
}
