/** Whom the gate admits, and when it does so again. */
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../contract/errors.ts';
import { Gate } from '../../../server/http/gate.ts';
import { RateLimits } from '../../../server/http/rate-limit.ts';
import type { Identity, TokenVerifier } from '../../../server/identity/verifier.ts';

it('admits a person once, and again with the new address of a newer token, never the old one of an older', async () => {
  const token = (email: string, expiresAtMs: number): Identity => ({
    uid: 'anna',
    email,
    authTimeMs: 0,
    issuedAtMs: 0,
    expiresAtMs,
  });
  const tokens: Record<string, Identity> = {
    first: token('old@example.com', 1_000),
    second: token('new@example.com', 2_000),
  };
  const verifier = {
    verify: (name: string) => Promise.resolve(tokens[name]),
  } as unknown as TokenVerifier;
  const admitted: (string | null)[] = [];
  const gate = new Gate({
    verifier,
    limits: new RateLimits({ userPerSecond: 100, ipPerSecond: 100 }, { now: () => 0 }),
    admit: (identity) => {
      admitted.push(identity.email);
      return Promise.resolve();
    },
  });
  const come = (name: string) =>
    gate.enter({ headers: { authorization: `Bearer ${name}` } } as FastifyRequest, false);
  for (const name of ['first', 'first', 'second', 'first', 'second']) await come(name);
  expect(admitted).toEqual(['old@example.com', 'new@example.com']);
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
