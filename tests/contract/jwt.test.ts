/** Reading the parts of a token, as page, worker and server do. */
import { describe, expect, it } from 'vitest';
import { readJwt } from '../../contract/jwt.ts';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a JSON Web Token', () => {
  it('is read with letters beyond ASCII, and unsigned', () => {
    const claims = { sub: 'ada', name: 'Zoë ≥ ÿ' };
    expect(readJwt(`${part({ alg: 'none' })}.${part(claims)}.`)).toEqual({
      header: { alg: 'none' },
      claims,
      signature: '',
    });
  });
  it('is none without three parts, the first two of them filled', () => {
    for (const text of ['', 'a', 'a.b', 'a.b.c.d', '..', '.e30.x', 'e30..x'])
      expect(readJwt(text), text).toBeNull();
  });
  it('has no header and no claims where they are not base64url or not JSON', () => {
    expect(readJwt('!!.e30.x')).toEqual({ header: undefined, claims: {}, signature: 'x' });
    expect(readJwt('e30.e3.x')?.claims).toBeUndefined();
    expect(readJwt('e30.e30=.x')?.claims).toBeUndefined();
    // Decoders pass over blanks; a signature is made over the text as it stands.
    expect(readJwt(' e30.e30.x')?.header).toBeUndefined();
    expect(readJwt('e30.e30 .x')?.claims).toBeUndefined();
  });
});
