/**
 * The onramp asked through this server, against a local one that answers in the provider's shapes,
 * or badly.
 */
import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type {
  OnrampQuoteBody,
  OnrampQuoteReply,
  OnrampSessionReply,
} from '../../../contract/onramp.ts';
import type { WalletStatus } from '../../../contract/wallet.ts';
import { readConfig } from '../../../server/config.ts';
import type { Log } from '../../../server/log.ts';
import { Onramp } from '../../../server/wallet/onramp-session.ts';
import { buildTestApp, silentLog, TestClock, type TestApp } from '../../support/app.ts';
import { startReplyServer, type Asked, type ReplyServer } from '../../support/reply-server.ts';

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const KEY_ID = '7f1c1a52-0000-4000-8000-4e0d2b9d6c10';
const PRIVATE_WORDS = 'whatever-the-provider-said';
const QUOTE: OnrampQuoteBody = {
  purchaseCurrency: 'USDC',
  purchaseNetwork: 'base',
  paymentCurrency: 'USD',
  paymentMethod: 'CARD',
  paymentAmount: '100.00',
  country: 'US',
  subdivision: 'NY',
};
/** In the shapes of the provider's own reference. */
const QUOTED = {
  payment_total: { value: '100', currency: 'USD' },
  payment_subtotal: { value: '97.53', currency: 'USD' },
  purchase_amount: { value: '97.54', currency: 'USDC' },
  coinbase_fee: { value: '2.42', currency: 'USD' },
  network_fee: { value: '0.05', currency: 'USD' },
  quote_id: 'q-1',
  onramp_url: '',
};
const OPTIONS = {
  payment_currencies: [
    {
      id: 'USD',
      icon_url: 'https://example.com/usd.png',
      limits: [
        { id: 'CARD', min: '2', max: '500' },
        { id: 'ACH_BANK_ACCOUNT', min: '1', max: '25000' },
      ],
    },
  ],
  purchase_currencies: [
    {
      id: 'c-1',
      name: 'USD Coin',
      symbol: 'USDC',
      icon_url: 'x',
      networks: [{ name: 'base', display_name: 'Base', chain_id: '8453', contract_address: '0x' }],
    },
  ],
};

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
/** As the platform gives an Ed25519 key out: seed and public half as one base64 text. */
const edSecret = (() => {
  const { d = '', x = '' } = ed.privateKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString(
    'base64',
  );
})();
const pem = (type: 'pkcs8' | 'sec1') => ec.privateKey.export({ format: 'pem', type }).toString();

const clock = new TestClock();
const logged: string[] = [];
const keep = (fields: Record<string, unknown>, message: string): void => {
  logged.push(`${JSON.stringify(fields)} ${message}`);
};
const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
let provider: ReplyServer;
let test: TestApp;
let plain: TestApp;
let token = '';

beforeAll(async () => {
  provider = await startReplyServer();
  test = await buildTestApp({
    clock,
    log,
    env: {
      CDP_API_KEY_ID: KEY_ID,
      CDP_API_KEY_SECRET: pem('pkcs8').replaceAll('\n', '\\n'),
      CDP_API_BASE: provider.url,
    },
  });
  plain = await buildTestApp({ clock });
  token = await test.signToken('Buyer1');
}, 60_000);
afterAll(async () => {
  await test.close();
  await plain.close();
  await provider.close();
});
afterEach(() => {
  provider.asked.length = 0;
});

const asked = (): Asked =>
  provider.asked.at(-1) ?? { method: '', path: '', headers: {}, body: null };
const bearer = ({ headers }: Asked): string =>
  (headers.authorization ?? '').replace(/^Bearer /, '');
const codeOf = ({ json }: { json: unknown }): string =>
  (json as { error?: { code: string } }).error?.code ?? 'ok';
const quote = (by = token) => test.call('onrampQuote', { token: by, body: QUOTE });
const fresh = () => test.signToken(`Buyer${randomUUID()}`);

