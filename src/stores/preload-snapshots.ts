/**
 * Reads the last user's snapshots while the rest of the app loads. It creates no database and does
 * not validate.
 */

import type { RawSnapshots } from '../offline/snapshots.ts';

/**
 * As `last-user.ts` and `database.ts` name them; this file imports no code, so that it runs first.
 */
const LAST_USER_KEY = 'tradewind.lastUser';
const PREFIX = 'tradewind-';
const STORE = 'snapshots';

/** A browser that has not answered by then is asked again by the database itself, ms. */
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

/** All of the store, or null where there is none or the browser will not have it read. */
function readAll(uid: string): Promise<RawSnapshots | null> {
  return new Promise((resolve) => {
    const nothing = (): void => {
      resolve(null);
    };
    setTimeout(nothing, DEADLINE_MS);
    const opening = indexedDB.open(PREFIX + uid);
    // There is none: whether it may be made is for others to say.
    opening.onupgradeneeded = () => {
      opening.transaction?.abort();
    };
    opening.onerror = nothing;
    opening.onsuccess = () => {
      const db = opening.result;
      // A sign-out elsewhere deletes it: whoever holds on would block that.
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
 * What was read of this user, once: by a second call the database holds something newer. Null where
 * it was not read.
 */
export function takePreloadedSnapshots(uid: string): Promise<RawSnapshots | null> | null {
  const taken = preloaded?.uid === uid ? preloaded.values : null;
  preloaded = null;
  return taken;
}
