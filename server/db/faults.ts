/** Classifies database errors: retryable, unavailable or a bug. */

const RETRYABLE = new Set(['40001', '40P01']);
/**
 * Lost connection, shutting down, starting up, too many clients, too slow, disk full, out of
 * memory, read-only after a failover.
 */
const UNAVAILABLE = /^(08...|57P0[1-5]|57014|53...|58030|25006)$/;
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOSPC',
  'EHOSTUNREACH',
]);
/** What node-postgres says without a code when a connection went away or none came free in time. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout)/;
/** What node-postgres says of a query that nobody answered; its connection still waits for that. */
const UNANSWERED = 'Query read timeout';

function* causes(error: unknown): Generator<Error & { code?: unknown }> {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    yield current;
    current = current.cause;
  }
}

/** A deadlock or a serialization failure: the whole transaction may be tried again. */
export function isRetryable(error: unknown): boolean {
  for (const cause of causes(error))
    if (typeof cause.code === 'string' && RETRYABLE.has(cause.code)) return true;
  return false;
}

/** A lock was not to be had within the statement's `lock_timeout`. */
export function isLockedOut(error: unknown): boolean {
  for (const cause of causes(error)) if (cause.code === '55P03') return true;
  return false;
}

/** A statement names a table or column that is not there. */
export function isMissing(error: unknown): boolean {
  for (const cause of causes(error))
    if (cause.code === '42P01' || cause.code === '42703') return true;
  return false;
}

/** The database cannot be reached or cannot write now; the caller may come back later. */
export function isUnavailable(error: unknown): boolean {
  for (const cause of causes(error)) {
    if (typeof cause.code === 'string' && (UNAVAILABLE.test(cause.code) || SOCKET.has(cause.code)))
      return true;
    if (LOST.test(cause.message)) return true;
  }
  return false;
}

/** The query was sent and no answer came in time: its connection is good for nothing more. */
export const isUnanswered = (error: unknown): error is Error =>
  error instanceof Error && error.message === UNANSWERED;

/**
 * A value the database has no form for (out of range, not a UUID): the caller's fault, where a
 * check of ours missed it.
 */
export function isBadValue(error: unknown): boolean {
  for (const cause of causes(error))
    if (typeof cause.code === 'string' && /^22(003|008|021|P02|P05)$/.test(cause.code)) return true;
  return false;
}