describe('with keys', () => {
  it('says that this server asks, and passes a quote on in our words (R7-29)', async () => {
    provider.answer(() => ({ status: 200, body: QUOTED }));
    expect((await test.call('walletStatus', { token })).json as WalletStatus).toMatchObject({
      onramp: 'server',
    });
    const { purchaseAmount, paymentSubtotal, ...rest } = (await quote()).json as OnrampQuoteReply;
    expect([purchaseAmount, paymentSubtotal]).toEqual([
      { value: '97.54', currency: 'USDC' },
      { value: '97.53', currency: 'USD' },
    ]);
    expect(rest).toMatchObject({
      paymentTotal: { value: '100' },
      coinbaseFee: { value: '2.42' },
      networkFee: { value: '0.05' },
      quoteId: 'q-1',
    });
    expect(asked()).toMatchObject({
      method: 'POST',
      path: '/onramp/v1/buy/quote',
      body: {
        purchase_currency: 'USDC',
        purchase_network: 'base',
        payment_currency: 'USD',
        payment_method: 'CARD',
        payment_amount: '100.00',
        country: 'US',
        subdivision: 'NY',
      },
    });
  });

  it('reads other spellings of the same: camel case, under data, numbers; and leaves out what it cannot read (R7-29)', async () => {
    const amount = { value: 12.5, currency: 'USD' };
    provider.answer(() => ({
      status: 200,
      body: {
        data: {
          purchaseAmount: { value: '0.005', currency: 'ETH' },
          paymentSubtotal: amount,
          networkFee: 'free',
          quoteId: 7,
        },
      },
    }));
    const reply = (await quote()).json as OnrampQuoteReply;
    expect(reply).toMatchObject({
      purchaseAmount: { value: '0.005', currency: 'ETH' },
      paymentSubtotal: { value: '12.5', currency: 'USD' },
    });
    expect([reply.networkFee, reply.quoteId]).toEqual([undefined, undefined]);
  });

  it('passes on what can be paid with and its limits, asked once in ten minutes for everybody of a country (R7-29)', async () => {
    provider.answer(() => ({
      status: 200,
      body: {
        ...OPTIONS,
        payment_currencies: [
          ...OPTIONS.payment_currencies,
          { id: 'EUR', limits: [{ id: 'CARD' }, { id: 'SEPA', min: 1, max: '10' }] },
          'nonsense',
        ],
      },
    }));
    const read = async (country: string, subdivision?: string) =>
      (
        await test.call('onrampOptions', {
          token: await fresh(),
          query: subdivision === undefined ? { country } : { country, subdivision },
        })
      ).json;
    const [first] = await Promise.all([read('US', 'NY'), read('US', 'NY'), read('US', 'NY')]);
    expect(first).toEqual({
      paymentCurrencies: [
        {
          id: 'USD',
          limits: [
            { id: 'CARD', min: '2', max: '500' },
            { id: 'ACH_BANK_ACCOUNT', min: '1', max: '25000' },
          ],
        },
        { id: 'EUR', limits: [{ id: 'SEPA', min: '1', max: '10' }] },
      ],
      purchaseCurrencies: [
        {
          id: 'c-1',
          name: 'USD Coin',
          symbol: 'USDC',
          networks: [{ name: 'base', displayName: 'Base' }],
        },
      ],
    });
    expect(provider.asked.map(({ path }) => path)).toEqual([
      '/onramp/v1/buy/options?country=US&subdivision=NY',
    ]);
    await read('US');
    await read('DE');
    expect(provider.asked).toHaveLength(3);
    clock.advance(10 * 60_000);
    await read('US', 'NY');
    expect(provider.asked).toHaveLength(4);
  });

  it("opens a session for the address that was named and the caller's own place, twice for two presses", async () => {
    let made = 0;
    provider.answer(() => ({
      status: 200,
      body: { token: `session-${(made += 1)}`, channel_id: 'c' },
    }));
    const commandId = randomUUID();
    const open = () =>
      test.call('onrampSession', { token, body: { address: ADDRESS.toLowerCase() }, commandId });
    expect([
      ((await open()).json as OnrampSessionReply).token,
      ((await open()).json as OnrampSessionReply).token,
    ]).toEqual(['session-1', 'session-2']);
    expect(asked()).toMatchObject({
      method: 'POST',
      path: '/onramp/v1/token',
      body: { addresses: [{ address: ADDRESS, blockchains: ['base'] }], clientIp: '127.0.0.1' },
    });
    const mistyped = `0x${ADDRESS.slice(2).replace('C', 'c')}`;
    expect(await test.call('onrampSession', { token, body: { address: mistyped } })).toMatchObject({
      status: 400,
    });
    const stored: unknown = await test.database.db.execute('select * from receipts');
    expect(JSON.stringify(stored)).not.toContain('session-');
  });
});

