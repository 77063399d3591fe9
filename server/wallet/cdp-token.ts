/** The token by which the developer platform knows this server, signed anew for each request. */
import { createPrivateKey, randomBytes, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';

const LIFE_SECONDS = 120;
const ED25519_SEED_BYTES = 32;

export interface CdpKey {
  keyId: string;
  algorithm: 'ES256' | 'EdDSA';
  key: KeyObject;
}

/**
 * A PEM (an environment's `\n` counts as a line's end), or the 64 bytes of an Ed25519 key as the
 * platform gives them out.
 */
export function readCdpKey(keyId: string, secret: string): CdpKey {
  if (secret.startsWith('-----BEGIN')) {
    const key = createPrivateKey(secret.replaceAll('\\n', '\n'));
    return { keyId, algorithm: key.asymmetricKeyType === 'ed25519' ? 'EdDSA' : 'ES256', key };
  }
  const bytes = Buffer.from(secret, 'base64');
  const part = (from: number, to?: number): string =>
    bytes.subarray(from, to).toString('base64url');
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: part(0, ED25519_SEED_BYTES),
    x: part(ED25519_SEED_BYTES),
  };
  return { keyId, algorithm: 'EdDSA', key: createPrivateKey({ key: jwk, format: 'jwk' }) };
}

/** Good for this method and path alone, two minutes long. */
export function cdpToken(
  { keyId, algorithm, key }: CdpKey,
  method: string,
  url: URL,
  nowMs: number,
): Promise<string> {
  const now = Math.floor(nowMs / 1_000);
  return new SignJWT({ uris: [`${method} ${url.host}${url.pathname}`] })
    .setProtectedHeader({
      alg: algorithm,
      kid: keyId,
      typ: 'JWT',
      nonce: randomBytes(16).toString('hex'),
    })
    .setSubject(keyId)
    .setIssuer('cdp')
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + LIFE_SECONDS)
    .sign(key);
}
