/**
 * Checks that a person agreed a moment ago: to this purpose, connection, account, agent and these
 * limits, with a key that was enrolled here, once.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import * as z from 'zod/mini';
import {
  type PasskeyKey,
  type PasswordKey,
  type SpendingLimits,
  stepUpBytes,
  type StepUpStatement,
  type StepUpToken,
} from '../contract/signer.ts';
import type { Connection } from './ledger.ts';

const VALID_MS = 5 * 60_000;
/** Clocks of two machines. */
const AHEAD_MS = 30_000;

/** For whom a passkey's assertion must have been made. Without origins no passkey counts. */
export interface PasskeySite {
  rpId: string;
  origins: readonly string[];
}

/** What a good signature says besides: how often its key was used, where it counts. */
export interface Signed {
  keyId: string;
  counter: number | null;
}

function signedByPassword(
  key: PasswordKey,
  statement: StepUpStatement,
  signature: Uint8Array,
): boolean {
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey },
    format: 'jwk',
  });
  return verify(null, stepUpBytes(statement), publicKey, signature);
}

const Base64Url = z.string().check(z.regex(/^[A-Za-z0-9_-]+$/));
/** `AuthenticationResponseJSON`, as far as it is checked. */
const Assertion = z.object({
  id: Base64Url,
  rawId: Base64Url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
  }),
});

/** Null where the assertion does not count. @throws Error of any kind where it cannot be read. */
async function signedByPasskey(
  key: PasskeyKey,
  statement: StepUpStatement,
  signature: Uint8Array,
  { rpId, origins }: PasskeySite,
): Promise<number | null> {
  const assertion = Assertion.parse(JSON.parse(new TextDecoder().decode(signature)));
  if (assertion.id !== key.credentialId) return null;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...assertion, clientExtensionResults: {} },
    expectedChallenge: createHash('sha256').update(stepUpBytes(statement)).digest('base64url'),
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: key.credentialId,
      publicKey: Uint8Array.from(Buffer.from(key.publicKey, 'base64url')),
      counter: key.counter,
    },
  });
  return verified ? authenticationInfo.newCounter : null;
}

/** Null where no enrolled key has signed this statement. */
export async function signedBy(
  { statement, keyId, signature }: StepUpToken,
  { stepUpKeys }: Connection,
  site: PasskeySite,
): Promise<Signed | null> {
  const key = stepUpKeys.find(({ id }) => id === keyId);
  if (key === undefined) return null;
  const bytes = Buffer.from(signature, 'base64url');
  try {
    if (key.kind === 'ed25519')
      return signedByPassword(key, statement, bytes) ? { keyId, counter: null } : null;
    const counter = await signedByPasskey(key, statement, bytes, site);
    return counter === null ? null : { keyId, counter };
  } catch {
    // A key or signature of the wrong form, another origin, nobody verified.
    return null;
  }
}

export type StepUpFault = 'step_up_needed' | 'step_up_invalid' | 'step_up_expired' | 'step_up_used';

const sameLimits = (a: SpendingLimits, b: SpendingLimits): boolean =>
  a.maxOrder === b.maxOrder && a.maxExposure === b.maxExposure && a.maxDailyLoss === b.maxDailyLoss;

export interface Wanted {
  purpose: StepUpStatement['purpose'];
  agentId: string | null;
  limits: SpendingLimits;
  /** Of the key that was pasted: a stolen server must not put another in its place. */
  keyDigest?: string;
}

/**
 * Null when the token holds. The caller writes its nonce down before it acts, and lets nothing else
 * run in between: of two askers with one token only the first may find it unused.
 */
export function stepUpFault(
  { statement }: StepUpToken,
  signed: Signed | null,
  wanted: Wanted,
  connection: Connection,
  isUsed: (nonce: string) => boolean,
  nowMs: number,
): StepUpFault | null {
  const isBound =
    statement.purpose === wanted.purpose &&
    statement.connectionId === connection.connectionId &&
    statement.accountId === connection.accountId &&
    statement.agentId === wanted.agentId &&
    statement.keyDigest === wanted.keyDigest &&
    sameLimits(statement.limits, wanted.limits);
  if (!isBound || signed === null) return 'step_up_invalid';
  const ageMs = nowMs - statement.issuedAtMs;
  if (ageMs > VALID_MS || ageMs < -AHEAD_MS) return 'step_up_expired';
  return isUsed(statement.nonce) ? 'step_up_used' : null;
}
