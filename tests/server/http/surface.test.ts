/** What a browser meets: headers, foreign pages, limits, files, the described contract. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLS } from '../../../contract/calls.ts';
import { ErrorReply } from '../../../contract/error-reply.ts';
import { ORIGIN_IN_BUILD } from '../../../contract/public-pages.ts';
import type { Database } from '../../../server/db/database.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import { contentSecurityPolicy } from '../../../server/http/headers.ts';
import { RateLimit } from '../../../server/http/rate-limit.ts';
import { readConfig } from '../../../server/config.ts';
import { buildTestApp, TestClock, type TestApp } from '../../support/app.ts';

let database: Database;
let test: TestApp;
let limited: TestApp;
let token = '';
const clock = new TestClock();
const dist = mkdtempSync(join(tmpdir(), 'tradewind-dist-'));

beforeAll(async () => {
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'index.html'), '<!doctype html><title>Tradewind</title>');
  writeFileSync(join(dist, 'sw.js'), '/* worker */');
  writeFileSync(join(dist, '.stamp'), 'secret');
  writeFileSync(join(dist, 'assets', 'index-AbCd1234.js'), 'plain');
  writeFileSync(join(dist, 'assets', 'index-AbCd1234.js.br'), 'packed');
  database = await openEmptyDatabase();
  test = await buildTestApp({ database, dist, env: { METRICS: 'true' } });
  limited = await buildTestApp({
    database,
    clock,
    env: {
      RATE_LIMIT_USER_PER_SECOND: '2',
      NODE_ENV: 'production',
      STRIPE_SECRET_KEY: 'sk_test_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
    },
  });
  token = await test.signToken('Alice1');
}, 90_000);
afterAll(async () => {
  await test.close();
  await limited.close();
  await database.close();
  rmSync(dist, { recursive: true, force: true });
});

const get = (url: string, headers: Record<string, string> = {}) =>
  test.app.inject({ method: 'GET', url, headers });

describe('headers', () => {
  it('keep scripts, frames and openers in check on every answer', async () => {
    for (const url of ['/', '/healthz', '/api/nothing', '/assets/index-AbCd1234.js']) {
      const { headers } = await get(url);
      expect(headers['content-security-policy'], url).toMatch(
        /script-src 'self' https:\/\/apis\.google\.com;/,
      );
      expect(headers['content-security-policy'], url).toMatch(
        /object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'/,
      );
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin-allow-popups',
        'x-frame-options': 'DENY',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['strict-transport-security']).toBeUndefined();
    }
    expect(
      (await limited.app.inject({ method: 'GET', url: '/healthz' })).headers[
        'strict-transport-security'
      ],
    ).toMatch(/max-age=31536000/);
  });

  it('let the wallet speak to whom its settings name, and to nobody else (R7-31, R7-30, R7-32)', () => {
    const asked = (environment: Record<string, string> = {}): string[] => {
      const sources = (
        /connect-src ([^;]*)/.exec(contentSecurityPolicy(readConfig(environment)))?.[1] ?? ''
      ).split(' ');
      return sources
        .filter(
          (one) =>
            !/^'self'$|googleapis\.com|api\.exchange\.coinbase\.com|kraken|binance/.test(one),
        )
        .sort((a, b) => a.localeCompare(b));
    };
    const always = ['https://ethereum.reth.rs', 'https://rpc.wallet.coinbase.com'];
    const sorted = (...more: string[]): string[] =>
      [...always, ...more].sort((a, b) => a.localeCompare(b));
    expect(asked()).toEqual(
      sorted(
        'https://mainnet.base.org',
        'https://sepolia.base.org',
        'https://base-sepolia.easscan.org',
      ),
    );
    expect(asked({ VITE_ONCHAINKIT_API_KEY: 'k' })).toEqual(
      sorted('https://api.developer.coinbase.com', 'https://base-sepolia.easscan.org'),
    );
    expect(asked({ VITE_ONCHAINKIT_RPC_URL: 'http://127.0.0.1:8545/x' })).toEqual(
      sorted(
        'http://127.0.0.1:8545',
        'https://mainnet.base.org',
        'https://base-sepolia.easscan.org',
      ),
    );
    expect(
      asked({
        VITE_WALLET_CHAIN: 'base',
        VITE_ONCHAINKIT_RPC_URL: 'https://node.example.com',
        VITE_ONCHAINKIT_API_KEY: 'k',
      }),
    ).toEqual(
      sorted(
        'https://api.developer.coinbase.com',
        'https://node.example.com',
        'https://base.easscan.org',
      ),
    );
    expect(
      asked({
        VITE_ENABLE_ANALYTICS: 'true',
        VITE_ONCHAINKIT_ANALYTICS_URL: 'https://count.example.com/in',
      }),
    ).toContain('https://count.example.com');
    expect(asked({ VITE_ONCHAINKIT_ANALYTICS_URL: 'https://count.example.com/in' })).not.toContain(
      'https://count.example.com',
    );
    expect(asked({ VITE_ENABLE_ANALYTICS: 'true' })).toContain(
      'https://api.developer.coinbase.com',
    );
    expect(asked({ VITE_WALLET_PREFERENCE: 'all' })).toEqual(
      expect.arrayContaining(['wss://www.walletlink.org']),
    );
    expect(contentSecurityPolicy(readConfig({}))).not.toMatch(/frame-src[^;]*coinbase/);
  });

  it('allow only what this deployment uses, and no inline or evaluated script (F51)', () => {
    const plain = contentSecurityPolicy(readConfig({}));
    expect(plain).not.toContain('stripe');
    expect(plain).not.toContain('unsafe-eval');
    expect(/script-src ([^;]*)/.exec(plain)?.[1]).not.toContain('unsafe-inline');
    const full = contentSecurityPolicy(
      readConfig({
        VITE_STRIPE_PUBLISHABLE_KEY: 'pk',
        VITE_API_URL: 'https://api.example.com/v1',
        VITE_FIREBASE_AUTH_DOMAIN: 'auth.example.com',
      }),
    );
    for (const part of [
      'https://js.stripe.com',
      'https://api.example.com',
      'https://auth.example.com',
      'https://api.kraken.com',
      'https://identitytoolkit.googleapis.com',
    ])
      expect(full).toContain(part);
  });
});

