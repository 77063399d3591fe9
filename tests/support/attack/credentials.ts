/**
 * Tokens that must not be taken, each with the code of the refusal: forged in every part, expired,
 * too old, and none at all. The keys are those of a provider of our own.
 */
import { generateKeyPairSync } from 'node:crypto';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import type { ErrorCode } from '../../../contract/errors.ts';
import { SESSION_MAX_AGE_MS } from '../../../contract/limits.ts';
import { signToken, TEST_PROJECT, type TestKeys } from '../keys.ts';

export interface Credential {
  what: string;
  /** The whole header; null for none. */
  authorization: string | null;
  code: ErrorCode;
}

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

interface Claims {
  [name: string]: unknown;
  iat: number;
}

const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;

/** Signed by nobody, by a secret that everybody knows, or by somebody else. */
async function forged(keys: TestKeys, uid: string): Promise<Record<string, string>> {
  const good = await keys.sign(uid);
  const [head = '', body = '', signature = ''] = good.split('.');
  const claims = claimsOf(good);
  const stranger = await generateKeyPair('RS256', { extractable: true });
  const publicKey = await exportSPKI(stranger.publicKey);
  const hs256 = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: keys.kid });
  const weak = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return {
    'alg none': `${encoded({ alg: 'none' })}.${body}.`,
    'alg none under our kid': `${encoded({ alg: 'None', kid: keys.kid })}.${body}.`,
    'HS256 with a public key': await hs256.sign(new TextEncoder().encode(publicKey)),
    "a stranger's key under our kid": await signToken(stranger.privateKey, keys.kid, uid),
    'a kid that is not ours': await signToken(stranger.privateKey, 'not-ours', uid),
    'no kid': await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(keys.privateKey),
    'its own key in the head': await new SignJWT(claims)
      .setProtectedHeader({
        alg: 'RS256',
        kid: keys.kid,
        jwk: weak.publicKey.export({ format: 'jwk' }),
      })
      .sign(weak.privateKey),
    'another user under a good signature': `${head}.${encoded({ ...claims, sub: 'Mallory' })}.${signature}`,
    'no signature': `${head}.${body}.`,
  };
}

export async function badCredentials(keys: TestKeys, uid: string): Promise<Credential[]> {
  const now = Date.now();
  const seconds = Math.floor(now / 1_000);
  const signed = (claims: Record<string, unknown>): Promise<string> => keys.sign(uid, claims);
  const made: [string, string, ErrorCode][] = [
    ...Object.entries(await forged(keys, uid)).map(([what, token]): [string, string, ErrorCode] => [
      what,
      token,
      'invalid_token',
    ]),
    ['no token of any kind', 'nonsense', 'invalid_token_structure'],
    ['another audience', await signed({ aud: 'another' }), 'invalid_token_claims'],
    ['a list of audiences', await signed({ aud: [TEST_PROJECT] }), 'invalid_token_claims'],
    ['another issuer', await signed({ iss: 'https://evil.example' }), 'invalid_token_issuer'],
    ['nobody', await signed({ sub: '' }), 'invalid_token_claims'],
    ['from the future', await signed({ iat: seconds + 600 }), 'invalid_token_claims'],
    ['signed in tomorrow', await signed({ auth_time: seconds + 86_400 }), 'invalid_token_claims'],
    [
      'expired',
      await keys.sign(uid, { auth_time: seconds - 4_000 }, now - 4_000_000),
      'invalid_token',
    ],
    [
      'four hours after the sign-in',
      await signed({ auth_time: seconds - SESSION_MAX_AGE_MS / 1_000 }),
      'reauth_required',
    ],
  ];
  return [
    { what: 'none', authorization: null, code: 'not_authenticated' },
    { what: 'another scheme', authorization: 'Basic YWRtaW46YWRtaW4=', code: 'not_authenticated' },
    { what: 'an empty one', authorization: 'Bearer', code: 'no_token' },
    ...made.map(([what, token, code]) => ({ what, authorization: `Bearer ${token}`, code })),
  ];
}
