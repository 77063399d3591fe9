/** Builds on PostgreSQL what a migration adds as an index, before it runs and beside those who write. */
import { drizzle } from 'drizzle-orm/node-postgres';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { momentsOf } from './expect-version.ts';
import { isMissing } from './faults.ts';
import * as schema from './schema.ts';

/**
 * A migration builds an index in its transaction and lets nobody write to the table meanwhile, stops
 * and stop losses included. One that is written so is built before, and then skipped there.
 */
const BUILT_BEFORE = /^CREATE INDEX (IF NOT EXISTS "(\w+)" .+)$/m;

/**
 * It waits for every transaction that was open before it, a backup too, and nobody waits for it but
 * others of its kind. One that was broken off is left behind: every write keeps it up, and no query
 * may use it.
 */
async function build(client: pg.PoolClient, name: string, rest: string): Promise<void> {
  const { rowCount } = await client.query(
    'select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [`"${name}"`],
  );
  if (rowCount !== 0) await client.query(`drop index concurrently if exists "${name}"`);
  try {
    await client.query(`create index concurrently ${rest}`);
  } catch (error) {
    // Its table or column comes with the same start, which has the migration build it.
    if (!isMissing(error)) throw error;
  }
}

/** Outside a transaction, which must not be open in `client`. */
export async function buildIndexes(client: pg.PoolClient, folder: string, log: Log): Promise<void> {
  const done = await momentsOf(drizzle(client, { schema }));
  // On a new database there is nobody to wait for, and no table either.
  if (done.length === 0) return;
  const due = readMigrationFiles({ migrationsFolder: folder }).filter(
    ({ folderMillis }) => folderMillis > Math.max(...done),
  );
  for (const statement of due.flatMap(({ sql }) => sql)) {
    const [, rest, name] = BUILT_BEFORE.exec(statement) ?? [];
    if (rest === undefined || name === undefined) continue;
    log.info({ index: name }, 'an index is built beside those who write');
    await build(client, name, rest);
  }
}
