/** The HTTP client: what it sends, how often it tries, what it throws. */
import { describe, expect, it, vi } from 'vitest';
import { ApiError, isRetryable, noConnection } from '../../../src/api/api-error.ts';
import { createApi, type ApiEvent, type ApiOptions } from '../../../src/api/client.ts';
import { withFallbacks } from '../../../src/api/api.ts';
import { TokenFault } from '../../../src/identity/token.ts';

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
const refusal = (status: number, code: string, message: string, more: object = {}): Response =>
  json(status, { error: { code, message, ...more } });

const agents = { agents: [], sequence: 1, asOf: 1 };
/** Firebase looks into its store this often for what other tabs have written there, ms. */
const PROVIDER_POLL_MS = 800;
const ID = '0b6f2f6e-93a5-4c1c-9f4a-000000000001';

interface Sent {
  url: string;
  init: RequestInit;
}

function harness(
  answers: (Response | Error | (() => Promise<Response>))[],
  options: Partial<ApiOptions> = {},
) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const events: ApiEvent[] = [];
  const tokens: boolean[] = [];
  const fetch = vi.fn((url: string, init: RequestInit) => {
    sent.push({ url, init });
    const answer = answers.shift();
    if (answer === undefined) throw new Error('More requests than answers');
    if (answer instanceof Error) return Promise.reject(answer);
    return typeof answer === 'function' ? answer() : Promise.resolve(answer);
  });
  const api = createApi({
    baseUrl: '',
    fetch: fetch as unknown as typeof globalThis.fetch,
    token: (force) => {
      tokens.push(force);
      return Promise.resolve(force ? 'fresh' : 'held');
    },
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    now: () => 1_000_000,
    newId: () => ID,
    observe: (event) => {
      events.push(event);
    },
    ...options,
  });
  return { api, sent, waits, events, tokens };
}

const failure = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`Not an ApiError: ${String(error)}`);
  return error;
};

describe('a page that slept over an answer', () => {
  it('takes it for none, and asks again: it may be hours old (F104)', async () => {
    let at = 1_000_000;
    const asleep = async (ms: number): Promise<Response> => {
      at += ms;
      return json(200, agents);
    };
    const { api, events, sent } = harness([() => asleep(5 * 3_600_000), () => asleep(500)], {
      now: () => at,
    });
    expect(await api.call('agents', { timeoutMs: 10_000 })).toMatchObject({ sequence: 1 });
    expect(events.map(({ type }) => type)).toEqual(['unreachable', 'answered']);
    expect(sent).toHaveLength(2);
  });

  it('takes it for what it is where something was done: that does not grow old', async () => {
    let at = 1_000_000;
    const { api, sent } = harness(
      [
        async () => {
          at += 5 * 3_600_000;
          return json(200, { commandId: ID, agentId: 'a' });
        },
      ],
      { now: () => at },
    );
    expect(await api.call('deleteAgent', { params: { id: 'a' } })).toMatchObject({ agentId: 'a' });
    expect(sent).toHaveLength(1);
  });
});

describe('requests', () => {
  it('carry the bearer token, JSON, the contract version, and an idempotency key on mutations only (R7-01)', async () => {
    const { api, sent } = harness([
      json(200, agents),
      json(200, { commandId: ID, agentId: 'a/1' }),
    ]);
    await api.call('agents', {});
    await api.call('deleteAgent', { params: { id: 'a/1' } });
    expect(sent[0]).toMatchObject({ url: '/api/agents', init: { method: 'GET', body: null } });
    expect(sent[0]?.init.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'x-tradewind-contract': '1',
      authorization: 'Bearer held',
    });
    expect(sent[1]?.url).toBe('/api/agents/a%2F1');
    expect(sent[1]?.init.headers).toMatchObject({ 'idempotency-key': ID });
  });

  it('keep one idempotency key over all attempts of a call', async () => {
    let ids = 0;
    const { api, sent } = harness(
      [refusal(503, 'database_unavailable', 'x'), json(200, { commandId: 'key-1', agentId: 'a' })],
      { newId: () => `key-${++ids}` },
    );
    await api.call('deleteAgent', { params: { id: 'a' } });
    expect(
      sent.map(({ init }) => (init.headers as Record<string, string>)['idempotency-key']),
    ).toEqual(['key-1', 'key-1']);
  });

  it('go to the API base address, with the query encoded (R3-26)', async () => {
    const { api, sent } = harness([json(200, { fills: [], sequence: 0, asOf: 0 })], {
      baseUrl: 'https://api.example.com',
    });
    await api.call('history', { query: { limit: 5 } });
    expect(sent[0]?.url).toBe('https://api.example.com/api/trading/history?limit=5');
  });

  it('without a token for what is open', async () => {
    const { api, sent, tokens } = harness([
      json(200, { app: 'tradewind', status: 'ok', contract: 1, time: 1 }),
    ]);
    await api.call('healthz', {});
    expect(tokens).toEqual([]);
    expect(sent[0]?.init.headers).not.toHaveProperty('authorization');
  });
});

