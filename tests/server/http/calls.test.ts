/** What every call has in common: who may, what may be sent, what comes back when it may not. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLS, type CallName } from '../../../contract/calls.ts';
import { ErrorReply } from '../../../contract/error-reply.ts';
import { buildTestApp, ErrorLog, type TestApp } from '../../support/app.ts';

let test: TestApp;
let token = '';
const log = new ErrorLog();
beforeAll(async () => {
  test = await buildTestApp({ log });
  token = await test.signToken('Alice1');
}, 60_000);
afterAll(() => test.close());

const names = Object.keys(CALLS) as CallName[];
const aUuid = '11111111-1111-4111-8111-111111111111';
const settings = {
  displayName: 'Alice',
  tradingEnabled: true,
  tradingMode: 'automatic',
  tradingFrequency: 'weekly',
  riskProfile: 'moderate',
  maxTradeAmount: 500,
  notificationsEnabled: false,
} as const;

async function send(
  method: string,
  url: string,
  options: { headers?: Record<string, string>; payload?: string } = {},
) {
  const response = await test.app.inject({
    method: method as 'GET',
    url,
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
      ...options.headers,
    },
    ...(options.payload === undefined ? {} : { payload: options.payload }),
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    error: () => ErrorReply.parse(response.json()).error,
  };
}

describe('every call', () => {
  it('needs a signed-in user, unless it is a probe (R6-01, R7-01)', async () => {
    for (const name of names) {
      const call = CALLS[name];
      const url = call.path.replace(/:\w+/g, aUuid);
      const response = await test.app.inject({
        method: call.method,
        url,
        headers: { 'content-type': 'application/json' },
        ...(call.method === 'GET' ? {} : { payload: '{}' }),
      });
      if (call.access === 'open') expect(response.statusCode, name).toBe(200);
      else
        expect([response.statusCode, ErrorReply.parse(response.json()).error.code], name).toEqual([
          401,
          'not_authenticated',
        ]);
    }
  });

  it('says which part of a token is wrong, in the words of the catalogue (R8-09, R8-10, R8-11)', async () => {
    const heard = async (authorization: string) =>
      (await send('GET', '/api/agents', { headers: { authorization } })).error();
    expect(await heard('Basic abc')).toMatchObject({
      code: 'not_authenticated',
      message: 'Not authenticated',
    });
    expect(await heard('Bearer ')).toMatchObject({
      code: 'no_token',
      message: 'No authentication token available',
    });
    expect(await heard('Bearer a.b')).toMatchObject({
      code: 'invalid_token_structure',
      message: 'Invalid token structure',
    });
  });

  it('keeps private replies out of every cache', async () => {
    const reply = await send('GET', '/api/user/trading-settings');
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store']);
  });

  it('that changes something needs an Idempotency-Key, a UUID', async () => {
    const token2 = { authorization: `Bearer ${token}` };
    for (const name of names.filter((each) => CALLS[each].method !== 'GET')) {
      const call = CALLS[name];
      for (const key of [undefined, '', 'abc', `${aUuid}x`]) {
        const response = await test.app.inject({
          method: call.method,
          url: call.path.replace(/:\w+/g, aUuid),
          headers: {
            ...token2,
            'content-type': 'application/json',
            ...(key === undefined ? {} : { 'idempotency-key': key }),
          },
          payload: sampleBody(name),
        });
        expect([response.statusCode, ErrorReply.parse(response.json()).error.code], name).toEqual([
          400,
          'idempotency_key_required',
        ]);
      }
    }
  });

  it('that changes something takes no offence at a query that a later app may send', async () => {
    const reply = await send('PUT', `/api/agents/${aUuid}/settings?later=yes`, {
      payload: sampleBody('updateAgent'),
    });
    expect([reply.status, reply.error().code]).toEqual([404, 'not_found']);
  });

  it('is refused with 426 from an app below the contract floor, or with a version that is no number', async () => {
    for (const version of ['0', 'abc', '-1', '1.5', '']) {
      expect(
        await send('GET', '/api/agents', { headers: { 'x-tradewind-contract': version } }).then(
          (reply) => [reply.status, reply.error().code],
        ),
        version,
      ).toEqual([426, 'contract_too_old']);
    }
    expect(
      (
        await send('GET', '/api/user/trading-settings', {
          headers: { 'x-tradewind-contract': '1' },
        })
      ).status,
    ).toBe(200);
  });
});

/** A body that the contract accepts, so that only what is tested can be refused. */
function sampleBody(name: CallName): string {
  const stepUp = {
    statement: {
      purpose: 'start_agent',
      connectionId: aUuid,
      accountId: aUuid,
      agentId: aUuid,
      limits: { maxOrder: '1', maxExposure: '1', maxDailyLoss: '1' },
      nonce: 'a'.repeat(22),
      issuedAtMs: 0,
    },
    keyId: 'one',
    signature: 'AA',
  };
  const bodies: Partial<Record<CallName, unknown>> = {
    previewAgent: { agentId: aUuid },
    backtestTerms: { agentId: aUuid, days: 30 },
    subscribe: { userId: 'Alice1', planId: 'pro' },
    customerPortal: { returnUrl: '/dashboard' },
    trialStart: { userId: 'Alice1' },
    createCheckout: { priceId: 'p', successUrl: '/a', cancelUrl: '/b' },
    createPool: { subscription_tier: 'free' },
    createAgent: {
      name: 'A',
      trading_pairs: ['BTC/USDT'],
      risk_profile: 'Moderate',
      max_position_size: 5,
      execution_interval: 'daily',
      enabled: true,
    },
    updateAgent: {
      risk_profile: 'Moderate',
      max_position_size: 5,
      execution_interval: 'daily',
      enabled: true,
    },
    reconfigure: { risk_profile: 'moderate', trading_frequency: 'daily' },
    riskProfile: {
      profile: 'Moderate',
      max_position_percentage: 1,
      confidence_threshold: 0.5,
      stop_loss_percentage: 5,
    },
    usePresets: { profile: 'Moderate' },
    updateTradingSettings: settings,
    setAlert: {
      symbol: 'BTC/USDT',
      condition: { kind: 'above', price: '1' },
      repeatMinutes: null,
      note: '',
      active: true,
      seenVersion: null,
      seen: null,
    },
    writeOffPosition: { quantity: '1', held: '1' },
    linkMessage: { address: `0x${'0'.repeat(40)}`, chainId: 84_532 },
    linkAddress: { message: 'm', signature: '0x00' },
    checkExchangeKey: { exchange: 'kraken', apiKey: 'a', secret: 'b' },
    connectExchange: {
      exchange: 'kraken',
      apiKey: 'a',
      secret: 'b',
      label: 'Mine',
      stepUpKeys: [{ id: 'one', kind: 'ed25519', publicKey: 'AA' }],
    },
    replaceExchangeKey: { apiKey: 'a', secret: 'b', stepUp },
    confirmLive: { purpose: 'start_agent', agentId: aUuid, limits: null },
    addPasskey: { label: 'Phone', response: {} },
    startLiveAgent: { stepUp },
    onrampSession: { address: `0x${'0'.repeat(40)}` },
    onrampQuote: {
      purchaseCurrency: 'USDC',
      paymentCurrency: 'USD',
      paymentMethod: 'CARD',
      paymentAmount: '100',
      country: 'US',
    },
  };
  return JSON.stringify(bodies[name] ?? {});
}

