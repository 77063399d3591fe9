/** Writes every row of a database as lines of text, all as of one moment. */
import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from '../db/database.ts';
import { rowsOf } from '../db/sql-rows.ts';
import { BACKUP_FORMAT, type BackupCounts, type BackupFacts } from './backup-file.ts';
import { migrationsOf, sequencesOf, tablesOf } from './stored-tables.ts';

const ROWS_AT_ONCE = 500;

/**
 * One transaction that reads a single moment, so that servers on PostgreSQL go on meanwhile. The
 * database itself makes the text of each row: no number passes through JavaScript. `write` gets
 * text that ends with a line end, and may take its time.
 */
export function writeBackup(
  database: Database,
  facts: Pick<BackupFacts, 'madeAt' | 'files'>,
  write: (text: string) => Promise<void>,
): Promise<BackupCounts> {
  let begun = false;
  return database.transaction(async (tx) => {
    // Half of it is written: a second try would follow the first one's lines.
    if (begun) throw new Error('The database was lost while it was read. Start the backup again.');
    begun = true;
    await tx.db.execute(sql`set transaction isolation level repeatable read, read only`);
    const hash = createHash('sha256');
    const put = async (text: string): Promise<void> => {
      hash.update(text);
      await write(text);
    };
    const migrations = await migrationsOf(tx.db);
    const head: BackupFacts = { format: BACKUP_FORMAT, from: database.kind, migrations, ...facts };
    await put(`${JSON.stringify(['tradewind-backup', head])}\n`);
    const tables: Record<string, number> = {};
    for (const table of await tablesOf(tx.db)) {
      await put(`${JSON.stringify(['table', table])}\n`);
      tables[table] = await writeRows(tx, table, put);
    }
    // After the rows: numbers given out meanwhile are skipped, and none is given out twice.
    const sequences = await sequencesOf(tx.db);
    const end: BackupCounts = { tables, sequences, sha256: hash.digest('hex') };
    await write(`${JSON.stringify(['end', end])}\n`);
    return end;
  });
}

/** A piece at a time, however large the table is. Returns how many rows there were. */
async function writeRows(
  { db }: Tx,
  table: string,
  put: (text: string) => Promise<void>,
): Promise<number> {
  await db.execute(
    sql`declare backup_rows no scroll cursor for
        select row_to_json(t)::text as line from ${sql.identifier(table)} t`,
  );
  let count = 0;
  for (;;) {
    const rows = await rowsOf<{ line: string }>(
      db,
      sql.raw(`fetch forward ${ROWS_AT_ONCE} from backup_rows`),
    );
    if (rows.length === 0) break;
    count += rows.length;
    await put(rows.map(({ line }) => `${line}\n`).join(''));
  }
  await db.execute(sql`close backup_rows`);
  return count;
}
