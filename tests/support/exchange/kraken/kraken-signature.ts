/** Kraken's signature: HMAC-SHA512 over the path and the SHA-256 of nonce and body, and a nonce that only grows. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Accounts, ApiKey } from '../accounts.ts';
import type { Answer, Asked } from '../calls.ts';
import type { Authenticated } from '../dialect.ts';

export const krakenError = (text: string): Answer => ({ status: 200, body: { error: [text] } });

export function bodyOf(asked: Asked): URLSearchParams {
  if (!(asked.headers['content-type'] ?? '').includes('json'))
    return new URLSearchParams(asked.body);
  const parsed: unknown = asked.body === '' ? {} : JSON.parse(asked.body);
  const fields = Object.entries(parsed as Record<string, unknown>);
  return new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
}

export function signatureOf(path: string, nonce: string, body: string, secret: string): Buffer {
  const hash = createHash('sha256').update(`${nonce}${body}`).digest();
  return createHmac('sha512', Buffer.from(secret, 'base64'))
    .update(Buffer.concat([Buffer.from(path), hash]))
    .digest();
}

export function authenticateKraken(accounts: Accounts, asked: Asked): Authenticated {
  const key = accounts.key(asked.headers['api-key'] ?? '');
  if (key === null || key.revoked) return { refused: krakenError('EAPI:Invalid key') };
  const nonce = bodyOf(asked).get('nonce') ?? '';
  const expected = signatureOf(asked.path, nonce, asked.body, key.secret);
  const given = Buffer.from(asked.headers['api-sign'] ?? '', 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { refused: krakenError('EAPI:Invalid signature') };
  return acceptNonce(key, nonce);
}

function acceptNonce(key: ApiKey, nonce: string): Authenticated {
  if (!/^\d{1,20}$/.test(nonce) || BigInt(nonce) <= key.lastNonce)
    return { refused: krakenError('EAPI:Invalid nonce') };
  key.lastNonce = BigInt(nonce);
  return { key };
}
