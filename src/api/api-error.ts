/**
 * The error that a failed call throws. The server's text is sanitised and cut before it is kept.
 */
import {
  ERROR_STATUS,
  type ErrorCode,
  type ErrorReply,
  type FieldIssue,
} from '../../contract/errors.ts';
import { sanitiseErrorText } from '../../contract/text.ts';
import { TokenFault } from '../identity/token.ts';

/**
 * `network`: no answer; `timeout`: none in time; `bad_reply`: an answer that is not ours (a captive
 * portal, say).
 */
export type ApiErrorCode = ErrorCode | 'network' | 'timeout' | 'bad_reply' | 'aborted' | 'unknown';

export interface ApiErrorParts {
  code: ApiErrorCode;
  /** HTTP status; 0 when there was no answer of the server. */
  status: number;
  /** The server's sentence, or ours where there is none; without any 'API Error' before it. */
  text: string;
  field?: string;
  issues?: FieldIssue[];
  retryAfterMs?: number;
  details?: Record<string, unknown>;
  cause?: unknown;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly text: string;
  readonly field: string | undefined;
  readonly issues: FieldIssue[];
  readonly retryAfterMs: number | undefined;
  readonly details: Record<string, unknown> | undefined;
  /**
   * Whether the same call may succeed later without anything having changed: 5xx, 429, no answer.
   */
  readonly retryable: boolean;

  constructor(message: string, parts: ApiErrorParts) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = parts.code;
    this.status = parts.status;
    this.text = parts.text;
    this.field = parts.field;
    this.issues = parts.issues ?? [];
    this.retryAfterMs = parts.retryAfterMs;
    this.details = parts.details;
    this.retryable = !NEVER_AGAIN.includes(parts.code) && isRetryable(parts.status, message);
  }
}

/**
 * Asking again at once would change nothing: the wait for identity is over, the answer was not
 * ours, or nobody wants it.
 */
const NEVER_AGAIN: readonly ApiErrorCode[] = ['aborted', 'bad_reply', 'identity_unavailable'];

/**
 * 5xx and 429 by status; without a status, by what the message says, as fetch words it in different
 * browsers.
 */
export function isRetryable(status: number, message: string): boolean {
  if (status !== 0) return status >= 500 || status === 429;
  return /fetch|NetworkError|network|timed out|\b50[0234]\b/i.test(message);
}

const known = (code: string): ApiErrorCode =>
  Object.hasOwn(ERROR_STATUS, code) ? (code as ErrorCode) : 'unknown';

/** 'API Error: {status} - {text}', with everything the server said about it. */
export function fromReply(
  status: number,
  reply: ErrorReply | null,
  fallbackText: string,
  retryAfterMs: number | undefined,
): ApiError {
  const text = sanitiseErrorText(reply?.error.message ?? fallbackText);
  return new ApiError(`API Error: ${status} - ${text}`, {
    code: reply === null ? (status >= 500 ? 'internal' : 'unknown') : known(reply.error.code),
    status,
    text,
    ...(reply?.error.field === undefined ? {} : { field: reply.error.field }),
    ...(reply?.error.issues === undefined ? {} : { issues: reply.error.issues }),
    ...(reply?.error.details === undefined ? {} : { details: reply.error.details }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/**
 * Whether nobody answered, as opposed to the server answering that it could not: then what was last
 * known still holds.
 */
export function noConnection(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code === 'identity_unavailable' || error.code === 'aborted') return true;
  // No token to ask with, as while another user is taking over this browser: nothing was sent, so
  // nobody has answered.
  if (error.cause instanceof TokenFault) return true;
  return error.status === 0 || noConnection(error.cause);
}
