/**
 * Push in real Chromium with one stand-in, `PushManager.subscribe`, which needs a browser vendor's
 * service: the address it gives is a TLS push service of the test, whose decrypted messages are
 * handed to the real worker through the debugging protocol.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '../../contract/agents.ts';
import { PUSH_KINDS, PushPayload } from '../../contract/push.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { ageSignIn } from '../support/fault-world.ts';
import { provokeEveryKind } from '../support/push-causes.ts';
import { startPushService, type PushService } from '../support/push-service.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { fillLogIn, logIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

let folder: string;
let service: PushService;
let server: TestServer;
let browser: Browser;
let user: TestUser;
let page: Page;
let agent: Agent;

interface Shown {
  title: string;
  body: string;
  tag: string;
  actions: string[];
}
const shown = (target: Page): Promise<Shown[]> =>
  target.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    // In turn with whoever shows one: `src/offline/notification-screen.ts`.
    const list = await navigator.locks.request('notifications', () =>
      registration.getNotifications(),
    );
    return list.map((one) => ({
      title: one.title,
      body: one.body,
      tag: one.tag,
      actions: ((one as unknown as { actions?: { action: string }[] }).actions ?? []).map(
        ({ action }) => action,
      ),
    }));
  });
const kept = (
  target: Page,
  kind: string,
): Promise<{ savedAt: number; value: Record<string, unknown> } | null> =>
  target.evaluate(
    async ({ uid, kind: name }) => {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(`tradewind-${uid}`);
        request.onsuccess = () => {
          resolve(request.result);
        };
        request.onerror = () => {
          reject(request.error ?? new Error('open failed'));
        };
      });
      const value = await new Promise<unknown>((resolve, reject) => {
        const request = db.transaction('snapshots').objectStore('snapshots').get(name);
        request.onsuccess = () => {
          resolve(request.result);
        };
        request.onerror = () => {
          reject(request.error ?? new Error('read failed'));
        };
      });
      db.close();
      return (value ?? null) as { savedAt: number; value: Record<string, unknown> } | null;
    },
    { uid: user.uid, kind },
  );

/** The same with no page open. */
async function shownByWorker(): Promise<Shown[]> {
  const worker = browser.context.serviceWorkers()[0];
  if (worker === undefined) throw new Error('No worker runs');
  return worker.evaluate(async () => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    // In turn with whoever shows one: `src/offline/notification-screen.ts`.
    const list = await navigator.locks.request('notifications', () =>
      registration.getNotifications(),
    );
    return list.map((one) => ({
      title: one.title,
      body: one.body,
      tag: one.tag,
      actions: ((one as unknown as { actions?: { action: string }[] }).actions ?? []).map(
        ({ action }) => action,
      ),
    }));
  });
}

/** A press on a notification, as the worker gets it; the debugging protocol has no word for one. */
async function press(tag: string, action: string): Promise<void> {
  const worker = browser.context.serviceWorkers()[0];
  if (worker === undefined) throw new Error('No worker runs');
  await worker.evaluate(
    async ({ tag: wanted, action: pressed }) => {
      const scope = self as unknown as {
        registration: ServiceWorkerRegistration;
        dispatchEvent(event: Event): boolean;
      };
      const list = await navigator.locks.request('notifications', () =>
        scope.registration.getNotifications(),
      );
      const notification = list.find(
        (one) =>
          one.tag === wanted &&
          (one as unknown as { actions: { action: string }[] }).actions.some(
            ({ action: offered }) => offered === pressed,
          ),
      );
      if (notification === undefined) throw new Error(`No notification offers ${pressed}`);
      const Made = (
        globalThis as unknown as { NotificationEvent: new (type: string, init: object) => Event }
      ).NotificationEvent;
      scope.dispatchEvent(new Made('notificationclick', { notification, action: pressed }));
    },
    { tag, action },
  );
}

const agentNow = async (): Promise<Agent | undefined> =>
  (await callApi(server.url, user.idToken, 'agents')).agents.find(({ id }) => id === agent.id);
