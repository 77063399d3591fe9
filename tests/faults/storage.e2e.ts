/** A device that is full, shared, cleared or given back: real Chromium, real server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { databasesOf, everythingOf, queueOf } from '../support/device.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { fillLogIn, logIn } from '../support/sign-in.ts';

/** How the tokens of the sign-in begin: three letters of it stand in the name of many a file. */
const TOKEN = 'eyJhbGciOi';

let server: TestServer;
let browser: Browser;
let user: TestUser;
let agent: Agent;
const profile = mkdtempSync(join(tmpdir(), 'tradewind-storage-'));

beforeAll(async () => {
  server = await startServer({
    env: process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR },
  });
  browser = await openBrowser({ profile });
  user = await createUser(server.url, 'kept.zephyrmark@example.com');
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  ({ agent } = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name: 'Zephyrmark Seven',
      trading_pairs: ['BTC/USDT'],
      risk_profile: 'Conservative',
      max_position_size: 100,
      execution_interval: 'daily',
      enabled: true,
    },
  }));
  const page = await browser.page();
  await logIn(page, server.url, user);
  await controlled(page);
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

/** A test that failed half-way leaves its pages open and the network off: the next begins clean. */
afterEach(async (context) => {
  if (context.task.result?.state !== 'fail') return;
  await browser.context.setOffline(false);
  const [keeper, ...left] = browser.context.pages();
  await keeper?.goto('about:blank');
  for (const page of left) await page.close();
});

const status = async (): Promise<string | undefined> =>
  (await callApi(server.url, user.idToken, 'agents')).agents.find(({ id }) => id === agent.id)
    ?.status;
const database = (): string => `tradewind-${user.uid}`;
const kept = (page: Page): Promise<number> =>
  databasesOf(page).then((all) => all[database()]?.snapshots?.length ?? 0);
const stopOf = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true });

/** The agent runs, and its screen is open with what an offline start needs on the device. */
async function running(
  prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<Page> {
  await callApi(server.url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
  const page = await browser.page();
  await prepare(page);
  await page.goto(`${server.url}/agents/${agent.id}`);
  await stopOf(page).waitFor();
  await expect.poll(() => kept(page)).toBeGreaterThan(1);
  return page;
}

/**
 * What a script of the test's own does on the app's origin, with no code of the app on that page.
 */
async function bare(path = '/healthz'): Promise<Page> {
  const page = await browser.page();
  await page.goto(`${server.url}${path}`);
  return page;
}

/**
 * Whether the browser refuses a few bytes more; the database stays open, so that it goes on
 * counting as it did.
 */
const refusesBytes = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const held = globalThis as unknown as { filler?: IDBDatabase };
    held.filler ??= await new Promise<IDBDatabase | undefined>((resolve) => {
      const request = indexedDB.open('filler');
      request.onupgradeneeded = () => {
        request.result.createObjectStore('bytes');
      };
      request.onsuccess = () => {
        resolve(request.result);
      };
      request.onerror = () => {
        resolve(undefined);
      };
    });
    const db = held.filler;
    if (db === undefined) return true;
    return new Promise<boolean>((resolve) => {
      const transaction = db.transaction('bytes', 'readwrite');
      transaction.objectStore('bytes').put(new Uint8Array(2_000), 'one');
      transaction.oncomplete = () => {
        resolve(false);
      };
      transaction.onabort = () => {
        resolve(transaction.error?.name === 'QuotaExceededError');
      };
    });
  });

const LOST = 'This browser deleted the saved data of the app';

