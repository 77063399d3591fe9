/** Where the data lies that a command works on, as `DATA_DIR` and `DATABASE_URL` say. */
import { resolve } from 'node:path';
import { readConfig } from '../server/config.ts';
import { loadEnvironmentFiles } from './build-stamp.ts';
import type { Database } from '../server/db/database.ts';
import { lockFolder } from '../server/db/folder-lock.ts';
import { expectVersion, NO_DATABASE, OtherVersion } from '../server/db/expect-version.ts';
import { openPglite, openPgliteAsIs, SILENT } from '../server/db/pglite.ts';
import { openPostgres } from '../server/db/postgres.ts';

export interface DataPlace {
  dataDir: string;
  database: Database;
  close(): Promise<void>;
}

/**
 * The server's own, from the environment and from the files that `npm start` reads. Nothing else is
 * read: whoever has to switch something off must not be held up by another setting.
 */
export function dataSettings(folder?: string): { dataDir: string; databaseUrl: string | null } {
  loadEnvironmentFiles(folder);
  const { DATA_DIR, DATABASE_URL } = process.env;
  const { dataDir, databaseUrl } = readConfig({ DATA_DIR, DATABASE_URL });
  return { dataDir: resolve(dataDir), databaseUrl };
}

const openFolder = async (dataDir: string, migrates: boolean): Promise<Database> => {
  const database = migrates ? await openPglite(dataDir) : await openPgliteAsIs(dataDir);
  if (database === null) throw new OtherVersion(NO_DATABASE);
  return database;
};

const openAddress = (url: string, migrates: boolean): Promise<Database> =>
  openPostgres(url, {
    poolMax: 2,
    log: SILENT,
    answerLimitMs: 0,
    name: 'tradewind command',
    migrates,
  });

/**
 * Locks the folder of a PGlite. `migrates`: brings the database to this version, or makes it. Where
 * it may not, servers of another version may be working on it.
 * @throws FolderInUse where a server has it
 * @throws OtherVersion where it is not of this version, and must stay as it is
 */
export async function openDataPlace({ migrates = false } = {}): Promise<DataPlace> {
  const { dataDir, databaseUrl } = dataSettings();
  const unlock = databaseUrl === null ? lockFolder(dataDir) : () => undefined;
  let database: Database | null = null;
  const close = async (): Promise<void> => {
    await database?.close();
    unlock();
  };
  try {
    database =
      databaseUrl === null
        ? await openFolder(dataDir, migrates)
        : await openAddress(databaseUrl, migrates);
    if (!migrates) await expectVersion(database.db);
    return { dataDir, database, close };
  } catch (error) {
    await close();
    throw error;
  }
}
