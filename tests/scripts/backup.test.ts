/**
 * `npm run backup` and `npm run restore` on the folder of a real server: its people sign in to the
 * restored one with what they had.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CallBody } from '../../contract/calls.ts';
import { layEmptyDatabase } from '../support/empty-database.ts';
import { callApi, createUser, signIn, startServer, type TestServer } from '../support/server.ts';

const AGENT: CallBody<'createAgent'> = {
  name: 'Kept',
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Conservative',
  max_position_size: 100,
  execution_interval: 'daily',
  enabled: true,
};

/** Eight processes, each with a database to open. */
const PATIENCE_MS = 300_000;

let root = '';
let server: TestServer;
const place = (name: string): string => join(root, name);

const run = (script: string, data: string, ...args: string[]) =>
  new Promise<{ code: number | null; out: string }>((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', `scripts/${script}.ts`, ...args], {
      env: { ...process.env, DATA_DIR: place(data), DATABASE_URL: '' },
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        out += piece;
      });
    child.on('close', (code) => {
      resolve({ code, out });
    });
  });

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'tradewind-backup-'));
  server = await startServer({ dataDir: place('data'), ownIdentity: true });
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});

it(
  'restores people, sign-ins and agents into an empty folder, halted, and refuses every other place and file',
  async () => {
    const person = await createUser(server.url);
    await callApi(server.url, person.idToken, 'trialStart', { body: { userId: person.uid } });
    const { agent } = await callApi(server.url, person.idToken, 'createAgent', { body: AGENT });
    const portfolio = await callApi(server.url, person.idToken, 'portfolio', {});

    const file = place('one.backup');
    expect(await run('backup', 'data', file)).toMatchObject({
      code: 1,
      out: expect.stringContaining('is using the data folder') as unknown,
    });
    await server.stop();
    const done = await run('backup', 'data', file);
    expect(done.out).toMatch(/\d+ rows of \d+ tables/);
    expect(done.code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file);
    expect(await run('backup', 'data', file)).toMatchObject({
      code: 1,
      out: expect.stringContaining('is there already') as unknown,
    });

    await layEmptyDatabase(place('next'));
    writeFileSync(place('cut.backup'), kept.subarray(0, kept.length >> 1));
    expect(await run('restore', 'next', place('cut.backup'))).toMatchObject({
      code: 1,
      out: expect.stringContaining('damaged or cut off') as unknown,
    });
    expect(await run('restore', 'data', file)).toMatchObject({
      code: 1,
      out: expect.stringContaining('not empty') as unknown,
    });
    const restored = await run('restore', 'next', file);
    expect(restored).toMatchObject({
      code: 0,
      out: expect.stringContaining('The ledger balances.') as unknown,
    });
    expect((await run('halt', 'next', '--list')).out).toContain('restored from a backup');

    server = await startServer({ dataDir: place('next'), ownIdentity: true });
    const back = await signIn(server.url, person.email, person.password);
    expect(back.uid).toBe(person.uid);
    const { agents } = await callApi(server.url, back.idToken, 'agents', {});
    expect(agents).toMatchObject([{ id: agent.id, name: agent.name, status: agent.status }]);
    const now = await callApi(server.url, back.idToken, 'portfolio', {});
    expect([now.deposits, now.cash]).toEqual([portfolio.deposits, portfolio.cash]);
    expect(now.sequence ?? 0).toBeGreaterThan((portfolio.sequence ?? 0) + 900_000);
  },
  PATIENCE_MS,
);
