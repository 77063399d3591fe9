/**
 * Reads the claims of a bearer token without verifying it. Never use it as a check: only the server
 * verifies.
 */
import * as z from 'zod/mini';

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
  const payload = token.split('.')[1];
  if (payload === undefined || payload === '') return null;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    );
    const claims = Claims.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return claims.success
      ? { uid: claims.data.sub, authTime: claims.data.auth_time ?? null }
      : null;
  } catch {
    return null;
  }
}

/** The same from an Authorization header. */
export function bearerClaims(header: string | null): TokenClaims | null {
  return header?.startsWith('Bearer ') === true
    ? tokenClaims(header.slice('Bearer '.length))
    : null;
}
