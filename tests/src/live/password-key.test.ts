/** The key that a password gives, judged by the signer's own check. */
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { base64urlBytes } from '../../../contract/base64url.ts';
import { passwordKeySalt, stepUpBytes, StepUpStatement } from '../../../contract/signer.ts';
import {
  canUsePassword,
  makePasswordKey,
  signWithPassword,
} from '../../../src/live/password-key.ts';

/** Enough to see that it is used; the product's own number takes half a second a time. */
const ROUNDS = 1_000;
const STATEMENT = z.decode(StepUpStatement, {
  purpose: 'start_agent',
  connectionId: randomUUID(),
  accountId: randomUUID(),
  agentId: randomUUID(),
  limits: { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' },
  nonce: 'abcdefghijklmnopqrstuvwx',
  issuedAtMs: 1_700_000_000_000,
});
const BYTES = stepUpBytes(STATEMENT);

const holds = (publicKey: string, signature: string): boolean =>
  verify(
    null,
    BYTES,
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' }),
    base64urlBytes(signature),
  );

describe('a key made of a password', () => {
  it('signs what the signer checks against its public half, made anew each time', async () => {
    const key = await makePasswordKey('correct horse 9', 'ann', ROUNDS);
    const by = { password: 'correct horse 9', uid: 'ann', keyId: key.id };
    const signature = await signWithPassword(BYTES, by, ROUNDS);
    expect(base64urlBytes(signature)).toHaveLength(64);
    expect(holds(key.publicKey, signature)).toBe(true);
    expect(await signWithPassword(BYTES, by, ROUNDS)).toBe(signature);
  });

  it('does not fit with another password, person or key', async () => {
    const key = await makePasswordKey('correct horse 9', 'ann', ROUNDS);
    const right = { password: 'correct horse 9', uid: 'ann', keyId: key.id };
    for (const wrong of [
      { ...right, password: 'correct horse 8' },
      { ...right, uid: 'bob' },
      { ...right, keyId: randomUUID() },
    ])
      expect(holds(key.publicKey, await signWithPassword(BYTES, wrong, ROUNDS))).toBe(false);
  });

  it('binds person and key in its salt, and is possible here', async () => {
    expect(new TextDecoder().decode(passwordKeySalt('ann', 'k1'))).toContain('"ann","k1"');
    expect(await canUsePassword()).toBe(true);
  });
});
