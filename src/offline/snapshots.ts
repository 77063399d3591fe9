/**
 * The server's last reply of each kind, stored per user. Replies that are unknown to the contract
 * or late are dropped. The schemas are loaded to write one, and to read what another build wrote.
 */
import { del, get, getMany, set } from 'idb-keyval';
import { deleteFrames } from './frames.ts';
import { isParsedHere, type KeptRecord } from './parsed-by.ts';
import type * as Schemas from './snapshot-schemas.ts';
import {
  SNAPSHOT_KINDS,
  type Snapshot,
  type SnapshotKind,
  type SnapshotValue,
} from './snapshot-registry.ts';
import { heldDatabase, StorageFault, type UserDatabase } from './user-database.ts';

/** Stored values by kind, not validated. */
export type RawSnapshots = ReadonlyMap<string, unknown>;

let here: typeof Schemas | null = null;

/** A page that is about to be left has no time to ask again for what it has. */
const schemas = (): typeof Schemas | Promise<typeof Schemas> =>
  here ??
  import('./snapshot-schemas.ts').then((loaded) => {
    here = loaded;
    return loaded;
  });

/**
 * A reply older than the stored one is late. If it is older by more than this, the server's clock
 * was set; if it still knows less after this, the server has begun anew.
 */
const LATE_MS = 60_000;

/** By what the server orders its replies, where they have it: its clock (ms), and the last event. */
interface Ordered {
  servedAt: number;
  sequence: number;
}

/** Whether a reply knows less than the kept one. What is undefined is neither less nor more. */
function isLate(
  next: KeptRecord,
  kept: { savedAt?: number; value?: unknown } | undefined,
): boolean {
  const late = next.value as Ordered;
  const known = (kept?.value ?? {}) as Ordered;
  return (
    (late.servedAt < known.servedAt && known.servedAt - late.servedAt < LATE_MS) ||
    (late.sequence < known.sequence && next.savedAt - (kept?.savedAt ?? 0) < LATE_MS)
  );
}

/**
 * The stored value of a kind, or null: none, another version, or invalid (then it is deleted).
 * Rejects like `readSnapshots`.
 */
export async function readSnapshot<K extends SnapshotKind>(
  uid: string,
  kind: K,
  database: UserDatabase | null = heldDatabase(uid),
): Promise<Snapshot<K> | null> {
  const kept: { [P in SnapshotKind]?: Snapshot<P> } = await readSnapshots(uid, [kind], database);
  return kept[kind] ?? null;
}

/**
 * Reads several kinds in one transaction, because the first screen waits for them. Each is
 * validated, and deleted if invalid, by itself. `early` is what was read in advance. Rejects where
 * the schemas are needed and cannot be loaded: then everything stays as it lies.
 */
export async function readSnapshots(
  uid: string,
  kinds: readonly SnapshotKind[],
  database: UserDatabase | null = heldDatabase(uid),
  early: Promise<RawSnapshots | null> | null = null,
): Promise<{ [K in SnapshotKind]?: Snapshot<K> }> {
  if (database === null) return {};
  try {
    const known = await early;
    const raws: unknown[] =
      known === null
        ? await getMany([...kinds], database.store('snapshots'))
        : kinds.map((kind) => known.get(kind));
    const lying = kinds
      .map((kind, index) => [kind, raws[index]] as const)
      .filter(([, raw]) => raw !== undefined);
    const others = lying.every(([, raw]) => ownRecord(raw) !== null) ? null : await schemas();
    const read = lying.map(
      ([kind, raw]) => [kind, ownRecord(raw) ?? others?.parseRecord(kind, raw) ?? null] as const,
    );
    for (const [kind, kept] of read) if (kept === null) await drop(database, kind);
    return Object.fromEntries(read.filter(([, kept]) => kept !== null));
  } catch (error) {
    if (error instanceof StorageFault) return {};
    throw error;
  }
}

/** Deletes what could not be read, unless it was written anew meanwhile. */
async function drop(database: UserDatabase, kind: SnapshotKind): Promise<void> {
  await database.transact(['snapshots'], 'readwrite', (transaction) => {
    const snapshots = transaction.objectStore('snapshots');
    const present = snapshots.get(kind) as IDBRequest<unknown>;
    present.onsuccess = () => {
      if (ownRecord(present.result ?? null) === null) snapshots.delete(kind);
    };
  });
}

/** A record that this build's schemas have parsed; null for any other. */
function ownRecord(raw: unknown): Snapshot<never> | null {
  const record = raw as KeptRecord | null;
  return record !== null && isParsedHere(record) && Number.isFinite(record.savedAt)
    ? { savedAt: record.savedAt, value: record.value as never }
    : null;
}

/**
 * Where the queue's facts say when a reply to a command was last laid into the snapshots (device
 * clock, ms).
 */
