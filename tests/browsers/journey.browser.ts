/**
 * One journey in Firefox and in WebKit: an agent, a fill, a dead server, Stop queued, delivered
 * once.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPglite } from '../../server/db/pglite.ts';
import { receipts } from '../../server/db/schema.ts';
import { engine } from '../support/engine-binaries.ts';
import { EnginePage } from '../support/engine-page.ts';
import { QUEUE } from '../support/queue-scripts.ts';
import { callApi, signIn, startServer, type TestServer } from '../support/server.ts';
import { replayTape } from '../support/tape.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'correct horse 9';
/** Longer than any hold asks for. */
const HOLD_MS = 2_500;
const AGED = /Showing \d{1,2}:\d{2}/;
const QUEUED = /Not yet received by the server/;

/**
 * What Firefox says of a request whose page is left before the answer is there. An answer that the
 * worker gets wrong has a sentence of its own, with the reason.
 */
const CUT_OFF_BY_LEAVING = /intercepted the request and encountered an unexpected error/;

/** Asks for the settings past the page's stores: only the worker can have kept the answer. */
const KEPT_BY_WORKER = `
const [uid] = given;
const open = (name) => new Promise((resolve, reject) => {
  const request = indexedDB.open(name);
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const within = (db, store, mode, ask) => new Promise((resolve, reject) => {
  const request = ask(db.transaction(store, mode).objectStore(store));
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const firebase = await open('firebaseLocalStorageDb');
const [{ value }] = await within(firebase, 'firebaseLocalStorage', 'readonly', (store) => store.getAll());
firebase.close();
const db = await open('tradewind-' + uid);
await within(db, 'snapshots', 'readwrite', (store) => store.delete('settings'));
const reply = await fetch('/api/user/trading-settings', { headers: { authorization: 'Bearer ' + value.stsTokenManager.accessToken } });
await reply.json();
let kept;
for (let tries = 0; tries < 100 && kept === undefined; tries += 1) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  kept = await within(db, 'snapshots', 'readonly', (store) => store.get('settings'));
}
db.close();
return [reply.status, kept !== undefined];
`;

interface Queued {
  commandId: string;
  intent: string;
}

