/**
 * Hosted functions through Firebase's own client, which attaches the token; replies are checked
 * against the contract.
 */
import { getApp } from 'firebase/app';
import {
  getFunctions,
  httpsCallable,
  type Functions,
  type FunctionsError,
} from 'firebase/functions';
import {
  CALLABLE_PATH,
  CALLABLES,
  type CallableName,
  type CallableReply,
  type CallableRequest,
} from '../../contract/callables.ts';
import { ERROR_STATUS, type ErrorCode } from '../../contract/errors.ts';
import { FieldIssue } from '../../contract/error-reply.ts';
import { sanitiseErrorText } from '../../contract/text.ts';
import * as z from 'zod/mini';
import { ApiError, type ApiErrorCode } from '../api/api-error.ts';
import { environment } from '../environment.ts';
import { APP_NAME } from '../identity/firebase-app.ts';
import { idToken, session } from '../identity/session.ts';
import { TokenFault } from '../identity/token.ts';

const TIMEOUT_MS = 20_000;

/** What the server adds to the protocol's own word for an error. */
const Details = z.object({
  code: z.string(),
  field: z.optional(z.string()),
  issues: z.optional(z.array(FieldIssue)),
});

/** Without one of our codes: the protocol's word, as the nearest thing we have a sentence for. */
const BY_WORD: Partial<Record<string, ApiErrorCode>> = {
  'functions/unauthenticated': 'not_authenticated',
  'functions/permission-denied': 'insufficient_permissions',
  'functions/not-found': 'not_found',
  'functions/resource-exhausted': 'rate_limited',
  'functions/deadline-exceeded': 'timeout',
  'functions/invalid-argument': 'invalid_request',
};

/**
 * An error of the protocol as the app's own. `internal` without details is how the client says that
 * nobody answered.
 */
export function toApiError(error: unknown): ApiError {
  const { code = '', message = '', details } = error as Partial<FunctionsError>;
  const ours = Details.safeParse(details);
  const text = sanitiseErrorText(message);
  if (ours.success) {
    const known: ApiErrorCode = Object.hasOwn(ERROR_STATUS, ours.data.code)
      ? (ours.data.code as ErrorCode)
      : 'unknown';
    const status = known in ERROR_STATUS ? ERROR_STATUS[known as ErrorCode] : 400;
    return new ApiError(`API Error: ${status} - ${text}`, {
      code: known,
      status,
      text,
      cause: error,
      ...(ours.data.field === undefined ? {} : { field: ours.data.field }),
      ...(ours.data.issues === undefined ? {} : { issues: ours.data.issues }),
    });
  }
  const word = BY_WORD[code];
  return word === undefined
    ? new ApiError('The network did not answer', {
        code: 'network',
        status: 0,
        text: 'The network did not answer',
        cause: error,
      })
    : new ApiError(text, {
        code: word,
        status: word in ERROR_STATUS ? ERROR_STATUS[word as ErrorCode] : 0,
        text,
        cause: error,
      });
}

let opened: Functions | null = null;

/**
 * On the back end's own address; the region stays Firebase's default (`CALLABLE_REGION`), which our
 * server does not ask for.
 */
function functions(): Functions {
  opened ??= getFunctions(
    getApp(APP_NAME),
    `${environment.apiUrl === '' ? location.origin : environment.apiUrl}${CALLABLE_PATH}`,
  );
  return opened;
}

const notTheirs = (): TokenFault => new TokenFault('not_authenticated', 'Not authenticated');

/** `isHere`: whether who asked is still the one logged in. @throws ApiError */
export async function callFirebase<N extends CallableName>(
  name: N,
  request: CallableRequest<N>,
  isHere: () => boolean,
): Promise<CallableReply<N>> {
  // Firebase's client sends what token it has, an old one too: whether the session still counts is
  // asked first.
  await idToken();
  if (!isHere()) throw notTheirs();
  let reply: unknown;
  try {
    reply = (await httpsCallable(functions(), name, { timeout: TIMEOUT_MS })(request)).data;
  } catch (error) {
    throw toApiError(error);
  }
  // A call may end its own session before its answer is here; of another person's it says nothing.
  if (session.user !== null && !isHere()) throw notTheirs();
  const parsed = CALLABLES[name].reply.safeParse(reply);
  if (!parsed.success)
    throw new ApiError('The answer is not one of this app', {
      code: 'bad_reply',
      status: 200,
      text: 'The answer is not one of this app',
    });
  return parsed.data as CallableReply<N>;
}
