/** What an ID token must be before it is sent. */
import { describe, expect, it } from 'vitest';
import {
  readToken,
  verifiedToken,
  type TokenFault,
  type TokenSource,
} from '../../../src/identity/token.ts';

const NOW = 1_700_000_000_000;
const PROJECT = 'demo-tradewind';
const b64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const claims = (more: object = {}): object => ({
  sub: 'user-1',
  aud: PROJECT,
  iss: `https://securetoken.google.com/${PROJECT}`,
  exp: NOW / 1_000 + 3_600,
  auth_time: NOW / 1_000 - 60,
  name: 'Zoë ✓',
  ...more,
});
const make = (payload: unknown = claims(), signature = 'sig'): string =>
  `${b64({ alg: 'RS256' })}.${b64(payload)}.${signature}`;
const source = (...tokens: string[]): TokenSource & { asked: boolean[] } => {
  const asked: boolean[] = [];
  return {
    asked,
    getIdToken: (force) => {
      asked.push(force);
      return Promise.resolve(tokens.shift() ?? '');
    },
  };
};
const fault = (code: string, message: string) =>
  expect.objectContaining({ name: 'TokenFault', code, message }) as TokenFault;

describe('token', () => {
  it('has three parts (R5-20, R8-11)', () => {
    for (const token of ['', 'a', 'a.b', 'a.b.c.d', '..', `${b64({})}..x`]) {
      expect(() => readToken(token, PROJECT), token).toThrow('Invalid token structure');
    }
    expect(readToken(make(claims(), ''), PROJECT).uid).toBe('user-1');
    expect(readToken(make(), PROJECT)).toEqual({
      uid: 'user-1',
      expiresAt: NOW + 3_600_000,
      authenticatedAt: NOW - 60_000,
    });
  });

  it('names a subject and this project as its audience (R5-21, R8-12)', () => {
    for (const wrong of [
      { sub: '' },
      { sub: 7 },
      { sub: undefined },
      { aud: 'other' },
      { aud: undefined },
      { exp: 'soon' },
      { sub: 'x'.repeat(129) },
    ]) {
      expect(() => readToken(make(claims(wrong)), PROJECT), JSON.stringify(wrong)).toThrow(
        'Invalid token claims',
      );
    }
  });

  it('was issued by the identity provider for this project (R5-21, R8-13)', () => {
    for (const iss of [
      'https://evil.example/demo-tradewind',
      'https://securetoken.google.com/other',
      undefined,
    ]) {
      expect(() => readToken(make(claims({ iss })), PROJECT)).toThrow('Invalid token issuer');
    }
  });

  it('reads as JSON (R8-14)', () => {
    for (const token of [`${b64({})}.!!!.x`, make('not json'), make([1]), `x.${b64(claims())}.x`]) {
      expect(() => readToken(token, PROJECT), token).toThrow('Invalid authentication token');
    }
  });

  it('is refreshed once when it has expired, and refused when it still has (R5-22, R8-14)', async () => {
    const old = make(claims({ exp: NOW / 1_000 - 1 }));
    const renewed = source(old, make());
    await expect(verifiedToken(renewed, { projectId: PROJECT, now: NOW })).resolves.toEqual({
      uid: 'user-1',
      token: make(),
    });
    expect(renewed.asked).toEqual([false, true]);
    const stuck = source(old, old, make());
    await expect(verifiedToken(stuck, { projectId: PROJECT, now: NOW })).rejects.toEqual(
      fault('invalid_token', 'Invalid authentication token'),
    );
    expect(stuck.asked).toEqual([false, true]);
  });

  it('cannot be had without Firebase, without a user, or from an empty answer (R8-08, R8-09, R8-10)', async () => {
    const options = { projectId: PROJECT, now: NOW };
    await expect(verifiedToken(undefined, options)).rejects.toEqual(
      fault('identity_unavailable', 'Firebase auth not initialized'),
    );
    await expect(verifiedToken(null, options)).rejects.toEqual(
      fault('not_authenticated', 'Not authenticated'),
    );
    await expect(verifiedToken(source(''), options)).rejects.toEqual(
      fault('no_token', 'No authentication token available'),
    );
  });

  it('that cannot be renewed for want of a network is no reason to sign anyone out', async () => {
    const away: TokenSource = {
      getIdToken: () => Promise.reject(new Error('auth/network-request-failed')),
    };
    await expect(verifiedToken(away, { projectId: PROJECT, now: NOW })).rejects.toEqual(
      fault('identity_unavailable', 'No authentication token available'),
    );
  });
});
