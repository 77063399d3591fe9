/**
 * A person with a phone, an account and agents, for presses that are judged by what was sent and
 * what is queued.
 */
import type { Page, Request } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { controlled, openBrowser, type Browser } from './browser.ts';
import type { QueuedRecord } from './device.ts';
import { callApi, createUser, type TestServer, type TestUser } from './server.ts';
import { logIn } from './sign-in.ts';
import { handOn, pause, PHONE, type Hand } from './touch.ts';
import { until } from './until.ts';

/** Whom they have: the first runs, the others do not. */
const AGENTS = ['Harbour', 'Drift', 'Ebb', 'Gale'] as const;
type Name = (typeof AGENTS)[number];

const WATCHED =
  /^\/api\/agents\/([^/]+)\/(start|stop|liquidate)$|^\/api\/agents\/(start-all|stop-all)$|^\/api\/trading\/positions\/[^/]+\/(close)$|^\/api\/trading\/paper\/(reset)$|^\/callable\/(deleteAccount|signOutEverywhere)$/;
/**
 * Answered here, so that there is something to press the next time as well. That it was sent is
 * what counts.
 */
const NOT_DONE = /\/(liquidate|close|reset)$|\/callable\/(deleteAccount|signOutEverywhere)$/;

/** How long a control may take to come onto the screen before the way to it is gone again, ms. */
const REACHED_MS = 20_000;

export interface World {
  server: TestServer;
  browser: Browser;
  page: Page;
  hand: Hand;
  user: TestUser;
  agents: Record<Name, Agent>;
  online: boolean;
  /**
   * Every order since the last `forget`: sent by the browser, or queued on the device. One order
   * counts once.
   */
  orders(): Promise<string[]>;
  forget(): void;
  /** Agents as they were, nothing queued, nothing open. */
  restore(): Promise<void>;
  go: (path: string) => Promise<void>;
  close(): Promise<void>;
}

async function makeAgents(server: TestServer, user: TestUser): Promise<Record<Name, Agent>> {
  const made: Partial<Record<Name, Agent>> = {};
  for (const name of AGENTS) {
    const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
      body: {
        name,
        trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
        risk_profile: name === 'Gale' || name === 'Harbour' ? 'Aggressive' : 'Moderate',
        max_position_size: 2000,
        execution_interval: '5-minute',
        enabled: false,
      },
    });
    made[name] = agent;
  }
  const all = made as Record<Name, Agent>;
  await callApi(server.url, user.idToken, 'startAgent', {
    params: { id: all.Harbour.id },
    body: {},
  });
  return all;
}

/** A person whose first agent holds something, as soon as it does. */
export async function makePerson(
  server: TestServer,
): Promise<{ user: TestUser; agents: Record<Name, Agent> }> {
  const user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  return { user, agents: await makeAgents(server, user) };
}

export async function openWorld(
  server: TestServer,
  { user, agents }: Awaited<ReturnType<typeof makePerson>>,
  online: boolean,
): Promise<World> {
  const browser = await openBrowser({ viewport: PHONE });
  const page = await browser.page();
  page.setDefaultTimeout(REACHED_MS);
  const hand = await handOn(page);
  const nameOf = new Map(AGENTS.map((name) => [agents[name].id, name as string]));
  let sent = new Map<string, string>();
  browser.context.on('request', (request: Request) => {
    const path = new URL(request.url()).pathname;
    const found =
      WATCHED.exec(path) ??
      (request.method() === 'DELETE' ? /^\/api\/agents\/([^/]+)$/.exec(path) : null);
    if (found === null || request.method() === 'GET') return;
    const what = found.slice(2).find((part) => part !== undefined) ?? 'delete';
    const target = found[1] === undefined ? '' : ` ${nameOf.get(found[1]) ?? '?'}`;
    sent.set(
      request.headers()[IDEMPOTENCY_HEADER.toLowerCase()] ?? `${request.method()} ${path}`,
      `${what}${target}`,
    );
  });
  await browser.context.route(
    (url) => NOT_DONE.test(url.pathname),
    (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code: 'agent_changed', message: 'Not carried out' } }),
      }),
  );
  await browser.context.route(
    (url) => /^\/api\/agents\/[^/]+$/.test(url.pathname),
    (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({
            status: 409,
            contentType: 'application/json',
            body: JSON.stringify({ error: { code: 'agent_changed', message: 'Not carried out' } }),
          })
        : route.fallback(),
  );
  await logIn(page, server.url, user);
  await controlled(page);
  const go = async (path: string): Promise<void> => {
    await page.evaluate((to) => {
      if (location.pathname === to) return;
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
  };
  const world: World = {
    server,
    browser,
    page,
    hand,
    user,
    agents,
    online,
    go,
    async orders() {
      const found = new Map(sent);
      for (const { agentId, commandId, intent } of await waitingOn(page, user.uid))
        found.set(commandId, agentId === null ? intent : `${intent} ${nameOf.get(agentId) ?? '?'}`);
      return [...found.values()];
    },
    forget() {
      sent = new Map();
    },
    async restore() {
      if (!(await keepsData(page, user.uid))) await comeBack(world);
      await emptyQueue(page, user.uid);
      if (online) await restoreAgents(world);
      for (let tries = 0; tries < 3 && (await page.getByRole('dialog').count()) > 0; tries += 1)
        await page.keyboard.press('Escape');
    },
    close: () => browser.close(),
  };
  if (!online) await goOffline(world);
  return world;
}

/**
 * Whether the person's own database lies on the device; looking makes none. A page on its way
 * elsewhere is asked again later.
 */
export const keepsData = (page: Page, uid: string): Promise<boolean> =>
  page
    .evaluate(
      async (owner) =>
        (await indexedDB.databases()).some(({ name }) => name === `tradewind-${owner}`),
      uid,
    )
    .catch(() => true);

/** Signs in again after a control has ended that, and goes back into the tunnel. */
async function comeBack(world: World): Promise<void> {
  const { browser, online, page, server, user } = world;
  if (!online) await browser.context.setOffline(false);
  await logIn(page, server.url, user);
  await controlled(page);
  await page.getByRole('main').getByRole('button', { name: 'Stop Harbour' }).first().waitFor();
  await until(() => keepsData(page, user.uid), Boolean);
  if (!online) await goOffline(world);
}

export type Lone = Pick<World, 'browser' | 'hand' | 'page' | 'user'> & { agent: Agent };

/**
 * A person with one agent that runs and holds nothing, in the tunnel: its row is as high with a
 * waiting stop as without.
 */
export async function openLone(server: TestServer): Promise<Lone> {
  const user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name: 'Harbour',
      trading_pairs: [],
      risk_profile: 'Moderate',
      max_position_size: 500,
      execution_interval: 'daily',
      enabled: false,
      pool: 'all_pools',
    },
  });
  await callApi(server.url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
  const browser = await openBrowser({ viewport: PHONE });
  const page = await browser.page();
  await logIn(page, server.url, user);
  await controlled(page);
  const hand = await handOn(page);
  await page.goto(`${server.url}/agents`);
  await page.getByRole('button', { name: /^Stop Harbour/ }).waitFor();
  await browser.context.setOffline(true);
  await page
    .getByText(/^Offline\. /)
    .first()
    .waitFor();
  return { agent, browser, hand, page, user };
}

