/**
 * The app without its server, in real Chromium: what it shows, what it saves, how that is
 * delivered.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { cachedAddresses, controlled, openBrowser, type Browser } from '../support/browser.ts';
import { databasesOf } from '../support/device.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { START_PATHS } from '../../sw/routing.ts';

let server: TestServer;
let browser: Browser;
let user: TestUser;
let page: Page;

async function agent(name: string): Promise<Agent> {
  const { agent: made } = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name,
      trading_pairs: [],
      risk_profile: 'Moderate',
      max_position_size: 500,
      execution_interval: 'daily',
      enabled: true,
      pool: 'all_pools',
    },
  });
  const { agent: running } = await callApi(server.url, user.idToken, 'startAgent', {
    params: { id: made.id },
    body: {},
  });
  expect(running.status).toBe('running');
  return running;
}

const agents = async (): Promise<Agent[]> =>
  (await callApi(server.url, user.idToken, 'agents')).agents;

/** The snapshots of the device, as text. */
const kept = async (target: Page): Promise<string> =>
  JSON.stringify((await databasesOf(target))[`tradewind-${user.uid}`]?.snapshots ?? []);
const outbox = async (target: Page): Promise<unknown[]> =>
  (await databasesOf(target))[`tradewind-${user.uid}`]?.outbox ?? [];

/** In the page: takes the mark of its build off every snapshot, and all frames away. */
async function forgetMarks(database: string): Promise<void> {
  const done = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => {
        resolve(request.result);
      };
      request.onerror = () => {
        reject(request.error ?? new Error('failed'));
      };
    });
  const db = await done(indexedDB.open(database));
  const snapshots = db.transaction('snapshots', 'readwrite').objectStore('snapshots');
  for (const key of (await done(snapshots.getAllKeys())) as string[]) {
    const record = (await done(snapshots.get(key))) as { parsedBy?: string };
    delete record.parsedBy;
    if (key.startsWith('frame ')) await done(snapshots.delete(key));
    else await done(snapshots.put(record, key));
  }
  db.close();
}

beforeAll(async () => {
  server = await startServer();
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  browser = await openBrowser();
  page = await browser.page();
  await logIn(page, server.url, user);
  await controlled(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

describe('with the server gone', () => {
  it('paints the last portfolio with its age, saves a stop, and delivers it once when the server is back', async () => {
    const running = await agent('Alpha');
    await page.goto(`${server.url}/portfolio`);
    await page
      .getByText(/10.000\.00/)
      .first()
      .waitFor();
    await until(
      () => databasesOf(page),
      (dump) => (dump[`tradewind-${user.uid}`]?.snapshots ?? []).length >= 3,
    );
    await page.goto(`${server.url}/agents/${running.id}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await server.kill9();

    await page.goto(`${server.url}/portfolio`);
    await page
      .getByText(/10.000\.00/)
      .first()
      .waitFor();
    await page.getByText(/ago/).first().waitFor();
    await page.goto(`${server.url}/agents/${running.id}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page
      .getByText('Stop saved on this device. Not yet received by the server.')
      .first()
      .waitFor();
    expect(await page.getByText(/^Stopped/).count()).toBe(0);
    expect(await outbox(page)).toMatchObject([
      { intent: 'stop', agentId: running.id, attempts: 0 },
    ]);
    await page.reload();
    await page
      .getByText('Stop saved on this device. Not yet received by the server.')
      .first()
      .waitFor();

    await server.restart();
    const [stopped] = await until(agents, ([first]) => first?.status === 'stopped');
    expect(stopped!.generation).toBe(running.generation + 1);
    await until(
      () => outbox(page),
      (left) => left.length === 0,
    );
    await page.getByText('Stopped', { exact: true }).filter({ visible: true }).first().waitFor();
    // Past the worker, which need not have started.
    const ways = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('/stop'))
        .map((entry) => Reflect.get(entry, 'workerMatchedSourceType') as unknown),
    );
    expect(new Set(ways)).toEqual(new Set(['network']));
  });

  it('delivers from the worker alone, with no page open, and the next start knows of it though the server is gone again (F80)', async () => {
    const running = await agent('Beta');
    await page.goto(`${server.url}/agents/${running.id}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    // It is on the screen a moment before it is on the device.
    await until(
      () => kept(page),
      (text) => text.includes(running.id),
    );
    await server.kill9();
    await page.reload();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await until(
      () => outbox(page),
      (left) => left.length === 1,
    );
    await page.close();
    await browser.stopWorkers();
    await server.restart();
    expect((await agents()).find((one) => one.id === running.id)?.status).toBe('running');
    await browser.dispatchSync(server.url, 'outbox');
    const after = await until(
      agents,
      (list) => list.find((one) => one.id === running.id)?.status === 'stopped',
    );
    expect(after.find((one) => one.id === running.id)?.generation).toBe(running.generation + 1);
    // The server has it a moment before the worker has its reply; seen by a page without the app.
    page = await browser.page();
    await page.goto(`${server.url}/manifest.webmanifest`);
    await until(
      () => outbox(page),
      (left) => left.length === 0,
    );
    // The signal goes again before anybody has looked.
    await browser.stopWorkers();
    await server.kill9();
    await page.goto(`${server.url}/agents`);
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Beta' });
    await row.getByText('Stopped when last seen').first().waitFor();
    expect(await row.getByText('Running').count()).toBe(0);
    await server.restart();
    await row.getByText('Stopped', { exact: true }).first().waitFor();
  });

  it('opens with what another build has kept', async () => {
    await page.goto(`${server.url}/portfolio`);
    await page
      .getByText(/10.000\.00/)
      .first()
      .waitFor();
    await until(
      () => kept(page),
      (text) => text.includes('parsedBy'),
    );
    await server.kill9();
    // Past the app, which would write it anew.
    await page.goto(`${server.url}/manifest.webmanifest`);
    await page.evaluate(forgetMarks, `tradewind-${user.uid}`);
    expect(await kept(page)).not.toContain('parsedBy');
    await page.goto(`${server.url}/portfolio`);
    await page
      .getByText(/10.000\.00/)
      .first()
      .waitFor();
    await page.getByText(/ago/).first().waitFor();
    await server.restart();
  });

  it('never puts a private reply into Cache Storage', async () => {
    const found = (await cachedAddresses(page)).map((address) => new URL(address).pathname);
    expect(found.length).toBeGreaterThan(5);
    // The page itself lies under the addresses of a start as well.
    expect(
      found
        .filter(
          (path) =>
            !/^\/(index\.html|pages\/[\w-]+\.html|manifest\.webmanifest|assets\/[^/]+|icons\/[^/]+)$/.test(
              path,
            ),
        )
        .sort(),
    ).toEqual([...START_PATHS].sort());
    const pages = await page.evaluate(
      async (paths) =>
        Promise.all(
          paths.map(async (path) => (await caches.match(path, { ignoreSearch: true }))?.text()),
        ),
      [...START_PATHS, '/index.html'],
    );
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain('<div id="root"></div>');
  });
});
