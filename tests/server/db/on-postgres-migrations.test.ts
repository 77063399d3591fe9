/** Migrations of a PostgreSQL that others work on: they wait, and hold nobody up for long. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migratePostgres } from '../../../server/db/migrate-postgres.ts';
import type { Log } from '../../../server/log.ts';
import { silentLog } from '../../support/app.ts';
import {
  postgresBinaries,
  startPostgres,
  WITHOUT_SYNC,
  type TestPostgres,
} from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

/** Two seconds of waiting for the lock, and what a busy machine adds to it. */
const ANSWERED_WITHIN_MS = 4_000;
const LONGER_THAN_A_PAUSE_MS = 7_000;

let cluster: TestPostgres | null = null;
let made = 0;
let pool: pg.Pool;
let folder = '';
let warnings: { fields: Record<string, unknown>; message: string }[] = [];
const log: Log = {
  ...silentLog,
  warn(fields, message) {
    warnings.push({ fields, message });
  },
};

/** Each statement becomes a migration of its own. */
function writeMigrations(...statements: string[]): void {
  mkdirSync(join(folder, 'meta'), { recursive: true });
  const entries = statements.map((_statement, idx) => ({
    ...{ idx, version: '7', when: idx + 1, tag: `000${idx}`, breakpoints: true },
  }));
  for (const [n, text] of statements.entries()) writeFileSync(join(folder, `000${n}.sql`), text);
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ entries }));
}

async function migrated(patienceMs?: number): Promise<void> {
  const client = await pool.connect();
  try {
    await migratePostgres(client, pool, log, {
      folder,
      ...(patienceMs === undefined ? {} : { patienceMs }),
    });
  } finally {
    client.release(true);
  }
}

/** Until its end, it keeps whoever alters the table away, as a backup does. */
async function openReader(): Promise<{ end(): Promise<void> }> {
  const reader = await pool.connect();
  await reader.query("set application_name = 'a backup'");
  await reader.query('begin');
  await reader.query('select count(*) from positions');
  return {
    async end() {
      await reader.query('commit');
      reader.release(true);
    },
  };
}

const isWaitedFor = async (): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select 1 from pg_locks where relation = 'positions'::regclass and not granted`,
  );
  return rowCount !== 0;
};

describe.skipIf(postgresBinaries() === null)('a migration beside others', () => {
  beforeAll(async () => {
    cluster = await startPostgres(WITHOUT_SYNC);
  }, 120_000);
  afterAll(() => {
    cluster?.stop();
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-migrations-'));
    warnings = [];
    made += 1;
    pool = new pg.Pool({
      connectionString: cluster?.fresh(`migrations${made}`) ?? '',
      statement_timeout: ANSWERED_WITHIN_MS,
    });
    writeMigrations('create table positions (id int)');
    await migrated();
    writeMigrations('create table positions (id int)', 'alter table positions add column n int');
  });
  afterEach(async () => {
    await pool.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has statements answered while it waits for a backup, and goes on once that has ended', async () => {
    const reader = await openReader();
    let done = false;
    const migrating = migrated().finally(() => {
      done = true;
    });
    try {
      await until(isWaitedFor, Boolean);
      await pool.query('insert into positions values (1)');
      await until(async () => warnings[0]?.fields, Boolean);
      expect(done).toBe(false);
    } finally {
      await reader.end();
      await migrating;
    }
    expect((await pool.query('select id, n from positions')).rows).toEqual([{ id: 1, n: null }]);
    expect(warnings).toEqual([
      {
        fields: {
          waitsFor: [
            {
              process: expect.any(Number) as number,
              name: 'a backup',
              since: expect.any(Date) as Date,
            },
          ],
        },
        message: 'the database is brought up to date once these transactions have ended',
      },
    ]);
  });

  it('does not touch the table again before the backup has let go of it', async () => {
    const reader = await openReader();
    const migrating = migrated();
    await until(async () => warnings.length, Boolean);
    for (const from = Date.now(); Date.now() - from < LONGER_THAN_A_PAUSE_MS;) {
      expect(await isWaitedFor()).toBe(false);
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
    await reader.end();
    await migrating;
    expect(warnings).toHaveLength(1);
  });

  it('is given up with a sentence where the wait has no end, and leaves nothing behind', async () => {
    const reader = await openReader();
    await expect(migrated(0)).rejects.toThrow('others have held its tables');
    await reader.end();
    await expect(pool.query('select n from positions')).rejects.toThrow('does not exist');
    await migrated();
    expect((await pool.query('select n from positions')).rows).toEqual([]);
  });

  it('waits for the process that migrates, and says so', async () => {
    const reader = await openReader();
    const first = migrated();
    await until(
      async () => warnings.length,
      (n) => n === 1,
    );
    const second = migrated();
    await until(
      async () => warnings.length,
      (n) => n === 2,
    );
    expect(warnings[1]?.message).toContain('another process brings the database up to date');
    await reader.end();
    await Promise.all([first, second]);
    expect((await pool.query('select n from positions')).rows).toEqual([]);
  });

  describe('that adds an index', () => {
    const TABLE = 'create table positions (id int)';
    const ADDS_INDEX = 'CREATE INDEX IF NOT EXISTS "positions_id" ON "positions" ("id")';
    const validity = async (): Promise<boolean | null> => {
      const { rows } = await pool.query<{ valid: boolean }>(
        `select indisvalid as valid from pg_index where indexrelid = to_regclass('positions_id')`,
      );
      return rows[0]?.valid ?? null;
    };

    it('builds it while others write, and waits for them without being in their way', async () => {
      writeMigrations(TABLE, ADDS_INDEX);
      const writer = await pool.connect();
      await writer.query('begin');
      await writer.query('insert into positions values (1)');
      const migrating = migrated();
      try {
        // Others see it only where it is built outside the migration's transaction.
        await until(validity, (valid) => valid === false, 10_000);
        expect(await isWaitedFor()).toBe(false);
        await pool.query('insert into positions values (2)');
        await until(
          async () => warnings.length,
          (n) => n === 1,
        );
      } finally {
        await writer.query('commit');
        writer.release(true);
        await migrating;
      }
      expect(await validity()).toBe(true);
    });

    it('builds one anew that was broken off', async () => {
      writeMigrations(TABLE, ADDS_INDEX);
      await pool.query('create index positions_id on positions (id)');
      await pool.query(
        `update pg_index set indisvalid = false where indexrelid = 'positions_id'::regclass`,
      );
      await migrated();
      expect(await validity()).toBe(true);
    });

    it('leaves it to the migration where its table or column is not there yet', async () => {
      const column = 'alter table positions add column n int';
      const onColumn = 'CREATE INDEX IF NOT EXISTS "positions_id" ON "positions" ("n")';
      writeMigrations(TABLE, column, onColumn);
      await migrated();
      expect(await validity()).toBe(true);

      await pool.query('drop schema drizzle cascade');
      await pool.query('drop table positions');
      await migrated();
      expect(await validity()).toBe(true);
    });
  });
});
