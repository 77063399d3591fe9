/** Keys are cut out of a request before it becomes a text, sealed from bytes, and wiped. */
import { describe, expect, it } from 'vitest';
import { HeldSecrets, jsonBytes, withoutSecrets } from '../../server/secret-bytes.ts';
import fc from '../support/property.ts';

const FIELDS = ['apiKey', 'secret'];
const cut = (json: string, secrets = new HeldSecrets()): Record<string, unknown> =>
  JSON.parse(withoutSecrets(Buffer.from(json), FIELDS, secrets)) as Record<string, unknown>;
const meant = (text: unknown): unknown => JSON.parse(`"${jsonBytes(String(text)).toString()}"`);

describe('a request with secrets', () => {
  it('keeps everything else, and says of each secret only which one it is', () => {
    const secrets = new HeldSecrets();
    const pem = '-----BEGIN A PRIVATE THING-----\nabc+/=\n"quoted" \\ ü\n-----END';
    const request = { exchange: 'coinbase', apiKey: 'key-1', label: 'secret', secret: pem };
    const text = cut(JSON.stringify(request), secrets);
    expect(text).toMatchObject({ exchange: 'coinbase', label: 'secret' });
    expect(JSON.stringify(text)).not.toContain('key-1');
    expect(JSON.stringify(text)).not.toContain('abc');
    expect(meant(text.apiKey)).toBe('key-1');
    expect(meant(text.secret)).toBe(pem);
    // The same command sent again is the same command.
    expect(cut(JSON.stringify(request))).toEqual(text);
    secrets.wipe();
  });

  it('is wiped: the bytes it came in at once, the held ones when the request is over', () => {
    const secrets = new HeldSecrets();
    const bytes = Buffer.from('{"apiKey":"a key that stands out"}');
    const text = JSON.parse(withoutSecrets(bytes, FIELDS, secrets)) as { apiKey: string };
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    const other = new HeldSecrets();
    withoutSecrets(Buffer.from('{"apiKey":"a key that stands out"}'), FIELDS, other);
    secrets.wipe();
    // Another request is still under way with the same key.
    expect(meant(text.apiKey)).toBe('a key that stands out');
    other.wipe();
    expect(meant(text.apiKey)).toBe(text.apiKey);
  });

  it.each([
    ['a name with escapes', '{"\\u0061piKey":"hidden-1"}'],
    ['spaces', '{ "apiKey"\n:\t"hidden-1" }'],
    ['the same field twice', '{"apiKey":"hidden-1","apiKey":"hidden-1"}'],
    ['quotes inside', '{"label":"\\"apiKey\\":\\"x","apiKey":"hidden-1"}'],
  ])('is cut with %s', (_name, json) => {
    const secrets = new HeldSecrets();
    expect(withoutSecrets(Buffer.from(json), FIELDS, secrets)).not.toContain('hidden-1');
    secrets.wipe();
  });

  it.each([
    ['{"apiKey":"hidden-1","secret":"hid', 'The request is not valid JSON'],
    [`{"apiKey":"hidden-1","secret":"${'x'.repeat(9_000)}"}`, 'The key is too long'],
  ])('that is not right is refused in words of ours, and wiped', (json, words) => {
    const bytes = Buffer.from(json);
    const secrets = new HeldSecrets();
    expect(() => withoutSecrets(bytes, FIELDS, secrets)).toThrow(words);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    secrets.wipe();
  });

  it('means the same as before, whatever its texts are', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (label, secret, more) => {
        const secrets = new HeldSecrets();
        const text = cut(JSON.stringify({ label, secret, more: { secret: more } }), secrets);
        expect(text).toMatchObject({ label, more: { secret: more } });
        expect(meant(text.secret)).toBe(secret);
        secrets.wipe();
      }),
    );
  });
});