describe('identifiers', () => {
  it('that clean to nothing are refused by their kind (R5-16, R8-06)', async () => {
    for (const id of ['%3C%3E', '%20', '%27%22%26', '%00']) {
      expect(
        (await send('POST', `/api/agents/${id}/stop`, { payload: '{}' })).error(),
        id,
      ).toMatchObject({ code: 'invalid_agent_id', message: 'Invalid agent ID' });
      expect(
        (await send('POST', `/api/trading/positions/${id}/close`, { payload: '{}' })).error(),
        id,
      ).toMatchObject({ code: 'invalid_parameter', message: 'Invalid parameter' });
    }
    expect((await send('POST', '/api/agents//stop', { payload: '{}' })).error().code).toBe(
      'invalid_agent_id',
    );
    expect((await send('GET', '/market/data?symbols=%3C%3E')).error().code).toBe(
      'invalid_parameter',
    );
  });

  it('of a user or a plan that clean to nothing have their own words (R5-16, R8-04, R8-05)', async () => {
    expect(
      (await send('POST', '/api/subscription/trial/start', { payload: '{"userId":"<>"}' })).error(),
    ).toMatchObject({ code: 'invalid_user_id', message: 'Invalid user ID', field: 'userId' });
    expect(
      (
        await send('POST', '/api/subscription/subscribe', {
          payload: '{"userId":"Alice1","planId":" & "}',
        })
      ).error(),
    ).toMatchObject({
      code: 'invalid_subscription_parameters',
      message: 'Invalid subscription parameters',
    });
  });

  it('are cleaned and cut before they are looked up (R5-16, R9-07)', async () => {
    const reply = await send('POST', '/api/subscription/trial/start', {
      payload: JSON.stringify({ userId: ' <Alice1>\'"& ' }),
    });
    expect(reply.status).toBe(200);
    const long = await send('GET', `/market/data?symbols=${'A'.repeat(3_000)}`);
    expect(long.status).toBe(400);
    expect(long.text.length).toBeLessThan(500);
  });

  it('that are no UUID are simply not there', async () => {
    for (const id of [
      'abc',
      '0',
      'null',
      '../../etc/passwd',
      'x'.repeat(3_000),
      `${aUuid}0`,
      "1' or '1'='1",
    ]) {
      const reply = await send('POST', `/api/agents/${encodeURIComponent(id)}/stop`, {
        payload: '{}',
      });
      expect([reply.status, reply.error().code], id.slice(0, 40)).toEqual([404, 'not_found']);
    }
  });
});

