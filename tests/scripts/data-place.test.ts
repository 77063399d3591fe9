/** An operator's command works on the data of the server that `npm start` runs. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { dataSettings, openDataPlace } from '../../scripts/data-place.ts';
import { lockFolder } from '../../server/db/folder-lock.ts';
import { openPgliteAsIs } from '../../server/db/pglite.ts';
import { rowsOf } from '../../server/db/sql-rows.ts';
import { layEmptyDatabase } from '../support/empty-database.ts';

let folder = '';
const before = { DATA_DIR: process.env.DATA_DIR, DATABASE_URL: process.env.DATABASE_URL };
const NAMES = ['DATA_DIR', 'DATABASE_URL'] as const;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-settings-'));
  for (const name of NAMES) Reflect.deleteProperty(process.env, name);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const name of NAMES) {
    const value = before[name];
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
});

describe('the data of an operator’s command', () => {
  it('is the server’s, as its settings files say', () => {
    writeFileSync(join(folder, '.env.local'), 'DATABASE_URL=postgres://one/a\n');
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=postgres://two/b\nDATA_DIR=/elsewhere\n');
    expect(dataSettings(folder)).toEqual({
      dataDir: '/elsewhere',
      databaseUrl: 'postgres://one/a',
    });
  });

  it('is what the environment says before any file', () => {
    writeFileSync(join(folder, '.env.local'), 'DATA_DIR=/elsewhere\n');
    process.env.DATA_DIR = '/here';
    process.env.DATABASE_URL = '';
    expect(dataSettings(folder)).toEqual({ dataDir: '/here', databaseUrl: null });
  });

  const appliedIn = async (dataDir: string, change = sql`select 1`): Promise<number> => {
    const database = await openPgliteAsIs(dataDir);
    if (database === null) throw new Error('there is no database');
    await database.db.execute(change);
    const rows = await rowsOf(database.db, sql`select 1 from drizzle.__drizzle_migrations`);
    await database.close();
    return rows.length;
  };

  it('is opened in a folder of the same version, which is then free again', async () => {
    process.env.DATA_DIR = folder;
    await layEmptyDatabase(folder);
    const place = await openDataPlace();
    expect(await rowsOf(place.database.db, sql`select 1 from halts`)).toEqual([]);
    await place.close();
    lockFolder(folder)();
  });

  it('is left as it is in a folder of an older version, which is then free again', async () => {
    process.env.DATA_DIR = folder;
    await layEmptyDatabase(folder);
    const before = await appliedIn(
      folder,
      sql`delete from drizzle.__drizzle_migrations
          where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`,
    );
    await expect(openDataPlace()).rejects.toThrow('of an older version');
    expect(await appliedIn(folder)).toBe(before);
    lockFolder(folder)();
  });

  it('is not made in a folder that has none', async () => {
    process.env.DATA_DIR = folder;
    await expect(openDataPlace()).rejects.toThrow('There is no database');
    expect(readdirSync(folder)).toEqual([]);
  });
});
