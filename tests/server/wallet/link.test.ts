/** Linking an address by a signed message, on the whole server against a real chain. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import fc from '../../support/property.ts';
import type { Hex } from 'viem';
import { parseSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LINK_MESSAGE_LIFE_MS,
  LINKED_ADDRESSES_MAX,
  type WalletChainId,
  type WalletStatus,
} from '../../../contract/wallet.ts';
import { forgetOld } from '../../../server/retention.ts';
import { linkedAddresses, linkMessages } from '../../../server/db/schema-wallet.ts';
import { startChain, type TestChain } from '../../support/anvil.ts';
import type { Log } from '../../../server/log.ts';
import { buildTestApp, ErrorLog, silentLog, TestClock, type TestApp } from '../../support/app.ts';
import {
  answerOf,
  linkKey,
  linkOf,
  messageFor as messageOf,
  newKey,
  newPerson,
  sendProof,
  unlink,
  walletOf,
  type Person,
} from '../../support/linking.ts';
import { startReplyServer, type ReplyServer } from '../../support/reply-server.ts';
import { walletFactory, type SmartWallet } from '../../support/smart-wallet.ts';

const ORIGIN = 'https://trade.example.com';
const SEPOLIA = 84_532;
const clock = new TestClock();
const log = new ErrorLog();
let chain: TestChain;
let test: TestApp;
let wallets: (owner: Hex, salt?: number) => Promise<SmartWallet>;
/** A chain's address at which nobody listens. */
const NOBODY = 'http://127.0.0.1:9';

beforeAll(async () => {
  chain = await startChain();
  wallets = await walletFactory(chain);
  test = await buildTestApp({
    clock,
    log,
    env: { PUBLIC_ORIGIN: ORIGIN, BASE_SEPOLIA_RPC_URL: chain.url, BASE_RPC_URL: NOBODY },
  });
}, 60_000);
afterAll(async () => {
  await test.close();
  await chain.stop();
});

/** Each in the name that reads best here, on the server of most tests. */
const person = (): Promise<Person> => newPerson(test);
const messageFor = (
  who: Person,
  address: string,
  chainId?: WalletChainId,
  app = test,
): Promise<string> => messageOf(app, who, address, chainId);
const link = (
  who: Person,
  message: string,
  signature: string,
  { app = test, ...more }: { label?: string; commandId?: string; app?: TestApp } = {},
) => sendProof(app, who, message, signature, more);
const statusOf = (who: Person): Promise<WalletStatus> => walletOf(test, who);
const key = newKey;
const ask = answerOf;

describe('the message to sign', () => {
  it('is made by the server for this site, chain, address and account, for ten minutes, and names nobody', async () => {
    const [who, account] = [await person(), key()];
    const message = await messageFor(who, account.address.toLowerCase());
    expect(parseSiweMessage(message)).toMatchObject({
      domain: 'trade.example.com',
      uri: `${ORIGIN}/trading`,
      chainId: SEPOLIA,
      version: '1',
      address: account.address,
      issuedAt: new Date(clock.now()),
      expirationTime: new Date(clock.now() + LINK_MESSAGE_LIFE_MS),
    });
    expect(message).toContain(
      'This moves no coins, costs nothing, and lets no agent spend from this address.',
    );
    expect(message).not.toContain(who.uid);
    const again = parseSiweMessage(await messageFor(who, account.address));
    expect(again.nonce).not.toBe(parseSiweMessage(message).nonce);
    expect(again.requestId).toBe(parseSiweMessage(message).requestId);
    expect(parseSiweMessage(await messageFor(await person(), account.address)).requestId).not.toBe(
      again.requestId,
    );
  });

  it('is made for Base and Base Sepolia alone, and for no mistyped address', async () => {
    const { token } = await person();
    const { address } = key();
    for (const chainId of [1, 10, 0, -1, 84_532.5, '84532']) {
      expect(
        await ask(
          test.call('linkMessage', { token, body: { address, chainId: chainId as WalletChainId } }),
        ),
      ).toMatchObject({ status: 400, code: 'invalid_request' });
    }
    const mistyped = `0x${[...address.slice(2)].map((one, index) => (index % 2 === 0 ? one.toUpperCase() : one.toLowerCase())).join('')}`;
    expect(mistyped).not.toBe(address);
    expect(
      await ask(test.call('linkMessage', { token, body: { address: mistyped, chainId: SEPOLIA } })),
    ).toMatchObject({ status: 400, message: expect.stringContaining('typing error') as string });
    for (const bad of [
      '',
      '0x',
      'vitalik.eth',
      address.slice(0, -1),
      `${address}0`,
      `0x${'g'.repeat(40)}`,
    ]) {
      expect(
        (await ask(test.call('linkMessage', { token, body: { address: bad, chainId: SEPOLIA } })))
          .status,
        bad,
      ).toBe(400);
    }
    for (const good of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      expect(
        (await ask(test.call('linkMessage', { token, body: { address: good, chainId: SEPOLIA } })))
          .code,
      ).toBe('ok');
    }
  });
});