describe('a request from another site', () => {
  const put = (headers: Record<string, string>) =>
    test.app.inject({
      method: 'POST',
      url: '/api/subscription/trial/start',
      payload: '{"userId":"Mallory"}',
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': randomUUID(),
        'content-type': 'application/json',
        host: 'localhost:8787',
        ...headers,
      },
    });

  it('may change nothing (F52)', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:9999' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:8787', 'sec-fetch-site': 'cross-site' },
    ]) {
      const response = await put(headers as Record<string, string>);
      expect(
        [response.statusCode, ErrorReply.parse(response.json()).error.code],
        JSON.stringify(headers),
      ).toEqual([403, 'forbidden_origin']);
    }
  });

  it('is not mistaken for one from our own pages', async () => {
    for (const headers of [
      { origin: 'http://localhost:8787', 'sec-fetch-site': 'same-origin' },
      { origin: 'http://LOCALHOST:8787' },
      {},
    ]) {
      expect(
        ErrorReply.parse((await put(headers as Record<string, string>)).json()).error.code,
        JSON.stringify(headers),
      ).toBe('invalid_user_id');
    }
  });

  it('gets no leave by a preflight', async () => {
    const response = await test.app.inject({
      method: 'OPTIONS',
      url: '/api/agents',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(
      Object.keys(response.headers).filter((name) => name.startsWith('access-control-')),
    ).toEqual([]);
  });
});

