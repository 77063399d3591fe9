/**
 * A bad network under an open page, in real Chromium: each fault injected, and only what is certain
 * said.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { callApi, type TestUser } from '../support/server.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { queueOf } from '../support/device.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { COMMAND, openFaultWorld, type FaultWorld } from '../support/fault-world.ts';

let world: FaultWorld;
let browser: Browser;
let page: Page;
let user: TestUser;
let agent: Agent;

beforeAll(async () => {
  world = await openFaultWorld();
  browser = await openBrowser();
  page = await browser.page();
  await page.clock.install();
  user = await world.trader();
  agent = await world.agentOf(user, 'Harbour');
  await world.logIn(page, user);
  await controlled(page);
});
beforeEach(() => {
  world.sent.length = 0;
});
afterEach(() => {
  world.proxy.harm(() => null);
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const soon = <T>(read: () => T) => expect.poll(read);
const seen = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first();
const offline = () => seen(/^Offline\. Showing/);
const stopButton = () => page.getByRole('button', { name: 'Stop', exact: true });
const isCommand = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'POST' && COMMAND.test(path);

/** The agent runs again, by another device's word, and the page shows it. */
async function running(): Promise<void> {
  if (page.url().startsWith(world.proxy.url)) await soon(() => queueOf(page, user.uid)).toEqual([]);
  agent = await world.agent(user, agent.id);
  if (agent.status !== 'running')
    agent = (
      await callApi(world.server.url, user.idToken, 'startAgent', {
        params: { id: agent.id },
        body: {},
      })
    ).agent;
  if (!page.url().endsWith(agent.id)) await page.goto(`${world.proxy.url}/agents/${agent.id}`);
  await stopButton().waitFor();
  await soon(() => queueOf(page, user.uid)).toEqual([]);
  world.sent.length = 0;
}

/** All sends were of one command, and it took effect once. */
async function stoppedOnce(sends: number): Promise<void> {
  await seen('Stopped').waitFor();
  await soon(() => queueOf(page, user.uid)).toEqual([]);
  expect(new Set(world.sent.map(({ commandId }) => commandId)).size).toBe(1);
  expect(world.sent.length).toBeGreaterThanOrEqual(sends);
  expect(await world.agent(user, agent.id)).toMatchObject({
    status: 'stopped',
    generation: agent.generation + 1,
  });
}

describe('a stop', () => {
  it.each<[string, Fault]>([
    ['whose answer was lost after the server had acted (F02)', 'drop-reply'],
    ['that was lost on its way (F03)', 'drop-request'],
    ['that a captive portal answered with a page (F04)', 'portal-page'],
    ['that a captive portal redirected (F04)', 'portal-redirect'],
  ])(
    '%s is still queued, goes again under the same id, and has one effect',
    async (_what, fault) => {
      await running();
      world.proxy.harm((passing) => (isCommand(passing) ? fault : null));
      await stopButton().click();
      await seen('Stop saved on this device. Sent, but not confirmed by the server.').waitFor();
      // It is on its way again now and then; between the tries it waits.
      await soon(() => queueOf(page, user.uid)).toMatchObject([{ intent: 'stop', state: 'saved' }]);
      expect((await world.agent(user, agent.id)).status).toBe(
        fault === 'drop-reply' ? 'stopped' : 'running',
      );
      world.proxy.harm(() => null);
      await stoppedOnce(2);
    },
  );

  it('that hangs on a half-open connection is given up after 10 s, its outcome unknown, and is sent again (F06)', async () => {
    await running();
    world.proxy.harm((passing) => (isCommand(passing) ? 'stall' : null));
    await stopButton().click();
    await soon(() => world.sent.length).toBe(1);
    await page.clock.fastForward(9_000);
    expect(await queueOf(page, user.uid)).toMatchObject([{ state: 'sending' }]);
    await page.clock.fastForward(1_000);
    await seen('Stop saved on this device. Sent, but not confirmed by the server.').waitFor();
    world.proxy.harm(() => null);
    await stoppedOnce(2);
  });

  it('is offered and kept at once while the identity provider hangs at the start, and is sent when it gives up (F06)', async () => {
    await running();
    world.proxy.harm(({ path }) => (path.includes('accounts:lookup') ? 'stall' : null));
    world.asked.length = 0;
    await page.reload();
    await stopButton().waitFor();
    await soon(() => world.asked.some((path) => path.includes('accounts:lookup'))).toBe(true);
    await stopButton().click();
    await seen(/^Stop saved on this device/).waitFor();
    await page.clock.fastForward(7_000);
    expect(world.sent).toEqual([]);
    await seen(/^Stop saved on this device/).waitFor();
    expect(await page.getByText('Authentication Required').count()).toBe(0);
    world.proxy.harm(() => null);
    // Firebase's own limit on a question is half a minute.
    await page.clock.fastForward(60_000);
    await stoppedOnce(1);
  });
});

