/**
 * Reads what the device keeps of its last user while the rest of the app loads. It creates no
 * database and does not validate.
 */
import {
  frameKey,
  isFrameKey,
  isFramePath,
  PRESSES_KEY,
  type FramePress,
  type FrameRecord,
} from '../offline/frame-record.ts';
import type { RawSnapshots } from '../offline/snapshots.ts';

const DATABASE_PREFIX = 'tradewind-';

/** After this the app reads for itself, ms. */
const DEADLINE_MS = 1_000;

/** What decides whether the last frame may be shown. */
export interface KeptFrame {
  frame: FrameRecord | null;
  /** The stored reply with the agents, as it lies. */
  agents: unknown;
  /** Ids of the commands in the queue. */
  commandIds: string[];
  presses: FramePress[];
}

/** The user's database; null where there is none, or none that opens. */
export function openKept(uid: string): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    const opening = indexedDB.open(DATABASE_PREFIX + uid);
    // There is no database: do not create one.
    opening.onupgradeneeded = () => {
      opening.transaction?.abort();
    };
    opening.onerror = () => {
      resolve(null);
    };
    opening.onsuccess = () => {
      const db = opening.result;
      // A log-out elsewhere deletes it, which an open connection would block.
      db.onversionchange = () => {
        db.close();
      };
      resolve(db);
    };
  });
}

/** Asks for the parts of the frame first; `onFrame` runs while the rest is being read. */
function readFrame(
  transaction: IDBTransaction,
  path: string,
  onFrame: (kept: KeptFrame) => void,
): void {
  const snapshots = transaction.objectStore('snapshots');
  const meta = transaction.objectStore('meta');
  const frame = isFramePath(path)
    ? (snapshots.get(frameKey(path)) as IDBRequest<FrameRecord | undefined>)
    : null;
  const agents = snapshots.get('agents') as IDBRequest<unknown>;
  const commandIds = transaction.objectStore('outbox').getAllKeys() as IDBRequest<string[]>;
  const presses = meta.get(PRESSES_KEY) as IDBRequest<FramePress[] | undefined>;
  // Requests of one transaction succeed in order: the last one's success covers all.
  presses.onsuccess = () => {
    onFrame({
      frame: frame?.result ?? null,
      agents: agents.result,
      commandIds: commandIds.result,
      presses: presses.result ?? [],
    });
  };
}

/** All snapshots; frames are drawn from the same data, and the app has no use for them. */
function readAll(transaction: IDBTransaction): Promise<RawSnapshots> {
  const snapshots = transaction.objectStore('snapshots');
  const read = new Map<string, IDBRequest<unknown>>();
  const keys = snapshots.getAllKeys() as IDBRequest<string[]>;
  keys.onsuccess = () => {
    for (const key of keys.result) if (!isFrameKey(key)) read.set(key, snapshots.get(key));
  };
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => {
      resolve(new Map([...read].map(([key, { result }]) => [key, result])));
    };
    transaction.onabort = () => {
      reject(transaction.error ?? new Error('The snapshots could not be read'));
    };
  });
}

async function read(
  uid: string,
  path: string,
  onFrame: (kept: KeptFrame) => void,
): Promise<RawSnapshots | null> {
  const db = await openKept(uid);
  if (db === null) return null;
  try {
    const transaction = db.transaction(['snapshots', 'outbox', 'meta'], 'readonly');
    readFrame(transaction, path, onFrame);
    return await readAll(transaction);
  } finally {
    db.close();
  }
}

let preloaded: { uid: string; snapshots: Promise<RawSnapshots | null> } | null = null;

/**
 * Begins to read the user's data. `onFrame` is called once with what the first frame needs; with
 * null where nothing can be read, or not in time.
 */
export function readDevice(
  uid: string,
  path: string,
  onFrame: (kept: KeptFrame | null) => void,
): void {
  let isTold = false;
  const tell = (kept: KeptFrame | null): void => {
    if (!isTold) onFrame(kept);
    isTold = true;
  };
  const snapshots = Promise.race([
    read(uid, path, tell).catch(() => null),
    new Promise<null>((resolve) => {
      setTimeout(() => {
        resolve(null);
      }, DEADLINE_MS);
    }),
  ]);
  void snapshots.then(() => {
    tell(null);
  });
  preloaded = { uid, snapshots };
}

/**
 * What was read of this user, once: later the database holds newer data. Null where it was not
 * read.
 */
export function takePreloadedSnapshots(uid: string): Promise<RawSnapshots | null> | null {
  const taken = preloaded?.uid === uid ? preloaded.snapshots : null;
  preloaded = null;
  return taken;
}