const start = async (): Promise<void> => {
  await callApi(server.url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
};
/** A stop as it comes from a phone that was in a tunnel for five minutes. */
const stopLate = async (): Promise<void> => {
  await callApi(server.url, user.idToken, 'stopAgent', {
    params: { id: agent.id },
    body: { ageMs: 300_000 },
  });
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-push-'));
  service = await startPushService();
  writeFileSync(join(folder, 'ca.pem'), service.ca);
  server = await startServer({
    env: {
      PUSH_ALLOW_LOCAL: 'true',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      ...(process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR }),
    },
  });
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  const made = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name: 'Harbour',
      trading_pairs: [],
      risk_profile: 'Moderate',
      max_position_size: 500,
      execution_interval: 'daily',
      enabled: true,
      pool: 'all_pools',
    },
  });
  agent = made.agent;
  browser = await openBrowser();
  // What is not named is denied.
  await browser.context.grantPermissions(['notifications', 'background-sync'], {
    origin: server.url,
  });
  const subscription = service.subscribe();
  await browser.context.addInitScript((given) => {
    PushManager.prototype.subscribe = function subscribe(options) {
      const key = new Uint8Array(options?.applicationServerKey as ArrayBuffer);
      if (key.length !== 65 || options?.userVisibleOnly !== true)
        return Promise.reject(new DOMException('Wrong options', 'InvalidAccessError'));
      return Promise.resolve({
        endpoint: given.endpoint,
        toJSON: () => ({ ...given, expirationTime: null }),
      } as unknown as PushSubscription);
    };
  }, subscription);
  page = await browser.page();
  await logIn(page, server.url, user);
  await controlled(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('push in a browser', () => {
  it('joins on a press through a hosted function, and keeps what the person chose (R7-01)', async () => {
    await page.goto(`${server.url}/settings`);
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await page.getByText('Notifications are on for this device.').waitFor();
    const trades = page.getByRole('switch', { name: 'Trades' });
    expect(await trades.getAttribute('aria-checked')).toBe('false');
    await trades.click();
    await until(
      () => trades.getAttribute('aria-checked'),
      (state) => state === 'true',
    );
    await page.reload();
    await until(
      () => page.getByRole('switch', { name: 'Trades' }).getAttribute('aria-checked'),
      (state) => state === 'true',
    );
  });

  it('says what is wrong with an address that is no push service’s, in Firebase’s words (R7-01)', async () => {
    const response = await fetch(`${server.url}/callable/registerPush`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.idToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        data: {
          subscription: {
            endpoint: 'http://127.0.0.1/x',
            keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) },
          },
        },
      }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        error: {
          status: 'INVALID_ARGUMENT',
          details: { code: 'invalid_request', field: 'subscription.endpoint' },
        },
      },
    ]);
  });

  it('brings the state into the snapshots with no page open: the app opens fresh without a server', async () => {
    await start();
    const before = service.taken.length;
    await page.close();
    await stopLate();
    const { text } = await service.wait(before + 1);
    const payload = PushPayload.parse(JSON.parse(text));
    expect(payload).toMatchObject({
      kind: 'lateStop',
      uid: user.uid,
      state: { wholeAgents: true },
    });
    await browser.stopWorkers();
    await browser.deliverPush(server.url, text);
    page = await browser.page();
    await page.goto(`${server.url}/terms`);
    const [notification] = await until(
      () => shown(page),
      (list) => list.length === 1,
    );
    expect(notification).toEqual({
      title: 'A saved stop was delivered',
      body: 'It waited 5 min on a device.',
      tag: `lateStop:${agent.id}`,
      actions: ['open'],
    });
    const snapshot = await until(
      () => kept(page, 'agents'),
      (one) => (one?.value.agents as Agent[] | undefined)?.[0]?.status === 'stopped',
    );
    expect(snapshot?.savedAt).toBeGreaterThanOrEqual(payload.sentAt);
    expect((await kept(page, 'portfolio'))?.savedAt).toBeGreaterThanOrEqual(payload.sentAt);
    await server.kill9();
    await page.goto(`${server.url}/agents`);
    await page.getByText('Harbour').first().waitFor();
    await page.getByText('Stopped').first().waitFor();
    await server.restart();
  });

  it('shows a message once, and says when something was missed', async () => {
    const payload = PushPayload.parse(JSON.parse((await service.wait(service.taken.length)).text));
    const running = { ...(payload.state.agents[0] as Agent), status: 'halted' as const };
    const gap: PushPayload = {
      ...payload,
      id: 'later',
      kind: 'agentHeld',
      sequence: payload.sequence + 5,
      showDetails: true,
      facts: { ...payload.facts, status: 'halted', text: 'Day loss above 4 %' },
      state: { ...payload.state, agents: [running], wholeAgents: false, portfolio: null },
    };
    await browser.deliverPush(server.url, JSON.stringify(gap));
    const held = (all: Shown[]): Shown[] => all.filter(({ tag }) => tag.startsWith('agentHeld'));
    const list = await until(
      () => shown(page),
      (all) => held(all).length === 1,
    );
    expect(held(list)[0]).toMatchObject({
      title: 'An agent was halted',
      body: 'Harbour: Day loss above 4 % Updates pending: offline data on this device may be out of date.',
      actions: ['open', 'stop'],
    });
    // The list is no newer than it was, and its number still asks for a fresh reading.
    expect((await kept(page, 'agents'))?.value.sequence).toBe(payload.sequence);
    await browser.deliverPush(server.url, JSON.stringify(gap));
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    expect(held(await shown(page))).toHaveLength(1);
  });

  it('stops the agent from the notification, through the queue, and says that the server has it', async () => {
    await start();
    await press(`agentHeld:${agent.id}`, 'stop');
    await until(agentNow, (one) => one?.status === 'stopped');
    const list = await until(
      () => shown(page),
      (all) => all.some(({ title }) => title === 'Stop delivered'),
    );
    expect(list.find(({ title }) => title === 'Stop delivered')?.body).toBe(
      'The server has received the stop.',
    );
  });

  it('opens what a notification is about in the page that is there, without loading it again', async () => {
    await page.goto(`${server.url}/dashboard`);
    await controlled(page);
    await page.evaluate(() => {
      (globalThis as { mark?: number }).mark = 1;
    });
    // A notification may have left the screen by itself meanwhile; the same message puts it there
    // again, without a sound.
    await browser.deliverPush(server.url, (await service.wait(service.taken.length)).text);
    await until(
      () => shown(page),
      (all) => all.some(({ tag }) => tag === `lateStop:${agent.id}`),
    );
    await press(`lateStop:${agent.id}`, 'open');
    await page.waitForURL(`**/agents/${agent.id}`);
    expect(await page.evaluate(() => (globalThis as { mark?: number }).mark)).toBe(1);
  });

  it('keeps a stop pressed on a notification without a server, and sends it with the browser’s sync, no page open', async () => {
    await start();
    const payload = PushPayload.parse(JSON.parse((await service.wait(service.taken.length)).text));
    const held: PushPayload = {
      ...payload,
      id: 'tunnel',
      kind: 'agentHeld',
      facts: { ...payload.facts, status: 'halted' },
      state: {
        ...payload.state,
        agents: [{ ...(payload.state.agents[0] as Agent), status: 'halted' }],
        wholeAgents: false,
      },
    };
    await page.close();
    await browser.deliverPush(server.url, JSON.stringify(held));
    await until(shownByWorker, (all) => all.some(({ title }) => title === 'An agent was halted'));
    await server.kill9();
    await press(`agentHeld:${agent.id}`, 'stop');
    const list = await until(shownByWorker, (all) =>
      all.some(({ title }) => title.startsWith('Stop saved')),
    );
    // Chromium takes no new sync while no page is open, so nothing is promised.
    expect(list.find(({ title }) => title.startsWith('Stop saved'))).toMatchObject({
      title: 'Stop saved, not sent',
      body: 'Open the app to send it. The agent is not stopped until then.',
    });
    await server.restart();
    expect((await agentNow())?.status).toBe('running');
    await browser.dispatchSync(server.url, 'outbox');
    await until(agentNow, (one) => one?.status === 'stopped');
    // What was called saved does not stay so on the lock screen.
    const told = await until(shownByWorker, (all) =>
      all.every(({ title }) => !title.startsWith('Stop saved')),
    );
    expect(told.map(({ title }) => title)).toContain('Stop delivered');
    page = await browser.page();
    await page.goto(`${server.url}/dashboard`);
    await controlled(page);
  });

  it('says of a stop that it called saved what became of it when an open page has sent it', async () => {
    await start();
    const held = JSON.parse((await service.wait(service.taken.length)).text) as PushPayload;
    await page.goto(`${server.url}/dashboard`);
    await controlled(page);
    const agents = held.state.agents.map((one) => ({ ...one, status: 'halted' }));
    const pushed = { ...held, id: 'slow', kind: 'agentHeld', state: { ...held.state, agents } };
    await browser.deliverPush(server.url, JSON.stringify(pushed));
    // The one of the stop before has the same tag.
    await until(
      () => shown(page),
      (all) => all.some(({ title }) => title === 'An agent was halted'),
    );
    await server.kill9();
    await press(`agentHeld:${agent.id}`, 'stop');
    await until(
      () => shown(page),
      (all) => all.some(({ title }) => title === 'Stop saved'),
    );
    await server.restart();
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await until(agentNow, (one) => one?.status === 'stopped');
    const told = await until(
      () => shown(page),
      (all) => all.every(({ title }) => title !== 'Stop saved'),
    );
    expect(told.map(({ title }) => title)).toContain('Stop delivered');
  });

  it('asks for a login where the session is over, and says that the server has the stop after it (R9-02)', async () => {
    await start();
    const held = JSON.parse((await service.wait(service.taken.length)).text) as PushPayload;
    await ageSignIn(page, server, user, 5 * 3_600_000);
    await page.close();
    const agents = held.state.agents.map((one) => ({ ...one, status: 'halted' }));
    const pushed = { ...held, id: 'over', kind: 'agentHeld', state: { ...held.state, agents } };
    await browser.stopWorkers();
    await browser.deliverPush(server.url, JSON.stringify(pushed));
    await until(shownByWorker, (all) => all.some(({ title }) => title === 'An agent was halted'));
    await press(`agentHeld:${agent.id}`, 'stop');
    const asked = await until(shownByWorker, (all) =>
      all.some(({ title }) => title.startsWith('Stop saved')),
    );
    expect(asked.find(({ title }) => title.startsWith('Stop saved'))).toMatchObject({
      title: 'Stop saved, not sent',
      body: 'Log in to send it. The agent is not stopped until then.',
    });
    expect((await agentNow())?.status).toBe('running');
    page = await browser.page();
    // Until it knows better the page takes the person for logged in, and leads on to the guard.
    await page.goto(`${server.url}/login?next=${encodeURIComponent(`/agents/${agent.id}`)}`);
    await page.getByRole('link', { name: 'Go to Login' }).click();
    await fillLogIn(page, user);
    await page.waitForURL(`**/agents/${agent.id}`);
    await until(agentNow, (one) => one?.status === 'stopped');
    const told = await until(
      () => shown(page),
      (all) => all.every(({ title }) => !title.startsWith('Stop saved')),
    );
    expect(told.map(({ title }) => title)).toContain('Stop delivered');
    await controlled(page);
  });

  it('finds every notification again that was shown while another realm listed them', async () => {
    const payload = PushPayload.parse(JSON.parse((await service.wait(service.taken.length)).text));
    await page.evaluate(() => {
      void (async () => {
        const registration = await navigator.serviceWorker.ready;
        for (;;)
          await navigator.locks.request('notifications', () => registration.getNotifications());
      })();
    });
    for (let turn = 1; turn <= 12; turn += 1) {
      // Of another agent each time: what takes the place of one on the screen is not lost.
      const facts = { ...payload.facts, agentId: randomUUID() };
      await browser.deliverPush(
        server.url,
        JSON.stringify({ ...payload, id: `turn-${turn}`, facts }),
      );
      await until(
        () => shown(page),
        (all) => all.some(({ tag }) => tag === `lateStop:${facts.agentId}`),
        20_000,
      );
    }
    await page.reload();
    await controlled(page);
  });

  it('renews an address that the browser has changed with no page asked, and the server sends to the new one', async () => {
    const next = service.subscribe();
    const worker = browser.context.serviceWorkers()[0];
    await worker?.evaluate((given) => {
      const scope = self as unknown as { dispatchEvent(event: Event): boolean };
      const Extendable = (globalThis as unknown as { ExtendableEvent: new (type: string) => Event })
        .ExtendableEvent;
      scope.dispatchEvent(
        Object.assign(new Extendable('pushsubscriptionchange'), {
          oldSubscription: null,
          newSubscription: {
            endpoint: given.endpoint,
            toJSON: () => ({ ...given, expirationTime: null }),
          },
        }),
      );
    }, next);
    await start();
    await until(async () => {
      await stopLate();
      await start();
      return service.taken.some(({ path }) => path === new URL(next.endpoint).pathname);
    }, Boolean);
  });

  it('takes every kind there is with the words for it and nothing private, and counts on the icon what stands still', async () => {
    await browser.installApp(server.url);
    const messages = await provokeEveryKind(service, user.uid, 1_000_000);
    expect([...new Set(messages.map(({ payload }) => payload.kind))].sort()).toEqual(
      [...PUSH_KINDS].sort(),
    );
    // An open page would set the number too, by what its own server says.
    await page.close();
    onTestFinished(async () => {
      page = await browser.page();
    });
    const before = new Set((await shownByWorker()).map(({ tag }) => tag));
    for (const { text } of messages) await browser.deliverPush(server.url, text);
    // The first may have left the screen by itself before the last is on it.
    const seen = new Map<string, Shown>();
    const seenByNow = async (): Promise<Shown[]> => {
      for (const one of await shownByWorker())
        if (!before.has(one.tag)) seen.set(`${one.tag} ${one.title}`, one);
      return [...seen.values()];
    };
    const TITLES = [
      /^BTC\/USDT above /,
      'A payment failed',
      'A saved stop was delivered',
      'A stop loss was hit',
      'An agent failed',
      'An agent was halted',
      /^Your trial ends on .+ at \d\d:\d\d$/,
      /^\d+ new trades?$/,
    ];
    const list = await until(seenByNow, (all) =>
      TITLES.every((title) =>
        all.some((one) =>
          typeof title === 'string' ? one.title === title : title.test(one.title),
        ),
      ),
    );
    expect(
      list
        .map(({ title, body }) => `${title} ${body}`)
        .filter(
          (words) =>
            /Ebb|Drift|Harbour|Day loss/.test(words) ||
            (/USDT/.test(words) && !/^BTC\/USDT above /.test(words)),
        ),
    ).toEqual([]);
    // One agent failed, one was halted; the third was stopped by its person.
    await until(
      () => browser.badgeCount(server.url),
      (count) => count === 2,
    );
  });

  it('shows nothing of a person who has signed out here, and forgets the address', async () => {
    const { text } = await service.wait(service.taken.length);
    await page.goto(`${server.url}/security`);
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.waitForURL(`${server.url}/`);
    // The page shows that it is logged out first, and clears up after that.
    await until(
      () =>
        page.evaluate(async () => [
          localStorage.getItem('tradewind.push'),
          (await indexedDB.databases()).map(({ name }) => name ?? ''),
        ]),
      ([joined, names]) => joined === null && !(names ?? '').includes(`tradewind-${user.uid}`),
    );
    await browser.deliverPush(
      server.url,
      JSON.stringify({ ...(JSON.parse(text) as object), id: 'after', showDetails: true }),
    );
    // A closed notification stays in the browser's list for a moment.
    const said = 'There is news for an account that is logged out on this device.';
    await until(
      () => shown(page),
      (all) => all.length === 1 && all[0]?.body === said,
    );
  });
});
