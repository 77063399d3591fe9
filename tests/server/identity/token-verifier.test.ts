/** Bearer tokens, good and forged, against a key set of our own with real signatures. */
import { createServer } from 'node:http';
import { exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../../contract/errors.ts';
import type { SessionCheck } from '../../../server/identity/accounts.ts';
import { KeySet } from '../../../server/identity/key-set.ts';
import {
  EmulatorTokenVerifier,
  SignedTokenVerifier,
} from '../../../server/identity/token-verifier.ts';
import type { TokenVerifier } from '../../../server/identity/verifier.ts';
import { TestClock } from '../../support/app.ts';
import { signToken, startTestKeys, TEST_PROJECT, type TestKeys } from '../../support/keys.ts';

const HOUR = 3_600_000;
let keys: TestKeys;
beforeAll(async () => {
  keys = await startTestKeys(600);
});
afterAll(() => keys.close());

const verifierOf = (clock: TestClock, accounts: SessionCheck | null = null): TokenVerifier =>
  new SignedTokenVerifier(new KeySet(keys.url, clock), {
    projectId: TEST_PROJECT,
    clock,
    accounts,
  });

async function refusalOf(
  work: Promise<unknown>,
): Promise<{ code: string; message: string; status: number }> {
  const error: unknown = await work.then(
    () => new Error('accepted'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Refusal)) throw error as Error;
  return { code: error.code, message: error.message, status: error.status };
}

const unsigned = (claims: Record<string, unknown>): string => new UnsecuredJWT(claims).encode();

describe('a signed token', () => {
  it('names its person and their sign-in time', async () => {
    const clock = new TestClock();
    const token = await keys.sign(
      'Alice1',
      { auth_time: Math.floor(clock.now() / 1_000) - 60 },
      clock.now(),
    );
    expect(await verifierOf(clock).verify(token)).toEqual({
      uid: 'Alice1',
      email: 'alice1@example.com',
      emailVerified: false,
      authTimeMs: (Math.floor(clock.now() / 1_000) - 60) * 1_000,
      issuedAtMs: Math.floor(clock.now() / 1_000) * 1_000,
      expiresAtMs: (Math.floor(clock.now() / 1_000) + 3_600) * 1_000,
    });
  });

  it('has three parts of JSON (R5-20, R8-11)', async () => {
    const verifier = verifierOf(new TestClock());
    for (const text of [
      '',
      'a',
      'a.b',
      'a.b.c.d',
      'x.y.z',
      '!!.!!.!!',
      'bnVsbA.bnVsbA.x',
      `${Buffer.from('{}').toString('base64url')}.e30.x`,
    ]) {
      expect(await refusalOf(verifier.verify(text)), text).toEqual({
        code: 'invalid_token_structure',
        message: 'Invalid token structure',
        status: 401,
      });
    }
  });

  it('names this project and a person (R5-21, R8-12)', async () => {
    const clock = new TestClock();
    const future = Math.floor(clock.now() / 1_000) + 3_600;
    for (const claims of [
      { aud: 'another-project' },
      { aud: undefined },
      { sub: '' },
      { sub: undefined },
      { sub: 7 },
      { sub: 'x'.repeat(129) },
      { sub: '<b>' },
      { auth_time: future },
      { iat: future },
      { auth_time: undefined },
      { exp: undefined },
      { aud: [TEST_PROJECT] },
    ]) {
      const refusal = await refusalOf(
        verifierOf(clock).verify(await keys.sign('Alice1', claims, clock.now())),
      );
      expect(refusal, JSON.stringify(claims)).toEqual({
        code: 'invalid_token_claims',
        message: 'Invalid token claims',
        status: 401,
      });
    }
  });

  it('comes from the identity provider (R5-21, R8-13)', async () => {
    const clock = new TestClock();
    for (const iss of [
      'https://evil.example',
      `https://securetoken.google.com/${TEST_PROJECT}.evil`,
      'https://securetoken.google.com/another',
    ]) {
      const refusal = await refusalOf(
        verifierOf(clock).verify(await keys.sign('Alice1', { iss }, clock.now())),
      );
      expect(refusal).toEqual({
        code: 'invalid_token_issuer',
        message: 'Invalid token issuer',
        status: 401,
      });
    }
  });

  it('is refused when forged, whatever it claims (R8-14, F31)', async () => {
    const clock = new TestClock();
    const other = await generateKeyPair('RS256', { extractable: true });
    const good = await keys.sign('Alice1', {}, clock.now());
    const claims = JSON.parse(
      Buffer.from(good.split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, unknown>;
    const [head = '', , signature = ''] = good.split('.');
    const forged: Record<string, string> = {
      'alg none': unsigned(claims),
      'HS256 with the public key for a secret': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: keys.kid })
        .sign(new TextEncoder().encode(await exportSPKI(other.publicKey))),
      'a stranger’s key under our kid': await signToken(
        other.privateKey,
        keys.kid,
        'Alice1',
        {},
        clock.now(),
      ),
      'an unknown kid': await signToken(other.privateKey, 'not-a-key', 'Alice1', {}, clock.now()),
      'no kid': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256' })
        .sign(keys.privateKey),
      'another body under a good signature': `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'Bob' })).toString('base64url')}.${signature}`,
      'no signature': `${head}.${good.split('.')[1] ?? ''}.`,
      'a huge token': `${head}.${Buffer.from(JSON.stringify({ ...claims, pad: 'x'.repeat(20_000) })).toString('base64url')}.${signature}`,
    };
    for (const [what, token] of Object.entries(forged)) {
      expect(await refusalOf(verifierOf(clock).verify(token)), what).toEqual({
        code: 'invalid_token',
        message: 'Invalid authentication token',
        status: 401,
      });
    }
  });

  it('is refused once expired, and four hours after sign-in however fresh it is (R5-18, R9-02)', async () => {
    const clock = new TestClock();
    const token = await keys.sign('Alice1', {}, clock.now());
    clock.advance(HOUR + 1_000);
    expect((await refusalOf(verifierOf(clock).verify(token))).code).toBe('invalid_token');
    const signedInAt = Math.floor(clock.now() / 1_000);
    clock.advance(4 * HOUR - 2_000);
    const refreshed = await keys.sign('Alice1', { auth_time: signedInAt }, clock.now());
    expect((await verifierOf(clock).verify(refreshed)).uid).toBe('Alice1');
    clock.advance(2_000);
    expect(await refusalOf(verifierOf(clock).verify(refreshed))).toMatchObject({
      code: 'reauth_required',
      status: 401,
    });
  });
});

describe('the check of a signature', () => {
  /** Keys that count what is checked with them, and fail as a broken machine would on request. */
  const countedKeys = (clock: TestClock) => {
    const inner = new KeySet(keys.url, clock);
    const counted = { checks: 0, failure: null as Error | null };
    let present: Awaited<ReturnType<KeySet['keysFor']>>;
    const check = (async (...asked: Parameters<typeof present>) => {
      counted.checks += 1;
      if (counted.failure !== null) throw counted.failure;
      return await present(...asked);
    }) as unknown as Awaited<ReturnType<KeySet['keysFor']>>;
    const keysFor = async (kid: string) => {
      present = await inner.keysFor(kid);
      return check;
    };
    return Object.assign(counted, { keysFor });
  };

  it('is made once for a token, until as many others came as are kept', async () => {
    const clock = new TestClock();
    const counted = countedKeys(clock);
    const verifier = new SignedTokenVerifier(
      counted,
      { projectId: TEST_PROJECT, clock, accounts: null },
      2,
    );
    const [first = '', second = '', third = ''] = await Promise.all(
      ['A', 'B', 'C'].map((uid) => keys.sign(uid, {}, clock.now())),
    );
    for (const token of [first, second, first, second, first]) await verifier.verify(token);
    expect(counted.checks).toBe(2);
    for (const token of [third, second, third]) await verifier.verify(token);
    expect(counted.checks).toBe(3);
    await verifier.verify(first);
    expect(counted.checks).toBe(4);
  });

  it('says nothing of another token', async () => {
    const clock = new TestClock();
    const verifier = verifierOf(clock);
    const good = await keys.sign('Alice1', {}, clock.now());
    await verifier.verify(good);
    const [head = '', body = ''] = good.split('.');
    expect(await refusalOf(verifier.verify(`${head}.${body}.AAAA`))).toMatchObject({
      code: 'invalid_token',
    });
  });

  it('is not made, and no key is asked for, where the token names another algorithm', async () => {
    const clock = new TestClock();
    const asked: string[] = [];
    const verifier = new SignedTokenVerifier(
      {
        keysFor: (kid) => {
          asked.push(kid);
          throw new Error('asked');
        },
      },
      { projectId: TEST_PROJECT, clock, accounts: null },
    );
    const [, body = '', signature = ''] = (await keys.sign('Alice1', {}, clock.now())).split('.');
    for (const header of [{ alg: 'PS256', kid: keys.kid }, { alg: 'RS256' }]) {
      const head = Buffer.from(JSON.stringify(header)).toString('base64url');
      expect(
        (await refusalOf(verifier.verify(`${head}.${body}.${signature}`))).code,
        JSON.stringify(header),
      ).toBe('invalid_token');
    }
    expect(asked).toEqual([]);
  });

  it('that cannot be made is our failure, and no word on the token', async () => {
    const clock = new TestClock();
    const counted = countedKeys(clock);
    counted.failure = new Error('out of memory');
    const verifier = new SignedTokenVerifier(counted, {
      projectId: TEST_PROJECT,
      clock,
      accounts: null,
    });
    await expect(verifier.verify(await keys.sign('Alice1', {}, clock.now()))).rejects.toThrow(
      'out of memory',
    );
  });

  it('is made of tokens of up to 8,192 characters', async () => {
    const clock = new TestClock();
    const verifier = verifierOf(clock);
    const sized = async (characters: number): Promise<string> => {
      const signed = (email: string) => keys.sign('Alice1', { email }, clock.now());
      const short = (await signed('')).length;
      let length = Math.floor(((characters - short) * 3) / 4);
      let token = await signed('x'.repeat(length));
      while (token.length < characters) token = await signed('x'.repeat((length += 1)));
      return token;
    };
    const longest = await sized(8_192);
    expect(longest).toHaveLength(8_192);
    expect((await verifier.verify(longest)).uid).toBe('Alice1');
    expect((await refusalOf(verifier.verify(await sized(8_193)))).code).toBe('invalid_token');
  });
});

describe('the key set', () => {
  it('is asked once, used until its age, and not trusted beyond it', async () => {
    const clock = new TestClock();
    const verifier = verifierOf(clock);
    const before = keys.asked();
    await verifier.verify(await keys.sign('Alice1', {}, clock.now()));
    keys.setOnline(false);
    clock.advance(599_000);
    await verifier.verify(await keys.sign('Alice1', {}, clock.now()));
    expect(keys.asked() - before).toBe(1);
    clock.advance(2_000);
    expect(
      await refusalOf(verifier.verify(await keys.sign('Alice1', {}, clock.now()))),
    ).toMatchObject({ code: 'identity_unavailable', status: 503 });
    keys.setOnline(true);
    await verifier.verify(await keys.sign('Alice1', {}, clock.now()));
  });

  it('decides anew once it is another: a key that was withdrawn signs for nobody any more', async () => {
    const clock = new TestClock();
    const others = await startTestKeys();
    let present = keys;
    const address = createServer((_request, response) => {
      void fetch(present.url).then(async (told) => {
        response.setHeader('cache-control', 'public, max-age=60').end(await told.text());
      });
    });
    await new Promise<void>((resolve) => {
      address.listen(0, '127.0.0.1', resolve);
    });
    const at = address.address();
    const url = `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
    const verifier = new SignedTokenVerifier(new KeySet(url, clock), {
      projectId: TEST_PROJECT,
      clock,
      accounts: null,
    });
    try {
      const token = await keys.sign('Alice1', {}, clock.now());
      for (let n = 0; n < 3; n += 1) await verifier.verify(token);
      present = others;
      await verifier.verify(token);
      clock.advance(61_000);
      expect(await refusalOf(verifier.verify(token))).toMatchObject({ code: 'invalid_token' });
    } finally {
      await others.close();
      address.closeAllConnections();
      address.close();
    }
  });

  it('that could not be had says nothing of a token with a newer key: 503, and 401 once it can (F31, F33)', async () => {
    const clock = new TestClock();
    const verifier = verifierOf(clock);
    await verifier.verify(await keys.sign('Alice1', {}, clock.now()));
    clock.advance(31_000);
    const newer = await generateKeyPair('RS256');
    const refused = async (kid: string): Promise<{ code: string; status: number }> =>
      refusalOf(verifier.verify(await signToken(newer.privateKey, kid, 'Alice1', {}, clock.now())));
    keys.setOnline(false);
    const before = keys.asked();
    for (const kid of ['newer-1', 'newer-2', 'newer-1'])
      expect(await refused(kid)).toMatchObject({ code: 'identity_unavailable', status: 503 });
    // Known keys go on, and the provider is not asked for each unknown one.
    await verifier.verify(await keys.sign('Alice1', {}, clock.now()));
    keys.setOnline(true);
    expect(await refused('newer-1')).toMatchObject({ code: 'identity_unavailable', status: 503 });
    expect(keys.asked() - before).toBe(1);
    clock.advance(31_000);
    expect(await refused('newer-1')).toMatchObject({ code: 'invalid_token', status: 401 });
    expect(keys.asked() - before).toBe(2);
  });

  it('is not asked again for every unknown key', async () => {
    const clock = new TestClock();
    const verifier = verifierOf(clock);
    const stranger = await generateKeyPair('RS256');
    const before = keys.asked();
    for (let i = 0; i < 20; i += 1)
      await refusalOf(
        verifier.verify(
          await signToken(stranger.privateKey, `kid-${i}`, 'Alice1', {}, clock.now()),
        ),
      );
    expect(keys.asked() - before).toBe(1);
  });
});

describe('where accounts are asked', () => {
  const gone: SessionCheck = {
    check: async () => {
      throw new Refusal('token_revoked', 'This session was ended. Please log in again.');
    },
    forget: () => undefined,
  };

  it('a revoked person is refused, except for what an outage must not block', async () => {
    const clock = new TestClock();
    const token = await keys.sign('Alice1', {}, clock.now());
    expect(await refusalOf(verifierOf(clock, gone).verify(token))).toMatchObject({
      code: 'token_revoked',
      status: 401,
    });
    expect((await verifierOf(clock, gone).verify(token, { skipRevocation: true })).uid).toBe(
      'Alice1',
    );
  });
});

describe('a person whose sessions were ended', () => {
  it('is forgotten by whoever is asked about accounts', () => {
    const clock = new TestClock();
    const forgotten: string[] = [];
    const accounts: SessionCheck = {
      check: async () => undefined,
      forget: (uid) => {
        forgotten.push(uid);
      },
    };
    verifierOf(clock, accounts).forget('Alice1');
    new EmulatorTokenVerifier({ projectId: TEST_PROJECT, clock, accounts }).forget('Bob');
    expect(forgotten).toEqual(['Alice1', 'Bob']);
    expect(() => {
      verifierOf(clock).forget('Alice1');
    }).not.toThrow();
  });
});

describe('a token of the emulator', () => {
  const claimsAt = (nowMs: number, more: Record<string, unknown> = {}) => {
    const seconds = Math.floor(nowMs / 1_000);
    return {
      sub: 'Alice1',
      aud: TEST_PROJECT,
      iss: `https://securetoken.google.com/${TEST_PROJECT}`,
      iat: seconds,
      auth_time: seconds,
      exp: seconds + 3_600,
      user_id: 'Alice1',
      firebase: { sign_in_provider: 'password' },
      ...more,
    };
  };

  it('is refused where no emulator is configured', async () => {
    const clock = new TestClock();
    expect((await refusalOf(verifierOf(clock).verify(unsigned(claimsAt(clock.now()))))).code).toBe(
      'invalid_token',
    );
  });

  it('is held to the same claims where one is, and must name a living account', async () => {
    const clock = new TestClock();
    const accounts: SessionCheck = {
      check: async (_token, uid) => {
        if (uid !== 'Alice1') throw new Refusal('token_revoked', 'ended');
      },
      forget: () => undefined,
    };
    const verifier = new EmulatorTokenVerifier({ projectId: TEST_PROJECT, clock, accounts });
    expect((await verifier.verify(unsigned(claimsAt(clock.now())))).uid).toBe('Alice1');
    expect(
      (await refusalOf(verifier.verify(unsigned(claimsAt(clock.now(), { sub: 'Nobody' }))))).code,
    ).toBe('token_revoked');
    expect(
      (await refusalOf(verifier.verify(unsigned(claimsAt(clock.now(), { aud: 'x' }))))).code,
    ).toBe('invalid_token_claims');
    expect(
      (
        await refusalOf(
          verifier.verify(
            unsigned(
              claimsAt(clock.now() - 5 * HOUR, { exp: Math.floor(clock.now() / 1_000) + 60 }),
            ),
          ),
        )
      ).code,
    ).toBe('reauth_required');
    expect(
      (await refusalOf(verifier.verify(await keys.sign('Alice1', {}, clock.now())))).code,
    ).toBe('invalid_token');
    const [, body = ''] = unsigned(claimsAt(clock.now())).split('.');
    const headed = (header: object, signature: string): string =>
      `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${body}.${signature}`;
    for (const token of [headed({ alg: 'none' }, 'x'), headed({ alg: 'RS256', kid: 'k' }, '')])
      expect((await refusalOf(verifier.verify(token))).code, token).toBe('invalid_token');
    const nobody = unsigned(claimsAt(clock.now(), { sub: 'Nobody' }));
    expect((await verifier.verify(nobody, { skipRevocation: true })).uid).toBe('Nobody');
    expect((await refusalOf(verifier.verify(nobody, { skipRevocation: false }))).code).toBe(
      'token_revoked',
    );
    for (const missing of [{ firebase: undefined }, { user_id: undefined }]) {
      expect(
        (
          await refusalOf(
            verifier.verify(unsigned(claimsAt(clock.now(), missing)), { skipRevocation: true }),
          )
        ).code,
      ).toBe('invalid_token');
    }
  });
});
