/** Operator's commands on a PostgreSQL whose servers are of another version: they leave it as it is. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../server/db/postgres.ts';
import { silentLog } from '../support/app.ts';
import {
  postgresBinaries,
  startPostgres,
  WITHOUT_SYNC,
  type TestPostgres,
} from '../support/postgres.ts';

let cluster: TestPostgres | null = null;
let root = '';
const file = (): string => join(root, 'one.backup');

const run = (url: string, script: string, ...args: string[]) =>
  new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', `scripts/${script}.ts`, ...args], {
      env: { ...process.env, DATA_DIR: root, DATABASE_URL: url },
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      out += piece;
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      err += piece;
    });
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });

const everyCommand = (url: string) =>
  Promise.all([
    run(url, 'backup', file()),
    run(url, 'check-ledger', '--alarm'),
    run(url, 'halt', '--platform', '--reason', 'An update'),
    run(url, 'answer-support', 'list'),
  ]);

/** A database that has what `change` leaves of the migrations of this version. */
async function databaseOf(name: string, change: string): Promise<string> {
  const url = cluster?.fresh(name) ?? '';
  await (await openPostgres(url, { poolMax: 2, log: silentLog })).close();
  await ask(url, change);
  return url;
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const recorded = (url: string) =>
  ask(url, 'select hash, created_at from drizzle.__drizzle_migrations order by id');

describe.skipIf(postgresBinaries() === null)('an operator’s command', () => {
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'tradewind-commands-'));
    cluster = await startPostgres(WITHOUT_SYNC);
  }, 120_000);
  afterAll(() => {
    cluster?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  it('does not migrate the database of older servers, and says what to do', async () => {
    const url = await databaseOf(
      'older',
      `delete from drizzle.__drizzle_migrations
       where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`,
    );
    const before = await recorded(url);
    for (const { code, out, err } of await everyCommand(url)) {
      expect(err).toMatch(/^This database is of an older version.*Nothing was done\..*\n$/);
      expect({ code, out }).toEqual({ code: 1, out: '' });
    }
    expect(await recorded(url)).toEqual(before);
    expect(await ask(url, 'select * from halts')).toEqual([]);
    expect(existsSync(file())).toBe(false);
  });

  it('does nothing to the database of newer servers', async () => {
    const url = await databaseOf(
      'newer',
      `insert into drizzle.__drizzle_migrations (hash, created_at)
       select 'one more', max(created_at) + 1 from drizzle.__drizzle_migrations`,
    );
    for (const { code, err } of await everyCommand(url)) {
      expect(err).toMatch(/^This database is of a newer version.*Nothing was done\..*\n$/);
      expect(code).toBe(1);
    }
    expect(await ask(url, 'select * from halts')).toEqual([]);
  });

  it('makes no database where there is none', async () => {
    const url = cluster?.fresh('none') ?? '';
    expect(await run(url, 'backup', file())).toEqual({
      code: 1,
      out: '',
      err: 'There is no database of Tradewind here. DATA_DIR and DATABASE_URL say where it is.\n',
    });
    expect(
      await ask(url, `select 1 from information_schema.tables where table_schema = 'public'`),
    ).toEqual([]);
  });

  it('reads a whole ledger without the time limit of a server’s statement', async () => {
    // Has no rows for a statement with a limit.
    const url = await databaseOf(
      'ledgers',
      `alter table ledger rename to ledger_rows;
       create view ledger as select * from ledger_rows
       where current_setting('statement_timeout') = '0';
       insert into ledger_rows (transaction_id, account_id, bucket, asset, amount, cause, at_market_ms)
       select gen_random_uuid(), gen_random_uuid(), 'cash', 'USD', 1, 'deposit', 0`,
    );
    const { out } = await run(url, 'check-ledger');
    expect(JSON.parse(out)).toMatchObject({ entries: 1, totals: { USD: '1' } });
  });
});