describe('failures', () => {
  it('are worded with status and text, sanitised, with code, field and issues (R8-01)', async () => {
    const issues = [{ field: 'name', message: 'Required' }];
    const { api } = harness([
      refusal(400, 'invalid_request', 'Bad <b>name</b>', { field: 'name', issues }),
    ]);
    const error = await failure(api.call('agents', {}));
    expect(error.message).toBe('API Error: 400 - Bad bname/b');
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'name',
      issues,
      retryable: false,
    });
  });

  it('are tried three times for 5xx and 429, after 1 s and 2 s (R8-01, R8-03, R9-06)', async () => {
    const { api, sent, waits } = harness([
      refusal(500, 'internal', 'a'),
      refusal(429, 'rate_limited', 'b'),
      refusal(503, 'database_unavailable', 'c'),
    ]);
    const error = await failure(api.call('agents', {}));
    expect(sent).toHaveLength(3);
    expect(waits).toEqual([1_000, 2_000]);
    expect(error).toMatchObject({ status: 503, retryable: true });
    const longer = harness(
      Array.from({ length: 7 }, () => refusal(503, 'database_unavailable', 'd')),
    );
    await failure(longer.api.call('agents', { attempts: 7 }));
    expect(longer.waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('that are refusals are not tried again', async () => {
    for (const status of [400, 402, 403, 404, 409, 410, 422, 426]) {
      const { api, sent } = harness([refusal(status, 'not_found', 'no')]);
      await failure(api.call('agents', {}));
      expect(sent, String(status)).toHaveLength(1);
    }
  });

  it('of the network are tried again and succeed in the end (R8-03)', async () => {
    const { api, sent } = harness([
      new TypeError('Failed to fetch'),
      new TypeError('NetworkError when attempting to fetch resource.'),
      json(200, agents),
    ]);
    await expect(api.call('agents', {})).resolves.toEqual(agents);
    expect(sent).toHaveLength(3);
    for (const text of [
      'Failed to fetch',
      'NetworkError',
      'Error 500',
      'got 502',
      '503 Service Unavailable',
      'gateway 504',
    ])
      expect(isRetryable(0, text), text).toBe(true);
    for (const text of ['Not authenticated', 'Invalid input', 'order 5000'])
      expect(isRetryable(0, text), text).toBe(false);
  });

  it.each([
    ['an answer that was lost', [new TypeError('Failed to fetch')], true],
    ['an answer of a server that failed', [json(503, {})], true],
    ['nothing', [], false],
  ])(
    'of a refusal after %s say whether the call may have taken effect',
    async (_what, before, is) => {
      const { api } = harness([...before, refusal(426, 'contract_too_old', 'Too old')]);
      const error = await failure(api.call('stopAll', { body: {} }));
      expect([error.status, error.mayHaveArrived]).toEqual([426, is]);
    },
  );

  it('honour Retry-After, and give up at once where it asks for longer than we would wait', async () => {
    const short = harness([
      refusal(429, 'rate_limited', 'x', { retryAfterMs: 3_000 }),
      json(200, agents),
    ]);
    await short.api.call('agents', {});
    expect(short.waits).toEqual([3_000]);
    const long = harness([
      json(429, { error: { code: 'rate_limited', message: 'x' } }, { 'retry-after': '120' }),
    ]);
    expect(await failure(long.api.call('agents', {}))).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 120_000,
    });
    expect(long.waits).toEqual([]);
  });

  it('of a subscription call are never tried again, and no network is "Backend service unavailable" (R8-02, R9-06)', async () => {
    const away = harness([new TypeError('Failed to fetch')]);
    const error = await failure(away.api.call('subscriptionStatus', {}));
    expect(error).toMatchObject({
      message: 'Backend service unavailable',
      status: 503,
      code: 'subscription_unavailable',
    });
    expect(noConnection(error)).toBe(true);
    expect(away.sent).toHaveLength(1);
    const broken = harness([refusal(500, 'internal', 'broken')]);
    const answered = await failure(broken.api.call('trialStart', { body: { userId: 'u' } }));
    expect(answered.message).toBe('API Error: 500 - broken');
    expect(noConnection(answered)).toBe(false);
    expect(broken.sent).toHaveLength(1);
  });

  it.each([
    [502, '<html>Bad Gateway</html>'],
    [503, ''],
    [511, '<html>Log in to this network</html>'],
    [403, '{"message":"blocked"}'],
  ])('to a proxy or a portal, with %i, are not answered by our server', async (status, text) => {
    const { api, events } = harness([new Response(text, { status })]);
    const error = await failure(api.call('subscriptionStatus', {}));
    expect([error.status, noConnection(error)]).toEqual([status, true]);
    expect(events).toEqual([]);
  });

  it('to answer in time end the request, and what the server did stays unknown', async () => {
    const { api, events } = harness([], {
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => {
            reject(new DOMException('aborted', 'AbortError'));
          });
        }),
    });
    const error = await failure(api.call('agents', { timeoutMs: 5, attempts: 1 }));
    expect(error).toMatchObject({ code: 'timeout', status: 0, retryable: true });
    expect(events).toEqual([{ type: 'unreachable', at: 1_000_000 }]);
  });

  it('by the caller are not tried again', async () => {
    const stop = new AbortController();
    const { api, sent } = harness([
      () => {
        stop.abort();
        return Promise.reject(new DOMException('x', 'AbortError'));
      },
    ]);
    expect(await failure(api.call('agents', { signal: stop.signal }))).toMatchObject({
      code: 'aborted',
    });
    expect(sent).toHaveLength(1);
  });

  it('by the caller while the token is fetched leave the request unsent', async () => {
    const stop = new AbortController();
    const { api, sent } = harness([Response.json({})], {
      token: () => {
        stop.abort();
        return Promise.resolve('token');
      },
    });
    expect(await failure(api.call('agents', { signal: stop.signal }))).toMatchObject({
      code: 'aborted',
    });
    expect(sent).toEqual([]);
  });
});

