/**
 * A hostile page, program and user against the real server with its identity emulator: what none of
 * them may reach.
 */
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPglite } from '../../server/db/pglite.ts';
import { users } from '../../server/db/schema.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import {
  callApi,
  CallFailed,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';

let server: TestServer;
let alice: TestUser;
let bob: TestUser;
beforeAll(async () => {
  server = await startServer({
    ownIdentity: true,
    env: { LOG_LEVEL: 'info', METRICS: 'true' },
  });
  [alice, bob] = await Promise.all([createUser(server.url), createUser(server.url)]);
  await Promise.all([alice, bob].map(({ idToken }) => callApi(server.url, idToken, 'portfolio')));
});
afterAll(() => server.stop());

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** By hand: fetch writes host, origin and path as it pleases. */
function ask(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          host: `localhost:${port}`,
          ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (data: string) => {
            text += data;
          })
          .on('end', () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
          });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const JSON_OWNER = { authorization: 'Bearer owner', 'content-type': 'application/json' };
const ADMIN = '/identitytoolkit.googleapis.com/v1/projects/demo-tradewind';
const emulatorPort = () => Number(server.env.AUTH_EMULATOR_PORT);
const unsigned = (claims: Record<string, unknown>) =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
const outcomes = async (work: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(work)).map((result) =>
    result.status === 'fulfilled'
      ? 'done'
      : result.reason instanceof CallFailed
        ? result.reason.code
        : String(result.reason),
  );

describe("through the app's own origin", () => {
  it('nobody administers the emulator: people are neither listed, wiped, taken over nor read from its mail', async () => {
    const tries: [string, string, string][] = [
      ['POST', `${ADMIN}/accounts:query`, '{}'],
      [
        'POST',
        `${ADMIN}/accounts:update`,
        JSON.stringify({ localId: bob.uid, password: 'taken over' }),
      ],
      ['POST', `${ADMIN}/accounts`, '{"localId":"chosen"}'],
      ['DELETE', '/emulator/v1/projects/demo-tradewind/accounts', ''],
      ['GET', '/emulator/v1/projects/demo-tradewind/oobCodes', ''],
      ['PATCH', '/emulator/v1/projects/demo-tradewind/config', '{}'],
      ['GET', '/emulator/openapi.json', ''],
      ['GET', `${ADMIN}/accounts:batchGet`, ''],
      [
        'POST',
        '/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=k',
        JSON.stringify({ token: JSON.stringify({ uid: bob.uid }), returnSecureToken: true }),
      ],
      ['POST', '/identitytoolkit.googleapis.com/v1/accounts%3Aquery', '{}'],
      ['POST', '/identitytoolkit.googleapis.com/v1/./projects/demo-tradewind/accounts:query', '{}'],
      [
        'POST',
        '/emulator/../identitytoolkit.googleapis.com/v1/projects/demo-tradewind/accounts:query',
        '{}',
      ],
      ['POST', `//localhost${ADMIN}/accounts:query`, '{}'],
    ];
    for (const [method, path, body] of tries) {
      const answer = await ask(server.port, method, path, JSON_OWNER, body);
      expect(
        [400, 404],
        `${method} ${path} answered ${answer.status}: ${answer.body.slice(0, 200)}`,
      ).toContain(answer.status);
    }
    // `owner` opens an account by its id where the header arrives; here it does not.
    const update = await ask(
      server.port,
      'POST',
      '/identitytoolkit.googleapis.com/v1/accounts:update?key=k',
      JSON_OWNER,
      JSON.stringify({ localId: bob.uid, password: 'taken over' }),
    );
    expect(update.status).toBeGreaterThanOrEqual(400);
    const huge = await ask(
      server.port,
      'POST',
      '/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k',
      { 'content-type': 'application/json' },
      `{"email":"${'x'.repeat(70_000)}"}`,
    );
    expect(huge.status).toBe(413);
    expect((await callApi(server.url, bob.idToken, 'portfolio')).cash).toBe('10000');
  });

  it("the emulator's pages run their own scripts only, and lead back here or nowhere", async () => {
    const name = '<img src=x onerror="document.title=1">';
    const idToken = JSON.stringify({
      sub: randomUUID(),
      email: `${randomUUID()}@example.com`,
      email_verified: true,
      name,
    });
    const made = await ask(
      server.port,
      'POST',
      '/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=k',
      { 'content-type': 'application/json' },
      JSON.stringify({
        postBody: new URLSearchParams({ id_token: idToken, providerId: 'google.com' }).toString(),
        requestUri: server.url,
        returnSecureToken: true,
      }),
    );
    expect([made.status, made.headers['cache-control']]).toEqual([200, 'no-store']);
    const page = await ask(
      server.port,
      'GET',
      '/emulator/auth/handler?apiKey=k&appName=a&providerId=google.com&authType=signInViaPopup',
    );
    expect([page.status, page.body.includes(name)]).toEqual([200, true]);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(
      /^script-src https:\/\/apis\.google\.com https:\/\/unpkg\.com( 'sha256-[\w+/=]+'){2,};/,
    );
    expect(policy).not.toMatch(/unsafe/);
    for (const target of [
      'javascript:alert(1)',
      'https://evil.example/',
      '//evil.example',
      'data:text/html,x',
    ]) {
      expect(
        (
          await ask(
            server.port,
            'GET',
            `/emulator/auth/handler?apiKey=k&providerId=google.com&appName=a&redirectUrl=${encodeURIComponent(target)}`,
          )
        ).status,
        target,
      ).toBe(400);
      expect(
        (
          await ask(
            server.port,
            'GET',
            `/emulator/action?mode=signIn&oobCode=x&apiKey=k&continueUrl=${encodeURIComponent(target)}`,
          )
        ).status,
        target,
      ).toBe(400);
    }
  });

  it('a foreign name that leads to this machine is not taken for our own', async () => {
    for (const host of [`evil.example:${server.port}`, 'evil.example', '169.254.169.254']) {
      const answer = await ask(server.port, 'GET', '/api/trading/portfolio', {
        host,
        origin: `http://${host}`,
        authorization: `Bearer ${alice.idToken}`,
      });
      expect([answer.status, answer.body.includes('cash')], host).toEqual([403, false]);
    }
    for (const host of [`127.0.0.1:${server.port}`, `[::1]:${server.port}`])
      expect((await ask(server.port, 'GET', '/healthz', { host })).status, host).toBe(200);
  });
});