describe('an address is linked by', () => {
  it("its own key's signature, and told with chain, time and name (R7-23)", async () => {
    const [who, account] = [await person(), key()];
    const message = await messageFor(who, account.address);
    const answer = await link(who, message, await account.signMessage({ message }), {
      label: ' Cold box ',
    });
    expect(linkOf(answer)).toMatchObject({
      address: account.address,
      chainId: SEPOLIA,
      label: 'Cold box',
      proof: 'key',
      linkedAt: clock.now(),
    });
    expect(await statusOf(who)).toMatchObject({
      mode: 'paper',
      linkedAddresses: [account.address],
      links: [linkOf(answer)],
      onramp: 'direct',
      servedAt: clock.now(),
    });
    expect((await statusOf(await person())).links).toEqual([]);
  });

  it("a smart wallet's contract on the chain, whose owner signed (EIP-1271)", async () => {
    const [who, owner, other] = [await person(), key(), key()];
    const wallet = await wallets(owner.address, 1);
    await wallet.deploy();
    const message = await messageFor(who, wallet.address);
    expect(await link(who, message, await other.signMessage({ message }))).toMatchObject({
      status: 400,
      code: 'invalid_signature',
    });
    expect(linkOf(await link(who, message, await owner.signMessage({ message })))).toMatchObject({
      address: wallet.address,
      proof: 'contract',
      label: 'Smart wallet',
    });
  });

  it("a smart wallet's contract that is yet to be made, and that stays unmade (EIP-6492)", async () => {
    const [who, owner, other] = [await person(), key(), key()];
    const wallet = await wallets(owner.address, 2);
    const message = await messageFor(who, wallet.address);
    expect(await link(who, message, await owner.signMessage({ message }))).toMatchObject({
      code: 'invalid_signature',
    });
    expect(
      await link(who, message, wallet.wrapped(await other.signMessage({ message }))),
    ).toMatchObject({ code: 'invalid_signature' });
    expect(
      linkOf(await link(who, message, wallet.wrapped(await owner.signMessage({ message })))),
    ).toMatchObject({ address: wallet.address, proof: 'contract' });
    expect(await wallet.isDeployed()).toBe(false);
  });

  it('no making of another contract than the one that was named', async () => {
    const [who, owner] = [await person(), key()];
    const [mine, other] = [await wallets(owner.address, 3), await wallets(key().address, 3)];
    const message = await messageFor(who, other.address);
    expect(
      await link(who, message, mine.wrapped(await owner.signMessage({ message }))),
    ).toMatchObject({ status: 400, code: 'invalid_signature' });
  });

  it('its key also where the chain cannot be reached', async () => {
    const [who, account] = [await person(), key()];
    const message = await messageFor(who, account.address, 8_453);
    expect(linkOf(await link(who, message, await account.signMessage({ message })))).toMatchObject({
      chainId: 8_453,
      proof: 'key',
    });
  });
});

