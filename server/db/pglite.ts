/** PGlite in a folder, or in memory for tests, durable at each commit. Lock the folder first. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { Log } from '../log.ts';
import type { Database, Db } from './database.ts';
import { LaneLock, type Lane } from './lanes.ts';
import { RevivingPglite } from './pglite-client.ts';
import { ThreadedPglite } from './pglite-threaded.ts';
import * as schema from './schema.ts';
import { transact } from './transact.ts';

const nothing = (): void => undefined;
export const SILENT: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/** What drizzle asks a client for, and what becomes of it. */
export type PgliteClient = Pick<PGlite, 'query' | 'transaction'> & {
  onReturn(listener: () => void): () => void;
  close(): Promise<void>;
};

/** In a folder it runs in a thread of its own; in memory, for tests, in the caller's. */
const openClient = (folder: string | undefined, log: Log): Promise<PgliteClient> =>
  folder === undefined
    ? RevivingPglite.open({ relaxedDurability: false }, undefined, log)
    : ThreadedPglite.open({ dataDir: folder, folder }, log);

/** One connection for all: each query and each transaction waits for its turn, by lane. */
function onLane(client: PgliteClient, lock: LaneLock, lane: Lane): Db {
  const turn: Pick<PGlite, 'query' | 'transaction'> = {
    query: (...args) => lock.hold(lane, () => client.query(...args)) as never,
    transaction: (work) => lock.hold(lane, () => client.transaction(work)),
  };
  // drizzle asks it for nothing but `query` and `transaction`.
  return drizzle(turn as unknown as PGlite, { schema });
}

/** A database of the newest schema, over the one client that everybody shares. */
export function pgliteOver(client: PgliteClient): Database {
  const lock = new LaneLock();
  const lanes = new Map<Lane, Database>();
  const on = (lane: Lane): Database => {
    const known = lanes.get(lane);
    if (known !== undefined) return known;
    const db = onLane(client, lock, lane);
    const made: Database = {
      kind: 'pglite',
      db,
      transaction: (work) => transact((attempt) => db.transaction(attempt), work),
      on,
      pubsub: null,
      onReturn: (listener) => client.onReturn(listener),
      close: () => client.close(),
    };
    lanes.set(lane, made);
    return made;
  };
  return on('work');
}

const folderIn = (dataDir: string): string => join(dataDir, 'pglite');

/**
 * Opens `dataDir/pglite` (null: memory only) and brings it to the newest schema. The folder's lock
 * is the caller's.
 */
export async function openPglite(dataDir: string | null, log: Log = SILENT): Promise<Database> {
  const folder = dataDir === null ? undefined : folderIn(dataDir);
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const client = await openClient(folder, log);
  await migrate(drizzle(client as unknown as PGlite, { schema }), {
    migrationsFolder: MIGRATIONS,
  });
  return pgliteOver(client);
}

/** The same folder as it is; null where it has no database. Its schema may be any. */
export async function openPgliteAsIs(dataDir: string): Promise<Database | null> {
  const folder = folderIn(dataDir);
  if (!existsSync(join(folder, 'PG_VERSION'))) return null;
  return pgliteOver(await openClient(folder, SILENT));
}
