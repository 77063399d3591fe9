/** The one way to call the server: token, key, time limit, retries and parsed replies. */
import * as z from 'zod/mini';
import {
  CALLS,
  SUBSCRIPTION_CALLS,
  type CallBody,
  type CallName,
  type CallParams,
  type CallQuery,
  type CallReply,
} from '../../contract/calls.ts';
import { ERROR_STATUS } from '../../contract/errors.ts';
import {
  API_ATTEMPTS,
  API_RETRY_BASE_MS,
  API_RETRY_FACTOR,
  API_RETRY_MAX_MS,
  ASLEEP_MS,
  SEND_TIMEOUT_MS,
  SUBSCRIPTION_ATTEMPTS,
} from '../../contract/limits.ts';
import { backoffCeilingMs, retryAfterMs, retrying, type Backoff } from '../../contract/retry.ts';
import { CONTRACT_HEADER, CONTRACT_VERSION, IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { TokenFault } from '../identity/token.ts';
import { ApiError } from './api-error.ts';
import { fromReply } from './reply-error.ts';
import { errorReply, newerToken, sessionOver, type SessionOver } from './session-over.ts';

type Part<Key extends string, T> =
  Record<string, never> extends T ? { [K in Key]?: T } : { [K in Key]: T };

/** The input of one call: params, query and body by the contract, and options. */
export type CallInput<N extends CallName> = Part<'params', CallParams<N>> &
  Part<'query', CallQuery<N>> &
  Part<'body', CallBody<N>> & {
    commandId?: string;
    signal?: AbortSignal;
    timeoutMs?: number;
    attempts?: number;
    /** Whether who asked is still the one logged in. Otherwise it is not tried again, nor answered. */
    isHere?: () => boolean;
  };

export interface ApiOptions {
  /** Empty for the app's own origin; without a trailing slash. */
  baseUrl: string;
  /** The bearer token; `force` after the server rejected one. Throws without one. */
  token(force: boolean): Promise<string>;
  fetch?: typeof fetch;
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  now?: () => number;
  newId?: () => string;
  /** Called for every answer that was certainly the server's, and for every failure to get one. */
  observe?: (event: ApiEvent) => void;
}

export type ApiEvent =
  | { type: 'answered'; at: number }
  | { type: 'unreachable'; at: number }
  | { type: 'outdated' }
  | { type: 'refused'; code: SessionOver };

export interface ApiClient {
  call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallReply<N>>;
}

interface Prepared {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  needsToken: boolean;
  isHere: () => boolean;
  signal: AbortSignal | undefined;
  timeoutMs: number;
}

const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new ApiError('Aborted', { code: 'aborted', status: 0, text: 'Aborted' }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

const BACKOFF: Backoff = {
  baseMs: API_RETRY_BASE_MS,
  maxMs: API_RETRY_MAX_MS,
  factor: API_RETRY_FACTOR,
};

type PathValues = Record<string, string | number | undefined>;

function addressOf(baseUrl: string, path: string, params: PathValues, query: PathValues): string {
  const filled = path.replace(/:(\w+)/g, (_whole, key: string) =>
    encodeURIComponent(String(params[key] ?? '')),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return `${baseUrl}${filled}${text === '' ? '' : `?${text}`}`;
}

export const createApi = (options: ApiOptions): ApiClient => new HttpClient(options);

class HttpClient implements ApiClient {
  private readonly send: typeof fetch;
  private readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  private readonly now: () => number;
  private readonly newId: () => string;
  private readonly observe: (event: ApiEvent) => void;

  constructor(private readonly options: ApiOptions) {
    this.send = options.fetch ?? ((input, init) => fetch(input, init));
    this.wait = options.wait ?? sleep;
    this.now = options.now ?? Date.now;
    this.newId = options.newId ?? (() => crypto.randomUUID());
    this.observe = options.observe ?? (() => undefined);
  }

  async call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallReply<N>> {
    const mutates = CALLS[name].method !== 'GET';
    const commandId = input.commandId ?? this.newId();
    const request = prepare(this.options.baseUrl, name, input, mutates ? commandId : null);
    const once = SUBSCRIPTION_CALLS.includes(name);
    try {
      const raw = await this.retrying(
        request,
        once ? SUBSCRIPTION_ATTEMPTS : (input.attempts ?? API_ATTEMPTS),
      );
      const reply = parseReply(name, raw, mutates ? commandId : null);
      this.observe({ type: 'answered', at: this.now() });
      return reply;
    } catch (error) {
      if (once && error instanceof ApiError && error.status === 0 && error.code !== 'aborted') {
        const unavailable = new ApiError('Backend service unavailable', {
          code: 'subscription_unavailable',
          status: 503,
          text: 'Backend service unavailable',
          cause: error,
        });
        unavailable.mayHaveArrived = error.mayHaveArrived;
        throw unavailable;
      }
      throw error;
    }
  }

  private retrying(request: Prepared, attempts: number): Promise<unknown> {
    let mayHaveArrived = false;
    const attempt = async (): Promise<unknown> => {
      try {
        return await this.attempt(request);
      } catch (error) {
        // A refusal of this attempt says nothing of one before it that was not answered.
        if (error instanceof ApiError) error.mayHaveArrived ||= mayHaveArrived;
        mayHaveArrived ||= error instanceof ApiError && error.mayHaveArrived;
        throw error;
      }
    };
    return retrying(
      attempt,
      (error, failures) => {
        if (!(error instanceof ApiError) || !error.retryable || failures >= attempts) return null;
        const delay = Math.max(backoffCeilingMs(BACKOFF, failures - 1), error.retryAfterMs ?? 0);
        // Asked to stay away for longer than we would ever wait: say so now instead.
        return delay > API_RETRY_MAX_MS ? null : delay;
      },
      (ms) => this.wait(ms, request.signal),
    );
  }

  /**
   * One attempt; a rejected token is refreshed once and the request repeated. Where the session of
   * that token is over, it is repeated only with the token of a login or a new password since.
   */
  private async attempt(request: Prepared): Promise<unknown> {
    const token = request.needsToken ? await this.bearer(request, false) : null;
    let { response, text } = await this.answer(request, token);
    if (response.status === 401 && token !== null) {
      const next =
        sessionOver(text) === null
          ? await this.bearer(request, true)
          : await newerToken(
              token,
              () => this.bearer(request, false),
              (ms) => this.wait(ms, request.signal),
            );
      if (next !== null) ({ response, text } = await this.answer(request, next));
    }
    if (response.ok) {
      const body = parseJson(text);
      if (body === undefined) throw badReply('The answer is not JSON', null);
      return body;
    }
    // During the wait for a newer token somebody else may have logged in.
    if (!request.isHere()) throw sentByAnother();
    throw this.refusal(response, text);
  }

  private refusal(response: Response, text: string): ApiError {
    const reply = errorReply(text);
    // A captive portal answers too: only a valid reply counts as the server's.
    if (reply !== null) this.observe({ type: 'answered', at: this.now() });
    if (response.status === 426) this.observe({ type: 'outdated' });
    const error = fromReply(
      response.status,
      reply,
      text === '' || text.startsWith('<') ? response.statusText : text,
      retryAfterMs(response.headers.get('retry-after'), reply, this.now()),
    );
    if (error.code === 'reauth_required' || error.code === 'token_revoked')
      this.observe({ type: 'refused', code: error.code });
    return error;
  }

  /**
   * The bearer token of who asked, never of who has logged in since; its absence is reported like
   * every failure of a call.
   */
  private async bearer(request: Prepared, force: boolean): Promise<string> {
    try {
      const token = await this.options.token(force);
      if (!request.isHere()) throw notTheirs();
      return token;
    } catch (cause) {
      throw cause instanceof TokenFault ? withoutToken(cause) : cause;
    }
  }

  /** The answer to who asked. Who has logged in since is told none of it, not even an ended session. */
  private async answer(
    request: Prepared,
    token: string | null,
  ): Promise<{ response: Response; text: string }> {
    const answer = await this.exchange(request, token);
    if (request.isHere()) return answer;
    throw sentByAnother();
  }

  /** One request and its answer as text, with one time limit for both. */
  private async exchange(
    request: Prepared,
    token: string | null,
  ): Promise<{ response: Response; text: string }> {
    const limit = new AbortController();
    const stop = (): void => {
      limit.abort();
    };
    const timer = setTimeout(stop, request.timeoutMs);
    const sentAt = this.now();
    request.signal?.addEventListener('abort', stop, { once: true });
    // A browser's fetch must not be called as a method of this object.
    const { send } = this;
    try {
      // It may have been given up while its token was fetched.
      request.signal?.throwIfAborted();
      const response = await send(request.url, {
        method: request.method,
        headers: {
          ...request.headers,
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: request.body,
        signal: limit.signal,
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
      });
      const text = await response.text();
      // A timer does not count the time that a page is asleep: what was read may be hours old. What
      // was done is done, whenever that is heard.
      if (request.method === 'GET' && this.now() - sentAt > request.timeoutMs + ASLEEP_MS) {
        limit.abort();
        limit.signal.throwIfAborted();
      }
      return { response, text };
    } catch (cause) {
      if (request.signal?.aborted === true)
        throw new ApiError('Aborted', { code: 'aborted', status: 0, text: 'Aborted', cause });
      this.observe({ type: 'unreachable', at: this.now() });
      const late = limit.signal.aborted;
      const text = late
        ? `The request timed out after ${request.timeoutMs} ms`
        : `Failed to fetch: ${cause instanceof Error ? cause.message : String(cause)}`;
      throw new ApiError(text, { code: late ? 'timeout' : 'network', status: 0, text, cause });
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', stop);
    }
  }
}

/** What needs no token is the same for everybody. */
const anybody = (): boolean => true;

/** `commandId`: the idempotency key of a call that changes something; null for a read. */
function prepare<N extends CallName>(
  baseUrl: string,
  name: N,
  input: CallInput<N>,
  commandId: string | null,
): Prepared {
  const definition = CALLS[name];
  const {
    params = {},
    query = {},
    body = {},
  } = input as { params?: PathValues; query?: PathValues; body?: unknown };
  return {
    url: addressOf(baseUrl, definition.path, params, query),
    method: definition.method,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      [CONTRACT_HEADER]: String(CONTRACT_VERSION),
      ...(commandId === null ? {} : { [IDEMPOTENCY_HEADER]: commandId }),
    },
    body: commandId === null ? null : JSON.stringify(body),
    needsToken: definition.access === 'token',
    isHere: definition.access === 'token' ? (input.isHere ?? anybody) : anybody,
    signal: input.signal,
    timeoutMs: input.timeoutMs ?? SEND_TIMEOUT_MS,
  };
}

function parseReply<N extends CallName>(
  name: N,
  raw: unknown,
  commandId: string | null,
): CallReply<N> {
  const parsed = z.safeParse(CALLS[name].reply, raw);
  if (!parsed.success)
    throw badReply(`The answer to ${name} is not what the contract says`, parsed.error);
  const reply = parsed.data as CallReply<N>;
  if (commandId !== null && (reply as { commandId?: unknown }).commandId !== commandId)
    throw badReply(`The answer to ${name} is to another command`, null);
  return reply;
}

const notTheirs = (): TokenFault => new TokenFault('not_authenticated', 'Not authenticated');

const withoutToken = (cause: TokenFault): ApiError =>
  new ApiError(cause.message, {
    code: cause.code,
    status: ERROR_STATUS[cause.code],
    text: cause.message,
    cause,
  });

/** For who has logged in since a request of somebody else was sent. */
function sentByAnother(): ApiError {
  const error = withoutToken(notTheirs());
  error.mayHaveArrived = true;
  return error;
}

/** Not retried: another attempt would get the same answer. */
function badReply(text: string, cause: unknown): ApiError {
  return new ApiError(text, { code: 'bad_reply', status: 0, text, cause });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
