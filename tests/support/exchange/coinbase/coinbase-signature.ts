/** Coinbase's proofs: a JWT signed with the key's P-256 half for each address, or the older HMAC headers. */
import { createHmac, verify } from 'node:crypto';
import type { Accounts, ApiKey } from '../accounts.ts';
import type { Answer, Asked } from '../calls.ts';
import type { Authenticated } from '../dialect.ts';

/** How far the two clocks may be apart. */
const LEEWAY_S = 5;
const HMAC_WINDOW_S = 30;
/** Longest life of a JWT. */
const LIFE_S = 120;

/** Coinbase answers a bad signature with bare text. */
export const UNAUTHORIZED: Answer = {
  status: 401,
  body: 'Unauthorized\n',
  headers: { 'content-type': 'text/plain' },
};

export const coinbaseError = (status: number, error: string, message: string): Answer => ({
  status,
  body: { error, error_details: message, message },
});

interface Claims {
  sub?: string;
  iss?: string;
  aud?: string[];
  uri?: string;
  nbf?: number;
  exp?: number;
}

const part = (text: string | undefined): unknown =>
  JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8'));

/** The key a token speaks for, if it is whole and in time; `uri` is what it must be for, if anything. */
export function keyOfToken(
  accounts: Accounts,
  token: string,
  nowMs: number,
  uri: string | null,
): ApiKey | null {
  const [head, body, signature] = token.split('.');
  try {
    const claims = part(body) as Claims;
    const key = accounts.key(claims.sub ?? '');
    if (key?.publicKey == null || key.revoked) return null;
    const isGenuine = verify(
      'sha256',
      Buffer.from(`${head ?? ''}.${body ?? ''}`),
      { key: key.publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature ?? '', 'base64url'),
    );
    const { nbf = Infinity, exp = 0 } = claims;
    const now = nowMs / 1_000;
    const isInTime = nbf <= now + LEEWAY_S && exp > now - LEEWAY_S && exp - nbf <= LIFE_S;
    // ccxt takes only `https://` off the address; this server is reached without it.
    const isForThis = uri === null || claims.uri?.replace(/ https?:\/\//, ' ') === uri;
    const isForUs = claims.iss === 'coinbase-cloud' && claims.aud?.[0] === 'retail_rest_api_proxy';
    return isGenuine && isInTime && isForThis && isForUs ? key : null;
  } catch {
    return null;
  }
}

export function claimedKey({ headers }: Asked): string | null {
  const hmac = headers['cb-access-key'];
  if (hmac !== undefined) return hmac;
  const [, body] = (headers.authorization ?? '').split('.');
  try {
    return (part(body) as Claims).sub ?? null;
  } catch {
    return null;
  }
}

export function authenticateCoinbase(
  accounts: Accounts,
  asked: Asked,
  nowMs: number,
): Authenticated {
  const bearer = asked.headers.authorization ?? '';
  const key = bearer.startsWith('Bearer ')
    ? keyOfToken(
        accounts,
        bearer.slice('Bearer '.length),
        nowMs,
        `${asked.method} ${asked.host}${asked.path}`,
      )
    : keyOfHmac(accounts, asked, nowMs);
  return key === null ? { refused: UNAUTHORIZED } : { key };
}

function keyOfHmac(accounts: Accounts, asked: Asked, nowMs: number): ApiKey | null {
  const { headers, method, path, body } = asked;
  const key = accounts.key(headers['cb-access-key'] ?? '');
  const timestamp = headers['cb-access-timestamp'] ?? '';
  if (key === null || key.revoked) return null;
  const expected = createHmac('sha256', key.secret)
    .update(`${timestamp}${method}${path}${body}`)
    .digest('hex');
  const isInTime = Math.abs(Number(timestamp) - nowMs / 1_000) <= HMAC_WINDOW_S;
  return isInTime && expected === headers['cb-access-sign'] ? key : null;
}
