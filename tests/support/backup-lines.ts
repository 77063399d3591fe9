/** Backups in memory: the lines of one, and what of them must be the same after a restore. */
import type { Database } from '../../server/db/database.ts';
import { writeBackup } from '../../server/backup/write-backup.ts';

/** `before`: awaited before the rows of each table are read. */
export async function backupOf(
  database: Database,
  before: (table: string) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const pieces: string[] = [];
  const facts = { madeAt: Date.UTC(2026, 0, 5), files: {} };
  await writeBackup(database, facts, async (text) => {
    pieces.push(text);
    const [, table] = /^\["table","(\w+)"\]/.exec(text) ?? [];
    if (table !== undefined) await before(table);
  });
  return pieces.join('').split('\n').slice(0, -1);
}

/** As a file is read. */
export async function* reading(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield await Promise.resolve(line);
}

/** Every row by its table, but for what a restore changes: halts, and numbers that it raises. */
export function rowsByTable(lines: readonly string[]): Record<string, string[]> {
  const tables: Record<string, string[]> = {};
  let rows: string[] = [];
  for (const line of lines.slice(1, -1)) {
    if (line.startsWith('["table"')) {
      rows = [];
      tables[(JSON.parse(line) as [string, string])[1]] = rows;
    } else rows.push(line);
  }
  delete tables.halts;
  tables.users = (tables.users ?? []).map((row) =>
    row.replace(/"(sequence|settings_version)":\d+,/g, ''),
  );
  for (const table of Object.values(tables)) table.sort();
  return tables;
}