describe('replies', () => {
  it('that are not JSON, not the contract, or to another command are errors, and no retry', async () => {
    const page = harness([
      new Response('<html>Please sign in</html>', {
        status: 200,
        headers: { 'content-type': 'text/html' },
      }),
    ]);
    expect(await failure(page.api.call('agents', {}))).toMatchObject({
      code: 'bad_reply',
      retryable: false,
    });
    expect(page.events).toEqual([]);
    const shape = harness([json(200, { agents: 'none' })]);
    expect(await failure(shape.api.call('agents', {}))).toMatchObject({ code: 'bad_reply' });
    const other = harness([json(200, { commandId: 'someone-else', agentId: 'a' })]);
    expect(await failure(other.api.call('deleteAgent', { params: { id: 'a' } }))).toMatchObject({
      code: 'bad_reply',
    });
  });

  it('of 401 refresh the token once and no more (R5-22)', async () => {
    const { api, sent, tokens } = harness([
      refusal(401, 'invalid_token', 'expired'),
      json(200, agents),
    ]);
    await api.call('agents', {});
    expect(tokens).toEqual([false, true]);
    expect(sent.map(({ init }) => (init.headers as Record<string, string>).authorization)).toEqual([
      'Bearer held',
      'Bearer fresh',
    ]);
    const twice = harness([refusal(401, 'invalid_token', 'x'), refusal(401, 'invalid_token', 'x')]);
    expect(await failure(twice.api.call('agents', {}))).toMatchObject({ status: 401 });
  });

  it('that end the session are told, not refreshed; 426 says the app is too old', async () => {
    const over = harness([refusal(401, 'reauth_required', 'x')]);
    await failure(over.api.call('agents', {}));
    expect(over.tokens).toEqual([false, false]);
    expect(over.sent).toHaveLength(1);
    expect(over.events).toContainEqual({ type: 'refused', code: 'reauth_required' });
    const both = harness([refusal(401, 'token_revoked', 'x'), refusal(401, 'token_revoked', 'x')], {
      token: () => Promise.resolve(`token ${both.sent.length}`),
    });
    await failure(both.api.call('agents', {}));
    expect(both.sent, 'the newer token is refused too').toHaveLength(2);
    expect(both.events.filter(({ type }) => type === 'refused')).toEqual([
      { type: 'refused', code: 'token_revoked' },
    ]);
    const old = harness([refusal(426, 'contract_too_old', 'x')]);
    await failure(old.api.call('agents', {}));
    expect(old.events).toContainEqual({ type: 'outdated' });
  });

  it('are repeated with the token of a login or a new password made meanwhile, also in another tab, though the session of the old one is over', async () => {
    for (const code of ['reauth_required', 'token_revoked'] as const) {
      let held = 'old';
      const waits: number[] = [];
      const { api, sent, events } = harness([refusal(401, code, 'x'), json(200, agents)], {
        token: () => Promise.resolve(held),
        // The provider finds by a poll of its store what another tab has put there.
        wait: (ms) => {
          waits.push(ms);
          if (ms > PROVIDER_POLL_MS) held = 'new';
          return Promise.resolve();
        },
      });
      await api.call('agents', {});
      expect(waits).toHaveLength(1);
      expect(
        sent.map(({ init }) => (init.headers as Record<string, string>).authorization),
      ).toEqual(['Bearer old', 'Bearer new']);
      expect(events.some(({ type }) => type === 'refused')).toBe(false);
    }
  });

  it('that end the session are not told to somebody who has logged in during the wait for a newer token', async () => {
    let isTheirs = true;
    const { api, sent, events } = harness([refusal(401, 'token_revoked', 'x')], {
      wait: () => {
        isTheirs = false;
        return Promise.resolve();
      },
    });
    expect(await failure(api.call('agents', { isHere: () => isTheirs }))).toMatchObject({
      code: 'not_authenticated',
      mayHaveArrived: true,
    });
    expect(sent).toHaveLength(1);
    expect(events).toEqual([]);
  });

  it('are not asked for without a token, whose absence keeps its own words (R8-08, R8-09)', async () => {
    for (const [code, message] of [
      ['identity_unavailable', 'Firebase auth not initialized'],
      ['not_authenticated', 'Not authenticated'],
    ] as const) {
      const { api, sent } = harness([], {
        token: () => Promise.reject(new TokenFault(code, message)),
      });
      expect(await failure(api.call('agents', {}))).toMatchObject({ message, code });
      expect(sent).toEqual([]);
    }
  });
});

