/** Where the data lies that a command works on, as `DATA_DIR` and `DATABASE_URL` say. */
import { resolve } from 'node:path';
import { readConfig } from '../server/config.ts';
import { loadEnvironmentFiles } from './build-stamp.ts';
import type { Database } from '../server/db/database.ts';
import { lockFolder } from '../server/db/folder-lock.ts';
import { openPglite, SILENT } from '../server/db/pglite.ts';
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

/** Locks the folder of a PGlite. @throws FolderInUse where a server has it. */
export async function openDataPlace(): Promise<DataPlace> {
  const { dataDir, databaseUrl } = dataSettings();
  const unlock = databaseUrl === null ? lockFolder(dataDir) : () => undefined;
  try {
    const database =
      databaseUrl === null
        ? await openPglite(dataDir)
        : await openPostgres(databaseUrl, {
            ...{ poolMax: 2, log: SILENT, answerLimitMs: 0, name: 'tradewind command' },
          });
    return {
      dataDir,
      database,
      async close() {
        await database.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
