/**
 * A Stop on a bad network in Firefox and WebKit: whatever becomes of its first requests, it arrives
 * under one id and takes effect once, also from a page that is left in the middle of a send.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../contract/agents.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { receipts } from '../../server/db/schema.ts';
import { engine } from '../support/engine-binaries.ts';
import { EnginePage } from '../support/engine-page.ts';
import { QUEUE } from '../support/queue-scripts.ts';
import { startFaultProxy, type Fault, type FaultProxy } from '../support/fault-proxy.ts';
import {
  callApi,
  createUser,
  freePort,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { until } from '../support/until.ts';

const STOP = /^\/api\/agents\/[^/]+\/stop$/;
/** What becomes of the first requests, and how many of them. */
const FAULTS: readonly (readonly [Fault, number])[] = [
  ['drop-request', 2],
  ['drop-reply', 2],
  ['portal-page', 2],
  ['truncate', 1],
  ['500', 1],
];

/** Pages left one after the other: each reads the device for a few milliseconds, and one is caught at it. */
const LEFT_EARLY = 12;

describe.each(['firefox', 'webkit'] as const)('%s', (name) => {
  const open = engine(name);
  let server: TestServer;
  let proxy: FaultProxy;
  let page: EnginePage;
  let user: TestUser;
  let agent: Agent;

  beforeAll(async () => {
    if (open === null) return;
    const target = { port: await freePort() };
    proxy = await startFaultProxy(target);
    const dist: Record<string, string> =
      process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR };
    server = await startServer({
      env: { ...dist, PORT: String(target.port), PUBLIC_ORIGIN: proxy.url },
    });
    user = await createUser(server.url);
    await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
    ({ agent } = await callApi(server.url, user.idToken, 'createAgent', {
      body: {
        name: 'Harbour',
        trading_pairs: ['BTC/USDT'],
        risk_profile: 'Moderate',
        max_position_size: 100,
        execution_interval: 'daily',
        enabled: true,
      },
    }));
    page = new EnginePage(await open());
    await page.goto(`${proxy.url}/login`);
    // The page that came from the build gives way to the app's.
    await page.controlled();
    await page.fill('Email', user.email);
    await page.fill('Password', user.password);
    await page.click('button', 'Log in');
    await page.at(/^\/dashboard/);
  });
  afterAll(async () => {
    await page?.driver.close();
    await server?.stop();
    await proxy?.close();
  });

  const missing = open === null ? ` (${name} is not installed here)` : '';
  /** Ids under which a Stop was asked for, of one press. */
  let ids = new Set<string>();
  let asked = 0;

  /** A Stop is pressed, and its first requests come to harm. */
  async function pressStop(fault: Fault, times: number): Promise<void> {
    ids = new Set();
    asked = 0;
    await callApi(server.url, user.idToken, 'startAgent', {
      params: { id: agent.id },
      body: { confirmed: true },
    });
    await page.goto(`${proxy.url}/agents/${agent.id}`);
    await page.says(/Running/);
    proxy.watch(({ path, headers }) => {
      if (!STOP.test(path)) return;
      asked += 1;
      ids.add(String(headers[IDEMPOTENCY_HEADER.toLowerCase()]));
    });
    proxy.harm(({ path }) => (STOP.test(path) && asked <= times ? fault : null));
    await page.click('button', /^Stop$|^Stop Harbour/);
  }

  async function expectStoppedOnce(): Promise<void> {
    await until(
      () => callApi(server.url, user.idToken, 'agents'),
      ({ agents: [one] }) => one?.status === 'stopped',
    );
    await until(
      () => page.runAsync<unknown[]>(QUEUE, user.uid),
      (left) => left.length === 0,
    );
    expect(ids.size).toBe(1);
    for (const id of ids) all.push(id);
  }
  const all: string[] = [];

  it.skipIf(open === null).each(FAULTS)(
    `takes effect once after %s${missing}`,
    async (fault, times) => {
      await pressStop(fault, times);
      await expectStoppedOnce();
      expect(asked).toBeGreaterThan(times);
    },
  );

  it.skipIf(open === null)(
    `is delivered by the page that is opened after another site, where the first was left in its send${missing}`,
    async () => {
      await pressStop('stall', Infinity);
      await until(
        async () => asked,
        (count) => count > 0,
      );
      await page.goto(`${server.url.replace('localhost', '127.0.0.1')}/healthz`);
      proxy.harm(() => null);
      await page.goto(`${proxy.url}/agents`);
      await expectStoppedOnce();
    },
  );

  it.skipIf(open === null)(
    `is saved on the device after pages that were left before they were drawn${missing}`,
    async () => {
      for (let left = 0; left < LEFT_EARLY; left += 1)
        await page.goto(`${proxy.url}/agents/${agent.id}`);
      await pressStop('stall', Infinity);
      await until(
        () => page.runAsync<unknown[]>(QUEUE, user.uid),
        (saved) => saved.length === 1,
      );
      proxy.harm(() => null);
      await page.goto(`${proxy.url}/agents`);
      await expectStoppedOnce();
    },
  );

  it.skipIf(open === null)(`has left one receipt for each Stop${missing}`, async () => {
    await server.kill9();
    const database = await openPglite(server.dataDir);
    const kept = await database.db.select().from(receipts);
    await database.close();
    for (const id of all) expect(kept.filter(({ commandId }) => commandId === id)).toHaveLength(1);
    expect(all).toHaveLength(FAULTS.length + 2);
  });
});
