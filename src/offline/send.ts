/**
 * Sends one queued command and checks first that the server is really ours. Redirects and cached
 * answers do not count.
 */
import { CALLS } from '../../contract/calls.ts';
import type { AgentCommandBody, AllAgentsCommandBody } from '../../contract/agents.ts';
import type { AlertBody } from '../../contract/alerts.ts';
import { ErrorReply } from '../../contract/error-reply.ts';
import { Health } from '../../contract/health.ts';
import { SEND_TIMEOUT_MS } from '../../contract/limits.ts';
import { retryAfterMs } from '../../contract/retry.ts';
import { CONTRACT_HEADER, CONTRACT_VERSION, IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import type { AlertCommand, OutboxEntry } from './outbox-entry.ts';
import type { Answer } from './replies.ts';

export interface Line {
  /** Empty for the app's own origin; without a trailing slash. */
  baseUrl: string;
  fetch?: typeof fetch;
  now?: () => number;
  timeoutMs?: number;
}

const PROBE_TIMEOUT_MS = 5_000;

interface Request {
  method: string;
  path: string;
  body: AgentCommandBody | AllAgentsCommandBody | AlertBody | Record<string, never>;
}

function alertRequest(
  { id, terms, seenVersion, seen }: AlertCommand,
  waited: { requestedAt: number; ageMs: number },
): Request {
  const call = terms === null ? CALLS.deleteAlert : CALLS.setAlert;
  const path = call.path.replace(':id', encodeURIComponent(id));
  return {
    method: call.method,
    path,
    body: terms === null ? {} : { ...terms, seenVersion, seen, ...waited },
  };
}

/**
 * Path and body of an entry by the contract. The body of one command never changes except `ageMs`.
 */
export function requestOf(entry: OutboxEntry, now: number): Request {
  const waited = { requestedAt: entry.createdAt, ageMs: Math.max(0, now - entry.createdAt) };
  if (entry.alert !== undefined) return alertRequest(entry.alert, waited);
  const common = { ...waited, ...(entry.confirmed ? { confirmed: true } : {}) };
  if (entry.intent === 'start-all' || entry.intent === 'stop-all') {
    const call = entry.intent === 'start-all' ? CALLS.startAll : CALLS.stopAll;
    return { method: call.method, path: call.path, body: { ...common, agents: entry.agents } };
  }
  const call = entry.intent === 'start' ? CALLS.startAgent : CALLS.stopAgent;
  const seen = entry.seenGeneration === null ? {} : { seenGeneration: entry.seenGeneration };
  return {
    method: call.method,
    path: call.path.replace(':id', encodeURIComponent(entry.agentId ?? '')),
    body: {
      ...common,
      ...seen,
      ...(entry.intent === 'start' && entry.tested !== undefined ? { tested: entry.tested } : {}),
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends a command once. Never throws: no answer is an answer too. */
export async function send(line: Line, entry: OutboxEntry, token: string): Promise<Answer> {
  const { fetch: ask = (input, init) => fetch(input, init), now = Date.now } = line;
  const { method, path, body } = requestOf(entry, now());
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort();
  }, line.timeoutMs ?? SEND_TIMEOUT_MS);
  try {
    const response = await ask(`${line.baseUrl}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        [IDEMPOTENCY_HEADER]: entry.commandId,
        [CONTRACT_HEADER]: String(CONTRACT_VERSION),
      },
      body: JSON.stringify(body),
      signal: limit.signal,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'manual',
      keepalive: true,
    });
    const json = parse(await response.text());
    const error = ErrorReply.safeParse(json);
    return {
      status: response.status,
      json,
      retryAfterMs: retryAfterMs(
        response.headers.get('retry-after'),
        error.success ? error.data : null,
        now(),
      ),
    };
  } catch {
    return { status: 0, json: undefined, why: limit.signal.aborted ? 'timeout' : 'network' };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asks `/healthz`. Resolves to server's clock − device's, ms; null where Tradewind itself did not
 * answer.
 */
export async function probe(line: Line): Promise<number | null> {
  const { fetch: ask = (input, init) => fetch(input, init), now = Date.now } = line;
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort();
  }, PROBE_TIMEOUT_MS);
  const sentAt = now();
  try {
    const response = await ask(`${line.baseUrl}${CALLS.healthz.path}`, {
      signal: limit.signal,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'manual',
    });
    const health = response.ok ? Health.safeParse(parse(await response.text())) : null;
    // The page may have slept meanwhile: then it is the time of hours ago.
    const isOld = now() - sentAt > 2 * PROBE_TIMEOUT_MS;
    return health?.success === true && !isOld ? health.data.time - now() : null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