describe('a message', () => {
  it('is good once', async () => {
    const [who, account] = [await person(), key()];
    const message = await messageFor(who, account.address);
    const signature = await account.signMessage({ message });
    expect((await link(who, message, signature)).code).toBe('ok');
    expect(await link(who, message, signature)).toMatchObject({
      status: 409,
      code: 'link_message_used',
    });
    const [row] = await test.database.db
      .select()
      .from(linkMessages)
      .where(eq(linkMessages.uid, who.uid));
    expect(row?.usedAt).toBe(clock.now());
  });

  it('sent twice as one command links once and answers the same', async () => {
    const [who, account, commandId] = [await person(), key(), randomUUID()];
    const message = await messageFor(who, account.address);
    const signature = await account.signMessage({ message });
    const first = await link(who, message, signature, { commandId });
    expect(await link(who, message, signature, { commandId })).toEqual(first);
    expect(first.code).toBe('ok');
  });

  it('in fifty hands at once links once', async () => {
    const [who, account] = [await person(), key()];
    const message = await messageFor(who, account.address);
    const signature = await account.signMessage({ message });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => link(who, message, signature)),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([
      ...Array.from({ length: 49 }, () => 'link_message_used'),
      'ok',
    ]);
    expect((await statusOf(who)).links).toHaveLength(1);
  });

  it("is refused in another person's hands, signed by its address or not", async () => {
    const [who, thief, account] = [await person(), await person(), key()];
    const message = await messageFor(who, account.address);
    const signature = await account.signMessage({ message });
    expect(await link(thief, message, signature)).toMatchObject({
      status: 400,
      code: 'link_message_refused',
      message: expect.stringContaining('not created for you') as string,
    });
    expect((await link(who, message, signature)).code).toBe('ok');
  });

  it('is refused once its ten minutes are over, and forgotten a day later', async () => {
    const [who, account] = [await person(), key()];
    const message = await messageFor(who, account.address);
    const signature = await account.signMessage({ message });
    clock.advance(LINK_MESSAGE_LIFE_MS - 1);
    const late = await messageFor(who, account.address);
    clock.advance(1);
    expect(await link(who, message, signature)).toMatchObject({
      status: 410,
      code: 'link_message_expired',
    });
    expect((await link(who, late, await account.signMessage({ message: late }))).code).toBe('ok');
    clock.advance(26 * 60 * 60_000);
    await forgetOld(test.database, clock);
    expect(
      await test.database.db.select().from(linkMessages).where(eq(linkMessages.uid, who.uid)),
    ).toEqual([]);
  });

  const changed: [string, (message: string) => string, RegExp][] = [
    [
      'another site',
      (message) => message.replace('trade.example.com wants', 'trade.example.org wants'),
      /signed for trade\.example\.org, not for trade\.example\.com/,
    ],
    [
      'another page',
      (message) => message.replace(`URI: ${ORIGIN}`, 'URI: https://evil.example'),
      /another page/,
    ],
    [
      'a chain that is not ours',
      (message) => message.replace('Chain ID: 84532', 'Chain ID: 1'),
      /a network that Tradewind does not support/,
    ],
    [
      'our other chain',
      (message) => message.replace('Chain ID: 84532', 'Chain ID: 8453'),
      /not created for you or was changed/,
    ],
    [
      'a nonce that was never given',
      (message) => message.replace(/Nonce: \w+/, 'Nonce: 0123456789abcdef0123456789abcdef'),
      /not created for you or was changed/,
    ],
    [
      'a longer life',
      (message) =>
        message.replace(/Expiration Time: .*/, 'Expiration Time: 2099-01-01T00:00:00.000Z'),
      /not created for you or was changed/,
    ],
    [
      'another statement',
      (message) => message.replace('moves no coins', 'moves all coins'),
      /not created for you or was changed/,
    ],
    ['no form at all', () => 'I agree to everything', /not a message for linking an address/],
  ];
  it.each(changed)(
    'for %s is refused, however well it is signed',
    async (_what, change, sentence) => {
      const [who, account] = [await person(), key()];
      const message = change(await messageFor(who, account.address));
      expect(await link(who, message, await account.signMessage({ message }))).toMatchObject({
        status: 400,
        code: 'link_message_refused',
        message: expect.stringMatching(sentence) as string,
      });
    },
  );

  it('for another address than the one that signed is refused', async () => {
    const [who, account, other] = [await person(), key(), key()];
    const message = await messageFor(who, account.address);
    expect(await link(who, message, await other.signMessage({ message }))).toMatchObject({
      status: 400,
      code: 'invalid_signature',
    });
    const theirs = message.replace(account.address, other.address);
    expect(await link(who, theirs, await other.signMessage({ message: theirs }))).toMatchObject({
      code: 'link_message_refused',
    });
  });

  it('with one character of it or of the signature changed is refused, and then still good as it was', async () => {
    const [who, account] = [await person(), key()];
    const message = await messageFor(who, account.address);
    const signature = await account.signMessage({ message });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(message.length - 1),
        fc.string({ minLength: 1, maxLength: 1 }),
        async (at, put) => {
          fc.pre(message[at] !== put);
          const answer = await link(
            who,
            `${message.slice(0, at)}${put}${message.slice(at + 1)}`,
            signature,
          );
          expect(answer).toMatchObject({ status: 400, code: 'link_message_refused' });
        },
      ),
      { numRuns: 25 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: signature.length - 1 }),
        fc.integer({ min: 1, max: 15 }),
        async (at, by) => {
          const put = ((Number.parseInt(signature[at] ?? '0', 16) + by) % 16).toString(16);
          const answer = await link(
            who,
            message,
            `${signature.slice(0, at)}${put}${signature.slice(at + 1)}`,
          );
          // Of the last byte three forms are in use for the same point.
          if (at < signature.length - 2)
            expect(answer).toMatchObject({ status: 400, code: 'invalid_signature' });
          else expect(['invalid_signature', 'ok']).toContain(answer.code);
        },
      ),
      { numRuns: 25 },
    );
    expect((await link(who, message, signature)).code).toMatch(/^(ok|link_message_used)$/);
  });

  it('or a signature that is huge or no such thing is refused and breaks nothing', async () => {
    const [who, account] = [await person(), key()];
    const message = await messageFor(who, account.address);
    const signature = await account.signMessage({ message });
    for (const huge of ['x'.repeat(2_001), `${message}${'\n- https://example.com'.repeat(200)}`])
      expect((await link(who, huge, signature)).status).toBe(400);
    for (const bad of [
      '0x',
      '',
      'yes',
      `0x${'0'.repeat(130)}`,
      `0x${'f'.repeat(130)}`,
      '0x00',
      `0x${'ab'.repeat(5_000)}`,
      `0x${'6492'.repeat(16)}`,
      `${signature.slice(0, -2)}05`,
      `0x${'00'.repeat(64)}${'6492'.repeat(16)}`,
    ]) {
      expect((await link(who, message, bad)).status, bad.slice(0, 80)).toBe(400);
    }
    expect((await link(who, message, signature)).code).toBe('ok');
    expect(log.errors).toEqual([]);
  });
});

