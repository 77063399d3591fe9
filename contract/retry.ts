/** When to ask again: the growing wait after failures, and what a reply's Retry-After says. */
import type { ErrorReply } from './error-reply.ts';

export interface Backoff {
  baseMs: number;
  maxMs: number;
  /** By how much each failure lengthens the wait; 2 unless stated. */
  factor?: number;
}

/**
 * The longest wait (ms) after so many failures beyond the first. Callers that many others could
 * meet take a random part of it, so that not all come back in one breath.
 */
export const backoffCeilingMs = (
  { baseMs, maxMs, factor = 2 }: Backoff,
  failuresBefore: number,
): number => Math.min(maxMs, baseMs * factor ** failuresBefore);

/** A Retry-After header in ms: seconds or an HTTP date; undefined where it says neither. */
export function retryAfterHeaderMs(
  header: string | null | undefined,
  now: number,
): number | undefined {
  if (header == null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** How long a reply asks to wait, ms: its own body's word before the header's. */
export function retryAfterMs(
  header: string | null,
  body: ErrorReply | null,
  now: number,
): number | undefined {
  const stated = body?.error.retryAfterMs;
  return stated === undefined ? retryAfterHeaderMs(header, now) : Math.max(0, stated);
}

/** The header for a wait: whole seconds, at least one. */
export const retryAfterHeader = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1_000)));

/**
 * Runs `attempt` until it succeeds. After failure number `failures` (1, 2, …) `waitMs` says how
 * long to wait, or null: then the error is thrown on.
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  waitMs: (error: unknown, failures: number) => number | null,
  wait: (ms: number) => Promise<void>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const ms = waitMs(error, failures);
      if (ms === null) throw error;
      await wait(ms);
    }
  }
}