describe('the network', () => {
  it("is judged by the server's own answer, whatever the browser says of it (F05)", async () => {
    await running();
    // It says there is none: there is.
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false });
      dispatchEvent(new Event('offline'));
    });
    await stopButton().click();
    await stoppedOnce(1);
    expect(await offline().count()).toBe(0);
    // It says there is: a portal answers everything.
    await running();
    world.proxy.harm(() => 'portal-page');
    await page.evaluate(() => {
      Reflect.deleteProperty(navigator, 'onLine');
      dispatchEvent(new Event('online'));
    });
    await offline().waitFor();
    expect(await page.evaluate(() => navigator.onLine)).toBe(true);
    await stopButton().click();
    await seen(/^Stop saved on this device/).waitFor();
    expect(world.sent).toEqual([]);
    world.proxy.harm(() => null);
    await stoppedOnce(1);
    await offline().waitFor({ state: 'hidden' });
  });

  it('that comes and goes fifty times has one drain at a time: no command is under way twice, each has one effect (F07)', async () => {
    const agents = [agent, await world.agentOf(user, 'Ebb'), await world.agentOf(user, 'Drift')];
    await running();
    agents[0] = agent;
    const flying = new Map<string, number>();
    let most = 0;
    const key = (headers: Record<string, string>): string => headers['idempotency-key'] ?? '';
    page.on('request', (request) => {
      if (!isCommand({ method: request.method(), path: new URL(request.url()).pathname })) return;
      const now = (flying.get(key(request.headers())) ?? 0) + 1;
      flying.set(key(request.headers()), now);
      most = Math.max(most, now);
    });
    const ended = (request: { headers(): Record<string, string> }): void => {
      const id = key(request.headers());
      if (flying.has(id)) flying.set(id, (flying.get(id) ?? 1) - 1);
    };
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
    await browser.context.setOffline(true);
    await page.evaluate(() => {
      history.pushState(null, '', '/agents');
      dispatchEvent(new PopStateEvent('popstate'));
    });
    for (const { name } of agents)
      await page
        .getByRole('button', { name: `Stop ${name}` })
        .filter({ visible: true })
        .first()
        .click();
    await soon(async () => (await queueOf(page, user.uid)).length).toBe(3);
    for (let toggle = 0; toggle < 50; toggle += 1)
      await browser.context.setOffline(toggle % 2 === 1);
    await browser.context.setOffline(false);
    await soon(() => queueOf(page, user.uid)).toEqual([]);
    expect(most).toBe(1);
    expect(new Set(world.sent.map(({ commandId }) => commandId)).size).toBe(3);
    for (const one of agents)
      expect(await world.agent(user, one.id)).toMatchObject({
        status: 'stopped',
        generation: one.generation + 1,
      });
  });

  it('that cuts answers short leaves the last good data on the screen (F08)', async () => {
    await page.goto(`${world.proxy.url}/portfolio`);
    await seen(/10.000\.00/).waitFor();
    await soon(() => world.streams()).toBe(1);
    world.proxy.harm(({ path }) =>
      /^\/(api\/trading|api\/agents|market|subscriptions)/.test(path) ? 'truncate' : null,
    );
    world.asked.length = 0;
    await page.reload();
    await seen(/10.000\.00/).waitFor();
    await soon(
      () => world.asked.filter((path) => path === '/api/trading/portfolio').length,
    ).toBeGreaterThan(0);
    await page.clock.fastForward(5_000);
    await seen(/10.000\.00/).waitFor();
    await page.goto(`${world.proxy.url}/agents`);
    await seen('Harbour').waitFor();
  });
});

describe('a stream', () => {
  it('that went dead without a word is called stale, opened again, and what was missed is shown (F09)', async () => {
    await page.goto(`${world.proxy.url}/agents/${agent.id}`);
    await running();
    await soon(() => world.streams()).toBe(1);
    world.asked.length = 0;
    world.proxy.freeze();
    world.proxy.harm(({ path }) => (path.startsWith('/api/stream') ? 'drop-request' : null));
    await callApi(world.server.url, user.idToken, 'stopAgent', {
      params: { id: agent.id },
      body: {},
    });
    await page.clock.fastForward(29_000);
    await page.clock.fastForward(2_000);
    await seen('Live updates paused, reconnecting').waitFor();
    world.proxy.harm(() => null);
    await soon(() => world.asked.some((path) => path.startsWith('/api/stream?after='))).toBe(true);
    await seen('Live updates paused, reconnecting').waitFor({ state: 'hidden' });
    await seen('Stopped').waitFor();
  });

  it('of a page that slept is opened again on waking, before any timer says so', async () => {
    await running();
    await soon(() => world.streams()).toBe(1);
    world.proxy.freeze();
    // The clock goes on in a sleep, the timers do not.
    await page.clock.setSystemTime(Date.now() + 30 * 60_000);
    await callApi(world.server.url, user.idToken, 'stopAgent', {
      params: { id: agent.id },
      body: {},
    });
    world.asked.length = 0;
    // Headless Chromium freezes no page that is seen: the browser's word on the return is said for
    // it.
    await page.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    await soon(() => world.asked.some((path) => path.startsWith('/api/stream?after='))).toBe(true);
    await seen('Stopped').waitFor();
  });
});