describe('storage', () => {
  it('writes the queue with strict durability before it says "saved", and sends what was saved (F12)', async () => {
    const page = await running(async (opened) => {
      await opened.addInitScript(() => {
        const asked: string[] = [];
        Object.assign(globalThis, { asked });
        const real = Object.getOwnPropertyDescriptor(IDBDatabase.prototype, 'transaction')
          ?.value as IDBDatabase['transaction'];
        IDBDatabase.prototype.transaction = function (stores, mode, options) {
          const transaction = real.call(this, stores, mode, options);
          if (mode === 'readwrite' && [...transaction.objectStoreNames].includes('outbox')) {
            asked.push(`${transaction.durability} begun`);
            transaction.addEventListener('complete', () => {
              asked.push(
                document.body.innerText.includes('Stop saved on this device')
                  ? 'said too soon'
                  : 'complete',
              );
            });
          }
          return transaction;
        };
      });
    });
    await browser.context.setOffline(true);
    await page.evaluate(() => {
      (globalThis as unknown as { asked: string[] }).asked.length = 0;
    });
    await stopOf(page).click();
    await page.getByText('Stop saved on this device.').first().waitFor();
    const asked = await page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
    // A second write may begin before the first is complete; what counts is which comes first.
    expect(asked[0]).toBe('strict begun');
    expect(asked.find((one) => !one.endsWith('begun'))).toBe('complete');
    expect(asked.filter((one) => one.endsWith('begun') && one !== 'strict begun')).toEqual([]);
    await browser.context.setOffline(false);
    await expect.poll(() => status()).toBe('stopped');
    await page.close();
  });

  it('that the browser clears while the app is closed is made again, and the loss is said until it is read (F19)', async () => {
    const page = await running();
    await page.goto(`${server.url}/healthz`);
    await page.evaluate(
      (name) =>
        new Promise<void>((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name);
          request.onsuccess = () => {
            resolve();
          };
          request.onerror = () => {
            reject(new Error('not deleted'));
          };
        }),
      database(),
    );
    await page.goto(`${server.url}/dashboard`);
    await page.getByText(LOST).first().waitFor();
    await expect.poll(() => kept(page)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByText(LOST).first().waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByText('Equity').filter({ visible: true }).first().waitFor();
    expect(await page.getByText(LOST).count()).toBe(0);
    await page.close();
  });

  it('of a newer build is not blocked by an older tab, which says so and still stops an agent (F16)', async () => {
    const page = await running();
    const newer = await bare();
    const how = await newer.evaluate(
      (name) =>
        new Promise<string>((resolve) => {
          const request = indexedDB.open(name, 99);
          request.onblocked = () => {
            resolve('blocked');
          };
          request.onerror = () => {
            resolve(String(request.error));
          };
          request.onsuccess = () => {
            request.result.close();
            resolve(`opened ${[...request.result.objectStoreNames].join(' ')}`);
          };
        }),
      database(),
    );
    expect(how).toBe('opened meta outbox quarantine snapshots');
    await page.getByText('A newer version of the app is open in another tab.').first().waitFor();
    await stopOf(page).click();
    await page
      .getByText('Sent to the server. It could not be saved on this device.')
      .first()
      .waitFor();
    expect(await status()).toBe('stopped');
    await newer.close();
    await page.close();
  });

  it('that another tab holds and never gives back is gone past: a Stop arrives, and so does one after a reload (F96)', async () => {
    const page = await running();
    const holder = await bare();
    const hold = (): Promise<void> =>
      holder.evaluate(async (name) => {
        const db = await new Promise<IDBDatabase>((resolve) => {
          const request = indexedDB.open(name);
          request.onsuccess = () => {
            resolve(request.result);
          };
        });
        const transaction = db.transaction(['outbox', 'meta'], 'readwrite');
        const ask = (): void => {
          transaction.objectStore('outbox').count().onsuccess = ask;
        };
        ask();
      }, database());
    const SENT = 'Sent to the server. It could not be saved on this device.';
    await hold();
    await stopOf(page).click();
    await page.getByText(SENT).first().waitFor();
    expect(await status()).toBe('stopped');
    await callApi(server.url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
    await page.reload();
    await stopOf(page).click();
    await page.getByText(SENT).first().waitFor();
    expect(await status()).toBe('stopped');
    await holder.close();
    await page.close();
  });

  it('whose connection the browser closes under the open app is opened again; no press is lost (F14, F19)', async () => {
    const page = await running();
    await browser.context.setOffline(true);
    const session = await browser.context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', {
      origin: server.url,
      storageTypes: 'indexeddb',
    });
    await stopOf(page).click();
    await page.getByText('Stop saved on this device.').first().waitFor();
    expect((await queueOf(page, user.uid)).map(({ intent, agentId }) => [intent, agentId])).toEqual(
      [['stop', agent.id]],
    );
    await page.getByText(LOST).first().waitFor();
    await browser.context.setOffline(false);
    // The sign-in lay in the same storage. Where the provider notices first, it is asked for again,
    // and the stop waits.
    const login = page.getByRole('link', { name: 'Go to Login' });
    await expect
      .poll(async () => (await login.isVisible()) || (await status()) === 'stopped')
      .toBe(true);
    if ((await status()) !== 'stopped') {
      await login.click();
      await fillLogIn(page, user);
      await expect.poll(status).toBe('stopped');
    }
    await page.close();
    const clean = await bare();
    await (
      await browser.context.newCDPSession(clean)
    ).send('Storage.clearDataForOrigin', {
      origin: server.url,
      storageTypes: 'indexeddb,local_storage',
    });
    await logIn(clean, server.url, user);
    await clean.close();
  });
});

