/** Reads and writes the snapshots of a user: the last thing the server said, by kind. */
import { del, getMany, keys, set } from 'idb-keyval';
import * as z from 'zod/mini';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import {
  SNAPSHOT_KINDS,
  SNAPSHOTS,
  type SnapshotKind,
  type SnapshotValue,
} from './snapshot-registry.ts';
import { heldDatabase, StorageFault, type UserDatabase } from './user-database.ts';

export interface Snapshot<K extends SnapshotKind> {
  /** Device clock, ms, at which the server's word came. */
  savedAt: number;
  value: SnapshotValue<K>;
}

/** Values by kind as they lie in the store, unparsed. */
export type RawSnapshots = ReadonlyMap<string, unknown>;

const Kept = z.object({
  version: z.literal(CONTRACT_VERSION),
  savedAt: z.number(),
  value: z.unknown(),
});

/**
 * A word older than the one that is kept is a reply that came late. Beyond this it is rather the
 * server's clock that was set.
 */
const LATE_MS = 60_000;

/** The server's wall clock (ms) in a value, where it has one. */
function saidAt(value: unknown): number | null {
  const { servedAt } = value as { servedAt?: unknown };
  return typeof servedAt === 'number' ? servedAt : null;
}

/**
 * The kept value of a noun, or null: none, another version, or not what the contract says (then it
 * is thrown away).
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
 * Several nouns in one transaction: at a start the screen waits for them. Each is parsed, and
 * thrown away, by itself. `early` is what was read before this could be.
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
    const read = kinds.map(
      (kind, index) =>
        [kind, raws[index] === undefined ? undefined : parsed(kind, raws[index])] as const,
    );
    for (const [kind, kept] of read)
      if (kept === null) await del(kind, database.store('snapshots'));
    return Object.fromEntries(read.filter(([, kept]) => kept != null));
  } catch (error) {
    if (error instanceof StorageFault) return {};
    throw error;
  }
}

function parsed<K extends SnapshotKind>(kind: K, raw: unknown): Snapshot<K> | null {
  const kept = Kept.safeParse(raw);
  const value = kept.success ? SNAPSHOTS[kind].schema.safeParse(kept.data.value) : null;
  return kept.success && value?.success === true
    ? { savedAt: kept.data.savedAt, value: value.data as SnapshotValue<K> }
    : null;
}

/**
 * Keeps a value, unless the person does not want any kept. Never throws for storage's sake: a
 * snapshot is cache.
 * @returns whether it is kept.
 */
export async function writeSnapshot<K extends SnapshotKind>(
  uid: string,
  kind: K,
  value: SnapshotValue<K>,
  savedAt = Date.now(),
  database: UserDatabase | null = heldDatabase(uid),
): Promise<boolean> {
  const parsed = SNAPSHOTS[kind].schema.safeParse(value);
  if (database === null || !parsed.success) return false;
  const record = { version: CONTRACT_VERSION, savedAt, value: parsed.data };
  try {
    return await put(database, kind, record);
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    if (error.code !== 'quota') return false;
  }
  try {
    await trimSnapshots(database, kind);
    return await put(database, kind, record);
  } catch (error) {
    if (error instanceof StorageFault) return false;
    throw error;
  }
}

/**
 * Choice and present value are read in the transaction that writes, so that a purge or a newer word
 * cannot slip between.
 */
function put(
  database: UserDatabase,
  kind: SnapshotKind,
  record: { value: unknown },
): Promise<boolean> {
  return database.transact(
    ['snapshots', 'meta'],
    'readwrite',
    (transaction) =>
      new Promise<boolean>((resolve, reject) => {
        const snapshots = transaction.objectStore('snapshots');
        const choice = transaction.objectStore('meta').get('keepSnapshots');
        const present = snapshots.get(kind);
        present.onsuccess = () => {
          const before = saidAt((present.result as { value?: unknown } | undefined)?.value ?? {});
          const next = saidAt(record.value);
          const late = before !== null && next !== null && next < before && before - next < LATE_MS;
          if (choice.result === false || late) {
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

/** Makes room: deletes snapshots, never the queue. `keep` is left where there is one to leave. */
export async function trimSnapshots(
  database: UserDatabase,
  keep: SnapshotKind | null,
): Promise<void> {
  for (const kind of SNAPSHOT_KINDS)
    if (kind !== keep) await del(kind, database.store('snapshots'));
}

/** Which snapshots are kept for a user. */
export async function snapshotKinds(uid: string): Promise<SnapshotKind[]> {
  const database = heldDatabase(uid);
  if (database === null) return [];
  const found = await keys(database.store('snapshots'));
  return SNAPSHOT_KINDS.filter((kind) => found.includes(kind));
}

/**
 * The person's choice for this device. Off deletes what is kept, at once; the queue is not a
 * snapshot and stays.
 */
export async function keepSnapshots(uid: string, keep: boolean): Promise<void> {
  const database = heldDatabase(uid);
  if (database === null) return;
  if (keep) await set('keepSnapshots', true, database.store('meta'));
  else {
    await database.transact(['snapshots', 'meta'], 'readwrite', (transaction) => {
      transaction.objectStore('meta').put(false, 'keepSnapshots');
      transaction.objectStore('snapshots').clear();
    });
  }
}
