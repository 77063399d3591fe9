/** Whom the gate admits, and when it does so again. */
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../contract/errors.ts';
import { Gate } from '../../../server/http/gate.ts';
import { RateLimits } from '../../../server/http/rate-limit.ts';
import type { Identity, TokenVerifier } from '../../../server/identity/verifier.ts';

it('admits a person once, and again with the new or confirmed address of a newer token, never the old one of an older', async () => {
  const token = (email: string, expiresAtMs: number, emailVerified = false): Identity => ({
    uid: 'anna',
    email,
    emailVerified,
    authTimeMs: 0,
    issuedAtMs: 0,
    expiresAtMs,
  });
  const tokens: Record<string, Identity> = {
    first: token('old@example.com', 1_000),
    second: token('new@example.com', 2_000),
    confirmed: token('new@example.com', 3_000, true),
  };
  const verifier = {
    verify: (name: string) => Promise.resolve(tokens[name]),
  } as unknown as TokenVerifier;
  const admitted: unknown[] = [];
  const gate = new Gate({
    verifier,
    limits: new RateLimits({ userPerSecond: 100, ipPerSecond: 100 }, { now: () => 0 }),
    admit: (identity) => {
      admitted.push([identity.email, identity.emailVerified]);
      return Promise.resolve();
    },
  });
  const come = (name: string) =>
    gate.enter({ headers: { authorization: `Bearer ${name}` } } as FastifyRequest, false);
  for (const name of ['first', 'first', 'second', 'first', 'second', 'confirmed', 'second'])
    await come(name);
  expect(admitted).toEqual([
    ['old@example.com', false],
    ['new@example.com', false],
    ['new@example.com', true],
  ]);
});

it('lets a stop in by its own way while the same person’s first reading still waits (R7-17)', async () => {
  let letIn: () => void = () => undefined;
  const behindCommands = new Promise<void>((resolve) => {
    letIn = resolve;
  });
  const ways: boolean[] = [];
  const identity = { uid: 'anna', email: null, authTimeMs: 0, expiresAtMs: 1_000 };
  const gate = new Gate({
    verifier: { verify: () => Promise.resolve(identity) } as unknown as TokenVerifier,
    limits: new RateLimits({ userPerSecond: 100, ipPerSecond: 100 }, { now: () => 0 }),
    admit: (_identity, isStop) => {
      ways.push(isStop);
      return isStop ? Promise.resolve() : behindCommands;
    },
  });
  const come = (isStop: boolean) =>
    gate.enter({ headers: { authorization: 'Bearer a' } } as FastifyRequest, isStop);
  const reading = come(false);
  await come(true);
  letIn();
  await reading;
  // Admitted once and for all by now.
  await come(true);
  await come(false);
  expect(ways).toEqual([false, true]);
});

describe('a stop that takes stop losses away', () => {
  const said = {
    revoked: new Refusal('token_revoked', 'Ended'),
    silent: new Refusal('identity_unavailable', 'No answer'),
  };
  const ways: (boolean | undefined)[] = [];
  const gateWhere = (refusal: Refusal) =>
    new Gate({
      verifier: {
        verify: (_token: string, options?: { skipRevocation?: boolean }) => {
          ways.push(options?.skipRevocation);
          return options?.skipRevocation === true
            ? Promise.resolve({ uid: 'anna', email: null, authTimeMs: 0, expiresAtMs: 1_000 })
            : Promise.reject(refusal);
        },
      } as unknown as TokenVerifier,
      limits: new RateLimits({ userPerSecond: 100, ipPerSecond: 100 }, { now: () => 0 }),
      admit: () => Promise.resolve(),
    });
  const come = (refusal: Refusal, refusesRevoked: boolean) =>
    gateWhere(refusal).enter(
      { headers: { authorization: 'Bearer a' } } as FastifyRequest,
      true,
      refusesRevoked,
    );

  it('is refused to a revoked token, as another stop is not', async () => {
    await expect(come(said.revoked, true)).rejects.toBe(said.revoked);
    expect((await come(said.revoked, false)).uid).toBe('anna');
  });

  it('is let in where the identity provider does not answer', async () => {
    ways.length = 0;
    expect((await come(said.silent, true)).uid).toBe('anna');
    expect(ways).toEqual([undefined, true]);
  });
});

describe('the limit of an address', () => {
  const taken = (limits: RateLimits, ip: string): boolean => {
    try {
      limits.takeAddress(ip, false);
      return true;
    } catch {
      return false;
    }
  };
  /** One token, and none comes after it: what the second address finds is what the first left. */
  const afterFirst = (first: string, second: string): boolean => {
    const limits = new RateLimits({ userPerSecond: 1, ipPerSecond: 1 / 15 }, { now: () => 0 });
    expect(taken(limits, first)).toBe(true);
    return taken(limits, second);
  };

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8::1', '2001:DB8:0:0:9::'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8:1::1', '2001:db8:1:0:1::1'],
    ['::1', '0:0:0:0:5:6:7:8'],
    ['fe80::1%eth0', 'fe80::2'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['64:ff9b::192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '::ffff:192.0.2.7'],
  ])('counts %s and %s as one', (first, second) => {
    expect(afterFirst(first, second)).toBe(false);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['192.0.2.7', '192.0.2.8'],
    ['::ffff:192.0.2.7', '::ffff:192.0.2.8'],
    ['::ffff:192.0.2.7', '::1'],
    ['::ffff:0:192.0.2.7', '::ffff:192.0.2.7'],
    ['left', '192.0.2.7'],
  ])('tells %s from %s', (first, second) => {
    expect(afterFirst(first, second)).toBe(true);
  });
});
