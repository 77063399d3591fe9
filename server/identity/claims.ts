/** Checks the claims of a Firebase ID token, with the messages of the error catalogue. */
import * as z from 'zod/mini';
import { readJwt } from '../../contract/jwt.ts';
import { Refusal } from '../../contract/errors.ts';
import { SESSION_MAX_AGE_MS } from '../../contract/limits.ts';
import type { Identity } from './verifier.ts';

/** How far the provider's clock may be ahead of ours. */
const CLOCK_LEEWAY_MS = 60_000;
const UID_MAX = 128;

const Header = z.object({ alg: z.string(), kid: z.optional(z.string()) });
const Claims = z.object({
  sub: z.string().check(z.minLength(1), z.maxLength(UID_MAX), z.regex(/^[^\s<>"'&\0]+$/)),
  aud: z.string(),
  iss: z.string(),
  exp: z.number(),
  iat: z.number(),
  auth_time: z.number(),
  email: z.optional(z.string()),
  email_verified: z.optional(z.boolean()),
});

export interface DecodedToken {
  alg: string;
  kid: string | null;
  claims: unknown;
  signature: string;
}

const structure = () => new Refusal('invalid_token_structure', 'Invalid token structure');
const wrongClaims = () => new Refusal('invalid_token_claims', 'Invalid token claims');
export const invalidToken = () => new Refusal('invalid_token', 'Invalid authentication token');

/** Three parts, the first two of them JSON. Nothing here is trusted yet. */
export function decodeToken(token: string): DecodedToken {
  const jwt = readJwt(token);
  const header = Header.safeParse(jwt?.header);
  if (jwt?.claims === undefined || !header.success) throw structure();
  return {
    alg: header.data.alg,
    kid: header.data.kid ?? null,
    claims: jwt.claims,
    signature: jwt.signature,
  };
}

/**
 * Subject, audience, issuer and every time. Throws `reauth_required` last, so that only an
 * otherwise good token hears it.
 */
export function checkClaims(claims: unknown, projectId: string, nowMs: number): Identity {
  const issuer = (claims as { iss?: unknown } | null)?.iss;
  if (typeof issuer !== 'string') throw wrongClaims();
  if (issuer !== `https://securetoken.google.com/${projectId}`)
    throw new Refusal('invalid_token_issuer', 'Invalid token issuer');
  const parsed = Claims.safeParse(claims);
  if (!parsed.success || parsed.data.aud !== projectId) throw wrongClaims();
  const { sub, exp, iat, auth_time: authTime, email, email_verified } = parsed.data;
  const latest = nowMs + CLOCK_LEEWAY_MS;
  if (iat * 1_000 > latest || authTime * 1_000 > latest) throw wrongClaims();
  if (exp * 1_000 <= nowMs) throw invalidToken();
  const authTimeMs = authTime * 1_000;
  if (nowMs - authTimeMs >= SESSION_MAX_AGE_MS)
    throw new Refusal('reauth_required', 'Your session has expired. Please log in again.');
  return {
    uid: sub,
    email: email ?? null,
    emailVerified: email !== undefined && email_verified === true,
    authTimeMs,
    expiresAtMs: exp * 1_000,
    issuedAtMs: iat * 1_000,
  };
}
