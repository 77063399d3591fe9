/** Reads and writes the queue in the user's database: every change is one strict transaction. */
import { get } from 'idb-keyval';
import {
  fields,
  list,
  maybe,
  number,
  oneOf,
  orNull,
  readAs,
  text,
  UNREAD,
  type Read,
} from '../../contract/readers.ts';
import { StorageFault, type UserDatabase } from './user-database.ts';
import { PRESSES_KEY } from './frame-record.ts';
import { readPresses, withPresses } from './frame-presses.ts';
import {
  legible,
  outboxEntry,
  readEntry,
  type OutboxEntry,
  type SetAside,
} from './outbox-entry.ts';
import { TOLD_KEY, trimSnapshots } from './snapshots.ts';

/** State of sending that page and worker share, beside the entries. */
export const queueMeta = fields({
  /** Server's clock − device's (ms) as last learnt; and the device's clock as last seen. */
  clockOffsetMs: orNull(number),
  lastSeenAt: number,
  /** The highest sequence that was given. Absent in records of earlier builds. */
  lastSequence: maybe(number),
  /**
   * Nothing is sent until a login later than `authTime` (s; null where the token did not say), or
   * another contract version.
   */
  pause: orNull(
    fields({
      why: oneOf(['sign-in', 'update']),
      authTime: orNull(number),
      contractVersion: number,
      since: maybe(number),
    }),
  ),
  /**
   * The last commands that the server took, oldest first. One that has left the queue otherwise is
   * not among them. Absent in records of earlier builds.
   */
  taken: maybe(list(text)),
});
export type QueueMeta = Read<typeof queueMeta>;
export const EMPTY_META: QueueMeta = { clockOffsetMs: null, lastSeenAt: 0, pause: null };

export interface QueueState {
  entries: OutboxEntry[];
  meta: QueueMeta;
}

/** What of the snapshots changes in the same moment as the queue. */
export interface Beside {
  keys: readonly string[];
  /** The record in place of one that lies there. */
  change(key: string, record: unknown): unknown;
}

/**
 * Storage of the queue. `change` is atomic, and durable when it resolves; what it leaves out of
 * `entries` is deleted.
 */
export interface QueueStore {
  readonly uid: string;
  read(): Promise<QueueState>;
  change<T>(work: (state: QueueState) => QueueState & { result: T }, beside?: Beside): Promise<T>;
  /** The quarantined records. */
  quarantined(): Promise<SetAside[]>;
  /** Deletes them on the user's request. */
  clearQuarantine(): Promise<void>;
}

export const QUEUE_META = 'queue';

/**
 * Server's clock − device's (ms) as last learnt, by the queue or by a page; zero before that.
 * @throws StorageFault
 */
export async function knownClockOffset(database: UserDatabase): Promise<number> {
  const meta = readAs(queueMeta, await get<unknown>(QUEUE_META, database.store('meta')));
  return meta?.clockOffsetMs ?? 0;
}

const NOTHING_BESIDE: Beside = { keys: [], change: (_key, record) => record };

/** The stored records, split into readable and unreadable ones. */
interface StoredQueue {
  state: QueueState;
  stored: Map<string, OutboxEntry>;
  corrupt: [IDBValidKey, unknown][];
  /** Stops that were pressed on a first frame, as they lie; undefined where there are none. */
  presses: unknown;
}

/** The queue in the user's own database. */
export function databaseStore(database: UserDatabase): QueueStore {
  const { uid } = database;
  const load = (transaction: IDBTransaction): Promise<StoredQueue> => loadQueue(transaction, uid);

  const changeOnce = <T>(
    work: (state: QueueState) => QueueState & { result: T },
    beside: Beside = NOTHING_BESIDE,
    isTold = beside.keys.length > 0,
  ): Promise<T> =>
    database.transact(
      ['outbox', 'quarantine', 'meta', ...(beside.keys.length > 0 ? (['snapshots'] as const) : [])],
      'readwrite',
      async (transaction) => {
        const before = await load(transaction);
        // They are older than what is asked for now, and are in the queue before it.
        const { presses, unreadable } = readPresses(before.presses);
        const { result, ...after } = work(withPresses(before.state, presses, uid));
        writeQueue(transaction, before, after, unreadable);
        for (const key of beside.keys)
          await changeRecord(transaction.objectStore('snapshots'), key, beside);
        if (isTold) transaction.objectStore('meta').put(Date.now(), TOLD_KEY);
        return result;
      },
    );

  return {
    uid,
    async read() {
      const found = await database.transact(['outbox', 'meta'], 'readonly', load);
      if (found.corrupt.length === 0 && found.presses === undefined) return found.state;
      // What was pressed on a frame waits like any command, though the disk takes nothing now.
      return changeOnce((state) => ({ ...state, result: state })).catch(() =>
        withPresses(found.state, readPresses(found.presses).presses, uid),
      );
    },
    async change(work, beside) {
      try {
        return await changeOnce(work, beside);
      } catch (error) {
        const isTold = beside !== undefined && beside.keys.length > 0;
        if (!(error instanceof StorageFault)) throw error;
        // If storage is full, snapshots are deleted for commands, never the other way round.
        if (error.code === 'quota') await trimSnapshots(database, null);
        // A snapshot that cannot be changed holds up no command.
        else if (!isTold || error.code !== 'broken') throw error;
        return changeOnce(work, NOTHING_BESIDE, isTold);
      }
    },
    quarantined: () => database.transact(['quarantine'], 'readonly', loadQuarantine),
    clearQuarantine: () =>
      database.transact(['quarantine'], 'readwrite', (transaction) => {
        transaction.objectStore('quarantine').clear();
      }),
  };
}

