/** One server behind a fault proxy, and people with agents in driven browsers. */
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import {
  callApi,
  createUser,
  freePort,
  startServer,
  type TestServer,
  type TestUser,
} from './server.ts';
import { logIn } from './sign-in.ts';

export const COMMAND = /^\/api\/agents\/[^/]+\/(?:start|stop)$/;
const PROJECT = 'demo-tradewind';

interface Sent {
  path: string;
  commandId: string;
}

export interface FaultWorld {
  readonly server: TestServer;
  readonly proxy: FaultProxy;
  /** Every command that came as far as the proxy, and every request's path. */
  readonly sent: Sent[];
  readonly asked: string[];
  trader(): Promise<TestUser>;
  /** The person's agent of that name, made where there is none. */
  agentOf(user: TestUser, name: string, run?: boolean): Promise<Agent>;
  agent(user: TestUser, id: string): Promise<Agent>;
  logIn(page: Page, user: TestUser): Promise<void>;
  /** An act of the identity provider's administration on one account. */
  administer(
    user: TestUser,
    change: { lastLoginAt?: string; disableUser?: boolean },
  ): Promise<void>;
  /** Open streams by the server's own count. */
  streams(): Promise<number>;
  close(): Promise<void>;
}

/** An act of the identity provider's administration on one account. */
export async function administer(
  server: TestServer,
  user: TestUser,
  change: Record<string, unknown>,
): Promise<void> {
  const response = await fetch(
    `http://127.0.0.1:${server.env.AUTH_EMULATOR_PORT ?? ''}/identitytoolkit.googleapis.com/v1/projects/${PROJECT}/accounts:update`,
    {
      method: 'POST',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      body: JSON.stringify({ localId: user.uid, ...change }),
    },
  );
  if (!response.ok) throw new Error(`The account could not be changed: ${await response.text()}`);
}

/**
 * Makes the sign-in of this device `ageMs` old. The emulator dates a token by the account's last
 * sign-in, so the device must also ask for a new one. The page is left on a file without the app.
 */
export async function ageSignIn(
  page: Page,
  server: TestServer,
  user: TestUser,
  ageMs: number,
  origin = server.url,
): Promise<void> {
  await administer(server, user, { lastLoginAt: String(Date.now() - ageMs) });
  await page.goto(`${origin}/manifest.webmanifest`);
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('firebaseLocalStorageDb');
        request.onerror = () => {
          reject(request.error ?? new Error('open failed'));
        };
        request.onsuccess = () => {
          const transaction = request.result.transaction('firebaseLocalStorage', 'readwrite');
          const store = transaction.objectStore('firebaseLocalStorage');
          const all = store.getAll();
          all.onsuccess = () => {
            for (const kept of all.result as {
              value: { stsTokenManager?: { expirationTime: number } };
            }[]) {
              if (kept.value.stsTokenManager === undefined) continue;
              kept.value.stsTokenManager.expirationTime = 0;
              store.put(kept);
            }
          };
          transaction.oncomplete = () => {
            request.result.close();
            resolve();
          };
        };
      }),
  );
}

/** `more`: settings of the server beside the usual. */
export async function openFaultWorld(more: Record<string, string> = {}): Promise<FaultWorld> {
  const target = { port: await freePort() };
  const proxy = await startFaultProxy(target);
  const sent: Sent[] = [];
  const asked: string[] = [];
  proxy.watch(({ method, path, headers }) => {
    asked.push(path);
    if (method === 'POST' && COMMAND.test(path))
      sent.push({ path, commandId: String(headers[IDEMPOTENCY_HEADER.toLowerCase()]) });
  });
  const server = await startServer({
    env: {
      PORT: String(target.port),
      PUBLIC_ORIGIN: proxy.url,
      METRICS: 'true',
      ACCOUNT_CHECK_SECONDS: '2',
      ...(process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR }),
      ...more,
    },
  });
  const agent = async (user: TestUser, id: string): Promise<Agent> => {
    const found = (await callApi(server.url, user.idToken, 'agents')).agents.find(
      (one) => one.id === id,
    );
    if (found === undefined) throw new Error('No such agent');
    return found;
  };
  return {
    server,
    proxy,
    sent,
    asked,
    agent,
    async trader() {
      const user = await createUser(server.url);
      await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
      return user;
    },
    async agentOf(user, name, run = true) {
      const known = (await callApi(server.url, user.idToken, 'agents')).agents.find(
        (one) => one.name === name,
      );
      const { agent: made } =
        known !== undefined
          ? { agent: known }
          : await callApi(server.url, user.idToken, 'createAgent', {
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
              params: { id: made.id },
              body: {},
            })
          ).agent
        : made;
    },
    logIn: (page, user) => logIn(page, proxy.url, user),
    administer: (user, change) => administer(server, user, change),
    async streams() {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(/^tradewind_streams (\d+)$/m.exec(text)?.[1]);
    },
    async close() {
      await server.stop();
      await proxy.close();
    },
  };
}

/** Goes to another screen without loading the page again. */
export async function walk(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}
