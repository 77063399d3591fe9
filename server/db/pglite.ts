/** PGlite in a folder, or in memory for tests, durable at each commit. Lock the folder first. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { Log } from '../log.ts';
import type { Database, Db } from './database.ts';
import { RevivingPglite } from './pglite-client.ts';
import * as schema from './schema.ts';
import { transact } from './transact.ts';

const nothing = (): void => undefined;
const SILENT: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * Opens `dataDir/pglite` (null: memory only) and brings it to the newest schema. The folder's lock
 * is the caller's. A new one begins with `contents`, a dump of another, where that is given.
 */
export async function openPglite(
  dataDir: string | null,
  contents?: Blob,
  log: Log = SILENT,
): Promise<Database> {
  const folder = dataDir === null ? undefined : join(dataDir, 'pglite');
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const where = {
    ...(folder === undefined ? {} : { dataDir: folder }),
    ...(contents === undefined ? {} : { loadDataDir: contents }),
  };
  const client = await RevivingPglite.open({ ...where, relaxedDurability: false }, folder, log);
  // drizzle asks it for nothing but `query` and `transaction`.
  const handle = drizzle(client as unknown as PGlite, { schema });
  await migrate(handle, { migrationsFolder: MIGRATIONS });
  const db: Db = handle;
  return {
    kind: 'pglite',
    db,
    transaction: (work) => transact(db, work),
    pubsub: null,
    onReturn: (listener) => client.onReturn(listener),
    close: () => client.close(),
  };
}
