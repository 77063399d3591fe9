/** The worker's routing rules and what it keeps of the replies that it sees. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, it } from 'vitest';
import { CALLS } from '../../contract/calls.ts';
import { reached } from '../../contract/unreached.ts';
import { deleteUserDatabase, openUserDatabase } from '../../src/offline/user-database.ts';
import { readSnapshot, TOLD_KEY } from '../../src/offline/snapshots.ts';
import { keep, split, watched } from '../../sw/observe.ts';
import {
  isAppRoute,
  partsOf,
  shellCache,
  staticRoutes,
  START_PATHS,
  watchedKind,
} from '../../sw/routing.ts';
import { portfolio, T0 } from '../src/offline/samples.ts';

const ORIGIN = 'http://localhost:8787';
const tokenOf = (sub: string): string =>
  `e30.${btoa(JSON.stringify({ sub, auth_time: 1 })).replaceAll('=', '')}.`;
const ask = (
  path: string,
  headers: Record<string, string> = { authorization: `Bearer ${tokenOf('ada')}` },
  method = 'GET',
) => new Request(`${ORIGIN}${path}`, { headers, method });
const json = (value: unknown, init: ResponseInit = {}) => Response.json(value, init);

describe('the navigation fallback', () => {
  it.each([
    '/',
    '/dashboard',
    '/pro-dashboard',
    '/market',
    '/market/BTC-USDT',
    '/agents/0e1f',
    '/subscription',
    '/portfolio',
    '/stop-all',
  ])('opens %s from the shell', (path) => {
    expect(isAppRoute(path)).toBe(true);
  });
  it.each([
    '/api/agents',
    '/api',
    '/subscriptions/plans',
    '/market/data',
    '/market/overview',
    '/market/pools',
    '/market/candles',
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/metrics',
    '/webhooks/stripe',
    '/test-checkout/abc',
    '/test-portal/abc',
    '/__/auth/handler',
    '/emulator/auth/handler',
    '/identitytoolkit.googleapis.com/v1/accounts:signUp',
    '/securetoken.googleapis.com/v1/token',
    '/demo-tradewind/us-central1/referral',
    '/sw.js',
    '/manifest.webmanifest',
    '/assets/index.js',
  ])('leaves %s to the server', (path) => {
    expect(isAppRoute(path)).toBe(false);
  });
  it('leaves every call of the contract to the server', () => {
    for (const call of Object.values(CALLS))
      expect([call.path, isAppRoute(call.path.replace(':id', 'x'))]).toEqual([call.path, false]);
  });
});

describe('what the browser does without the worker', () => {
  it('answers screens of the app and its hashed parts, never a call, and sends commands', () => {
    for (const path of START_PATHS) expect(isAppRoute(path)).toBe(true);
    const calls = new Set<string>(Object.values(CALLS).map((call) => call.path));
    const [commands, ...answered] = staticRoutes('precache', 'shell');
    expect(commands).toEqual({ condition: { requestMethod: 'POST' }, source: 'network' });
    for (const { condition, source } of answered) {
      if (!('urlPattern' in condition)) throw new Error('answers more than one address');
      if (source === 'network') throw new Error('leaves out what the worker keeps');
      expect(calls.has(condition.urlPattern.pathname)).toBe(false);
      if (source.cacheName === 'shell')
        expect(condition).toMatchObject({ requestMode: 'navigate', urlPattern: { search: '' } });
      else expect(condition.urlPattern.pathname).toBe('/assets/*');
    }
  });
  it("is one build's page: another revision is in another cache", () => {
    const of = (revision: string) => shellCache(['x.js', { url: 'index.html', revision }]);
    expect(of('1')).not.toBe(of('2'));
  });
});

describe('the parts a page names', () => {
  it('are all its scripts and styles, each once', () => {
    expect(
      partsOf(
        '<script src="/assets/index-AbCd1234.js"></script><link href="/assets/a.esm-x_-12345.css"><link href="/icons/icon.svg"><link href="/assets/index-AbCd1234.js">',
      ),
    ).toEqual(['/assets/index-AbCd1234.js', '/assets/a.esm-x_-12345.css']);
  });
});

describe('what the worker watches', () => {
  it('knows the replies that are kept, by whole answers only', () => {
    const kind = (path: string, method = 'GET') =>
      watchedKind(method, new URL(path, ORIGIN), ORIGIN);
    expect(
      [
        '/api/trading/portfolio',
        '/api/agents',
        '/api/trading/history?limit=100',
        '/market/data',
        '/subscriptions/status',
        '/api/user/trading-settings',
      ].map((path) => kind(path)),
    ).toEqual(['portfolio', 'agents', 'history', 'market', 'subscription', 'settings']);
    expect([
      kind('/market/data?symbols=BTC/USD'),
      kind('/api/trading/portfolio?book=1'),
      kind('/api/trading/history?limit=100&before=f1'),
      kind('/api/agents/x/performance'),
      kind('/api/stream'),
      kind('/api/user/trading-settings', 'PUT'),
      kind('https://elsewhere.example/api/agents'),
    ]).toEqual([null, null, null, null, null, null, null]);
  });
  it('leaves streams and requests without a token alone', () => {
    expect(watched(ask('/api/trading/portfolio'), ORIGIN)).toEqual({
      uid: 'ada',
      kind: 'portfolio',
    });
    expect(
      watched(
        ask('/api/trading/portfolio', {
          authorization: `Bearer ${tokenOf('ada')}`,
          accept: 'text/event-stream',
        }),
        ORIGIN,
      ),
    ).toBeNull();
    expect([
      watched(ask('/api/trading/portfolio', {}), ORIGIN),
      watched(ask('/api/trading/portfolio', { authorization: 'Bearer nonsense' }), ORIGIN),
    ]).toEqual([null, null]);
  });
});

describe('what the worker hands on', () => {
  it('is a reply that the page takes for a failed request where there was none, never a rejection', async () => {
    const { page, copy } = split(
      Promise.reject(new TypeError('NetworkError when attempting to fetch resource.')),
    );
    await expect(copy).rejects.toThrow(TypeError);
    const failed = await page;
    expect(() => reached(failed)).toThrow(TypeError);
    const server = json({ error: {} }, { status: 504 });
    expect(reached(await split(Promise.resolve(server)).page)).toBe(server);
  });
});

describe('what the worker keeps', () => {
  beforeEach(() => {
    Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
  });
  const mine = { uid: 'ada', kind: 'portfolio' } as const;

  it('keeps a good answer under the user of its token, and the last good one when the next is cut off', async () => {
    const database = openUserDatabase('ada', { mayCreate: () => true });
    expect(await keep(json(portfolio(T0)), mine, database, 5, 4)).toBe(true);
    expect(
      await keep(
        new Response('{"cash":"1', { headers: { 'content-type': 'application/json' } }),
        mine,
        database,
        6,
        4,
      ),
    ).toBe(false);
    expect(await keep(json({ error: {} }, { status: 500 }), mine, database, 7, 4)).toBe(false);
    expect(
      await keep(
        new Response('<html>', { headers: { 'content-type': 'text/html' } }),
        mine,
        database,
        8,
        4,
      ),
    ).toBe(false);
    expect(await readSnapshot('ada', 'portfolio', database)).toEqual({
      savedAt: 5,
      value: portfolio(T0),
    });
    await deleteUserDatabase('ada');
  });
  it('keeps no list that was asked for before a command was answered and comes after that (F81)', async () => {
    const database = openUserDatabase('ada', { mayCreate: () => true });
    const agents = { uid: 'ada', kind: 'agents' } as const;
    const list = { agents: [], sequence: 7, asOf: T0 };
    const now = Date.now();
    expect(await keep(json(list), agents, database, now - 9_000, now - 9_500)).toBe(true);
    await database.transact(['meta'], 'readwrite', (transaction) => {
      transaction.objectStore('meta').put(now - 5_000, TOLD_KEY);
    });
    expect(await keep(json(list), agents, database, now - 1_000, now - 6_000)).toBe(false);
    expect((await readSnapshot('ada', 'agents', database))?.savedAt).toBe(now - 9_000);
    // A reply of another kind, and a list that was asked for since.
    expect(await keep(json(portfolio(T0)), mine, database, now - 1_000, now - 6_000)).toBe(true);
    expect(await keep(json(list), agents, database, now, now - 4_000)).toBe(true);
    // A device whose clock was set back does not refuse every list until that time comes again.
    await database.transact(['meta'], 'readwrite', (transaction) => {
      transaction.objectStore('meta').put(now + 3_600_000, TOLD_KEY);
    });
    expect(await keep(json(list), agents, database, now + 1, now)).toBe(true);
    await deleteUserDatabase('ada');
  });
  it('keeps nothing of an answer that comes after the sign-out', async () => {
    const database = openUserDatabase('ada', { mayCreate: () => true });
    await database.transact(['meta'], 'readonly', () => undefined);
    await deleteUserDatabase('ada');
    expect(await keep(json(portfolio(T0)), mine, database, 5, 4)).toBe(false);
    expect(await indexedDB.databases()).toEqual([]);
  });
});
