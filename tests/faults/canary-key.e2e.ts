/**
 * A key that stands out is pasted into the real server, trades, and meets errors: it is then found
 * in no log, database, backup, export or answer, and in no memory of the web process.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { EXPORT_PARTS } from '../../contract/account.ts';
import { parseFixed } from '../../contract/money.ts';
import { StepUpStatement, StepUpToken } from '../../contract/signer.ts';
import { keyDigest } from '../../signer/replace-key.ts';
import {
  LIVE_ACCOUNT,
  LIVE_PAIR,
  startLiveProcesses,
  type LiveProcesses,
} from '../support/live/live-processes.ts';
import {
  needlesOf,
  searchCoreDump,
  searchFolder,
  searchMemory,
  searchText,
  type Needle,
} from '../support/process-memory.ts';
import { callApi, createUser, type TestUser } from '../support/server.ts';
import { stepUpDevice } from '../support/signer/desk-world.ts';
import { until } from '../support/until.ts';

/** `CANARY_DUMP=gcore` searches a core dump of gdb's as well. */
const WITH_GCORE = process.env.CANARY_DUMP === 'gcore';
/** Requests after the key, so that buffers of the network are used again. */
const LATER_REQUESTS = Number(process.env.CANARY_LATER ?? 300);
const MEMORY_ROUNDS = 8;
/** Within it the agent decides on a candle that has closed, and an order of its is filled, ms. */
const DECIDED_MS = 5_000;
/** A person's keys are looked at one after the other, with a pause of three seconds. */
const KEY_PAUSE_MS = 3_100;

let world: LiveProcesses;
let person: TestUser;
/** Everything that was answered, errors among it. */
let answers = '';
const needles: Needle[] = [];
const device = stepUpDevice();

beforeAll(async () => {
  world = await startLiveProcesses({ env: { LOG_LEVEL: 'debug' } });
  person = await createUser(world.server.url);
});
afterAll(() => world.close());

const call = async <N extends Parameters<typeof callApi>[2]>(
  name: N,
  options: Parameters<typeof callApi<N>>[3] = {},
) => {
  const reply = await callApi<N>(world.server.url, person.idToken, name, options);
  answers += JSON.stringify(reply);
  return reply;
};

