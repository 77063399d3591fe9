/**
 * Tells the server which code a new user came with, once they are logged in, and retries while the
 * network fails.
 */
import { subscribeKey } from 'valtio/utils';
import { ApiError } from '../api/api-error.ts';
import { callFunction } from '../callables/call-function.ts';
import { session } from '../identity/session.ts';
import { log } from '../platform/page-log.ts';
import { connection } from '../stores/connection.ts';
import { forgetReferral, keptReferral } from './kept-referral.ts';

/** The server's codes for a referral that this user can never use. */
const FINAL: ReadonlySet<string> = new Set(['referral_refused', 'not_found', 'invalid_request']);

let asking = false;

/**
 * Answers whether the question is settled; otherwise the code waits for the next sign-in, start or
 * return of the network.
 */
export async function claimKept(): Promise<boolean> {
  const code = keptReferral();
  if (code === null) return true;
  if (
    asking ||
    session.status !== 'signed-in' ||
    session.provisional ||
    connection.online === 'offline'
  )
    return false;
  asking = true;
  try {
    await callFunction('claimReferral', { code });
    forgetReferral();
    return true;
  } catch (error) {
    const final = error instanceof ApiError && FINAL.has(error.code);
    // Somebody who has an account and follows a friend's link is told nothing: nothing of theirs
    // went wrong.
    if (final) forgetReferral();
    else log.warn('The referral code could not be sent yet', error);
    return final;
  } finally {
    asking = false;
  }
}

export function openReferral(): void {
  const checkReferral = (): void => {
    void claimKept();
  };
  subscribeKey(session, 'status', checkReferral);
  subscribeKey(session, 'provisional', checkReferral);
  subscribeKey(connection, 'online', checkReferral);
  checkReferral();
}