describe.each(['firefox', 'webkit'] as const)('%s', (name) => {
  const open = engine(name);
  const email = `${name}-${randomUUID()}@example.com`;
  const tape = replayTape();
  let server: TestServer;
  let page: EnginePage;
  let stop: Queued | undefined;
  let uid = '';
  let broken = false;

  beforeAll(async () => {
    if (open === null) return;
    server = await startServer({ env: { ...tape.env, REPLAY_SPEED: '1200' } });
    page = new EnginePage(await open());
  });
  afterAll(async () => {
    await page?.driver.close();
    await server?.stop();
    tape.remove();
  });

  const agents = async () =>
    (await callApi(server.url, (await signIn(server.url, email, PASSWORD)).idToken, 'agents'))
      .agents;
  const step = (title: string, work: () => Promise<void>): void => {
    const named = open === null ? `${title} (${name} is not installed here)` : title;
    it.skipIf(open === null)(named, async () => {
      // Each step stands on the ones before it.
      if (broken) throw new Error('An earlier step failed');
      try {
        await work();
      } catch (error) {
        broken = true;
        const picture = `${process.env.TMPDIR ?? '/tmp'}/tradewind-${name}.png`;
        writeFileSync(picture, await page.screenshot().catch(() => Buffer.alloc(0)));
        const said = (await page.driver.console().catch(() => null)) ?? [];
        const text = (await page.text().catch(String)).slice(0, 2_000);
        console.log(
          [picture, await page.path().catch(String), text, ...said.slice(-15)].join('\n'),
        );
        throw error;
      }
    });
  };

  step('lets a stranger in', async () => {
    await page.goto(`${server.url}/register`);
    // The page from the build gives way to the app's, and its fields with it.
    await page.controlled();
    await page.fill('Email', email);
    await page.fill('Password', PASSWORD);
    await page.click('button', 'Create account');
    await page.at(/^\/getting-started/);
    uid = (await signIn(server.url, email, PASSWORD)).uid;
    await page.goto(`${server.url}/subscription`);
    await page.click('button', 'Start free trial');
    await page.says(/14 days remaining/);
  });

  step('makes an agent, starts it and shows its fill', async () => {
    await page.goto(`${server.url}/agents`);
    await page.click('button', 'New agent');
    await page.click('radio', /^Aggressive/);
    await page.click('button', 'Next: name and pairs');
    await page.fill('Name', 'Harbour');
    for (const pair of ['BTC/USDT', 'ETH/USDT', 'SOL/USDT']) await page.click('button', pair);
    await page.fill(/^Largest position/, '5000');
    await page.select(/^Checks the market/, '5-minute');
    await page.click('button', 'Next: preview');
    await page.says(/Based on the candle closed/);
    await page.click('button', 'Create agent');
    await page.at(/^\/agents\/[0-9a-f-]{36}/);
    await page.click('button', 'Start');
    await page.hold('button', /^Hold to start/, HOLD_MS, 'dialog');
    await page.says(/Running/);
    await until(agents, ([agent]) => (agent?.openPositions ?? 0) > 0);
    await page.goto(`${server.url}/portfolio`);
    await page.says(/Harbour/);
  });

  step('keeps the page as wide and where it is under a dialog', async () => {
    const WIDTHS =
      "return [document.body, ...document.querySelectorAll('main, main figure')].map((one) => one.getBoundingClientRect().width).concat(scrollY);";
    await page.goto(`${server.url}/market/BTC-USDT`);
    await page.says(/24 hours/);
    await until(
      () => page.run<number[]>(WIDTHS),
      (widths) => widths.length > 3,
    );
    const before = await page.run<number[]>(WIDTHS);
    await page.click('button', 'Set alert');
    await page.says(/Rises to/);
    expect(await page.run<number[]>(WIDTHS)).toEqual(before);
    await page.click('button', 'Close', 'dialog');
    await until(
      () => page.run<number>("return document.querySelectorAll('[role=dialog]').length;"),
      (open) => open === 0,
    );
    expect(await page.run<number[]>(WIDTHS)).toEqual(before);
  });

  step('has a worker that keeps what the server answers', async () => {
    await page.controlled();
    expect(await page.runAsync(KEPT_BY_WORKER, uid)).toEqual([200, true]);
  });

  step('shows the last portfolio with its age when the server was killed (F01, F36)', async () => {
    await page.reload();
    await page.says(/Harbour/);
    await server.kill9();
    await page.reload();
    await page.says(AGED);
    expect(await page.says(/Harbour/)).toMatch(/\d USDT|USDT/);
  });

  step('saves Stop on the device and does not call the agent stopped (R7-17)', async () => {
    await page.goto(`${server.url}/agents`);
    await page.click('link', /^Harbour/);
    await page.at(/^\/agents\/[0-9a-f-]{36}/);
    await page.click('button', /^Stop$|^Stop Harbour/);
    await page.says(QUEUED);
    expect(await page.text()).not.toMatch(/^Stopped/m);
    const queued = await page.runAsync<Queued[]>(QUEUE, uid);
    expect(queued.map(({ intent }) => intent)).toEqual(['stop']);
    stop = queued[0];
    await page.reload();
    await page.says(QUEUED);
    expect(await page.runAsync<Queued[]>(QUEUE, uid)).toEqual(queued);
  });

  step('delivers it exactly once when the server is back (F02, F36)', async () => {
    await server.restart();
    await page.says(/^Stopped/m);
    await until(
      () => page.runAsync<Queued[]>(QUEUE, uid),
      (left) => left.length === 0,
    );
    const [agent] = await agents();
    // Made, started and stopped, and nothing else.
    expect(agent).toMatchObject({ status: 'stopped', generation: 3 });
    await server.kill9();
    const database = await openPglite(server.dataDir);
    const kept = await database.db.select().from(receipts);
    await database.close();
    // A trial, an agent, a start, and this one stop.
    expect(kept.filter(({ commandId }) => commandId === stop?.commandId)).toHaveLength(1);
    expect(kept).toHaveLength(4);
    await server.restart();
  });

  step('wrote no failed answer of its worker into the console', async () => {
    const said = await page.driver.console();
    if (said === null) return;
    const workers = said.filter(
      (line) =>
        /ServiceWorker|service worker|respondWith/i.test(line) &&
        line.includes('localhost') &&
        !CUT_OFF_BY_LEAVING.test(line),
    );
    expect([...new Set(workers)]).toEqual([]);
  });
});
