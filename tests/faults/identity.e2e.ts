/**
 * An identity provider that hangs, cuts off or answers garbage: a bounded wait for what needs it,
 * and nothing for the rest.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallBody } from '../../contract/calls.ts';
import { startEmulator, type RunningEmulator } from '../../server/identity/emulator.ts';
import { silentLog } from '../support/app.ts';
import {
  callApi,
  CallFailed,
  createUser,
  freePort,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { startSocketFault, type SocketFault } from '../support/socket-fault.ts';

/** More than the proxy's line takes. */
const FLOOD = 300;
const AGENT: CallBody<'createAgent'> = {
  name: 'Harbour',
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 100,
  execution_interval: '5-minute',
  enabled: false,
};
const PATHS = [
  '/emulator/action?mode=signIn&oobCode=x&apiKey=k',
  '/emulator/auth/handler?apiKey=k&appName=a&providerId=google.com',
  '/identitytoolkit.googleapis.com/v1/projects?key=k',
];

const folder = mkdtempSync(join(tmpdir(), 'tradewind-provider-'));
let emulator: RunningEmulator;
let line: SocketFault;
let server: TestServer;
let known: TestUser;
let agentId = '';

beforeAll(async () => {
  emulator = await startEmulator({
    projectId: 'demo-tradewind',
    dataDir: folder,
    port: await freePort(),
    portIsChosen: true,
    log: silentLog,
  });
  line = await startSocketFault(emulator.port);
  server = await startServer({ env: { FIREBASE_AUTH_EMULATOR_HOST: `127.0.0.1:${line.port}` } });
  known = await createUser(server.url);
  await callApi(server.url, known.idToken, 'trialStart', { body: { userId: known.uid } });
  agentId = (await callApi(server.url, known.idToken, 'createAgent', { body: AGENT })).agent.id;
});
afterAll(async () => {
  await server.stop();
  await line.close();
  await emulator.stop();
  rmSync(folder, { recursive: true, force: true });
});

const failure = (work: Promise<unknown>): Promise<CallFailed> =>
  work.then(
    () => {
      throw new Error('It was taken');
    },
    (error: unknown) => {
      if (error instanceof CallFailed) return error;
      throw error;
    },
  );

interface Refused {
  status: number;
  code: string | undefined;
  retryAfter: number;
}

async function refusedAt(path: string): Promise<Refused> {
  const response = await fetch(`${server.url}${path}`);
  const body = (await response.json()) as { error?: { code?: string } };
  return {
    status: response.status,
    code: body.error?.code,
    retryAfter: Number(response.headers.get('retry-after')),
  };
}

/** Refused with a time to come back, never by a fault of ours. */
function expectUnavailable(answers: readonly Refused[]): void {
  const other = answers.filter(
    ({ status, code, retryAfter }) =>
      status !== 503 || code !== 'identity_unavailable' || !(retryAfter > 0),
  );
  expect(other.slice(0, 3)).toEqual([]);
}

const stop = () =>
  callApi(server.url, known.idToken, 'stopAgent', { params: { id: agentId }, body: {} });

describe('an identity provider that accepts and never answers', () => {
  it('keeps nobody waiting who does not need it, and those who do are told when to come back (F33, F66)', async () => {
    const stranger = await createUser(server.url);
    line.set('hang');
    let answered = 0;
    let under = FLOOD;
    const flood = Promise.all(
      Array.from({ length: FLOOD }, async (_none, n) => {
        const refused = await refusedAt(PATHS[n % PATHS.length] ?? '');
        answered += 1;
        under -= 1;
        return refused;
      }),
    );
    // Never seen before, so that it has to be asked about.
    const due = failure(callApi(server.url, stranger.idToken, 'portfolio'));
    expect((await stop()).agent.enabled).toBe(false);
    expect((await callApi(server.url, known.idToken, 'portfolio')).cash).toBe('10000');
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    // All that before the first of those who wait was given up; those for whom there was no place
    // were refused at once.
    expect(under).toBeGreaterThan(0);
    await expect.poll(() => answered).toBeGreaterThan(FLOOD / 2);
    expect(under).toBeGreaterThan(0);
    expectUnavailable(await flood);
    expect(await due).toMatchObject({ status: 503, code: 'identity_unavailable' });
    expect(Number((await due).headers.get('retry-after'))).toBeGreaterThan(0);

    line.set('pass');
    expect((await callApi(server.url, stranger.idToken, 'portfolio')).cash).toBe('10000');
    expect((await fetch(`${server.url}${PATHS[0]}`)).status).toBeLessThan(500);
  });

  it('does not hold up what the server changes there; it is tried again (F33)', async () => {
    line.set('hang');
    const hosted = (name: string) =>
      fetch(`${server.url}/callable/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${known.idToken}`, 'content-type': 'application/json' },
        body: '{"data":{}}',
      });
    expect((await hosted('signOutEverywhere')).status).toBe(503);
    line.set('pass');
    expect((await hosted('signOutEverywhere')).status).toBe(200);
    known = await createUser(server.url);
    await callApi(server.url, known.idToken, 'trialStart', { body: { userId: known.uid } });
    agentId = (await callApi(server.url, known.idToken, 'createAgent', { body: AGENT })).agent.id;
  });
});

describe.each(['reset', 'garbage'] as const)('an identity provider that answers by %s', (mode) => {
  it('is an outage and no fault of ours, and stops go on (F33)', async () => {
    const stranger = await createUser(server.url);
    line.set(mode);
    expect((await stop()).agent.enabled).toBe(false);
    expect(await failure(callApi(server.url, stranger.idToken, 'portfolio'))).toMatchObject({
      status: 503,
      code: 'identity_unavailable',
    });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_none, n) => refusedAt(`/emulator/action?n=${n}`)),
    );
    expectUnavailable(answers);
    line.set('pass');
    expect((await callApi(server.url, stranger.idToken, 'portfolio')).cash).toBe('10000');
  });
});
