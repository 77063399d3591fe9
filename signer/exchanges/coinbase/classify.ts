/** What Coinbase Advanced's error codes prove. */
import * as z from 'zod/mini';
import type { RawReply } from '../door.ts';
import { judgeStatus, oneTooMany, unknown, unlisted, type Verdict } from '../verdict.ts';

/** Refused before an order exists. */
const REJECTED = new Set([
  'INSUFFICIENT_FUND',
  'INSUFFICIENT_FUNDS',
  'INVALID_ARGUMENT',
  'INVALID_REQUEST',
  'INVALID_SIDE',
  'INVALID_PRODUCT_ID',
  'INVALID_SIZE_PRECISION',
  'INVALID_PRICE_PRECISION',
  'INVALID_LEDGER_BALANCE',
  'INVALID_LIMIT_PRICE',
  'INVALID_LIMIT_PRICE_POST_ONLY',
  'INVALID_NO_LIQUIDITY',
  'INELIGIBLE_PAIR',
  'ORDER_ENTRY_DISABLED',
  'UNSUPPORTED_ORDER_CONFIGURATION',
  'PREVIEW_INSUFFICIENT_FUND',
  'PREVIEW_INSUFFICIENT_LEDGER_BALANCE',
  'PREVIEW_INVALID_BASE_SIZE_TOO_LARGE',
  'PREVIEW_INVALID_BASE_SIZE_TOO_SMALL',
  'PREVIEW_INVALID_QUOTE_SIZE_PRECISION',
  'PREVIEW_INVALID_QUOTE_SIZE_TOO_LARGE',
  'PREVIEW_INVALID_QUOTE_SIZE_TOO_SMALL',
  'PREVIEW_INVALID_LEDGER_BALANCE',
  'PREVIEW_INVALID_LIMIT_PRICE',
  'PREVIEW_INVALID_LIMIT_PRICE_POST_ONLY',
  'PREVIEW_INVALID_NO_LIQUIDITY',
  'PREVIEW_INVALID_ORDER_CONFIG',
  'PREVIEW_INVALID_PRICE_PRECISION',
  'PREVIEW_INVALID_PRICE_TOO_LARGE',
  'PREVIEW_INVALID_PRODUCT_ID',
  'PREVIEW_INVALID_SIDE',
  'PREVIEW_INVALID_SIZE_PRECISION',
  'PREVIEW_INVALID_STOP_PRICE',
  'PREVIEW_STOP_PRICE_ABOVE_LAST_TRADE_PRICE',
  'PREVIEW_BREACHED_PRICE_LIMIT',
  // Nothing is known by this id.
  'NOT_FOUND',
  'UNKNOWN_CANCEL_ORDER',
  'INVALID_CANCEL_REQUEST',
]);
const OF_KEY = new Set(['PERMISSION_DENIED', 'UNAUTHENTICATED', 'unauthorized']);
/** Says that there is a reason and not which: another field may. */
const EMPTY = /^(UNKNOWN\w*_REASON|unknown|)$/;

const Failure = z.object({
  success: z.optional(z.boolean()),
  error: z.optional(z.string()),
  message: z.optional(z.string()),
  failure_reason: z.optional(z.string()),
  error_response: z.optional(
    z.object({
      error: z.optional(z.string()),
      message: z.optional(z.string()),
      preview_failure_reason: z.optional(z.string()),
      new_order_failure_reason: z.optional(z.string()),
    }),
  ),
});

/** The first code that says something. */
function codeOf(failure: z.infer<typeof Failure>): string {
  const { error_response: inner } = failure;
  const codes = [
    inner?.new_order_failure_reason,
    inner?.preview_failure_reason,
    inner?.error,
    failure.failure_reason,
    failure.error,
  ];
  return codes.find((code) => code !== undefined && !EMPTY.test(code)) ?? 'no_code';
}

export function judgeCoinbase(reply: RawReply): Verdict {
  const verdict = judged(reply);
  const isPlaced = Failure.safeParse(reply.body).data?.success === true;
  return isPlaced ? verdict : oneTooMany(reply, verdict);
}

function judged(reply: RawReply): Verdict {
  // Its answer to a key it does not take is plain text.
  if (reply.status === 401) return { kind: 'key', code: 'http_401', message: 'Unauthorized' };
  const general = judgeStatus(reply);
  if (general !== null) return general;
  const answer = Failure.safeParse(reply.body);
  if (!answer.success) return unknown('unreadable');
  const { data } = answer;
  const failed =
    reply.status >= 400 ||
    data.success === false ||
    data.error !== undefined ||
    data.error_response !== undefined;
  if (!failed) return { kind: 'answered' };
  const code = codeOf(data);
  if (OF_KEY.has(code)) return { kind: 'key', code, message: code };
  if (!REJECTED.has(code)) return unlisted(code);
  return { kind: 'rejected', code, message: data.error_response?.message ?? data.message ?? code };
}
