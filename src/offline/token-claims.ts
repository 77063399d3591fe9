/**
 * Reads the claims of a bearer token without verifying it. Never use it as a check: only the server
 * verifies.
 */
import * as z from 'zod/mini';
import { readJwt } from '../../contract/jwt.ts';

const Claims = z.object({
  sub: z.string().check(z.minLength(1), z.maxLength(128)),
  auth_time: z.optional(z.number()),
});

export interface TokenClaims {
  uid: string;
  /** Seconds UTC of its login. */
  authTime: number | null;
}

/** The claims of a JWT, or null where it cannot be read. */
export function tokenClaims(token: string): TokenClaims | null {
  const claims = Claims.safeParse(readJwt(token)?.claims);
  return claims.success ? { uid: claims.data.sub, authTime: claims.data.auth_time ?? null } : null;
}

/** The same from an Authorization header. */
export function bearerClaims(header: string | null): TokenClaims | null {
  return header?.startsWith('Bearer ') === true
    ? tokenClaims(header.slice('Bearer '.length))
    : null;
}
