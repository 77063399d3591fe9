/** The claims of a token at the very edge of what is accepted, and which refusal comes first. */
import { UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../contract/errors.ts';
import { SESSION_MAX_AGE_MS } from '../../../contract/limits.ts';
import { checkClaims, decodeToken } from '../../../server/identity/claims.ts';

const PROJECT = 'tradewind-test';
const NOW_S = 1_790_000_000;
const NOW_MS = NOW_S * 1_000;

const claimsWith = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  sub: 'Alice1',
  aud: PROJECT,
  iss: `https://securetoken.google.com/${PROJECT}`,
  iat: NOW_S - 10,
  auth_time: NOW_S - 20,
  exp: NOW_S + 3_600,
  email: 'alice1@example.com',
  ...more,
});

function refusalOf(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'accepted', message: '' };
}
const codeOf = (more: Record<string, unknown>): string =>
  refusalOf(() => checkClaims(claimsWith(more), PROJECT, NOW_MS)).code;

describe('the claims of a token', () => {
  it('give times in milliseconds, and no address where there is none', () => {
    expect(checkClaims(claimsWith({ email: undefined }), PROJECT, NOW_MS)).toEqual({
      uid: 'Alice1',
      email: null,
      emailVerified: false,
      authTimeMs: NOW_MS - 20_000,
      expiresAtMs: NOW_MS + 3_600_000,
      issuedAtMs: NOW_MS - 10_000,
    });
  });

  it('say whether the address is confirmed, and confirm none that they do not name', () => {
    const verified = (more: Record<string, unknown>) =>
      checkClaims(claimsWith(more), PROJECT, NOW_MS).emailVerified;
    expect(verified({ email: 'a@example.com', email_verified: true })).toBe(true);
    expect(verified({ email: 'a@example.com', email_verified: false })).toBe(false);
    expect(verified({ email: 'a@example.com' })).toBe(false);
    expect(verified({ email: undefined, email_verified: true })).toBe(false);
    expect(codeOf({ email_verified: 'true' })).toBe('invalid_token_claims');
  });

  it('may be from a clock one minute ahead of ours, and no further', () => {
    for (const name of ['iat', 'auth_time']) {
      expect(codeOf({ [name]: NOW_S + 60 }), name).toBe('accepted');
      expect(codeOf({ [name]: NOW_S + 60.001 }), name).toBe('invalid_token_claims');
    }
  });

  it('end in the very instant that they name', () => {
    expect(codeOf({ exp: NOW_S })).toBe('invalid_token');
    expect(codeOf({ exp: NOW_S + 0.001 })).toBe('accepted');
  });

  it('are too old four hours after the login, to the millisecond', () => {
    const fourHoursAgo = NOW_S - SESSION_MAX_AGE_MS / 1_000;
    expect(
      refusalOf(() => checkClaims(claimsWith({ auth_time: fourHoursAgo }), PROJECT, NOW_MS)),
    ).toEqual({
      code: 'reauth_required',
      message: 'Your session has expired. Please log in again.',
    });
    expect(codeOf({ auth_time: fourHoursAgo + 0.001 })).toBe('accepted');
  });

  it('ask for a new login only of a token that is good in all else', () => {
    const old = { auth_time: NOW_S - 5 * 3_600 };
    expect(codeOf({ ...old, exp: NOW_S })).toBe('invalid_token');
    expect(codeOf({ ...old, aud: 'another' })).toBe('invalid_token_claims');
    expect(codeOf(old)).toBe('reauth_required');
  });

  it('are none where they are no object, or name no issuer', () => {
    for (const claims of [null, 7, 'text', {}, claimsWith({ iss: 7 }), claimsWith({ iss: null })])
      expect(
        refusalOf(() => checkClaims(claims, PROJECT, NOW_MS)),
        JSON.stringify(claims),
      ).toEqual({ code: 'invalid_token_claims', message: 'Invalid token claims' });
  });

  it('name a person in up to 128 characters, without any that a page or a log could take for its own', () => {
    expect(codeOf({ sub: 'x'.repeat(128) })).toBe('accepted');
    expect(codeOf({ sub: 'x'.repeat(129) })).toBe('invalid_token_claims');
    for (const character of [' ', '\n', '<', '>', '"', "'", '&', '\0'])
      for (const sub of [`${character}a`, `a${character}`, `a${character}b`])
        expect(codeOf({ sub }), JSON.stringify(sub)).toBe('invalid_token_claims');
  });
});

describe('a token taken apart', () => {
  it('has its algorithm, its key and its signature', () => {
    const token = new UnsecuredJWT({ sub: 'a' }).encode();
    expect(decodeToken(token)).toEqual({
      alg: 'none',
      kid: null,
      claims: { sub: 'a' },
      signature: '',
    });
    const header = Buffer.from('{"alg":"RS256","kid":"k1"}').toString('base64url');
    expect(decodeToken(`${header}.e30.sig`)).toEqual({
      alg: 'RS256',
      kid: 'k1',
      claims: {},
      signature: 'sig',
    });
  });

  it('is refused without a readable header or readable claims', () => {
    const header = Buffer.from('{"alg":"RS256"}').toString('base64url');
    for (const token of [`e30.e30.x`, `${header}.e3.x`, `!!.e30.x`])
      expect(
        refusalOf(() => decodeToken(token)),
        token,
      ).toEqual({
        code: 'invalid_token_structure',
        message: 'Invalid token structure',
      });
  });
});
