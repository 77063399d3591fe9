/**
 * The error that a failed call throws. `reply-error.ts` makes it of what the server says.
 */
import type { ErrorCode } from '../../contract/errors.ts';
import type { FieldIssue } from '../../contract/error-reply.ts';
import { TokenFault } from '../identity/token.ts';

/**
 * `network`: no answer; `timeout`: none in time; `bad_reply`: not our server's answer (such as a
 * captive portal's).
 */
export type ApiErrorCode = ErrorCode | 'network' | 'timeout' | 'bad_reply' | 'aborted' | 'unknown';

export interface ApiErrorParts {
  code: ApiErrorCode;
  /** HTTP status; 0 without an answer of the server. */
  status: number;
  /** The server's sentence, or ours without one; without 'API Error' in front. */
  text: string;
  field?: string;
  issues?: FieldIssue[];
  retryAfterMs?: number;
  details?: Record<string, unknown>;
  /** False where the answer is not our server's: a proxy's or a captive portal's. */
  isOurs?: boolean;
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
  readonly isOurs: boolean;
  /** Whether the same call may succeed later: 5xx, 429, no answer. */
  readonly retryable: boolean;
  /** Whether this request, or an attempt of the call before it, may have taken effect. */
  mayHaveArrived: boolean;

  constructor(message: string, parts: ApiErrorParts) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = parts.code;
    this.status = parts.status;
    this.text = parts.text;
    this.field = parts.field;
    this.issues = parts.issues ?? [];
    this.retryAfterMs = parts.retryAfterMs;
    this.details = parts.details;
    this.isOurs = parts.isOurs ?? true;
    this.mayHaveArrived =
      !(parts.cause instanceof TokenFault) &&
      (parts.status === 0 || parts.status >= 500 || parts.code === 'bad_reply');
    this.retryable = !NEVER_AGAIN.includes(parts.code) && isRetryable(parts.status, message);
  }
}

/**
 * Not retried at once: the identity provider was already waited for, the answer was not ours, or
 * the call was cancelled.
 */
const NEVER_AGAIN: readonly ApiErrorCode[] = ['aborted', 'bad_reply', 'identity_unavailable'];

/** 5xx and 429 by status; without a status, by the message as browsers word it. */
export function isRetryable(status: number, message: string): boolean {
  if (status !== 0) return status >= 500 || status === 429;
  return /fetch|NetworkError|network|timed out|\b50[0234]\b/i.test(message);
}

/**
 * Whether our server did not answer, as opposed to answering with a failure: then the last known
 * state still counts.
 */
export function noConnection(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code === 'identity_unavailable' || error.code === 'aborted') return true;
  // No token, as while another user is logging in: nothing was sent.
  if (error.cause instanceof TokenFault) return true;
  return error.status === 0 || !error.isOurs || noConnection(error.cause);
}