describe('a refused body', () => {
  it('names the first field at fault and every other', async () => {
    const { error } = {
      error: (
        await send('PUT', '/api/user/risk-profile', {
          payload: JSON.stringify({
            profile: 'Brave',
            max_position_percentage: 0,
            confidence_threshold: 'x',
          }),
        })
      ).error(),
    };
    expect(error).toMatchObject({ code: 'invalid_request', field: 'profile' });
    expect(error.issues?.map((issue) => [issue.field, issue.message])).toEqual([
      ['profile', 'Conservative, Moderate or Aggressive'],
      ['max_position_percentage', 'At least 0.01'],
      ['confidence_threshold', 'A number from 0.1 to 1'],
      ['stop_loss_percentage', 'Required'],
    ]);
  });

  it('may not bring fields of its own', async () => {
    const reply = await send('POST', '/api/subscription/trial/start', {
      payload: '{"userId":"Alice1","days":9999}',
    });
    expect([reply.status, reply.error().code]).toEqual([400, 'invalid_request']);
  });

  it('is answered in a text that is clean, one line and at most 200 characters (R5-17)', async () => {
    const name = `<img src=x onerror="alert(1)">${'&'.repeat(50)}`;
    const reply = await send('POST', '/api/subscription/trial/start', {
      payload: JSON.stringify({ userId: 'Alice1', [`${name}\n${'k'.repeat(500)}`]: 1 }),
    });
    const { message, issues } = reply.error();
    for (const text of [
      message,
      ...(issues ?? []).flatMap((issue) => [issue.field, issue.message]),
    ]) {
      expect(text).not.toMatch(/[<>"'&\n]/);
      expect(text.length).toBeLessThanOrEqual(200);
    }
  });
});

describe('what is not there', () => {
  it('is 404 in JSON under the paths of programs, 405 where only the method is wrong', async () => {
    for (const url of [
      '/api/nothing',
      '/api/',
      '/subscriptions/nothing',
      '/callable',
      '/webhooks/other',
    ]) {
      expect(
        await send('GET', url).then((reply) => [reply.status, reply.error().code]),
        url,
      ).toEqual([404, 'not_found']);
    }
    expect(await send('POST', '/nowhere', { payload: '{}' }).then((reply) => reply.status)).toBe(
      404,
    );
    expect(
      await send('GET', '/api/agents/create').then((reply) => [reply.status, reply.error().code]),
    ).toEqual([405, 'method_not_allowed']);
    expect(await send('DELETE', '/market/data').then((reply) => reply.status)).toBe(405);
  });
});

describe('afterwards', () => {
  it('no request so far was answered by a bug', () => {
    expect(log.errors).toEqual([]);
  });
});
