/** Turns every failure into an ErrorReply, without stack traces or markup. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { $ZodError } from 'zod/v4/core';
import { ERROR_STATUS, Refusal, type ErrorCode } from '../../contract/errors.ts';
import type { ErrorReply, FieldIssue } from '../../contract/error-reply.ts';
import { retryAfterHeader } from '../../contract/retry.ts';
import { sanitiseErrorText } from '../../contract/text.ts';
import { isBadValue, isUnavailable } from '../db/faults.ts';
import type { Log } from '../log.ts';

const ISSUES_MAX = 50;
const UNAVAILABLE_RETRY_MS = 2_000;

/** The first fault names the reply; all of them, up to fifty, go along. */
export function invalidRequest(
  error: $ZodError,
  code: ErrorCode = 'invalid_request',
  message?: string,
): Refusal {
  const issues: FieldIssue[] = error.issues.slice(0, ISSUES_MAX).map((issue) => ({
    field: sanitiseErrorText(issue.path.map(String).join('.')),
    message: sanitiseErrorText(wording(issue)),
  }));
  const first = issues[0];
  const text =
    message ??
    (first === undefined
      ? 'Invalid input'
      : first.field === ''
        ? first.message
        : `${first.field}: ${first.message}`);
  return new Refusal(code, text, {
    ...(first === undefined || first.field === '' ? {} : { field: first.field }),
    issues,
  });
}

/**
 * A field that is not there reads 'Required', whatever it should have been. Needs `reportInput`.
 */
function wording(issue: $ZodError['issues'][number]): string {
  return issue.code !== 'unrecognized_keys' && issue.code !== 'custom' && issue.input === undefined
    ? 'Required'
    : issue.message;
}

/** Fastify's own failures, by its code. */
const FRAMEWORK: Partial<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The request is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send JSON'],
  FST_ERR_BAD_URL: ['invalid_parameter', 'Invalid parameter'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The request is incomplete'],
};

function toRefusal(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (isUnavailable(error))
    return new Refusal('database_unavailable', 'The database is unavailable', {
      retryAfterMs: UNAVAILABLE_RETRY_MS,
    });
  if (isBadValue(error)) return new Refusal('invalid_request', 'Invalid input');
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = code === undefined ? undefined : FRAMEWORK[code];
  if (known !== undefined) return new Refusal(known[0], known[1]);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refusal('invalid_request', 'Invalid input');
  return null;
}

/** Whoever cannot be served now is told when to come back, also where a handler names no time. */
export function sayWhenAgain(reply: FastifyReply, { status, more }: Refusal): void {
  const waitMs = more.retryAfterMs ?? (status === 503 ? UNAVAILABLE_RETRY_MS : undefined);
  if (waitMs !== undefined) void reply.header('retry-after', retryAfterHeader(waitMs));
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { field, issues, retryAfterMs, details } = refusal.more;
  const body: ErrorReply = {
    error: {
      code: refusal.code,
      message: sanitiseErrorText(refusal.message),
      ...(field === undefined ? {} : { field }),
      ...(issues === undefined ? {} : { issues }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(details === undefined ? {} : { details }),
    },
  };
  sayWhenAgain(reply, refusal);
  return reply
    .code(ERROR_STATUS[refusal.code])
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

/**
 * What any thrown thing becomes on the wire; bugs are logged here, with their stack, and reach
 * nobody else.
 */
export function answerError(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // A caller who left in the middle of a body: their socket's end is not the database's.
    const left = request.raw.readableAborted;
    const refusal = left
      ? new Refusal('invalid_request', 'The request is incomplete')
      : toRefusal(error);
    if (refusal !== null) {
      if (refusal.code === 'database_unavailable')
        log.error(
          { route: request.routeOptions.url, reason: String((error as Error).cause ?? error) },
          'database unavailable',
        );
      return sendRefusal(reply, refusal);
    }
    log.error(
      {
        route: request.routeOptions.url,
        stack: error instanceof Error ? error.stack : String(error),
      },
      'a request failed',
    );
    return sendRefusal(reply, new Refusal('internal', 'Something went wrong'));
  };
}

export function registerErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler(answerError(log));
}
