/** Nowhere left to write, and no connection left to ask with: refused with a time to come back, read on, and nothing acknowledged lost. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPglite } from '../../server/db/pglite.ts';
import { checkLedger } from '../../server/portfolio/check-ledger.ts';
import { startTestKeys, TEST_PROJECT, type TestKeys } from '../support/keys.ts';
import { startPostgres } from '../support/postgres.ts';
import { callApi, CallFailed, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const UID = 'no-room';
const DISK_BYTES = 120_000_000;
const PIECE = Buffer.alloc(100_000);
const TRIES = 200;

let keys: TestKeys;
let token: string;
beforeAll(async () => {
  keys = await startTestKeys();
  token = await keys.sign(UID);
});
afterAll(() => keys.close());

const serve = (options: { dataDir?: string; env?: Record<string, string> }): Promise<TestServer> =>
  startServer({ ...options, env: { ...options.env, VITE_FIREBASE_PROJECT_ID: TEST_PROJECT, FIREBASE_KEYS_URL: keys.url } });

async function agentOf(server: TestServer): Promise<string> {
  await callApi(server.url, token, 'trialStart', { body: { userId: UID } });
  const body = { name: 'Harbour', trading_pairs: ['BTC/USDT'], risk_profile: 'Moderate' as const, max_position_size: 1_000, execution_interval: '5-minute' as const, enabled: false };
  return (await callApi(server.url, token, 'createAgent', { body })).agent.id;
}

interface Sent { id: string; start: boolean }
const send = (server: TestServer, agent: string, { id, start }: Sent): Promise<unknown> => start
  ? callApi(server.url, token, 'startAgent', { params: { id: agent }, body: { confirmed: true }, commandId: id })
  : callApi(server.url, token, 'stopAgent', { params: { id: agent }, body: {}, commandId: id });

const refusal = (work: Promise<unknown>): Promise<CallFailed | null> => work.then(() => null, (error: unknown) => {
  if (error instanceof CallFailed) return error;
  throw error;
});

function expectComeBackLater(error: CallFailed | null): void {
  expect(error).toMatchObject({ status: 503, reply: { error: { code: 'database_unavailable' } } });
  expect(Number(error?.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** A file system of its own, which may be filled without harm; null where this process may not mount one. */
function smallDisk(): { folder: string; fill(): void; free(): void; remove(): void } | null {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => { try { for (;;) writeFileSync(ballast, PIECE, { flag: 'a' }); } catch (error) { if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error; } },
    free: () => { rmSync(ballast, { force: true }); },
    remove: () => { execFileSync('umount', [folder]); rmSync(folder, { recursive: true }); },
  };
}

describe('a full disk', () => {
  it('refuses commands until there is room, reads on, and keeps each one it took (F38)', async (context) => {
    const disk = smallDisk();
    if (disk === null) { context.skip('this process may not mount a file system of its own'); return; }
    const server = await serve({ dataDir: join(disk.folder, 'data') });
    try {
      const agent = await agentOf(server);
      disk.fill();
      const taken: [Sent, unknown][] = [];
      let refused: Sent | null = null;
      for (let n = 0; n < TRIES && refused === null; n += 1) {
        const sent = { id: randomUUID(), start: n % 2 === 0 };
        const error = await refusal(send(server, agent, sent).then((reply) => { taken.push([sent, reply]); }));
        if (error === null) continue;
        expectComeBackLater(error);
        refused = sent;
      }
      expect(refused, 'the disk was full').not.toBeNull();
      if (refused === null) return;
      expectComeBackLater(await refusal(send(server, agent, refused)));
      const status = () => callApi(server.url, token, 'agents').then(({ agents }) => agents[0]?.enabled);
      expect(await status()).toBe(taken.at(-1)?.[0].start ?? false);
      expect((await callApi(server.url, token, 'portfolio')).cash).toBe('10000');

      disk.free();
      const reply = await send(server, agent, refused);
      expect(await send(server, agent, refused)).toEqual(reply);
      for (const [sent, first] of taken) expect(await send(server, agent, sent)).toEqual(first);
      await server.kill9();
      const database = await openPglite(server.dataDir);
      try { expect(await checkLedger(database.db)).toMatchObject({ problems: [] }); } finally { await database.close(); }
      await server.restart();
      expect(await status()).toBe(refused.start);
    } finally {
      await server.stop();
      disk.remove();
    }
  });
});

describe('one connection for everybody', () => {
  it('asks those who find none to come back, and serves them when it is free (F38)', async (context) => {
    const postgres = await startPostgres();
    if (postgres === null) { context.skip('no PostgreSQL binaries, and they cannot be installed here'); return; }
    const url = postgres.fresh('narrow');
    const server = await serve({ env: { DATABASE_URL: url, DATABASE_POOL_MAX: '1' } });
    const other = new pg.Client({ connectionString: url });
    try {
      const agent = await agentOf(server);
      await other.connect();
      await other.query('begin');
      await other.query('lock table agents in access exclusive mode');
      const held = send(server, agent, { id: randomUUID(), start: true });
      await until(async () => (await other.query('select 1 from pg_locks where not granted')).rowCount ?? 0, (waiting) => waiting > 0);
      const second = { id: randomUUID(), start: false };
      expectComeBackLater(await refusal(send(server, agent, second)));
      await other.query('rollback');
      await held;
      expect(await send(server, agent, second)).toMatchObject({ agent: { enabled: false } });
    } finally {
      await other.end();
      await server.stop();
      postgres.stop();
    }
  });
});
