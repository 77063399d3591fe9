/** What Binance's error codes prove. */
import * as z from 'zod/mini';
import type { RawReply } from '../door.ts';
import { judgeStatus, unknown, unlisted, type Verdict } from '../verdict.ts';

/** Refused on arrival, or by the matching engine before it took the order. */
const REJECTED = new Set([
  -1003, // too many requests
  -1013, // a filter: size, step, notional, price
  -1014, // unsupported combination
  -1015, // too many orders
  -1100,
  -1101,
  -1102,
  -1103,
  -1104,
  -1105,
  -1106,
  -1111, // precision
  -1112, // no orders on the book
  -1114,
  -1115,
  -1116,
  -1117,
  -1121, // invalid symbol
  -1130,
  -1131,
  -2010, // the matching engine rejected it; a duplicate id says so in its text
  -2011, // a cancellation: unknown order
  -2013, // a question: no such order
]);
/** Signature, key, address or permission. */
const OF_KEY = new Set([-1002, -1022, -2014, -2015]);

// Not listed on purpose: -1006 and -1007 say themselves that the outcome is unknown, and -1000,
// -1001, -1008 and -1021 do not say that nothing happened.

/** Binance's clock and ours differ: it is asked again before the next request. */
export const WRONG_TIME = -1021;
/** Whatever else it is, the code is that of a filter. */
const MARKET_CLOSED = /^market is closed/i;
/** Already sent. The id exists among open orders, and the order must be looked up. */
const DUPLICATE = /^duplicate order sent/i;

const Failure = z.object({ code: z.number(), msg: z.optional(z.string()) });

export function codeOf(reply: RawReply): number | null {
  const failure = Failure.safeParse(reply.body);
  return failure.success ? failure.data.code : null;
}

export function judgeBinance(reply: RawReply): Verdict {
  const general = judgeStatus(reply);
  if (general !== null) return general;
  const failure = Failure.safeParse(reply.body);
  if (!failure.success)
    return reply.status >= 400 ? unlisted(`http_${reply.status}`) : { kind: 'answered' };
  const { code, msg = '' } = failure.data;
  if (code === -2010 && DUPLICATE.test(msg)) return { kind: 'duplicate' };
  if (OF_KEY.has(code)) return { kind: 'key', code: String(code), message: msg };
  if (!REJECTED.has(code)) return code >= 0 ? unknown('unreadable') : unlisted(String(code));
  const isClosed = code === -1013 && MARKET_CLOSED.test(msg);
  return { kind: 'rejected', code: isClosed ? 'market_closed' : String(code), message: msg };
}
