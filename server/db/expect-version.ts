/** Refuses a database of another version, for commands that must leave it as its servers know it. */
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Db } from './database.ts';
import { MIGRATIONS } from './pglite.ts';
import { rowsOf } from './sql-rows.ts';

/** A sentence for the operator; nothing was done. */
export class OtherVersion extends Error {
  override readonly name = 'OtherVersion';
}

export const NO_DATABASE =
  'There is no database of Tradewind here. DATA_DIR and DATABASE_URL say where it is.';
const OLDER =
  'This database is of an older version than this command. Nothing was done. Run the command of the version that the servers are of; or start a server of this version first, which brings the database up to date.';
const NEWER =
  'This database is of a newer version than this command. Nothing was done. Run the command of the version that the servers are of.';

/** The migrations that it has, by the moments that tell a start which it has to run. */
export async function momentsOf(db: Db): Promise<number[]> {
  const [table] = await rowsOf<{ there: boolean }>(
    db,
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as there`,
  );
  if (table?.there !== true) return [];
  const rows = await rowsOf<{ moment: string }>(
    db,
    sql`select created_at::text as moment from drizzle.__drizzle_migrations`,
  );
  return rows.map(({ moment }) => Number(moment));
}

/** @throws OtherVersion */
export async function expectVersion(db: Db): Promise<void> {
  const has = await momentsOf(db);
  const known = readMigrationFiles({ migrationsFolder: MIGRATIONS }).map(
    ({ folderMillis }) => folderMillis,
  );
  if (has.length === 0) throw new OtherVersion(NO_DATABASE);
  if (has.some((moment) => !known.includes(moment))) throw new OtherVersion(NEWER);
  if (known.some((moment) => !has.includes(moment))) throw new OtherVersion(OLDER);
}