describe('fallbacks', () => {
  const down = () => harness(Array.from({ length: 3 }, () => refusal(500, 'internal', 'down'))).api;
  const prices = {
    data: () =>
      Promise.resolve({
        source: { id: 'kraken', kind: 'exchange' as const, label: 'Kraken', quote: 'USD' },
        now: 1,
        symbols: [],
      }),
    overview: () => Promise.reject(new Error('down too')),
    pools: () => Promise.reject(new Error('down too')),
  };

  it("show an exchange's prices, said to be its own, when the back end fails (R7-13)", async () => {
    const reply = await withFallbacks(down(), () => Promise.resolve(prices)).marketData();
    expect(reply).toMatchObject({ origin: 'exchange', value: { source: { label: 'Kraken' } } });
  });

  it('say so where every source is away (R8-15, R8-16)', async () => {
    const none = () => Promise.resolve(null);
    expect((await failure(withFallbacks(down(), none).marketData())).message).toBe(
      'Unable to retrieve market data - all sources unavailable',
    );
    expect(
      (await failure(withFallbacks(down(), () => Promise.resolve(prices)).marketOverview()))
        .message,
    ).toBe('Unable to retrieve market data - all sources unavailable');
    expect((await failure(withFallbacks(down(), none).marketPools())).message).toBe(
      'Unable to retrieve trading pools - all sources unavailable',
    );
  });

  it('have words of their own for agents and wallet (R8-17, R8-18)', async () => {
    const none = () => Promise.resolve(null);
    expect((await failure(withFallbacks(down(), none).call('agents', {}))).message).toBe(
      'Unable to retrieve agent data - backend unavailable',
    );
    expect((await failure(withFallbacks(down(), none).call('walletStatus', {}))).message).toBe(
      'Unable to retrieve wallet data - backend unavailable',
    );
  });

  it('do not hide a refusal behind an exchange', async () => {
    const api = withFallbacks(harness([refusal(403, 'insufficient_permissions', 'no')]).api, () =>
      Promise.resolve(prices),
    );
    expect(await failure(api.marketData())).toMatchObject({ status: 403 });
  });
});
