/**
 * `npm run backup -- FILE`: writes all data to a file; on PostgreSQL beside running servers, on
 * PGlite with the server stopped.
 */
import { once } from 'node:events';
import { createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createGzip } from 'node:zlib';
import { finished } from 'node:stream/promises';
import { systemClock } from '../server/clock.ts';
import { writeBackup } from '../server/backup/write-backup.ts';
import type { BackupCounts } from '../server/backup/backup-file.ts';
import { openDataPlace, type DataPlace } from './data-place.ts';
import { printAnswer } from './operator.ts';

/** Accounts of the local identity emulator and the choice of a market, where the server keeps them. */
function filesBeside(dataDir: string): Record<string, string> {
  if (!existsSync(dataDir)) return {};
  const names = readdirSync(dataDir).filter((name) => /^[\w-]+\.json$/.test(name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]));
}

/** Under its own name once it is whole and on disk: a file of that name is a backup. */
async function writeFile(path: string, { dataDir, database }: DataPlace): Promise<BackupCounts> {
  const draft = `${path}.part`;
  const file = createWriteStream(draft, { mode: 0o600, flags: 'wx' });
  const zip = createGzip();
  const done = finished(zip.pipe(file));
  done.catch(() => undefined);
  try {
    const facts = { madeAt: systemClock.now(), files: filesBeside(dataDir) };
    const counts = await writeBackup(database, facts, async (text) => {
      if (!zip.write(text)) await Promise.race([once(zip, 'drain'), done]);
    });
    zip.end();
    await done;
    const handle = await open(draft, 'r');
    await handle.sync();
    await handle.close();
    await rename(draft, path);
    return counts;
  } catch (error) {
    zip.destroy();
    file.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

async function backup(path: string | undefined): Promise<string> {
  if (path === undefined)
    throw new Error(
      'Usage: npm run backup -- FILE\nDATA_DIR and DATABASE_URL choose the data, as for the server. The file holds people\u2019s data: keep it encrypted.',
    );
  if (existsSync(path)) throw new Error(`${path} is there already. Nothing was written.`);
  const place = await openDataPlace();
  try {
    const { tables } = await writeFile(resolve(path), place);
    const rows = Object.values(tables).reduce((all, count) => all + count, 0);
    return `${path}: ${rows} rows of ${Object.keys(tables).length} tables`;
  } finally {
    await place.close();
  }
}

printAnswer(backup(process.argv[2]));