describe("at the emulator's own address", () => {
  it('a foreign page gets nothing, a program of this machine is served (F52)', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: 'evil.example:9099' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      expect(
        (
          await ask(
            emulatorPort(),
            'POST',
            `${ADMIN}/accounts:query`,
            { ...JSON_OWNER, ...headers },
            '{}',
          )
        ).status,
        JSON.stringify(headers),
      ).toBe(403);
    }
    expect(
      (
        await ask(emulatorPort(), 'DELETE', '/emulator/v1/projects/demo-tradewind/accounts', {
          origin: 'https://evil.example',
        })
      ).status,
    ).toBe(403);
    expect(
      (await ask(emulatorPort(), 'POST', `${ADMIN}/accounts:query`, JSON_OWNER, '{}')).body,
    ).toContain(alice.uid);
  });
});

describe('tokens of the emulator', () => {
  it('that name nobody are refused as such', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      sub: 'nobody',
      user_id: 'nobody',
      aud: 'demo-tradewind',
      iss: 'https://securetoken.google.com/demo-tradewind',
      iat: now,
      auth_time: now,
      exp: now + 3_600,
      firebase: {},
    };
    for (const forged of [
      unsigned(claims),
      unsigned({ ...claims, firebase: undefined }),
      unsigned({ ...claims, user_id: alice.uid }),
      `${unsigned(claims)}x`,
    ]) {
      await expect(callApi(server.url, forged, 'portfolio')).rejects.toMatchObject({ status: 401 });
    }
  });
});