/** What waits on the device, read from its one store: it is asked many times a second. */
export const waitingOn = (page: Page, uid: string): Promise<QueuedRecord[]> =>
  page.evaluate(async (owner) => {
    const opened = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(`tradewind-${owner}`);
      request.onsuccess = () => {
        resolve(request.result);
      };
      request.onerror = () => {
        reject(request.error ?? new Error('not opened'));
      };
    });
    const found = await new Promise<unknown[]>((resolve, reject) => {
      const request = opened.transaction('outbox').objectStore('outbox').getAll();
      request.onsuccess = () => {
        resolve(request.result);
      };
      request.onerror = () => {
        reject(request.error ?? new Error('not read'));
      };
    });
    opened.close();
    return found as QueuedRecord[];
  }, uid);

/** Tells the app that its queue was changed, as another tab would. */
export const tellOfQueue = (page: Page, uid: string): Promise<void> =>
  page.evaluate((owner) => {
    const channel = new BroadcastChannel('tradewind-offline');
    channel.postMessage({ type: 'queue', uid: owner });
    channel.close();
  }, uid);

/** Deletes what waits, behind the app's back, and tells it so as another tab would. */
export async function emptyQueue(page: Page, uid: string): Promise<void> {
  await page.evaluate(async (owner) => {
    const opened = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(`tradewind-${owner}`);
      request.onsuccess = () => {
        resolve(request.result);
      };
      request.onerror = () => {
        reject(request.error ?? new Error('not opened'));
      };
    });
    await new Promise<void>((resolve, reject) => {
      const change = opened.transaction('outbox', 'readwrite');
      change.objectStore('outbox').clear();
      change.oncomplete = () => {
        resolve();
      };
      change.onerror = () => {
        reject(change.error ?? new Error('not cleared'));
      };
    });
    opened.close();
  }, uid);
  await tellOfQueue(page, uid);
}

async function restoreAgents({ agents, server, user }: World): Promise<void> {
  const list = (await callApi(server.url, user.idToken, 'agents')).agents;
  for (const name of AGENTS) {
    const now = list.find((one) => one.id === agents[name].id);
    const wanted = name === 'Harbour' ? 'running' : 'stopped';
    if (
      now === undefined ||
      now.status === wanted ||
      (wanted === 'running' && now.status !== 'stopped')
    )
      continue;
    await callApi(server.url, user.idToken, wanted === 'running' ? 'startAgent' : 'stopAgent', {
      params: { id: now.id },
      body: {},
    });
  }
}

const SCREENS = [
  '/agents',
  '/portfolio',
  '/performance',
  '/security',
  '/library',
  '/support',
  '/stop-all',
  '/dashboard',
];

/** Every screen once, so that its code and its last data are on the device; then the tunnel. */
async function goOffline({ browser, go, page, agents, user }: World): Promise<void> {
  for (const path of [...SCREENS, `/agents/${agents.Harbour.id}`, `/agents/${agents.Gale.id}`]) {
    await go(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    await pause(700);
  }
  await until(() => keepsData(page, user.uid), Boolean);
  await browser.context.setOffline(true);
  await page
    .getByText(/^Offline\. /)
    .first()
    .waitFor();
}
