/** Whom the gate admits, and when it does so again. */
import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { Gate } from '../../../server/http/gate.ts';
import { RateLimits } from '../../../server/http/rate-limit.ts';
import type { Identity, TokenVerifier } from '../../../server/identity/verifier.ts';

it('admits a person once, and again with the new address of a newer token, never the old one of an older', async () => {
  const token = (email: string, expiresAtMs: number): Identity => ({
    uid: 'anna',
    email,
    authTimeMs: 0,
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
