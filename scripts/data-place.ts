/** Where the data lies that a command works on, as `DATA_DIR` and `DATABASE_URL` say. */
import { resolve } from 'node:path';
import { readConfig } from '../server/config.ts';
import type { Database } from '../server/db/database.ts';
import { lockFolder } from '../server/db/folder-lock.ts';
import { openPglite, SILENT } from '../server/db/pglite.ts';
import { openPostgres } from '../server/db/postgres.ts';

export interface DataPlace {
  dataDir: string;
  database: Database;
  close(): Promise<void>;
}

/** Locks the folder of a PGlite. @throws FolderInUse where a server has it. */
export async function openDataPlace(): Promise<DataPlace> {
  const { DATA_DIR, DATABASE_URL } = process.env;
  const config = readConfig({ DATA_DIR, DATABASE_URL });
  const dataDir = resolve(config.dataDir);
  const unlock = config.databaseUrl === null ? lockFolder(dataDir) : () => undefined;
  try {
    const database =
      config.databaseUrl === null
        ? await openPglite(dataDir)
        : await openPostgres(config.databaseUrl, { poolMax: 2, log: SILENT, answerLimitMs: 0 });
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
