/**
 * Nowhere left to write, and no connection left to ask with: refused with a time to come back, read
 * on, and nothing acknowledged lost.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallBody } from '../../contract/calls.ts';
import type { Database } from '../../server/db/database.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import { silentLog } from '../support/app.ts';
import { layEmptyDatabase } from '../support/empty-database.ts';
import { startTestKeys, TEST_PROJECT, type TestKeys } from '../support/keys.ts';
import { startPostgres } from '../support/postgres.ts';
import { callApi, CallFailed, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const UID = 'no-room';
const DISK_BYTES = 120_000_000;
const PIECE = Buffer.alloc(100_000);
const TRIES = 200;

const AGENT: CallBody<'createAgent'> = {
  name: 'Harbour',
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 1_000,
  execution_interval: '5-minute',
  enabled: false,
};

let keys: TestKeys;
let token: string;
beforeAll(async () => {
  keys = await startTestKeys();
  token = await keys.sign(UID);
});
afterAll(() => keys.close());

const serve = (options: { dataDir?: string; env?: Record<string, string> }): Promise<TestServer> =>
  startServer({
    ...options,
    env: { ...options.env, VITE_FIREBASE_PROJECT_ID: TEST_PROJECT, FIREBASE_KEYS_URL: keys.url },
  });

async function agentOf(server: TestServer): Promise<string> {
  await callApi(server.url, token, 'trialStart', { body: { userId: UID } });
  return (await callApi(server.url, token, 'createAgent', { body: AGENT })).agent.id;
}

interface Sent {
  id: string;
  start: boolean;
}
const send = (server: TestServer, agent: string, { id, start }: Sent): Promise<unknown> =>
  start
    ? callApi(server.url, token, 'startAgent', {
        params: { id: agent },
        body: { confirmed: true },
        commandId: id,
      })
    : callApi(server.url, token, 'stopAgent', { params: { id: agent }, body: {}, commandId: id });

const refusal = (work: Promise<unknown>): Promise<CallFailed | null> =>
  work.then(
    () => null,
    (error: unknown) => {
      if (error instanceof CallFailed) return error;
      throw error;
    },
  );

function expectComeBackLater(error: CallFailed | null): void {
  expect(error).toMatchObject({ status: 503, reply: { error: { code: 'database_unavailable' } } });
  expect(Number(error?.headers.get('retry-after'))).toBeGreaterThan(0);
}

/**
 * A file system of its own, which may be filled without harm; null where this process may not mount
 * one.
 */
interface SmallDisk {
  folder: string;
  /** Leaves so many bytes free. */
  fill(leaving?: number): void;
  free(): void;
  remove(): void;
}

