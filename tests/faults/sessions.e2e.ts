/**
 * A person's sessions over hours, clocks, tabs and revocation, in real Chromium with the real
 * identity emulator.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { callApi, CallFailed, signIn, type TestUser } from '../support/server.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { databasesOf, queueOf } from '../support/device.ts';
import {
  ageSignIn,
  COMMAND,
  openFaultWorld,
  walk,
  type FaultWorld,
} from '../support/fault-world.ts';
import { fillLogIn } from '../support/sign-in.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let world: FaultWorld;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  world = await openFaultWorld();
});
beforeEach(async () => {
  browser = await openBrowser();
  page = await browser.page();
  world.sent.length = 0;
  world.asked.length = 0;
});
afterEach(async () => {
  world.proxy.harm(() => null);
  await browser.close();
});
afterAll(async () => {
  await world?.close();
});

const soon = <T>(read: () => T) => expect.poll(read);
const seen = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first();
const stopButton = () => page.getByRole('button', { name: 'Stop', exact: true });
const isCommand = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'POST' && COMMAND.test(path);
const statusOf = async (user: TestUser, id: string): Promise<string> =>
  (await world.agent(user, id)).status;
const databaseOf = async (user: TestUser): Promise<boolean> =>
  Object.keys(await databasesOf(page)).includes(`tradewind-${user.uid}`);

/** From the 'Authentication Required' screen. */
async function logInFromThere(user: TestUser): Promise<void> {
  await page.getByRole('link', { name: 'Go to Login' }).click();
  await fillLogIn(page, user);
}

describe('a device whose clock is a day ahead', () => {
  it('keeps its person in, also at the next start, and sends a fresh start by itself; after a jump it asks (F20)', async () => {
    await page.clock.install({ time: Date.now() + 24 * HOUR });
    const user = await world.trader();
    const [fresh, doubtful] = [
      await world.agentOf(user, 'Harbour', false),
      await world.agentOf(user, 'Ebb', false),
    ];
    await world.logIn(page, user);
    await controlled(page);
    await page.goto(`${world.proxy.url}/agents`);
    const press = async (name: string): Promise<void> => {
      await page
        .getByRole('button', { name: `Start ${name}` })
        .filter({ visible: true })
        .first()
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    };
    await page
      .getByRole('button', { name: 'Start Harbour' })
      .filter({ visible: true })
      .first()
      .waitFor();
    expect(await page.getByText('Authentication Required').count()).toBe(0);
    await browser.context.setOffline(true);
    await press('Harbour');
    await soon(async () => (await queueOf(page, user.uid)).length).toBe(1);
    await browser.context.setOffline(false);
    await soon(() => statusOf(user, fresh.id)).toBe('running');

    await browser.context.setOffline(true);
    await press('Ebb');
    await soon(async () => (await queueOf(page, user.uid)).length).toBe(1);
    await page.clock.setSystemTime(Date.now());
    await browser.context.setOffline(false);
    await seen(/^Start needs you/).waitFor();
    expect(await statusOf(user, doubtful.id)).toBe('stopped');
    expect(world.sent.filter(({ path }) => path.includes(doubtful.id))).toEqual([]);
  });
});

