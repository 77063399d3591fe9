/** What follows where the server says that a session is over. */
import { endSession, revokeSession } from '../identity/session.ts';
import { log } from '../platform/page-log.ts';

/**
 * The server ended this session: by age it is paused; if revoked, all data of the user is deleted.
 */
export function refused(reason: string): void {
  if (reason === 'token_revoked')
    revokeSession().catch((error: unknown) => {
      log.error('Could not clear the revoked session', error);
    });
  else endSession();
}