describe('a full device', () => {
  it('gives up figures, never a command; what it cannot save it does not call saved (F13)', async () => {
    const { agent: second } = await callApi(server.url, user.idToken, 'createAgent', {
      body: {
        name: 'Second',
        trading_pairs: ['BTC/USDT'],
        risk_profile: 'Conservative',
        max_position_size: 100,
        execution_interval: 'daily',
        enabled: true,
      },
    });
    await callApi(server.url, user.idToken, 'startAgent', { params: { id: second.id }, body: {} });
    const before = await running();
    await before.goto(`${server.url}/agents/${second.id}`);
    await stopOf(before).waitFor();
    await before.goto(`${server.url}/agents/${agent.id}`);
    await browser.context.setOffline(true);
    await stopOf(before).click();
    await before.getByText('Stop saved on this device.').first().waitFor();
    const figures = await kept(before);
    // A new browser may wake the worker before it is told to be offline: nobody is there to take
    // the stop.
    await server.kill9();
    // The browser counts the room of a place that is in use only now and then: it must be full
    // before the app is opened.
    await browser.close();
    browser = await openBrowser({ profile });
    await browser.context.setOffline(true);
    const [keeper] = browser.context.pages();
    if (keeper === undefined) throw new Error('The browser has no page');
    const quota = await browser.context.newCDPSession(keeper);
    await quota.send('Storage.overrideQuotaForOrigin', { origin: server.url, quotaSize: 1 });
    const filler = await bare('/');
    await expect.poll(() => refusesBytes(filler)).toBe(true);
    const page = await browser.page();
    await page.goto(`${server.url}/agents/${second.id}`);
    await stopOf(page).click();
    await page
      .getByText(/^Not saved/)
      .first()
      .waitFor();
    const queue = await queueOf(page, user.uid);
    expect(queue.map(({ intent, agentId }) => [intent, agentId])).toEqual([['stop', agent.id]]);
    expect(await kept(page)).toBeLessThan(figures);
    expect(await page.getByText('1 stop waits to be received').count()).toBe(1);

    // Room again, as after the person has cleared some: the same press is saved, and everything
    // arrives.
    await quota.send('Storage.overrideQuotaForOrigin', { origin: server.url });
    await filler.close();
    await page.close();
    await server.restart();
    await browser.context.setOffline(false);
    const after = await browser.page();
    await after.goto(`${server.url}/agents/${second.id}`);
    await expect.poll(status).toBe('stopped');
    expect(
      (await callApi(server.url, user.idToken, 'agents')).agents.find(({ id }) => id === second.id)
        ?.status,
    ).toBe('running');
    await after.close();
  });
});

describe('wiping this device', () => {
  it('offline leaves no private byte in databases, caches, storages and cookies, whatever other tabs and the worker still write (F35, F56)', async () => {
    const page = await running();
    const address = '0xZEPHYRMARK0000000000000000000000000000aB';
    // As the wallet's kit and the notifications keep it: neither has its other end here.
    await page.evaluate(
      async ([uid, wallet]) => {
        document.cookie = `tradewind-wallet.store=${JSON.stringify({ state: { accounts: [wallet] } })}; path=/`;
        document.cookie = 'tradewind-wallet.recentConnectorId=coinbase; path=/';
        localStorage.setItem(
          'base-acc-sdk.store',
          JSON.stringify({ account: { accounts: [wallet] } }),
        );
        localStorage.setItem('tradewind.push', uid);
        await new Promise<void>((resolve) => {
          const request = indexedDB.open('base-acc-sdk');
          request.onupgradeneeded = () => {
            request.result.createObjectStore('keys').put(wallet, 'ownKeyPair');
          };
          request.onsuccess = () => {
            request.result.close();
            resolve();
          };
        });
      },
      [user.uid, address] as const,
    );
    const drafting = await browser.page();
    await drafting.goto(`${server.url}/agents`);
    await drafting.getByRole('button', { name: 'New agent' }).first().click();
    await drafting.getByRole('button', { name: 'Next: name and pairs' }).click();
    await drafting.getByLabel('Name', { exact: true }).fill('Zephyrmark draft');
    const dashboard = await browser.page();
    await dashboard.goto(`${server.url}/dashboard`);
    await dashboard.getByText('Zephyrmark Seven').filter({ visible: true }).first().waitFor();
    await browser.context.setOffline(true);
    await stopOf(page).click();
    await page.getByText('Stop saved on this device.').first().waitFor();
    const marks = [user.uid, user.email, agent.id, address, 'Zephyrmark', TOKEN];
    const before = await everythingOf(page);
    for (const mark of marks) expect(before.includes(mark), `${mark} was there`).toBe(true);

    await page.evaluate(() => {
      history.pushState(null, '', '/security');
      dispatchEvent(new PopStateEvent('popstate'));
    });
    await page
      .getByRole('button', { name: /^Wipe\b/ })
      .first()
      .dispatchEvent('pointerdown', { button: 0 });
    await page.getByRole('button', { name: 'Discard and wipe' }).click();
    await page.waitForURL(`${server.url}/`);
    await browser.context.setOffline(false);
    // A reply to a request of before, and the next tick of what still looks at the other tab: all
    // too late.
    await page.evaluate(
      (token) =>
        fetch('/api/portfolio', { headers: { authorization: `Bearer ${token}` } }).then((reply) =>
          reply.text(),
        ),
      user.idToken,
    );
    await expect
      .poll(() => page.evaluate(() => localStorage.getItem('tradewind.purge')))
      .toBeNull();
    await dashboard.close({ runBeforeUnload: true });
    await drafting.bringToFront();
    const after = `${await everythingOf(page)}${await drafting.evaluate(() => JSON.stringify({ ...sessionStorage }) + document.body.innerText)}${JSON.stringify(await browser.context.cookies())}`;
    for (const mark of marks) expect(after.includes(mark), `${mark} is gone`).toBe(false);
    await drafting.close();
    await page.close();
  });
});
