/**
 * Checks that a person agreed a moment ago: to this purpose, connection, account, agent and these
 * limits, with a key that was enrolled here, once.
 */
import { createPublicKey, verify } from 'node:crypto';
import {
  type SpendingLimits,
  stepUpBytes,
  type StepUpKey,
  type StepUpStatement,
  type StepUpToken,
} from '../contract/signer.ts';
import type { Connection } from './ledger.ts';

const VALID_MS = 5 * 60_000;
/** Clocks of two machines. */
const AHEAD_MS = 30_000;

/** A kind of enrolled key. A passkey would be another: its assertion's challenge is the statement. */
type Verifier = (key: StepUpKey, statement: StepUpStatement, signature: Uint8Array) => boolean;

const ED25519: Verifier = (key, statement, signature) => {
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey },
    format: 'jwk',
  });
  return verify(null, stepUpBytes(statement), publicKey, signature);
};

const VERIFIERS: Record<StepUpKey['kind'], Verifier> = { ed25519: ED25519 };

export type StepUpFault = 'step_up_needed' | 'step_up_invalid' | 'step_up_expired' | 'step_up_used';

function isSigned({ statement, keyId, signature }: StepUpToken, keys: readonly StepUpKey[]) {
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) return false;
  try {
    return VERIFIERS[key.kind](key, statement, Buffer.from(signature, 'base64url'));
  } catch {
    // A key or signature of the wrong form.
    return false;
  }
}

const sameLimits = (a: SpendingLimits, b: SpendingLimits): boolean =>
  a.maxOrder === b.maxOrder && a.maxExposure === b.maxExposure && a.maxDailyLoss === b.maxDailyLoss;

export interface Wanted {
  purpose: StepUpStatement['purpose'];
  agentId: string | null;
  limits: SpendingLimits;
}

/** Null when the token holds. The caller writes its nonce down before it acts. */
export function stepUpFault(
  token: StepUpToken | null,
  wanted: Wanted,
  connection: Connection,
  isUsed: (nonce: string) => boolean,
  nowMs: number,
): StepUpFault | null {
  if (token === null) return 'step_up_needed';
  const { statement } = token;
  const isBound =
    statement.purpose === wanted.purpose &&
    statement.connectionId === connection.connectionId &&
    statement.accountId === connection.accountId &&
    statement.agentId === wanted.agentId &&
    sameLimits(statement.limits, wanted.limits);
  if (!isBound || !isSigned(token, connection.stepUpKeys)) return 'step_up_invalid';
  const ageMs = nowMs - statement.issuedAtMs;
  if (ageMs > VALID_MS || ageMs < -AHEAD_MS) return 'step_up_expired';
  return isUsed(statement.nonce) ? 'step_up_used' : null;
}