describe('a user who does everything at once', () => {
  it('ends with books that balance, no more agents than the plan allows, and nothing of a neighbour', async () => {
    await callApi(server.url, alice.idToken, 'trialStart', { body: { userId: alice.uid } });
    const { symbols } = await callApi(server.url, alice.idToken, 'marketData');
    const body = {
      name: 'Hasty',
      trading_pairs: symbols.slice(0, 5).map(({ symbol }) => symbol),
      risk_profile: 'Aggressive' as const,
      max_position_size: 9_999.99,
      execution_interval: '5-minute' as const,
      enabled: true,
    };
    const create = () => callApi(server.url, alice.idToken, 'createAgent', { body });
    for (let i = 0; i < 4; i += 1) await create();
    const pool = () =>
      callApi(server.url, alice.idToken, 'createPool', {
        body: { subscription_tier: 'trial', risk_profile: 'aggressive', trading_frequency: 'high' },
      });
    const made = await outcomes([
      ...Array.from({ length: 40 }, create),
      ...Array.from({ length: 10 }, pool),
    ]);
    expect(made.filter((code) => code === 'done')).toHaveLength(1);
    const mine = (await callApi(server.url, alice.idToken, 'agents')).agents;
    expect(mine).toHaveLength(5);
    expect(
      await outcomes(
        mine.map(({ id }) => callApi(server.url, bob.idToken, 'stopAgent', { params: { id } })),
      ),
    ).toEqual(mine.map(() => 'not_found'));
    const at = (index: number) => ({ params: { id: mine[index % mine.length]?.id ?? '' } });
    const moves = [
      (i: number) => callApi(server.url, alice.idToken, 'startAgent', at(i)),
      (i: number) => callApi(server.url, alice.idToken, 'stopAgent', at(i)),
      (i: number) => callApi(server.url, alice.idToken, 'liquidateAgent', at(i)),
      (i: number) => callApi(server.url, alice.idToken, 'deleteAgent', at(i)),
      () => callApi(server.url, alice.idToken, 'resetPaper'),
      () => callApi(server.url, alice.idToken, 'startAll'),
      () => callApi(server.url, alice.idToken, 'stopAll'),
      create,
    ];
    const mess = await outcomes(
      Array.from({ length: 120 }, (_, i) => (moves[(i * 5) % moves.length] ?? create)(i)),
    );
    expect(
      [...new Set(mess)].filter(
        (code) =>
          ![
            'done',
            'not_found',
            'agent_cap_reached',
            'agent_changed',
            'agent_holds_positions',
          ].includes(code),
      ),
    ).toEqual([]);
    expect((await callApi(server.url, alice.idToken, 'agents')).agents.length).toBeLessThanOrEqual(
      5,
    );
    expect(
      (await callApi(server.url, alice.idToken, 'stopAll')).agents.every(
        ({ status }) => status === 'stopped',
      ),
    ).toBe(true);
  });

  it("cannot keep a neighbour's stop waiting with charts, streams and unfinished requests (F55)", async () => {
    const { symbols } = await callApi(server.url, alice.idToken, 'marketData');
    const stop = new AbortController();
    const flood = [
      ...symbols.map(({ symbol }) => `/market/candles?symbol=${symbol}&interval=1d&limit=1500`),
      ...Array.from({ length: 40 }, () => '/api/stream'),
      ...Array.from({ length: 60 }, () => '/api/trading/analytics'),
    ].map((path) =>
      fetch(`${server.url}${path}`, {
        headers: { authorization: `Bearer ${alice.idToken}` },
        signal: stop.signal,
      }).catch(() => null),
    );
    const half = Array.from({ length: 100 }, () => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `POST /api/agents/stop-all HTTP/1.1\r\nhost: localhost:${server.port}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{`,
      );
      return socket;
    });
    // All of it is still open: a stop that waited for the end of it would never be answered.
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        callApi(server.url, bob.idToken, 'stopAll').then(() => 'stopped'),
      ),
    );
    expect(replies).toEqual(Array.from({ length: 5 }, () => 'stopped'));
    expect(half.filter((socket) => socket.destroyed)).toEqual([]);
    for (const socket of half) socket.destroy();
    stop.abort();
    await Promise.all(flood);
  });
});

describe('afterwards', () => {
  it('neither metrics, log nor database hold what they should not', async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    for (const person of [alice, bob]) {
      for (const secret of [
        person.uid,
        person.email,
        person.idToken.slice(0, 60),
        person.refreshToken.slice(0, 40),
      ]) {
        expect(metrics).not.toContain(secret);
        expect(server.logs()).not.toContain(secret);
      }
    }
    expect(server.logs()).not.toMatch(/"level":50/);
    await server.kill9();
    const database = await openPglite(server.dataDir);
    expect(await checkLedger(database.db)).toMatchObject({ problems: [] });
    // Nobody came into being by a forged name.
    expect(
      (await database.db.select({ uid: users.uid }).from(users)).map(({ uid }) => uid).sort(),
    ).toEqual([alice.uid, bob.uid].sort());
    await database.close();
  });
});
