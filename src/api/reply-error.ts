/** Turns a failed reply of the server into the error that the call throws. */
import { ERROR_STATUS, type ErrorCode } from '../../contract/errors.ts';
import type { ErrorReply } from '../../contract/error-reply.ts';
import { sanitiseErrorText } from '../../contract/text.ts';
import { ApiError, type ApiErrorCode } from './api-error.ts';

const known = (code: string): ApiErrorCode =>
  Object.hasOwn(ERROR_STATUS, code) ? (code as ErrorCode) : 'unknown';

/** 'API Error: {status} - {text}', with the server's text. */
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
    isOurs: reply !== null,
    ...(reply?.error.field === undefined ? {} : { field: reply.error.field }),
    ...(reply?.error.issues === undefined ? {} : { issues: reply.error.issues }),
    ...(reply?.error.details === undefined ? {} : { details: reply.error.details }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