/** As somebody's program sends it, right or wrong. */
async function post(
  path: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(`${world.server.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.idToken}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
      ...headers,
    },
    body,
  });
  answers += await response.text();
  return response.status;
}

function canary(name: string, key: { apiKey: string; secret: string }): typeof key {
  needles.push(...needlesOf(`${name} key`, key.apiKey), ...needlesOf(`${name} secret`, key.secret));
  return key;
}

/** Keys that are not taken, and requests that are wrong. */
async function makeErrors(): Promise<void> {
  const { standIn } = world;
  const CHECK = '/api/live/check-key';
  const exchange = 'kraken' as const;
  const rejected = canary('withdrawing', standIn.issueKey(LIVE_ACCOUNT, { withdraw: true }));
  const report = await call('checkExchangeKey', { body: { exchange, ...rejected } });
  expect(report.report.faults).toContain('can_withdraw');
  const wrong = canary('unknown', {
    ...standIn.issueKey(LIVE_ACCOUNT),
    apiKey: 'x'.repeat(20) + crypto.randomUUID(),
  });
  await sleep(KEY_PAUSE_MS);
  await call('checkExchangeKey', { body: { exchange, ...wrong } });
  const broken = canary('broken', standIn.issueKey(LIVE_ACCOUNT));
  const text = JSON.stringify({ exchange, ...broken });
  expect(await post(CHECK, text.slice(0, -2))).toBe(400);
  expect(await post(CHECK, JSON.stringify({ exchange: 'nowhere', ...broken }))).toBe(400);
  expect(await post(CHECK, JSON.stringify({ exchange, ...broken, more: 1 }))).toBe(400);
  expect(await post(CHECK, text, { authorization: 'Bearer nobody' })).toBe(401);
  expect(await post(CHECK, text, { 'content-type': 'text/plain' })).toBe(415);
  const long = JSON.stringify({ exchange, ...broken, secret: broken.secret.repeat(200) });
  expect(await post(CHECK, long)).toBe(400);
}

async function connectAndTrade(): Promise<void> {
  const { standIn } = world;
  const key = canary('connected', standIn.issueKey(LIVE_ACCOUNT));
  await sleep(KEY_PAUSE_MS);
  const { connection } = await call('connectExchange', {
    body: { exchange: 'kraken', label: 'A label that is kept', ...key, stepUpKeys: [device.key] },
  });
  if (connection === null) throw new Error('The key was not taken');
  const { agent } = await call('createAgent', {
    body: {
      name: 'Live momentum',
      trading_pairs: [LIVE_PAIR],
      risk_profile: 'Aggressive',
      max_position_size: 5_000,
      execution_interval: '5-minute',
      enabled: false,
      connectionId: connection.id,
    },
  });
  const { maxOrder, maxExposure, maxDailyLoss } = connection.limits;
  const stepUp = device.agree({
    purpose: 'start_agent',
    connectionId: connection.id,
    accountId: connection.accountId,
    agentId: agent.id,
    limits: {
      maxOrder: parseFixed(maxOrder),
      maxExposure: parseFixed(maxExposure),
      maxDailyLoss: parseFixed(maxDailyLoss),
    },
    nonce: crypto.randomUUID().replaceAll('-', ''),
    issuedAtMs: standIn.clock.trueNow(),
  });
  const used = z.encode(StepUpToken, stepUp);
  await call('startLiveAgent', {
    params: { id: agent.id },
    body: { stepUp: used },
  });
  const isFilled = (): boolean => standIn.journal.of('fill').length > 0;
  for (let candles = 0; candles < 12 && !isFilled(); candles += 1) {
    await world.untilCandle();
    for (const end = Date.now() + DECIDED_MS; Date.now() < end && !isFilled();)
      await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(standIn.journal.of('fill').length).toBeGreaterThan(0);
  const { id } = connection;
  await until(
    () => call('liveAccount', { params: { id } }),
    ({ positions }) => positions.length > 0,
  );
  const rejected = canary(
    'not taken in its place',
    standIn.issueKey(LIVE_ACCOUNT, { withdraw: true }),
  );
  const params = { id };
  const { report } = await call('replaceExchangeKey', {
    params,
    body: { ...rejected, stepUp: used },
  });
  expect(report.faults).toContain('can_withdraw');
  const replacing = canary('in its place', standIn.issueKey(LIVE_ACCOUNT));
  const body = { purpose: 'replace_key', agentId: null, limits: null } as const;
  const { statement } = await call('confirmLive', {
    params,
    body: { ...body, keyDigest: keyDigest(replacing) },
  });
  const agreed = z.encode(StepUpToken, device.agree(z.decode(StepUpStatement, statement)));
  await sleep(KEY_PAUSE_MS);
  const replaced = await call('replaceExchangeKey', {
    params,
    body: { ...replacing, stepUp: agreed },
  });
  expect(replaced.report.accepted).toBe(true);
  // The key is lost at the exchange, and the signer with it for a moment.
  standIn.person.revokeKey(replacing.apiKey);
  await world.killSigner();
  await world.jump(200_000);
  await until(
    () => call('liveAccount', { params: { id } }),
    (account) => account.connection.waitsFor.length > 0,
  );
}

async function exportAll(): Promise<string> {
  let rows = '';
  for (const part of EXPORT_PARTS) {
    const response = await fetch(`${world.server.url}/callable/exportPage`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${person.idToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ data: { part } }),
    });
    expect(response.status).toBe(200);
    rows += await response.text();
  }
  return rows;
}

/** What other requests leave of a body in buffers that the process uses again and again. */
async function goOn(): Promise<void> {
  const filler = 'f'.repeat(60_000);
  for (let request = 0; request < LATER_REQUESTS; request += 1) {
    await call('agents');
    if (request % 10 === 0) await post('/api/agents/create', JSON.stringify({ filler }));
  }
}

/** Buffers of the network are the system's to reuse: what is left in one goes with more requests. */
async function leftInMemory(pid: number): Promise<ReturnType<typeof searchMemory>> {
  let left = searchMemory(pid, needles);
  for (let round = 1; round < MEMORY_ROUNDS && Object.keys(left).length > 0; round += 1) {
    await goOn();
    left = searchMemory(pid, needles);
  }
  return left;
}

it('a pasted key is nowhere but with the signer', async () => {
  await call('trialStart', { body: { userId: person.uid } });
  await makeErrors();
  await connectAndTrade();
  const exported = await exportAll();
  expect(exported).toContain('A label that is kept');
  await goOn();

  const { server, signer } = world;
  const backup = mkdtempSync(join(tmpdir(), 'tradewind-backup-'));

  try {
    const isCopied = (path: string): boolean => !path.endsWith('.sock');
    cpSync(server.dataDir, backup, { recursive: true, filter: isCopied });
    // What is searched for is found where it is: in the signer, and a label in the web process.
    expect(Object.keys(searchMemory(signer.pid, needles))).not.toEqual([]);
    const label = needlesOf('label', 'A label that is kept');
    expect(Object.keys(searchMemory(server.pid, label))).not.toEqual([]);
    expect(Object.keys(searchFolder(backup, label))).not.toEqual([]);

    expect(searchText(answers, needles)).toEqual({});
    expect(searchText(exported, needles)).toEqual({});
    expect(searchText(server.logs() + signer.logs(), needles)).toEqual({});
    expect(searchFolder(server.dataDir, needles)).toEqual({});
    expect(searchFolder(backup, needles)).toEqual({});
    expect(searchFolder(server.env.SIGNER_DIR ?? '', needles)).toEqual({});
    expect(await leftInMemory(server.pid)).toEqual({});
    if (WITH_GCORE) expect(searchCoreDump(server.pid, needles)).toEqual({});
  } finally {
    rmSync(backup, { recursive: true, force: true });
  }
});
