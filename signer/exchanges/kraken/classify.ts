/** What Kraken's error codes prove. */
import * as z from 'zod/mini';
import type { RawReply } from '../door.ts';
import { CODE_MOST, judgeStatus, oneTooMany, unknown, unlisted, type Verdict } from '../verdict.ts';

/** The matching engine looked at it after its deadline: the request was slow, or a clock is wrong. */
export const DEADLINE_ELAPSED = 'EService:Deadline elapsed';

/** Checked before the matching engine, or by it on arrival: no order exists. */
const REJECTED = new Set([
  'EOrder:Insufficient funds',
  'EOrder:Order minimum not met',
  'EOrder:Cost minimum not met',
  'EOrder:Tick size check failed',
  'EOrder:Invalid price',
  'EOrder:Invalid price:Invalid price argument',
  'EOrder:Invalid order',
  'EOrder:Orders limit exceeded',
  'EOrder:Rate limit exceeded',
  'EOrder:Domain rate limit exceeded',
  'EOrder:Limit order price is out of bounds',
  'EOrder:Trading agreement required',
  'EOrder:Unknown order',
  'EGeneral:Invalid arguments',
  'EGeneral:Invalid arguments:price',
  'EGeneral:Invalid arguments:volume',
  'EGeneral:Invalid arguments:volume minimum not met',
  'EGeneral:Invalid arguments:ordertype',
  'EGeneral:Unknown asset pair',
  'EQuery:Unknown asset pair',
  'EQuery:Invalid asset pair',
  'EQuery:Unknown asset',
  'EAPI:Rate limit exceeded',
  'EGeneral:Too many requests',
  'EGeneral:Temporary lockout',
  'EService:Market in cancel_only mode',
  'EService:Market in post_only mode',
  'EService:Market in limit_only mode',
  DEADLINE_ELAPSED,
  'ETrade:User Locked',
]);

/**
 * Behind these Kraken says what it is about: a coin and a country, or an argument. Both are checked
 * before the matching engine. An argument that is the id may speak of an order that exists.
 */
const REJECTED_WITH_DETAIL =
  /^(?:EAccount:Invalid permissions(?::|$)|EGeneral:Invalid arguments:(?!.*(?:cl_ord_id|client)))/i;
const isRejected = (code: string): boolean => REJECTED.has(code) || REJECTED_WITH_DETAIL.test(code);

const OF_KEY = new Set([
  'EAPI:Invalid key',
  'EAPI:Invalid signature',
  'EGeneral:Permission denied',
  'ESession:Invalid session',
]);

// Not listed on purpose: `EAPI:Invalid nonce` also answers a request that arrived twice, the first
// of which was carried out.

/** An id in use is named in the text; the exact wording has changed before. */
const DUPLICATE =
  /^E\w+:.*(duplicate|already (?:exists|in use)).*|^E\w+:.*cl_ord_id.*(?:unique|use|exist)/i;

const Answer = z.object({ error: z.array(z.string()), result: z.optional(z.unknown()) });

/** How long Kraken wants no request, by the code that says so; `address` where it is not the key. */
export const KRAKEN_BANS: readonly { code: string; forMs: number; who: 'key' | 'address' }[] = [
  { code: 'EAPI:Rate limit exceeded', forMs: 15_000, who: 'key' },
  { code: 'EGeneral:Too many requests', forMs: 60_000, who: 'address' },
  // "The account is temporarily locked": others ask on.
  { code: 'EGeneral:Temporary lockout', forMs: 15 * 60_000, who: 'key' },
];

export const judgeKraken = (reply: RawReply): Verdict => oneTooMany(reply, judged(reply));

function judged(reply: RawReply): Verdict {
  const general = judgeStatus(reply);
  if (general !== null) return general;
  const answer = Answer.safeParse(reply.body);
  if (!answer.success) return unknown('unreadable');
  // A code's first letter is its severity: W is a warning beside a result.
  const errors = answer.data.error.filter((code) => !code.startsWith('W'));
  if (errors.length === 0)
    return answer.data.result === undefined ? unknown('unreadable') : { kind: 'answered' };
  const [first = ''] = errors;
  if (errors.some((code) => DUPLICATE.test(code))) return { kind: 'duplicate' };
  const strange = errors.find((code) => !isRejected(code) && !OF_KEY.has(code));
  if (strange !== undefined) return unlisted(strange);
  const code = first.slice(0, CODE_MOST);
  return { kind: OF_KEY.has(first) ? 'key' : 'rejected', code, message: first };
}