describe('the token it is asked with', () => {
  const forms: [string, string, 'ES256' | 'EdDSA', KeyObject][] = [
    ['an EC key', pem('pkcs8'), 'ES256', ec.publicKey],
    ['an EC key in its older form', pem('sec1'), 'ES256', ec.publicKey],
    ['an EC key on one line', pem('sec1').replaceAll('\n', '\\n'), 'ES256', ec.publicKey],
    ['an Ed25519 key', edSecret, 'EdDSA', ed.publicKey],
  ];
  it.each(forms)(
    'is signed with %s, for this request alone and two minutes',
    async (_what, keySecret, algorithm, publicKey) => {
      provider.answer(() => ({ status: 200, body: OPTIONS }));
      const onramp = new Onramp(
        { keyId: KEY_ID, keySecret, apiBase: provider.url },
        clock,
        silentLog,
      );
      await onramp.options({ country: 'US', subdivision: 'CA' });
      const sent = bearer(asked());
      const { payload } = await jwtVerify(sent, publicKey, {
        algorithms: [algorithm],
        issuer: 'cdp',
        subject: KEY_ID,
        currentDate: new Date(clock.now()),
      });
      expect(payload.uris).toEqual([`GET ${new URL(provider.url).host}/onramp/v1/buy/options`]);
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);
      expect(decodeProtectedHeader(sent)).toMatchObject({
        kid: KEY_ID,
        alg: algorithm,
        nonce: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      });
      await onramp.options({ country: 'FR' });
      expect(bearer(asked())).not.toBe(sent);
    },
  );
});

describe('where the provider fails', () => {
  const failures: [string, Parameters<ReplyServer['answer']>[0], number, string][] = [
    [
      'does not take our keys',
      () => ({ status: 401, body: { message: PRIVATE_WORDS } }),
      503,
      'onramp_unavailable',
    ],
    [
      'forbids it',
      () => ({ status: 403, body: { message: PRIVATE_WORDS } }),
      503,
      'onramp_unavailable',
    ],
    [
      'breaks',
      () => ({ status: 500, body: { message: PRIVATE_WORDS } }),
      503,
      'onramp_unavailable',
    ],
    ['cuts the line', () => 'reset', 503, 'onramp_unavailable'],
    [
      'answers with a page',
      () => ({ status: 200, body: `<html>${PRIVATE_WORDS}</html>` }),
      503,
      'onramp_unavailable',
    ],
    [
      'leaves out the amount',
      () => ({ status: 200, body: { payment_subtotal: QUOTED.payment_subtotal } }),
      503,
      'onramp_unavailable',
    ],
    [
      'names no number',
      () => ({
        status: 200,
        body: { ...QUOTED, purchase_amount: { value: 'NaN', currency: 'USDC' } },
      }),
      503,
      'onramp_unavailable',
    ],
    [
      'sends us elsewhere',
      () => ({ status: 302, headers: { location: 'https://evil.example/' } }),
      503,
      'onramp_unavailable',
    ],
    [
      'sends far too much',
      () => ({ status: 200, body: { ...QUOTED, more: 'x'.repeat(5 * 1024 * 1024) } }),
      503,
      'onramp_unavailable',
    ],
    [
      'does not sell it',
      () => ({ status: 400, body: { message: PRIVATE_WORDS } }),
      422,
      'onramp_refused',
    ],
    [
      'knows no such coin',
      () => ({ status: 404, body: { message: PRIVATE_WORDS } }),
      422,
      'onramp_refused',
    ],
  ];
  it.each(failures)(
    'and %s, our own words say so, and its are told to nobody',
    async (_what, answer, status, code) => {
      logged.length = 0;
      provider.answer(answer);
      const failed = await quote(await fresh());
      expect([failed.status, codeOf(failed)]).toEqual([status, code]);
      expect(JSON.stringify(failed.json)).toContain('Nothing was bought');
      const told = `${JSON.stringify(failed.json)} ${logged.join(' ')}`;
      for (const secret of [PRIVATE_WORDS, bearer(asked()), pem('pkcs8').split('\n')[1] ?? '?'])
        expect(told).not.toContain(secret);
      expect(logged.length).toBeGreaterThan(0);
    },
  );

  it.each([
    ['30', 30_000],
    [() => new Date(clock.now() + 45_000).toUTCString(), 45_000],
    ['soon', 10_000],
    ['999999', 600_000],
    [undefined, 10_000],
  ] as const)('and is busy, its Retry-After %s is passed on', async (header, ms) => {
    const value = typeof header === 'function' ? header() : header;
    provider.answer(() => ({
      status: 429,
      ...(value === undefined ? {} : { headers: { 'retry-after': value } }),
    }));
    const { status, json, headers } = await quote(await fresh());
    const { error } = json as { error: { code: string; retryAfterMs: number } };
    expect([status, error.code]).toEqual([429, 'rate_limited']);
    expect(Math.abs(error.retryAfterMs - ms)).toBeLessThanOrEqual(1_000);
    expect(Number(headers['retry-after'])).toBe(Math.ceil(error.retryAfterMs / 1_000));
  });

  it('and says nothing at all, it is given up', async () => {
    provider.answer(() => 'hang');
    const onramp = new Onramp(
      { keyId: KEY_ID, keySecret: edSecret, apiBase: provider.url },
      clock,
      silentLog,
      100,
    );
    await expect(onramp.quote(QUOTE)).rejects.toMatchObject({ code: 'onramp_unavailable' });
  });

  it('the failed list of a country is not kept', async () => {
    provider.answer(() => ({ status: 500 }));
    expect(codeOf(await test.call('onrampOptions', { token, query: { country: 'SE' } }))).toBe(
      'onramp_unavailable',
    );
    provider.answer(() => ({ status: 200, body: OPTIONS }));
    expect((await test.call('onrampOptions', { token, query: { country: 'SE' } })).status).toBe(
      200,
    );
  });
});