describe('a session', () => {
  it('says ten minutes before its end what is unsent, and signing in again in place keeps screen and queue (F29)', async () => {
    const user = await world.trader();
    const agent = await world.agentOf(user, 'Harbour');
    await world.logIn(page, user);
    await ageSignIn(page, world.server, user, 4 * HOUR - 8 * MINUTE, world.proxy.url);
    await page.goto(`${world.proxy.url}/agents/${agent.id}`);
    const notice = page.getByRole('region', { name: 'Session' });
    await notice.getByText(/^Your session ends in [678] min/).waitFor();
    world.proxy.harm((passing) => (isCommand(passing) ? 'drop-request' : null));
    await stopButton().click();
    await notice.getByText(/Not sent yet: Stop Harbour\.$/).waitFor();
    await notice.getByRole('button', { name: 'Log in again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill(user.password);
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
    await notice.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe(`/agents/${agent.id}`);
    expect(await queueOf(page, user.uid)).toMatchObject([{ intent: 'stop', agentId: agent.id }]);
    world.proxy.harm(() => null);
    await soon(() => statusOf(user, agent.id)).toBe('stopped');
    expect(new Set(world.sent.map(({ commandId }) => commandId)).size).toBe(1);
  });

  it('over since an hour is read-only without a network, where Stop alone may be queued; back online it is locked, and the stop waits for its person (F21, F29)', async () => {
    await page.clock.install();
    const user = await world.trader();
    const [running, stopped] = [
      await world.agentOf(user, 'Harbour'),
      await world.agentOf(user, 'Ebb', false),
    ];
    await world.logIn(page, user);
    await controlled(page);
    await page.goto(`${world.proxy.url}/agents/${running.id}`);
    await stopButton().waitFor();
    await soon(
      async () => (await databasesOf(page))[`tradewind-${user.uid}`]?.snapshots?.length ?? 0,
    ).toBeGreaterThan(2);
    await browser.context.setOffline(true);
    await world.administer(user, { lastLoginAt: String(Date.now() - 5 * HOUR) });
    await page.clock.fastForward(5 * HOUR);
    await seen(/^Offline, session ended\. .*Read-only\. Stop still works\.$/).waitFor();
    await stopButton().click();
    await seen('Stop saved on this device. Not yet received by the server.').waitFor();
    await walk(page, `/agents/${stopped.id}`);
    const start = page.getByRole('button', { name: 'Start', exact: true });
    if (await start.isEnabled().catch(() => false)) {
      await start.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
      await seen(/^Your session has ended\. Log in again to start agents/).waitFor();
    }
    expect((await queueOf(page, user.uid)).map(({ intent }) => intent)).toEqual(['stop']);

    await browser.context.setOffline(false);
    await page.getByRole('heading', { name: 'Authentication Required' }).waitFor();
    expect(
      await page.getByText('Harbour').filter({ visible: true }).and(page.locator('main *')).count(),
    ).toBe(0);
    // Only the page's clock was moved: the worker may still hold a token that the server takes.
    // Then the stop is in, and otherwise it waits.
    await soon(async () =>
      [
        (await queueOf(page, user.uid)).map(({ intent, state }) => `${intent} ${state}`).join(),
        await statusOf(user, running.id),
      ].join(': '),
    ).toMatch(/^(stop saved: running|: stopped)$/);
    await logInFromThere(user);
    await soon(() => statusOf(user, running.id)).toBe('stopped');
    await soon(() => queueOf(page, user.uid)).toEqual([]);
    expect(new Set(world.sent.map(({ commandId }) => commandId)).size).toBe(1);
  });

  it('of a disabled person is ended on the open stream, without a press: signed out, purged, 401 (F30)', async () => {
    const user = await world.trader();
    await world.agentOf(user, 'Zephyrmark');
    await world.logIn(page, user);
    await page.goto(`${world.proxy.url}/portfolio`);
    await seen(/10.000\.00/).waitFor();
    await soon(() => databaseOf(user)).toBe(true);
    await soon(() => world.streams()).toBe(1);
    await world.administer(user, { disableUser: true });
    await page
      .getByText(/10.000\.00/)
      .first()
      .waitFor({ state: 'hidden' });
    await soon(() => databaseOf(user)).toBe(false);
    await soon(() => world.streams()).toBe(0);
    const refused = await callApi(world.server.url, user.idToken, 'portfolio').catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(CallFailed);
    expect(refused).toMatchObject({ status: 401, code: 'token_revoked' });
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(user.uid);
  });
});

describe('a session whose token is replaced', () => {
  const streamsAsked = (): number =>
    world.asked.filter((path) => path.startsWith('/api/stream')).length;
  /** Whether the page called itself offline or its updates paused, from now on. */
  const watchForAlarm = (on: Page): Promise<void> =>
    on.evaluate(() => {
      const kept = globalThis as { alarms?: string[] };
      kept.alarms = [];
      new MutationObserver(() => {
        const text = document.body.textContent ?? '';
        for (const word of ['reconnecting', 'Offline', 'Authentication Required'])
          if (text.includes(word)) kept.alarms?.push(word);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  const alarms = (on: Page): Promise<string[]> =>
    on.evaluate(() => [...new Set((globalThis as { alarms?: string[] }).alarms)]);

  it('by a change of the password goes on where that was changed, with what waits there; another device is out within a minute (R2-19)', async () => {
    const user = await world.trader();
    const agent = await world.agentOf(user, 'Harbour');
    const elsewhere = await openBrowser();
    try {
      await world.logIn(page, user);
      const other = await elsewhere.page();
      await world.logIn(other, user);
      await page.goto(`${world.proxy.url}/agents/${agent.id}`);
      world.proxy.harm((passing) => (isCommand(passing) ? 'drop-request' : null));
      await stopButton().click();
      await soon(() => queueOf(page, user.uid)).toMatchObject([{ intent: 'stop' }]);
      await soon(() => world.streams()).toBe(2);
      await walk(page, '/security');
      await watchForAlarm(page);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByLabel('Current password').fill(user.password);
      await page.getByLabel('New password').fill('another horse 9');
      const before = streamsAsked();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Change password', exact: true }).click();
      await seen('Password changed.').waitFor();
      await other.getByRole('link', { name: 'Log in' }).first().waitFor();
      expect(Object.keys(await databasesOf(other))).not.toContain(`tradewind-${user.uid}`);
      await soon(streamsAsked).toBeGreaterThanOrEqual(before + 2);
      await soon(() => world.streams()).toBe(1);
      expect(new URL(page.url()).pathname).toBe('/security');
      expect(await queueOf(page, user.uid)).toMatchObject([{ intent: 'stop', agentId: agent.id }]);
      expect(await alarms(page)).toEqual([]);
      world.proxy.harm(() => null);
      const { idToken } = await signIn(world.server.url, user.email, 'another horse 9');
      await soon(() => statusOf({ ...user, idToken }, agent.id)).toBe('stopped');
    } finally {
      await elsewhere.close();
    }
  });

  it('by logging in again before its end passes the old end (R9-02, F29)', async () => {
    const user = await world.trader();
    const agent = await world.agentOf(user, 'Harbour');
    await world.logIn(page, user);
    const endsAt = Date.now() + 25_000;
    await ageSignIn(page, world.server, user, 4 * HOUR - 25_000, world.proxy.url);
    await page.goto(`${world.proxy.url}/agents/${agent.id}`);
    await soon(() => world.streams()).toBe(1);
    await page
      .getByRole('region', { name: 'Session' })
      .getByRole('button', { name: 'Log in again' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill(user.password);
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('region', { name: 'Session' }).waitFor({ state: 'hidden' });
    await watchForAlarm(page);
    const before = streamsAsked();
    await soon(streamsAsked).toBeGreaterThan(before);
    expect(Date.now()).toBeGreaterThan(endsAt - 2_000);
    await soon(() => world.streams()).toBe(1);
    expect(await alarms(page)).toEqual([]);
    await stopButton().click();
    await soon(() => statusOf(user, agent.id)).toBe('stopped');
  });
});

describe('several tabs', () => {
  it('whose session was over are all back after a login in one of them, without a reload (R5-18, F29)', async () => {
    const user = await world.trader();
    const agent = await world.agentOf(user, 'Harbour');
    await world.logIn(page, user);
    await ageSignIn(page, world.server, user, 5 * HOUR, world.proxy.url);
    const other = await browser.page();
    await other.goto(`${world.proxy.url}/agents/${agent.id}`);
    await other.getByText('Authentication Required').first().waitFor();
    await page.goto(`${world.proxy.url}/agents/${agent.id}`);
    await seen('Authentication Required').waitFor();
    await logInFromThere(user);
    await other.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await other.waitForTimeout(5_000);
    expect(await other.getByText('Authentication Required').count()).toBe(0);
    await other.getByRole('button', { name: 'Stop', exact: true }).click();
    await soon(() => statusOf(user, agent.id)).toBe('stopped');
  });

  it("have one stream between them by the server's count; when the one that reads it is closed, another takes over and hears", async () => {
    const user = await world.trader();
    const agent = await world.agentOf(user, 'Harbour');
    await world.logIn(page, user);
    const reader = page;
    await soon(() => world.streams()).toBe(1);
    const others = [await browser.page(), await browser.page(), await browser.page()];
    const opened: string[] = [];
    browser.context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/stream') opened.push(request.url());
    });
    for (const other of others) {
      await other.goto(`${world.proxy.url}/agents/${agent.id}`);
      await other.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    }
    expect(await world.streams()).toBe(1);
    expect(opened).toEqual([]);
    await reader.close();
    await soon(() => opened.length).toBe(1);
    await soon(() => world.streams()).toBe(1);
    await callApi(world.server.url, user.idToken, 'stopAgent', {
      params: { id: agent.id },
      body: {},
    });
    for (const other of others)
      await other.getByText('Stopped', { exact: true }).filter({ visible: true }).first().waitFor();
    expect(opened).toHaveLength(1);
    expect(await world.streams()).toBe(1);
  });
});