describe('one address', () => {
  it('is linked to one account at a time on a chain; unlinked there, it can be linked anew', async () => {
    const [first, second, account] = [await person(), await person(), key()];
    expect((await linkKey(test, first, account)).code).toBe('ok');
    const message = await messageFor(second, account.address);
    const signature = await account.signMessage({ message });
    expect(await link(second, message, signature)).toMatchObject({
      status: 409,
      code: 'address_linked_elsewhere',
      message: expect.stringContaining('Unlink it there first') as string,
    });
    const [mine] = (await statusOf(first)).links;
    expect(await unlink(test, second, mine?.id ?? '')).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    expect(await unlink(test, first, mine?.id ?? '')).toMatchObject({ status: 200 });
    expect((await statusOf(first)).links).toEqual([]);
    // Refused, it was not used up.
    expect((await link(second, message, signature)).code).toBe('ok');
  });

  it('wanted by two at the same moment goes to one of them', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, person));
    const account = key();
    const answers = await Promise.all(people.map((who) => linkKey(test, who, account)));
    expect(answers.map(({ code }) => code).sort()).toEqual([
      ...Array.from({ length: 5 }, () => 'address_linked_elsewhere'),
      'ok',
    ]);
    expect(
      await test.database.db
        .select()
        .from(linkedAddresses)
        .where(eq(linkedAddresses.address, account.address)),
    ).toHaveLength(1);
  });

  it('linked again by its person is the same link, with the new name and time', async () => {
    const [who, account] = [await person(), key()];
    expect((await linkKey(test, who, account)).code).toBe('ok');
    const [before] = (await statusOf(who)).links;
    clock.advance(5_000);
    const message = await messageFor(who, account.address);
    const after = linkOf(
      await link(who, message, await account.signMessage({ message }), { label: 'Everyday' }),
    );
    expect(after).toEqual({ ...before, label: 'Everyday', linkedAt: clock.now() });
    expect((await statusOf(who)).links).toEqual([after]);
  });

  it('is one of ten that an account can hold, however many are tried at once', async () => {
    const who = await person();
    const answers = await Promise.all(
      Array.from({ length: LINKED_ADDRESSES_MAX + 3 }, () => linkKey(test, who)),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 'address_limit_reached'),
      ...Array.from({ length: LINKED_ADDRESSES_MAX }, () => 'ok'),
    ]);
    expect((await statusOf(who)).links).toHaveLength(LINKED_ADDRESSES_MAX);
  });
});