export const TOLD_KEY = 'toldAt';

/** Whether the reply to a command was laid into the snapshots since a time, device clock, ms. */
export async function isToldSince(database: UserDatabase, sinceMs: number): Promise<boolean> {
  try {
    const toldAt = await get<unknown>(TOLD_KEY, database.store('meta'));
    return typeof toldAt === 'number' && toldAt >= sinceMs;
  } catch (error) {
    if (error instanceof StorageFault) return false;
    throw error;
  }
}

/**
 * Saves a value, unless the user wants none saved. Never throws for storage: a snapshot is cache.
 * Rejects where the schemas cannot be loaded: nothing is written that was not parsed.
 * `askedAt`: when the server was asked for it, device clock, ms. What was asked for before a command
 * was answered, and comes after that, does not know of it.
 * @returns whether it was saved.
 */
export async function writeSnapshot<K extends SnapshotKind>(
  uid: string,
  kind: K,
  value: SnapshotValue<K>,
  savedAt = Date.now(),
  database: UserDatabase | null = heldDatabase(uid),
  askedAt: number | null = null,
): Promise<boolean> {
  if (database === null) return false;
  const { recordOf } = here ?? (await schemas());
  const record = recordOf(kind, value, savedAt);
  if (record === null) return false;
  try {
    return await put(database, kind, record, askedAt);
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    if (error.code !== 'quota') return false;
  }
  try {
    await trimSnapshots(database, kind);
    return await put(database, kind, record, askedAt);
  } catch (error) {
    if (error instanceof StorageFault) return false;
    throw error;
  }
}

/** The kinds that a reply to a command is laid into. */
const TOLD_KINDS: readonly SnapshotKind[] = ['agents', 'alerts'];

/** A time to come is that of a clock which has been set back since. */
const knowsLess = (kind: SnapshotKind, askedAt: number | null, toldAt: unknown): boolean =>
  askedAt !== null &&
  TOLD_KINDS.includes(kind) &&
  typeof toldAt === 'number' &&
  askedAt <= toldAt &&
  toldAt <= Date.now();

/**
 * Whether something was heard after `thanMs`. Page and worker share the device's clock, so a tab that
 * was hidden for long does not write its list over a newer one. A time to come tells nothing.
 */
const isNewer = (savedAt: number, thanMs: number): boolean =>
  savedAt > thanMs && savedAt <= Date.now();

/**
 * Choice and present value are read in the writing transaction, so that a purge or a newer value
 * cannot slip between.
 */
function put(
  database: UserDatabase,
  kind: SnapshotKind,
  record: KeptRecord,
  askedAt: number | null,
): Promise<boolean> {
  return database.transact(
    ['snapshots', 'meta'],
    'readwrite',
    (transaction) =>
      new Promise<boolean>((resolve, reject) => {
        const snapshots = transaction.objectStore('snapshots');
        const choice = transaction.objectStore('meta').get('keepSnapshots');
        const told = transaction.objectStore('meta').get(TOLD_KEY) as IDBRequest<unknown>;
        const present = snapshots.get(kind);
        present.onsuccess = () => {
          const known = present.result as { savedAt?: number; value?: unknown } | undefined;
          if (
            choice.result === false ||
            isLate(record, known) ||
            isNewer(known?.savedAt ?? 0, record.savedAt) ||
            knowsLess(kind, askedAt, told.result)
          ) {
            resolve(false);
            return;
          }
          try {
            const request = snapshots.put(record, kind);
            request.onsuccess = () => {
              resolve(true);
            };
            request.onerror = () => {
              reject(request.error ?? new Error('put failed'));
            };
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        present.onerror = () => {
          reject(present.error ?? new Error('get failed'));
        };
      }),
    'relaxed',
  );
}

/** Frees storage: deletes snapshots, never the queue. `keep` is left if possible. */
export async function trimSnapshots(
  database: UserDatabase,
  keep: SnapshotKind | null,
): Promise<void> {
  await deleteFrames(database);
  for (const kind of SNAPSHOT_KINDS)
    if (kind !== keep) await del(kind, database.store('snapshots'));
}

/** The user's choice for this device. Off deletes snapshots at once; the queue stays. */
export async function keepSnapshots(uid: string, keep: boolean): Promise<void> {
  const database = heldDatabase(uid);
  if (database === null) return;
  if (keep) {
    const meta = database.store('meta');
    // A start says it again, and has nothing to write.
    if ((await get<unknown>('keepSnapshots', meta)) !== true)
      await set('keepSnapshots', true, meta);
  } else {
    await database.transact(['snapshots', 'meta'], 'readwrite', (transaction) => {
      transaction.objectStore('meta').put(false, 'keepSnapshots');
      transaction.objectStore('snapshots').clear();
    });
  }
}
