/**
 * Reads the last user's snapshots while the rest of the app loads. It creates no database and does
 * not validate.
 */

import type { RawSnapshots } from '../offline/snapshots.ts';

/**
 * The names of `last-user.ts` and `user-database.ts`; this file imports no code, so that it runs
 * first.
 */
const LAST_USER_KEY = 'tradewind.lastUser';
const PREFIX = 'tradewind-';
const STORE = 'snapshots';

/** After this the database reads for itself, ms. */
const DEADLINE_MS = 1_000;

interface PreloadedSnapshots {
  uid: string;
  values: Promise<RawSnapshots | null>;
}

function lastUid(): string | null {
  try {
    const record = JSON.parse(localStorage.getItem(LAST_USER_KEY) ?? 'null') as {
      uid?: unknown;
    } | null;
    return typeof record?.uid === 'string' && record.uid !== '' ? record.uid : null;
  } catch {
    return null;
  }
}

/** All entries of the store; null where there is none or it cannot be read. */
function readAll(uid: string): Promise<RawSnapshots | null> {
  return new Promise((resolve) => {
    const nothing = (): void => {
      resolve(null);
    };
    setTimeout(nothing, DEADLINE_MS);
    const opening = indexedDB.open(PREFIX + uid);
    // There is no database: do not create one.
    opening.onupgradeneeded = () => {
      opening.transaction?.abort();
    };
    opening.onerror = nothing;
    opening.onsuccess = () => {
      const db = opening.result;
      // A log-out elsewhere deletes it, which an open connection would block.
      db.onversionchange = () => {
        db.close();
      };
      try {
        const transaction = db.transaction(STORE, 'readonly');
        const keys = transaction.objectStore(STORE).getAllKeys();
        const values = transaction.objectStore(STORE).getAll();
        transaction.oncomplete = () => {
          resolve(
            new Map(
              keys.result.map((key, index) => [key as string, values.result[index] as unknown]),
            ),
          );
          db.close();
        };
        transaction.onabort = () => {
          nothing();
          db.close();
        };
      } catch {
        nothing();
        db.close();
      }
    };
  });
}

function preloadSnapshots(): PreloadedSnapshots | null {
  try {
    const uid = lastUid();
    return uid === null ? null : { uid, values: readAll(uid).catch(() => null) };
  } catch {
    return null;
  }
}

let preloaded: PreloadedSnapshots | null = preloadSnapshots();

/**
 * What was read of this user, once: later the database holds newer data. Null where it was not
 * read.
 */
export function takePreloadedSnapshots(uid: string): Promise<RawSnapshots | null> | null {
  const taken = preloaded?.uid === uid ? preloaded.values : null;
  preloaded = null;
  return taken;
}