describe('without the chain', () => {
  let rpc: ReplyServer;
  let cut: TestApp;
  const warned: string[] = [];
  const heard: Log = {
    ...silentLog,
    warn: (fields, message) => {
      warned.push(`${JSON.stringify(fields)} ${message}`);
    },
    error: (fields, message) => {
      log.error(fields, message);
    },
  };
  beforeAll(async () => {
    rpc = await startReplyServer();
    cut = await buildTestApp({
      clock,
      log: heard,
      database: test.database,
      env: {
        PUBLIC_ORIGIN: ORIGIN,
        BASE_SEPOLIA_RPC_URL: `${rpc.url}/secret-key`,
        BASE_RPC_URL: chain.url,
      },
    });
  }, 60_000);
  afterAll(async () => {
    await cut.close();
    await rpc.close();
  });
  const own = (): Promise<Person> => newPerson(cut);

  type Asking = { body: unknown };
  const rpcReply =
    (how: (method: string) => unknown) =>
    ({ body }: Asking) => {
      const { id, method } = body as { id: number; method: string };
      return { status: 200, body: { jsonrpc: '2.0', id, ...(how(method) as object) } };
    };
  const known = (then: object) =>
    rpcReply((method) => (method === 'eth_chainId' ? { result: '0x14a34' } : then));
  const troubles: [string, Parameters<ReplyServer['answer']>[0]][] = [
    ['refuses', () => ({ status: 503 })],
    ['cuts the line', () => 'reset'],
    ['limits', () => ({ status: 429 })],
    ['answers with a page', () => ({ status: 200, body: '<html>sign in</html>' })],
    ['is another chain', rpcReply(() => ({ result: '0x1' }))],
    [
      'knows no such call',
      known({ error: { code: -32_601, message: 'the method eth_call does not exist' } }),
    ],
    ['is over its limit', known({ error: { code: -32_005, message: 'limit exceeded' } })],
    ['lags behind', known({ error: { code: -32_000, message: 'header not found' } })],
    [
      'runs out of time',
      known({ error: { code: -32_000, message: 'execution aborted (timeout = 5s)' } }),
    ],
    ['fails inside', known({ error: { code: -32_603, message: 'internal error' } })],
    ['answers with nothing', known({ result: '0x' })],
    ['answers with something else', known({ result: 'yes' })],
  ];
  it.each(troubles)(
    'a smart wallet is told to try again where it %s, and its message stays good; a key needs none',
    async (_what, answer) => {
      rpc.answer(answer);
      const [who, owner, account] = [await own(), key(), key()];
      const wallet = await wallets(owner.address, 9);
      const message = await messageFor(who, wallet.address, SEPOLIA, cut);
      const signature = wallet.wrapped(await owner.signMessage({ message }));
      const { status, code, json } = await link(who, message, signature, { app: cut });
      expect([status, code]).toEqual([503, 'chain_unavailable']);
      expect((json as { error: { retryAfterMs: number } }).error.retryAfterMs).toBeGreaterThan(0);
      const simple = await messageFor(who, account.address, SEPOLIA, cut);
      expect(
        (await link(who, simple, await account.signMessage({ message: simple }), { app: cut }))
          .code,
      ).toBe('ok');
      const [row] = await test.database.db
        .select()
        .from(linkMessages)
        .where(eq(linkMessages.address, wallet.address))
        .orderBy(linkMessages.createdAt);
      expect(row?.usedAt).toBeNull();
      // A node's address may hold a key: neither the person nor the log is told it.
      const told = warned.splice(0).join(' ');
      expect(told).toMatch(/"chainId":84532.*could not verify/);
      expect(`${told} ${JSON.stringify(json)}`).not.toContain('secret-key');
    },
  );

  it('a run that the contract itself ended is its no', async () => {
    rpc.answer(known({ error: { code: -32_000, message: 'execution reverted: not the owner' } }));
    const [who, owner] = [await own(), key()];
    const wallet = await wallets(owner.address, 11);
    const message = await messageFor(who, wallet.address, SEPOLIA, cut);
    const signature = wallet.wrapped(await owner.signMessage({ message }));
    expect((await link(who, message, signature, { app: cut })).code).toBe('invalid_signature');
  });

  it('the same signature is taken once the chain is back', async () => {
    rpc.answer(() => ({ status: 503 }));
    const [who, owner] = [await own(), key()];
    const wallet = await wallets(owner.address, 10);
    const message = await messageFor(who, wallet.address, SEPOLIA, cut);
    const signature = wallet.wrapped(await owner.signMessage({ message }));
    expect((await link(who, message, signature, { app: cut })).code).toBe('chain_unavailable');
    rpc.answer(async ({ body }) => ({
      status: 200,
      body: (await (
        await fetch(chain.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json()) as unknown,
    }));
    expect(linkOf(await link(who, message, signature, { app: cut }))).toMatchObject({
      address: wallet.address,
      proof: 'contract',
    });
  });
});
