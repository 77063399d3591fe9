/** `npm run restore` into PostgreSQL on a machine that no server has run on. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgres } from '../../server/db/postgres.ts';
import { silentLog } from '../support/app.ts';
import { postgresBinaries, startPostgres, type TestPostgres } from '../support/postgres.ts';

const MARKET = '{"source":"simulated"}';
let cluster: TestPostgres | null = null;
let root = '';

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'tradewind-restore-'));
  cluster = await startPostgres();
}, 120_000);
afterAll(() => {
  cluster?.stop();
  rmSync(root, { recursive: true, force: true });
});

const run = (script: string, dataDir: string, database: string, file: string): string =>
  execFileSync(process.execPath, ['--import', 'tsx', `scripts/${script}.ts`, file], {
    env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: database },
    encoding: 'utf8',
    stdio: 'pipe',
  });

it.skipIf(postgresBinaries() === null)(
  'makes the folder for the files beside the database',
  async () => {
    const file = join(root, 'one.backup');
    const saved = cluster?.fresh('saved') ?? '';
    await (await openPostgres(saved, { poolMax: 2, log: silentLog })).close();
    const from = join(root, 'from');
    mkdirSync(from);
    writeFileSync(join(from, 'market.json'), MARKET);
    run('backup', from, saved, file);

    const into = join(root, 'fresh', 'data');
    expect(run('restore', into, cluster?.fresh('restored') ?? '', file)).toContain('Restored');
    expect(readFileSync(join(into, 'market.json'), 'utf8')).toBe(MARKET);
    expect(statSync(into).mode & 0o777).toBe(0o700);
  },
  120_000,
);