describe('what it is asked', () => {
  const bad: [string, Record<string, unknown>][] = [
    ['a country in words', { country: 'America' }],
    ['an amount in words', { paymentAmount: 'all' }],
    ['an amount below nothing', { paymentAmount: '-5' }],
    ['too much', { paymentAmount: '99999999' }],
    ['a currency with markup', { paymentCurrency: '<b>' }],
    ['a method with a path', { paymentMethod: '../x' }],
    ['a field of its own', { apiKey: 'x' }],
  ];
  it.each(bad)('is refused here with %s', async (_what, change) => {
    expect((await test.call('onrampQuote', { token, body: { ...QUOTE, ...change } })).status).toBe(
      400,
    );
    expect(
      (
        await test.call('onrampOptions', {
          token,
          query: { country: 'US', subdivision: 'NEW YORK' },
        })
      ).status,
    ).toBe(400);
    expect(provider.asked).toEqual([]);
  });

  it('is counted by person, sessions the most strictly', async () => {
    provider.answer(() => ({ status: 200, body: { token: 't' } }));
    const busy = await fresh();
    const codes: string[] = [];
    for (let i = 0; i < 32; i += 1)
      codes.push(
        codeOf(await test.call('onrampSession', { token: busy, body: { address: ADDRESS } })),
      );
    expect([codes.filter((code) => code === 'ok').length, codes.at(-1)]).toEqual([
      30,
      'limit_reached',
    ]);
    expect(
      (await test.call('onrampSession', { token: await fresh(), body: { address: ADDRESS } }))
        .status,
    ).toBe(200);
  });
});

describe('without keys', () => {
  it('says that the app asks by itself, and refuses to be asked (R7-29)', async () => {
    const mine = await plain.signToken('Buyer2');
    expect((await plain.call('walletStatus', { token: mine })).json as WalletStatus).toMatchObject({
      onramp: 'direct',
    });
    for (const failed of [
      await plain.call('onrampQuote', { token: mine, body: QUOTE }),
      await plain.call('onrampOptions', { token: mine, query: { country: 'US' } }),
      await plain.call('onrampSession', { token: mine, body: { address: ADDRESS } }),
    ])
      expect([failed.status, codeOf(failed)]).toEqual([409, 'onramp_not_configured']);
  });

  it('half a pair of them, or one that is no key, stops the start by its name', () => {
    expect(() => readConfig({ CDP_API_KEY_ID: 'x' })).toThrow(/^CDP_API_KEY_SECRET/);
    expect(() => readConfig({ CDP_API_KEY_SECRET: edSecret })).toThrow(/^CDP_API_KEY_ID/);
    expect(() => readConfig({ CDP_API_KEY_ID: 'x', CDP_API_KEY_SECRET: 'hunter2' })).toThrow(
      /^CDP_API_KEY_SECRET/,
    );
    expect(
      readConfig({ CDP_API_KEY_ID: 'x', CDP_API_KEY_SECRET: edSecret }).wallet.onramp?.apiBase,
    ).toBe('https://api.developer.coinbase.com');
  });
});

describe('the chains of the server', () => {
  it('are the public ones, those of a key where there is one, or those that are named (R7-31)', () => {
    expect(readConfig({}).wallet.rpcUrls).toEqual({
      8453: 'https://mainnet.base.org',
      84532: 'https://sepolia.base.org',
    });
    expect(
      readConfig({ VITE_ONCHAINKIT_API_KEY: 'k1', BASE_RPC_URL: 'https://node.example.com/x' })
        .wallet.rpcUrls,
    ).toEqual({
      8453: 'https://node.example.com/x',
      84532: 'https://api.developer.coinbase.com/rpc/v1/base-sepolia/k1',
    });
    expect(() => readConfig({ BASE_RPC_URL: 'ftp://x' })).toThrow(/^BASE_RPC_URL/);
  });
});