describe('a flood', () => {
  it('is refused with the time to wait, while stop has a bucket of its own', async () => {
    const flooder = await limited.signToken('Flooder');
    const statuses: number[] = [];
    for (let i = 0; i < 40; i += 1)
      statuses.push((await limited.call('tradingSettings', { token: flooder })).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    const refused = await limited.call('tradingSettings', { token: flooder });
    expect([refused.status, refused.headers['retry-after'], refused.json]).toMatchObject([
      429,
      '1',
      { error: { code: 'rate_limited', retryAfterMs: 500 } },
    ]);
    expect((await limited.call('stopAll', { token: flooder })).status).toBe(200);
    expect(
      (await limited.call('tradingSettings', { token: await limited.signToken('Neighbour') }))
        .status,
    ).toBe(200);
    clock.advance(1_000);
    expect((await limited.call('tradingSettings', { token: flooder })).status).toBe(200);
  });

  it('is known by the address that our own proxy saw, whatever its sender wrote before that', async () => {
    const behind = await buildTestApp({
      database,
      clock,
      env: { RATE_LIMIT_IP_PER_SECOND: '1', TRUST_PROXY: 'true' },
    });
    const ask = async (forwarded: string) =>
      (
        await behind.app.inject({
          method: 'GET',
          url: '/healthz',
          headers: { 'x-forwarded-for': forwarded },
        })
      ).statusCode;
    const statuses: number[] = [];
    for (let i = 0; i < 20; i += 1) statuses.push(await ask(`10.0.${i}.1, 203.0.113.7`));
    expect(statuses.filter((status) => status === 200)).toHaveLength(15);
    expect(await ask('203.0.113.8')).toBe(200);
    await behind.close();
  });

  it('of strangers is forgotten, the oldest first', () => {
    const limit = new RateLimit(1, { now: () => 0 });
    for (let i = 0; i < 20_010; i += 1) limit.take(`ip-${i}`);
    expect((limit as unknown as { buckets: Map<string, unknown> }).buckets.size).toBe(20_000);
  });
});

describe('pages that the build has completed', () => {
  const SCRIPT = "document.title += '!'";
  const page = (text: string): string =>
    `<!doctype html><link rel="canonical" href="${ORIGIN_IN_BUILD}/faq"><script>${SCRIPT}</script><script type="application/json">{}</script><p>${text.repeat(200)}</p>`;
  const lay = (text: string): void => {
    mkdirSync(join(dist, 'pages'), { recursive: true });
    writeFileSync(join(dist, 'pages', 'faq.html'), page(text));
  };

  it('are answered at their paths, with the address of this server, and asked for again', async () => {
    expect((await get('/faq')).body).toContain('<title>Tradewind');
    lay('Questions ');
    for (const path of ['/faq', '/faq/', '/faq?from=home']) {
      const { body, headers } = await get(path);
      expect(body, path).toContain('href="http://localhost:');
      expect(body, path).not.toContain(ORIGIN_IN_BUILD);
      expect(headers).toMatchObject({
        'cache-control': 'no-cache',
        'content-type': 'text/html; charset=utf-8',
        vary: 'Accept-Encoding',
      });
    }
    expect((await get('/dashboard')).body).not.toContain('Questions');
  });

  it('run the scripts that stand in them, and no others', async () => {
    lay('Questions ');
    const digest = createHash('sha256').update(SCRIPT).digest('base64');
    const policy = String((await get('/faq')).headers['content-security-policy']);
    expect(policy).toContain(`script-src 'self' 'sha256-${digest}' https://apis.google.com;`);
    expect(policy.match(/'sha256-/g)).toHaveLength(1);
    expect(String((await get('/dashboard')).headers['content-security-policy'])).not.toContain(
      'sha256-',
    );
  });

  it('are packed for who takes them so, and not sent again to who has them', async () => {
    lay('Questions ');
    const [plain, packed, older] = [
      await get('/faq'),
      await get('/faq', { 'accept-encoding': 'gzip, br;q=1' }),
      await get('/faq', { 'accept-encoding': 'gzip' }),
    ];
    expect(packed.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(plain.body);
    expect(older.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(older.rawPayload).toString()).toBe(plain.body);
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length);
    const held = { 'if-none-match': String(packed.headers.etag) };
    expect((await get('/faq', held)).statusCode).toBe(304);
    lay('Answers ');
    expect((await get('/faq', held)).body).toContain('Answers');
  });
});

describe('files', () => {
  it('with a hash in their name are kept for ever, the shell and the worker are asked for again', async () => {
    expect((await get('/assets/index-AbCd1234.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    );
    for (const url of ['/', '/index.html', '/sw.js', '/dashboard'])
      expect((await get(url)).headers['cache-control'], url).toBe('no-cache');
  });

  it('of a build that was laid here without a restart are served, and a page of the same size and time is not taken for the one before', async () => {
    const levelled = new Date('2020-01-01T00:00:00Z');
    const lay = (name: string): void => {
      writeFileSync(join(dist, 'assets', `${name}-AbCd1234.js`), name);
      // What a deployment does: beside it first, then in its place.
      for (const file of ['index.html', 'sw.js']) {
        writeFileSync(
          join(dist, `${file}.next`),
          `<!doctype html><title>Tradewind ${name}</title>`,
        );
        utimesSync(join(dist, `${file}.next`), levelled, levelled);
        renameSync(join(dist, `${file}.next`), join(dist, file));
      }
    };
    lay('one');
    const [page, worker] = [await get('/dashboard'), await get('/sw.js')];
    expect((await get('/assets/one-AbCd1234.js')).body).toBe('one');
    expect(
      (await get('/dashboard', { 'if-none-match': String(page.headers.etag) })).statusCode,
    ).toBe(304);
    lay('two');
    expect((await get('/assets/two-AbCd1234.js')).body).toBe('two');
    for (const [url, before] of [
      ['/dashboard', page],
      ['/sw.js', worker],
    ] as const) {
      const after = await get(url, {
        'if-none-match': String(before.headers.etag),
        ...(before.headers['last-modified'] === undefined
          ? {}
          : { 'if-modified-since': String(before.headers['last-modified']) }),
      });
      expect([url, after.statusCode, after.body]).toEqual([
        url,
        200,
        '<!doctype html><title>Tradewind two</title>',
      ]);
    }
    writeFileSync(join(dist, 'sw.js'), '/* worker */');
  });

  it('give a worker that takes itself away, by a setting or by a mark in the build, in place of a bad one (F26)', async () => {
    expect((await get('/sw.js')).body).toBe('/* worker */');
    writeFileSync(join(dist, 'sw-kill'), '');
    try {
      const killer = await get('/sw.js');
      expect(killer.body).toContain('registration.unregister()');
      expect(killer.headers).toMatchObject({
        'cache-control': 'no-cache',
        'content-type': 'text/javascript; charset=utf-8',
      });
    } finally {
      rmSync(join(dist, 'sw-kill'));
    }
    expect((await get('/sw.js')).body).toBe('/* worker */');
    expect(readConfig({ KILL_SERVICE_WORKER: 'true', DIST_DIR: '/builds/7' })).toMatchObject({
      killServiceWorker: true,
      distDir: '/builds/7',
    });
  });

  it('are sent packed to who accepts it', async () => {
    const packed = await get('/assets/index-AbCd1234.js', { 'accept-encoding': 'gzip, br' });
    expect([
      packed.headers['content-encoding'],
      packed.body,
      packed.headers['content-type'],
    ]).toEqual(['br', 'packed', 'application/javascript; charset=utf-8']);
    const plain = await get('/assets/index-AbCd1234.js');
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, 'plain']);
  });

  it('give the shell for every screen, and never for data or a missing asset', async () => {
    for (const url of [
      '/',
      '/market',
      '/market/BTC-USDT',
      '/agents/123',
      '/dashboard?subscription=success',
      '/ref/abc',
      '/no/such/screen',
    ]) {
      const response = await get(url, { accept: 'text/html' });
      expect([response.statusCode, response.body.includes('<title>Tradewind')], url).toEqual([
        200,
        true,
      ]);
    }
    for (const url of [
      '/api/nothing',
      '/subscriptions/x',
      '/assets/gone-12345678.js',
      '/robots.txt',
      '/.stamp',
      '/.env',
      '/..%2fpackage.json',
    ]) {
      expect(
        [(await get(url)).statusCode, (await get(url)).body.includes('Tradewind')],
        url,
      ).toEqual([404, false]);
    }
    for (const url of ['/market/data', '/market/overview', '/market/pools', '/market/candles'])
      expect((await get(url, { accept: 'text/html' })).statusCode, url).toBe(401);
  });
});

describe('the described contract', () => {
  it('names every call with its method, body and reply, from the schemas that are enforced', async () => {
    const document = (await get('/openapi.json')).json<{
      openapi: string;
      paths: Record<
        string,
        Record<
          string,
          {
            operationId: string;
            requestBody?: {
              content: Record<string, { schema: { properties?: Record<string, unknown> } }>;
            };
          }
        >
      >;
    }>();
    expect(document.openapi).toBe('3.1.0');
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    expect(described.sort()).toEqual(
      Object.entries(CALLS)
        .map(([name, call]) => `${name} ${call.method} ${call.path.replace(/:(\w+)/g, '{$1}')}`)
        .sort(),
    );
    const body =
      document.paths['/api/agents/create']?.post?.requestBody?.content['application/json']?.schema
        .properties;
    expect(Object.keys(body ?? {})).toEqual(
      expect.arrayContaining([
        'name',
        'trading_pairs',
        'risk_profile',
        'max_position_size',
        'execution_interval',
        'enabled',
      ]),
    );
  });
});

/** Section 7 of the rules, as it is written there. */
const OWN_ENDPOINTS = `
  GET /subscriptions/plans
  POST /api/subscription/subscribe
  POST /subscriptions/customer-portal
  POST /subscriptions/create-checkout
  GET /subscriptions/status
  GET /api/subscription/usage
  POST /api/subscription/trial/start
  GET /api/subscription/trial/status
  GET /market/data
  GET /market/overview
  GET /market/pools
  POST /api/agents/create-pool
  POST /api/agents/create
  PUT /api/agents/:id/settings
  POST /api/agents/:id/start
  POST /api/agents/:id/stop
  POST /api/agents/start-all
  POST /api/agents/stop-all
  GET /api/agents/:id/performance
  GET /api/agents/summary
  POST /api/agents/reconfigure
  PUT /api/user/risk-profile
  GET /api/wallet/status
  GET /api/trading/portfolio
  GET /api/trading/history
  GET /api/trading/analytics
  GET /api/user/trading-settings
  PUT /api/user/trading-settings`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(' ') as ['GET' | 'POST' | 'PUT', string]);

describe("the product's own endpoints", () => {
  it('are all here, each behind a token (R1-07, R6-01)', async () => {
    for (const [method, path] of OWN_ENDPOINTS) {
      expect(
        Object.values(CALLS).some((call) => call.method === method && call.path === path),
        `${method} ${path} in the contract`,
      ).toBe(true);
      const url = path.replace(':id', '00000000-0000-4000-8000-000000000000');
      const stranger = await test.app.inject({
        method,
        url,
        payload: method === 'GET' ? undefined : {},
        headers: { accept: 'application/json' },
      });
      expect(stranger.statusCode, `${method} ${path}`).toBe(401);
    }
  });
});

describe('hosted functions', () => {
  it('speak the callable protocol, and need a token (R7-01)', async () => {
    const call = (name: string, headers: Record<string, string>, payload = '{"data":{}}') =>
      test.app.inject({
        method: 'POST',
        url: `/callable/${name}`,
        payload,
        headers: { 'content-type': 'application/json', ...headers },
      });
    const stranger = await call('anything', {});
    expect([stranger.statusCode, stranger.json()]).toMatchObject([
      401,
      {
        error: {
          status: 'UNAUTHENTICATED',
          message: 'Not authenticated',
          details: { code: 'not_authenticated' },
        },
      },
    ]);
    for (const name of ['nothing', '__proto__', 'constructor', 'toString']) {
      const unknown = await call(name, { authorization: `Bearer ${token}` });
      expect([unknown.statusCode, unknown.json()], name).toMatchObject([
        404,
        { error: { status: 'NOT_FOUND' } },
      ]);
    }
  });
});

describe('metrics', () => {
  it('are there on their own switch only, and say nothing of a person', async () => {
    await test.call('tradingSettings', { token });
    const { body } = await get('/metrics');
    expect(body).toMatch(
      /tradewind_requests_total\{method="GET",route="\/api\/user\/trading-settings",status="200"\} \d+/,
    );
    expect(body).toMatch(/^tradewind_streams 0$/m);
    expect(body).not.toContain('Alice1');
    expect((await limited.app.inject({ method: 'GET', url: '/metrics' })).body).not.toContain(
      'tradewind_requests_total',
    );
  });
});
