/** Checks what an ID token says before it is sent: its shape, project, issuer and subject. */
import { readJwt } from '../../contract/jwt.ts';

export interface TokenClaims {
  uid: string;
  /** Wall clock, ms. */
  expiresAt: number;
  /** Wall clock (ms) of the sign-in it stems from; null where the token does not say. */
  authenticatedAt: number | null;
}

/** A failure to have a token. `code` is the catalogue's, as the server would have answered. */
export class TokenFault extends Error {
  override readonly name = 'TokenFault';
  constructor(
    readonly code:
      | 'not_authenticated'
      | 'no_token'
      | 'invalid_token_structure'
      | 'invalid_token_claims'
      | 'invalid_token_issuer'
      | 'invalid_token'
      | 'identity_unavailable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const ISSUER = 'https://securetoken.google.com/';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Checks structure, subject, audience and issuer; the signature is the server's to check.
 * @throws TokenFault with the wording of the catalogue.
 */
export function readToken(token: string, projectId: string): TokenClaims {
  const jwt = readJwt(token);
  // The emulator's tokens are unsigned: their third part is there, and empty.
  if (jwt === null) throw new TokenFault('invalid_token_structure', 'Invalid token structure');
  const { header, claims } = jwt;
  if (!isObject(header) || !isObject(claims))
    throw new TokenFault('invalid_token', 'Invalid authentication token');
  const { sub, aud, iss, exp, auth_time: authTime } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > 128 || aud !== projectId)
    throw new TokenFault('invalid_token_claims', 'Invalid token claims');
  if (typeof iss !== 'string' || iss !== `${ISSUER}${projectId}`)
    throw new TokenFault('invalid_token_issuer', 'Invalid token issuer');
  if (typeof exp !== 'number' || !Number.isFinite(exp))
    throw new TokenFault('invalid_token_claims', 'Invalid token claims');
  return {
    uid: sub,
    expiresAt: exp * 1_000,
    authenticatedAt: typeof authTime === 'number' ? authTime * 1_000 : null,
  };
}

/** The source of tokens: the logged-in user, or none. `force` requests a new one. */
export interface TokenSource {
  getIdToken(force: boolean): Promise<string>;
}

export interface VerifiedToken {
  uid: string;
  token: string;
}

/**
 * A token that passed every check, refreshed once where the present one has expired.
 * @param source undefined when Firebase is not there, null when nobody is signed in.
 * @throws TokenFault
 */
export async function verifiedToken(
  source: TokenSource | null | undefined,
  options: { projectId: string; now: number; force?: boolean },
): Promise<VerifiedToken> {
  if (source === undefined)
    throw new TokenFault('identity_unavailable', 'Firebase auth not initialized');
  if (source === null) throw new TokenFault('not_authenticated', 'Not authenticated');
  const read = async (force: boolean): Promise<VerifiedToken & TokenClaims> => {
    const token = await source.getIdToken(force).catch((cause: unknown) => {
      // Without a network a token that has run out cannot be renewed: the person is still who they
      // are.
      throw new TokenFault('identity_unavailable', 'No authentication token available', { cause });
    });
    if (token === '') throw new TokenFault('no_token', 'No authentication token available');
    return { token, ...readToken(token, options.projectId) };
  };
  let held = await read(options.force ?? false);
  if (held.expiresAt <= options.now && options.force !== true) held = await read(true);
  if (held.expiresAt <= options.now)
    throw new TokenFault('invalid_token', 'Invalid authentication token');
  return { uid: held.uid, token: held.token };
}
