/**
 * What stays on the device, and what happens when the device keeps nothing: real Chromium, real
 * server.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { databasesOf, everythingOf, queueOf } from '../support/device.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import {
  callApi,
  createUser,
  freePort,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { logIn as enter } from '../support/sign-in.ts';

/** How the tokens of the sign-in begin: three letters of it stand in the name of many a file. */
const TOKEN = 'eyJhbGciOi';

let server: TestServer;
let proxy: FaultProxy;
let browser: Browser;
let posts: string[] = [];
let isDown = false;

const COMMAND = /^\/api\/agents\/[^/]+\/(?:start|stop)$/;
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

beforeAll(async () => {
  const target = { port: await freePort() };
  proxy = await startFaultProxy(target);
  proxy.watch(({ method, path }) => {
    if (method === 'POST' && COMMAND.test(path)) posts.push(path);
  });
  server = await startServer({
    env: {
      PORT: String(target.port),
      PUBLIC_ORIGIN: proxy.url,
      ...(process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR }),
    },
  });
});
beforeEach(async () => {
  browser = await openBrowser();
});
afterEach(async () => {
  proxy.harm(() => null);
  await browser.close();
  if (isDown) await server.restart();
  isDown = false;
});
afterAll(async () => {
  await server?.stop();
  await proxy?.close();
});

async function trader(email?: string): Promise<TestUser> {
  const user = await createUser(server.url, email);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  return user;
}

async function agentOf(user: TestUser, name: string, run: boolean): Promise<Agent> {
  const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name,
      trading_pairs: ['BTC/USDT'],
      risk_profile: 'Conservative',
      max_position_size: 100,
      execution_interval: 'daily',
      enabled: run,
    },
  });
  return run
    ? (
        await callApi(server.url, user.idToken, 'startAgent', {
          params: { id: agent.id },
          body: {},
        })
      ).agent
    : agent;
}

const statusOf = async (user: TestUser, id: string): Promise<string | undefined> =>
  (await callApi(server.url, user.idToken, 'agents')).agents.find((agent) => agent.id === id)
    ?.status;

const logIn = (page: Page, user: TestUser): Promise<void> => enter(page, proxy.url, user);

async function signOut(page: Page): Promise<void> {
  await page.goto(`${proxy.url}/security`);
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  const discard = page.getByRole('button', { name: 'Discard and log out' });
  const gone = page.waitForURL(`${proxy.url}/`);
  await Promise.race([discard.waitFor().then(() => discard.click({ timeout: 5_000 })), gone]);
  await gone;
}

async function stopByHand(page: Page, agent: Agent): Promise<void> {
  await page.goto(`${proxy.url}/agents/${agent.id}`);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
}

describe('signing out', () => {
  it('offline leaves no private byte on the device, and the next person sees and sends nothing of the last (F34, F35)', async () => {
    const page = await browser.page();
    const ada = await trader('ada.zephyrmark@example.com');
    const running = await agentOf(ada, 'Zephyrmark Seven', true);
    await logIn(page, ada);
    await controlled(page);
    for (const path of [
      '/portfolio',
      '/agents',
      '/market',
      '/analytics',
      '/subscription',
      '/trading',
    ]) {
      await page.goto(`${proxy.url}${path}`);
      await page.waitForLoadState('load');
      await pause(700);
    }
    await server.kill9();
    isDown = true;
    await stopByHand(page, running);
    await page.getByText('Stop saved on this device.').first().waitFor();
    const marks = [ada.uid, ada.email, running.id, 'Zephyrmark', TOKEN];
    const before = await everythingOf(page);
    for (const mark of marks) expect(before.includes(mark), `${mark} was there`).toBe(true);

    await signOut(page);
    await pause(500);
    const after = `${await everythingOf(page)} ${JSON.stringify(await browser.context.cookies())}`;
    for (const mark of marks) expect(after.includes(mark), `${mark} is gone`).toBe(false);

    await server.restart();
    isDown = false;
    posts = [];
    const eve = await createUser(server.url);
    await logIn(page, eve);
    await page.goto(`${proxy.url}/agents`);
    await browser.dispatchSync(proxy.url, 'outbox').catch(() => undefined);
    await pause(2_500);
    expect(await page.getByText('Zephyrmark').count()).toBe(0);
    expect(posts).toEqual([]);
    expect(await statusOf(ada, running.id)).toBe('running');
  });

  it('in one tab ends what another is sending: nothing further goes out (F23)', async () => {
    const user = await trader();
    const agents = [
      await agentOf(user, 'One', false),
      await agentOf(user, 'Two', false),
      await agentOf(user, 'Three', false),
    ];
    const [sender, leaver] = [await browser.page(), await browser.page()];
    await logIn(sender, user);
    await sender.goto(`${proxy.url}/agents`);
    await sender
      .getByRole('button', { name: 'Start Three' })
      .filter({ visible: true })
      .first()
      .waitFor();
    await leaver.goto(`${proxy.url}/security`);
    const wipe = leaver.getByRole('button', { name: /^Wipe\b/ }).first();
    await wipe.waitFor();
    await browser.context.setOffline(true);
    for (const { name } of agents) {
      await sender
        .getByRole('button', { name: `Start ${name}` })
        .filter({ visible: true })
        .first()
        .click();
      await sender.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    }
    await expect.poll(() => queueOf(sender, user.uid).then((queue) => queue.length)).toBe(3);
    posts = [];
    // The first start is answered, but nobody hears it: its sender hangs for ten seconds.
    proxy.harm(({ path }) => (COMMAND.test(path) ? 'stall' : null));
    await browser.context.setOffline(false);
    await expect.poll(() => posts.length).toBe(1);
    await wipe.dispatchEvent('pointerdown', { button: 0 });
    // It waits five seconds for what the other tab sends, and asks within the ten of that.
    await leaver.getByRole('button', { name: 'Discard and wipe' }).click();
    await leaver.waitForURL(`${proxy.url}/`);
    proxy.harm(() => null);
    await pause(13_000);
    expect(posts).toHaveLength(1);
    expect(
      Object.keys(await databasesOf(leaver)).filter((name) => name.includes(user.uid)),
    ).toEqual([]);
  });
});

