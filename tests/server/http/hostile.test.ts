/** Input made to break things: always a refusal, never a failure of ours. */
import { randomUUID } from 'node:crypto';
import fc from '../../support/property.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { CALLS, type CallName } from '../../../contract/calls.ts';
import { ErrorReply } from '../../../contract/error-reply.ts';
import { parseBody } from '../../../server/http/body.ts';
import { buildTestApp, ErrorLog, type TestApp } from '../../support/app.ts';

let test: TestApp;
let token = '';
const log = new ErrorLog();
beforeAll(async () => {
  test = await buildTestApp({ log });
  token = await test.signToken('Alice1');
}, 60_000);
afterAll(() => test.close());

const mutations = (Object.keys(CALLS) as CallName[]).filter((name) => CALLS[name].method !== 'GET');
const aUuid = '11111111-1111-4111-8111-111111111111';

async function post(name: CallName, payload: string | Buffer, type = 'application/json') {
  const response = await test.app.inject({
    method: CALLS[name].method,
    url: CALLS[name].path.replace(/:\w+/g, aUuid),
    payload,
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': randomUUID(),
      'content-type': type,
    },
  });
  return {
    status: response.statusCode,
    code: response.statusCode === 200 ? 'ok' : ErrorReply.parse(response.json()).error.code,
  };
}

describe('a hostile body', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const bodies: [string, string | Buffer, number][] = [
    ['cut JSON', '{"userId":', 400],
    ['no JSON', 'hello', 400],
    ['a deep array', deep, 400],
    ['a deep object', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 400],
    ['NUL in a text', '{"userId":"a\\u0000b"}', 400],
    ['half a character', '{"userId":"a\\ud800"}', 400],
    ['1e400', '{"userId":1e400}', 400],
    ['__proto__', '{"__proto__":{"admin":true}}', 400],
    ['constructor', '{"constructor":{"prototype":{"x":1}}}', 400],
    ['an empty text under a name that every object has', '{"toString":""}', 400],
    ['an array', '[]', 400],
    ['null', 'null', 400],
    ['a number', '7', 400],
    ['a text', '"x"', 400],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 400],
    ['too much', JSON.stringify({ userId: 'x'.repeat(70_000) }), 413],
  ];
  it.each(bodies)('of %s is refused by every call (F54)', async (_what, payload, status) => {
    for (const name of mutations) expect(await post(name, payload), name).toMatchObject({ status });
  });

  it('of another type than JSON is refused', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'nonsense',
      'application/json-patch+json',
    ]) {
      expect(await post('trialStart', '{"userId":"Alice1"}', type), type).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
      });
    }
  });

  it('may be anything at all (F54)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...mutations.filter((name) => name !== 'resetPaper')),
        fc.json({ maxDepth: 4 }),
        async (name, payload) => {
          expect((await post(name, payload)).status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<CallName>(
          'startAll',
          'stopAll',
          'createAgent',
          'createCheckout',
          'customerPortal',
          'updateTradingSettings',
        ),
        fc.dictionary(
          fc.constantFrom(
            'name',
            'agents',
            'priceId',
            'successUrl',
            'cancelUrl',
            'returnUrl',
            'trading_pairs',
            'ageMs',
            'requestedAt',
            'displayName',
            'max_position_size',
            'userId',
            'version',
          ),
          fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.double(),
            fc.array(fc.record({ id: fc.string() })),
            fc.constantFrom('javascript:alert(1)', '//evil.example', 'http://169.254.169.254/'),
          ),
        ),
        async (name, body) => {
          expect((await post(name, JSON.stringify(body))).status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a hostile address', () => {
  it('is refused, whatever it spells', async () => {
    for (const url of [
      '/api/agents/%E0%A4%A/stop',
      '/%',
      '/api/agents/%00/performance',
      '/market/data?symbols=%00',
      '/market/data?symbols=a&symbols=b',
      '/market/candles?symbol=BTC/USD&interval=5m&before=1e400',
      '/market/candles?symbol=BTC/USD&interval=5m&limit=NaN',
      '/api/trading/history?limit=-1',
      '/api/trading/history?limit=1e9',
      '/../../etc/passwd',
      '/..%2f..%2fetc%2fpasswd',
      `/${'a'.repeat(10_000)}`,
    ]) {
      const response = await test.app.inject({
        method: 'GET',
        url,
        headers: { authorization: `Bearer ${token}` },
      });
      expect([400, 404, 414, 503], `${url.slice(0, 60)} answered ${response.statusCode}`).toContain(
        response.statusCode,
      );
      expect(response.body).not.toContain('root:');
    }
  });

  it('may hold any characters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/market/candles', '/market/data', '/api/trading/history'),
        fc.dictionary(
          fc.constantFrom('symbol', 'symbols', 'interval', 'limit', 'before', '__proto__'),
          fc.string({ unit: 'binary' }),
        ),
        async (path, query) => {
          const response = await test.app.inject({
            method: 'GET',
            url: `${path}?${new URLSearchParams(query).toString()}`,
            headers: { authorization: `Bearer ${token}` },
          });
          expect(response.statusCode).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('hostile headers', () => {
  it('are refused, however odd', async () => {
    const odd: Record<string, string>[] = [
      { authorization: `Bearer ${'x'.repeat(7_000)}` },
      { authorization: 'Bearer \u00ff.\u00ff.\u00ff' },
      { authorization: 'Bearer a b c' },
      { 'idempotency-key': 'x'.repeat(5_000) },
      { 'x-tradewind-contract': '9'.repeat(400) },
      { 'content-length': '-5' },
    ];
    for (const headers of odd) {
      const response = await test.app.inject({
        method: 'POST',
        url: '/api/subscription/trial/start',
        payload: '{"userId":"Alice1"}',
        headers: {
          authorization: `Bearer ${token}`,
          'idempotency-key': randomUUID(),
          'content-type': 'application/json',
          ...headers,
        },
      });
      expect(response.statusCode, JSON.stringify(headers).slice(0, 60)).toBeGreaterThanOrEqual(400);
      expect(response.statusCode).toBeLessThan(500);
    }
  });
});

describe('reading a body', () => {
  it('gives what JSON gives, for everything that may be kept', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, noUnicodeString: true }), (value) => {
        const text = JSON.stringify(value);
        let read: unknown;
        try {
          read = parseBody(text);
        } catch {
          return /__proto__|constructor|prototype|"length":[{[]|\\u0000|\\ud[89a-f]/i.test(text);
        }
        return JSON.stringify(read) === text;
      }),
    );
  });

  it('hands no schema a length that cannot be compared (F54)', () => {
    const body = '{"name":{"0":"x","length":{"toString":1,"valueOf":2}}}';
    const schema = z.strictObject({ name: z.string().check(z.maxLength(3)) });
    expect(() => schema.safeParse(JSON.parse(body))).toThrow(TypeError);
    expect(() => parseBody(body)).toThrow('a field that is not allowed');
    expect(parseBody('{"name":["x"],"length":3}')).toEqual({ name: ['x'], length: 3 });
  });

  it('leaves nobody with a new prototype (F54)', () => {
    expect(() => parseBody('{"a":{"__proto__":{"polluted":1}}}')).toThrow();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('afterwards', () => {
  it('no request was answered by a bug', () => {
    expect(log.errors).toEqual([]);
  });
});
