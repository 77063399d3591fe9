/** What to do with a token whose session is over by the server's word, for calls and the stream. */
import { ErrorReply } from '../../contract/error-reply.ts';

/**
 * Firebase finds what another tab has put into its store by a poll every 800 ms. Until then this
 * tab holds the token from before a login or a new password there.
 */
const OTHER_TAB_WAIT_MS = 1_500;

export type SessionOver = 'reauth_required' | 'token_revoked';

/** Answers that are not our server's don't count, such as a captive portal's. */
export function errorReply(text: string): ErrorReply | null {
  try {
    return ErrorReply.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Why the session of a token is over, by the text of a 401; null where it is not. */
export function sessionOver(text: string): SessionOver | null {
  const code = errorReply(text)?.error.code;
  return code === 'reauth_required' || code === 'token_revoked' ? code : null;
}

/**
 * The token of a login or a new password made meanwhile, here or in another tab; null where there
 * is none. None is renewed by force: with a revoked session, Firebase would log the person out.
 */
export async function newerToken(
  refused: string,
  token: () => Promise<string>,
  wait: (ms: number) => Promise<void>,
): Promise<string | null> {
  await wait(OTHER_TAB_WAIT_MS);
  const held = await token().catch(() => refused);
  return held === refused ? null : held;
}