/**
 * Runs before the app: every IndexedDB of this page, the identity provider's as well, is refused,
 * or never opens.
 */
const REFUSE =
  'IDBFactory.prototype.open = function () { throw new DOMException("refused", "SecurityError"); };';
const HANG = 'IDBFactory.prototype.open = function () { return new EventTarget(); };';
const KEEPS_NOTHING =
  'This browser does not save data for the app. Commands are sent at once or not at all. You may be logged out when you close this page.';

describe('a device that keeps nothing', () => {
  it.each([
    ['refused', REFUSE],
    ['hanging', HANG],
  ])(
    'with IndexedDB %s the app runs online, says so, and a stop goes out at once (F15, F18)',
    async (_how, script) => {
      const page = await browser.page();
      await page.addInitScript(script);
      const user = await trader();
      const running = await agentOf(user, 'Harbour', true);
      await logIn(page, user);
      await page.evaluate((id) => {
        history.pushState(null, '', `/agents/${id}`);
        dispatchEvent(new PopStateEvent('popstate'));
      }, running.id);
      await page.getByText(KEEPS_NOTHING).first().waitFor();
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await page
        .getByText('Sent to the server. It could not be saved on this device.')
        .first()
        .waitFor();
      expect(await page.getByText('saved on this device. Not yet').count()).toBe(0);
      await page.getByText('Stopped', { exact: true }).filter({ visible: true }).first().waitFor();
      expect(await statusOf(user, running.id)).toBe('stopped');
    },
  );

  it('that holds garbage sets it aside, says how much, and works with the rest (F17)', async () => {
    const page = await browser.page();
    const user = await trader();
    const running = await agentOf(user, 'Harbour', true);
    await logIn(page, user);
    await page.goto(`${proxy.url}/agents`);
    await page.getByText('Harbour').first().waitFor();
    await pause(1_000);
    await page.evaluate(async (name) => {
      const db = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => {
          resolve(request.result);
        };
      });
      const transaction = db.transaction(['outbox', 'snapshots', 'meta'], 'readwrite');
      transaction.objectStore('outbox').put({ commandId: 7, intent: 'explode' }, 'garbage');
      transaction.objectStore('outbox').put('not even a record', 'more-garbage');
      for (const kind of ['portfolio', 'agents', 'market', 'settings'])
        transaction
          .objectStore('snapshots')
          .put({ version: 1, savedAt: 'yesterday', value: [null, { equity: '<b>' }] }, kind);
      transaction.objectStore('meta').put('nonsense', 'queue');
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      db.close();
    }, `tradewind-${user.uid}`);
    await page.reload();
    await page
      .getByText('2 saved commands could not be read and will not be sent.')
      .first()
      .waitFor();
    await stopByHand(page, running);
    await expect.poll(() => statusOf(user, running.id)).toBe('stopped');
    expect((await databasesOf(page))[`tradewind-${user.uid}`]?.quarantine).toHaveLength(2);
  });
});