function smallDisk(): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: (leaving = 0) => {
      try {
        for (;;) writeFileSync(ballast, PIECE, { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
      truncateSync(ballast, Math.max(0, statSync(ballast).size - leaving));
    },
    free: () => {
      rmSync(ballast, { force: true });
    },
    remove: () => {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

describe('a full disk', () => {
  it('refuses commands until there is room, reads on, and keeps each one it took (F38)', async (context) => {
    const disk = smallDisk();
    if (disk === null) {
      context.skip('this process may not mount a file system of its own');
      return;
    }
    const server = await serve({ dataDir: join(disk.folder, 'data') });
    try {
      const agent = await agentOf(server);
      disk.fill();
      const taken: [Sent, unknown][] = [];
      let refused: Sent | null = null;
      for (let n = 0; n < TRIES && refused === null; n += 1) {
        const sent = { id: randomUUID(), start: n % 2 === 0 };
        const error = await refusal(
          send(server, agent, sent).then((reply) => {
            taken.push([sent, reply]);
          }),
        );
        if (error === null) continue;
        expectComeBackLater(error);
        refused = sent;
      }
      expect(refused, 'the disk was full').not.toBeNull();
      if (refused === null) return;
      expectComeBackLater(await refusal(send(server, agent, refused)));
      const status = () =>
        callApi(server.url, token, 'agents').then(({ agents }) => agents[0]?.enabled);
      expect(await status()).toBe(taken.at(-1)?.[0].start ?? false);
      expect((await callApi(server.url, token, 'portfolio')).cash).toBe('10000');

      disk.free();
      const reply = await send(server, agent, refused);
      expect(await send(server, agent, refused)).toEqual(reply);
      for (const [sent, first] of taken) expect(await send(server, agent, sent)).toEqual(first);
      await server.kill9();
      const database = await openPglite(server.dataDir);
      try {
        expect(await checkLedger(database.db)).toMatchObject({ problems: [] });
      } finally {
        await database.close();
      }
      await server.restart();
      expect(await status()).toBe(refused.start);
    } finally {
      await server.stop();
      disk.remove();
    }
  });
});

type Query = (text: string) => Promise<{ rows: unknown[] }>;

/** Uses up the segment of the log that is written now, but for this much. */
async function useUpLog(query: Query, leaving: number): Promise<void> {
  for (;;) {
    const {
      rows: [row],
    } = await query("select ((pg_current_wal_insert_lsn() - '0/0') % 16777216)::int as used");
    if ((row as { used: number }).used > 16_777_216 - leaving) return;
    await query("select pg_logical_emit_message(true, 'test', repeat('x', 60000))");
  }
}

/** What a person's stream says from now on, as one text. */
async function listen(server: TestServer): Promise<{ heard(): string; leave(): void }> {
  const abort = new AbortController();
  const { body } = await fetch(`${server.url}/api/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  });
  let text = '';
  void (async () => {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
  })().catch(() => undefined);
  return {
    heard: () => text,
    leave: () => {
      abort.abort();
    },
  };
}

interface Taken {
  sent: Sent;
  reply: unknown;
}

/** All at once: many rows a command, so that the log fills soon. */
const sendAll = (server: TestServer, { id, start }: Sent): Promise<unknown> =>
  callApi(server.url, token, start ? 'startAll' : 'stopAll', { body: {}, commandId: id });

/** Starts and stops of all until one is refused. */
async function sendUntilRefused(server: TestServer): Promise<{ taken: Taken[]; refused: Sent }> {
  const taken: Taken[] = [];
  for (let n = 0; n < TRIES * 10; n += 1) {
    const sent = { id: randomUUID(), start: n % 2 === 0 };
    const error = await refusal(
      sendAll(server, sent).then((reply) => {
        taken.push({ sent, reply });
      }),
    );
    if (error === null) continue;
    expectComeBackLater(error);
    return { taken, refused: sent };
  }
  throw new Error('The disk was never full');
}

async function expectSoundBooks(database: Database): Promise<void> {
  try {
    expect(await checkLedger(database.db)).toMatchObject({ problems: [] });
  } finally {
    await database.close();
  }
}

/**
 * Fills the disk, sends until it is refused, makes room, and shows that this same process goes on.
 */
async function outOfLogAndBack(
  server: TestServer,
  disk: SmallDisk,
  agent: string,
  leaving: number,
  meanwhile: (refused: Sent) => Promise<void>,
  after = async (): Promise<void> => undefined,
): Promise<void> {
  const { pid } = server;
  const stream = await listen(server);
  disk.fill(leaving);
  const { taken, refused } = await sendUntilRefused(server);
  await meanwhile(refused);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

  disk.free();
  await after();
  const reply = await until(
    () => sendAll(server, refused),
    () => true,
  );
  expect(server.pid).toBe(pid);
  expect(await sendAll(server, refused)).toEqual(reply);
  expect(taken.length).toBeGreaterThan(0);
  for (const { sent, reply: first } of taken.slice(-50))
    expect(await sendAll(server, sent)).toEqual(first);
  // Streams that were open go on, and tell of what is done now.
  const before = stream.heard().length;
  await sendAll(server, { id: randomUUID(), start: !refused.start });
  await until(
    async () => stream.heard().slice(before),
    (text) => text.includes(agent),
  );
  stream.leave();
  if (process.env.FIGURES !== undefined)
    console.log(
      `${taken.length} commands taken; ${/"outMs":\d+,"openingMs":\d+/.exec(server.logs())?.[0] ?? ''}`,
    );
}

describe("a disk without room for the database's log", () => {
  it('ends no process: the same one serves again once there is room, with everything it took (F38)', async (context) => {
    const disk = smallDisk();
    if (disk === null) {
      context.skip('this process may not mount a file system of its own');
      return;
    }
    const dataDir = join(disk.folder, 'data');
    await layEmptyDatabase(dataDir);
    // With less left than a quarter, the next segment is laid out at the start.
    const client = await PGlite.create(join(dataDir, 'pglite'));
    await useUpLog((text) => client.query(text), 4_400_000);
    await client.close();
    const server = await serve({ dataDir });
    try {
      const agent = await agentOf(server);
      for (const name of ['Ebb', 'Flood', 'Neap', 'Spring'])
        await callApi(server.url, token, 'createAgent', { body: { ...AGENT, name } });
      // Tables can still grow; a new segment of the log, 16 MB, has no place.
      await outOfLogAndBack(server, disk, agent, 10_000_000, async (refused) => {
        await until(
          async () => server.logs(),
          (logs) => logs.includes('the database broke'),
        );
        expectComeBackLater(await refusal(sendAll(server, refused)));
        expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({
          ready: false,
          parts: { database: 'unavailable' },
        });
      });
      expect(server.logs()).toContain('the database was reopened');
      await server.kill9();
      await expectSoundBooks(await openPglite(dataDir));
    } finally {
      await server.stop();
      disk.remove();
    }
  });

  it('is the same with PostgreSQL, whoever brings that back (F37, F38)', async (context) => {
    const disk = smallDisk();
    if (disk === null) {
      context.skip('this process may not mount a file system of its own');
      return;
    }
    chmodSync(disk.folder, 0o755);
    const postgres = await startPostgres([], disk.folder);
    if (postgres === null) {
      disk.remove();
      context.skip('no PostgreSQL binaries, and they cannot be installed here');
      return;
    }
    const url = postgres.fresh('brimful');
    const server = await serve({ env: { DATABASE_URL: url } });
    try {
      const agent = await agentOf(server);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await useUpLog((text) => client.query(text), 1_000_000);
      await client.end();
      await outOfLogAndBack(
        server,
        disk,
        agent,
        10_000_000,
        async () => undefined,
        async () => {
          // Where it could not recover without room it has ended: whoever runs it starts it again.
          await postgres.restart();
        },
      );
      const database = await openPostgres(url, { poolMax: 2, log: silentLog });
      await expectSoundBooks(database);
    } finally {
      await server.stop();
      postgres.stop();
      disk.remove();
    }
  });
});

describe('one connection for everybody', () => {
  it('asks those who find none to come back, and serves them when it is free (F38)', async (context) => {
    const postgres = await startPostgres();
    if (postgres === null) {
      context.skip('no PostgreSQL binaries, and they cannot be installed here');
      return;
    }
    const url = postgres.fresh('narrow');
    const server = await serve({ env: { DATABASE_URL: url, DATABASE_POOL_MAX: '1' } });
    const other = new pg.Client({ connectionString: url });
    try {
      const agent = await agentOf(server);
      await other.connect();
      await other.query('begin');
      await other.query('lock table agents in access exclusive mode');
      // Whose turn it is to wait for the table, this one's or the server's own, is not known.
      const first = { id: randomUUID(), start: true };
      const held = refusal(send(server, agent, first));
      await until(
        async () => (await other.query('select 1 from pg_locks where not granted')).rowCount ?? 0,
        (waiting) => waiting > 0,
      );
      const second = { id: randomUUID(), start: false };
      expectComeBackLater(await refusal(send(server, agent, second)));
      await other.query('rollback');
      const turnedAway = await held;
      if (turnedAway !== null) expectComeBackLater(turnedAway);
      const taken = (sent: Sent) =>
        until(
          () => send(server, agent, sent).catch(() => null),
          (answer) => answer !== null,
        );
      await taken(first);
      expect(await taken(second)).toMatchObject({ agent: { enabled: false } });
    } finally {
      await other.end();
      await server.stop();
      postgres.stop();
    }
  });
});
