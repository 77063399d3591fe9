/** Binance's signature: HMAC-SHA256 over the query or the form, and a timestamp no older than recvWindow. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Accounts, ApiKey } from '../accounts.ts';
import type { Answer, Asked } from '../calls.ts';
import type { Authenticated } from '../dialect.ts';

const DEFAULT_WINDOW_MS = 5_000;
const LONGEST_WINDOW_MS = 60_000;
/** How far a client may be ahead. */
const AHEAD_MS = 1_000;

export const binanceError = (code: number, msg: string, status = 400): Answer => ({
  status,
  body: { code, msg },
});

const INVALID_KEY = binanceError(-2015, 'Invalid API-key, IP, or permissions for action.', 401);

/** Everything that was sent, in the order in which it is signed: query first, then the form. */
const signedText = ({ rawQuery, body }: Asked): string => `${rawQuery}${body}`;

export const paramsOf = (asked: Asked): URLSearchParams => new URLSearchParams(signedText(asked));

export function signText(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

export function sameSignature(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function keyOf(accounts: Accounts, asked: Asked): ApiKey | Answer {
  const key = accounts.key(asked.headers['x-mbx-apikey'] ?? '');
  return key === null || key.revoked ? INVALID_KEY : key;
}

export function timestampProblem(params: URLSearchParams, nowMs: number): Answer | null {
  const timestamp = Number(params.get('timestamp') ?? 'NaN');
  if (!Number.isFinite(timestamp))
    return binanceError(-1102, "Mandatory parameter 'timestamp' was not sent.");
  const window = Number(params.get('recvWindow') ?? DEFAULT_WINDOW_MS);
  if (!(window > 0 && window <= LONGEST_WINDOW_MS))
    return binanceError(-1131, "Invalid 'recvWindow'.");
  if (timestamp >= nowMs + AHEAD_MS)
    return binanceError(-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  return nowMs - timestamp > window
    ? binanceError(-1021, 'Timestamp for this request is outside of the recvWindow.')
    : null;
}

export function authenticateBinance(
  accounts: Accounts,
  asked: Asked,
  nowMs: number,
): Authenticated {
  const key = keyOf(accounts, asked);
  if ('status' in key) return { refused: key };
  const text = signedText(asked);
  const at = text.lastIndexOf('&signature=');
  const given = at < 0 ? '' : text.slice(at + '&signature='.length);
  if (!sameSignature(signText(text.slice(0, Math.max(0, at)), key.secret), given))
    return { refused: binanceError(-1022, 'Signature for this request is not valid.') };
  const refused = timestampProblem(paramsOf(asked), nowMs);
  return refused === null ? { key } : { refused };
}
