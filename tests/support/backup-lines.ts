/** Backups in memory: the lines of one, and what of them must be the same after a restore. */
import type { Database } from '../../server/db/database.ts';
import { writeBackup } from '../../server/backup/write-backup.ts';

export async function backupOf(
  database: Database,
  madeAt = Date.UTC(2026, 0, 5),
): Promise<string[]> {
  const pieces: string[] = [];
  await writeBackup(database, { madeAt, files: {} }, (text) => {
    pieces.push(text);
    return Promise.resolve();
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
    } else rows.push(line.replace(/"(sequence|settings_version)":\d+,/g, ''));
  }
  delete tables.halts;
  for (const table of Object.values(tables)) table.sort();
  return tables;
}