/** What does not lie there is not made: nobody wants it kept, or nothing was heard of it yet. */
function changeRecord(store: IDBObjectStore, key: string, beside: Beside): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (request: IDBRequest) => (): void => {
      reject(request.error ?? new Error('A snapshot could not be changed'));
    };
    const present = store.get(key) as IDBRequest<unknown>;
    present.onerror = failed(present);
    present.onsuccess = () => {
      if (present.result === undefined) {
        resolve();
        return;
      }
      try {
        const written = store.put(beside.change(key, present.result), key);
        written.onerror = failed(written);
        written.onsuccess = () => {
          resolve();
        };
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
  });
}

function sortRecords(
  uid: string,
  keys: IDBValidKey[],
  values: unknown[],
  meta: unknown,
  presses: unknown,
): StoredQueue {
  const stored = new Map<string, OutboxEntry>();
  const corrupt: [IDBValidKey, unknown][] = [];
  keys.forEach((key, index) => {
    const read = readEntry(values[index]);
    // A newer build's record is neither sent nor quarantined by this one.
    if (read.is === 'newer') return;
    if (read.is === 'entry' && read.entry.commandId === key && read.entry.uid === uid)
      stored.set(read.entry.commandId, read.entry);
    else corrupt.push([key, values[index]]);
  });
  const entries = [...stored.values()].sort((a, b) => a.sequence - b.sequence);
  const state = { entries, meta: readAs(queueMeta, meta) ?? EMPTY_META };
  return { state, stored, corrupt, presses };
}

function loadQueue(transaction: IDBTransaction, uid: string): Promise<StoredQueue> {
  const outbox = transaction.objectStore('outbox');
  const keys = outbox.getAllKeys();
  const values = outbox.getAll() as IDBRequest<unknown[]>;
  const meta = transaction.objectStore('meta').get(QUEUE_META) as IDBRequest<unknown>;
  const presses = transaction.objectStore('meta').get(PRESSES_KEY) as IDBRequest<unknown>;
  return new Promise((resolve, reject) => {
    // Requests of one transaction succeed in order: the last one's success covers all.
    presses.onsuccess = () => {
      resolve(sortRecords(uid, keys.result, values.result, meta.result, presses.result));
    };
    for (const request of [keys, values, meta, presses])
      request.onerror = () => {
        reject(request.error ?? new Error('The queue could not be read'));
      };
  });
}

/** What could not be read again is not written. */
function asStored(entry: OutboxEntry): OutboxEntry {
  const read = outboxEntry(entry);
  if (read === UNREAD) throw new TypeError('A command has a form that no queue holds');
  return read;
}

/** Writes the difference to `before`, and quarantines what could not be read. */
function writeQueue(
  transaction: IDBTransaction,
  before: StoredQueue,
  after: QueueState,
  unreadablePresses: readonly unknown[],
): void {
  const outbox = transaction.objectStore('outbox');
  const quarantine = transaction.objectStore('quarantine');
  for (const [key, value] of before.corrupt) {
    quarantine.put({ at: Date.now(), key, value }, crypto.randomUUID());
    outbox.delete(key);
  }
  for (const value of unreadablePresses)
    quarantine.put({ at: Date.now(), key: PRESSES_KEY, value }, crypto.randomUUID());
  const kept = new Set(after.entries.map((entry) => entry.commandId));
  for (const commandId of before.stored.keys()) if (!kept.has(commandId)) outbox.delete(commandId);
  for (const entry of after.entries)
    if (before.stored.get(entry.commandId) !== entry) outbox.put(asStored(entry), entry.commandId);
  const meta = transaction.objectStore('meta');
  if (after.meta !== before.state.meta) meta.put(after.meta, QUEUE_META);
  if (before.presses !== undefined) meta.delete(PRESSES_KEY);
}

function loadQuarantine(transaction: IDBTransaction): Promise<SetAside[]> {
  return new Promise((resolve, reject) => {
    const request = transaction.objectStore('quarantine').getAll() as IDBRequest<
      { value: unknown }[]
    >;
    request.onsuccess = () => {
      resolve(request.result.map(({ value }) => legible(value)));
    };
    request.onerror = () => {
      reject(request.error ?? new Error('read failed'));
    };
  });
}
