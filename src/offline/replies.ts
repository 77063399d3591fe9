/**
 * Decides what each answer to a queued command means. Only JSON that echoes the command's id counts
 * as delivered.
 */
import * as z from 'zod/mini';
import { ErrorReply } from '../../contract/error-reply.ts';
import { isStop, type OutboxEntry } from './outbox-entry.ts';
import { backoffMs } from './queue-rules.ts';
import { LONGEST_WAIT_MS } from './send-order.ts';

/** One raw answer. `status` 0 means none, for the reason `why`. */
export interface Answer {
  status: number;
  /** The body, parsed; undefined where it was not JSON. */
  json: unknown;
  why?: 'network' | 'timeout';
  retryAfterMs?: number | undefined;
}

/**
 * `done`: delete it. `again`: outcome unknown or rejected for now; send the same id later.
 * `refresh`: a new token, then the same id at once. `pause`: nothing is sent until a login or an
 * update. `settled`: finished or waiting for the user, kept and shown.
 */
export type Verdict =
  | { verdict: 'done' }
  | { verdict: 'again'; entry: OutboxEntry; noAnswer: boolean }
  | { verdict: 'refresh' }
  | { verdict: 'pause'; why: 'sign-in' | 'update'; entry: OutboxEntry }
  | { verdict: 'settled'; entry: OutboxEntry };

const Echo = z.object({ commandId: z.string() });

function echoes(json: unknown, commandId: string): boolean {
  const parsed = Echo.safeParse(json);
  return parsed.success && parsed.data.commandId.toLowerCase() === commandId.toLowerCase();
}

const SESSION_OVER = ['reauth_required', 'token_revoked'];

export interface Circumstances {
  /** Device clock, ms. */
  now: number;
  /** In [0, 1). */
  random: number;
  /** The token was already refreshed for this send. */
  refreshed: boolean;
}

/** The reply table of the outbox. */
export function judge(entry: OutboxEntry, answer: Answer, at: Circumstances): Verdict {
  const { status, json } = answer;
  const error = ErrorReply.safeParse(json);
  const { later } = verdictsOn(entry, answer, at);

  if (status === 0)
    return later(
      answer.why ?? 'network',
      answer.why === 'timeout' ? 'No answer within 10 seconds' : 'No answer',
    );
  if (status >= 200 && status < 300) {
    return echoes(json, entry.commandId)
      ? { verdict: 'done' }
      : later('bad_reply', 'The answer was not from Tradewind');
  }
  // A captive portal answers too. What is no error of the contract does not come from our server.
  if (!error.success)
    return later(
      'bad_reply',
      status >= 500 ? 'The server did not answer properly' : 'The answer was not from Tradewind',
    );
  const { code, message } = error.data.error;
  if (status >= 500) return later(code, message);
  return judgeRefusal(entry, { ...answer, code, message }, at);
}

/** An answer that is an error of the contract, below 500. */
interface Refusal extends Answer {
  code: string;
  message: string;
}

function judgeRefusal(entry: OutboxEntry, refusal: Refusal, at: Circumstances): Verdict {
  const { code, message } = refusal;
  const { wait, later, settle, pause } = verdictsOn(entry, refusal, at);
  switch (refusal.status) {
    case 401:
      if (SESSION_OVER.includes(code)) return pause('sign-in', code, message);
      // No other refusal of a token says that a login would help: the server's keys may be old.
      return at.refreshed ? later(code, message) : { verdict: 'refresh' };
    case 402:
    case 403:
      // Neither a plan nor a permission blocks a stop: such an answer counts as a temporary error.
      if (isStop(entry)) return later(code, message);
      // A start with real money is never made by the queue: it asks again when it arrives.
      return settle(code === 'step_up_required' ? 'needs-you' : 'failed', code, message);
    case 404:
      return entry.intent === 'stop' || entry.intent === 'delete-alert'
        ? { verdict: 'done' }
        : settle('failed', code, message);
    case 408:
      return later(code, message);
    case 409:
      return isStop(entry) ? later(code, message) : settle('needs-you', code, message);
    case 410:
      return settle(isStop(entry) ? 'failed' : 'lapsed', code, message);
    case 426:
      return pause('update', code, message);
    case 429:
      return wait(
        (refusal.retryAfterMs ?? 0) + Math.max(250, backoffMs(entry.failures, at.random)),
        code,
        message,
      );
    default:
      return settle('failed', code, message);
  }
}

/** Verdicts that keep the entry, with what each stores. */
interface KeepingVerdicts {
  /** The same command again, not before `ms`. */
  wait: (ms: number, code: string, message: string) => Verdict;
  /** The same command again, after the usual backoff. */
  later: (code: string, message: string) => Verdict;
  settle: (state: 'failed' | 'needs-you' | 'lapsed', code: string, message: string) => Verdict;
  pause: (why: 'sign-in' | 'update', code: string, message: string) => Verdict;
}

function verdictsOn(entry: OutboxEntry, { status }: Answer, at: Circumstances): KeepingVerdicts {
  const note = (code: string, message: string): Pick<OutboxEntry, 'reason'> => ({
    reason: { code, message, at: at.now },
  });
  const wait = (ms: number, code: string, message: string): Verdict => ({
    verdict: 'again',
    noAnswer: status === 0,
    entry: {
      ...entry,
      state: 'saved',
      failures: entry.failures + 1,
      nextAttemptAt: at.now + Math.min(ms, LONGEST_WAIT_MS),
      ...note(code, message),
    },
  });
  return {
    wait,
    later: (code, message) => wait(backoffMs(entry.failures, at.random), code, message),
    settle: (state, code, message) => ({
      verdict: 'settled',
      entry: { ...entry, state, failures: 0, nextAttemptAt: null, ...note(code, message) },
    }),
    pause: (why, code, message) => ({
      verdict: 'pause',
      why,
      entry: { ...entry, state: 'saved', ...note(code, message) },
    }),
  };
}
