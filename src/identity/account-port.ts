/** What a user can change about their own login, whatever the identity provider. */
import type { AuthUser } from './auth-port.ts';

export type SignInMethod = 'password' | 'google';

export interface AccountPort {
  /** The ways this person may sign in. */
  methods(): SignInMethod[];
  /**
   * Proves the present person again: by their password, or by a Google pop-up for null. Nobody else
   * is let in by it.
   */
  reauthenticate(password: string | null): Promise<AuthUser>;
  /** Ends every other sign-in of theirs. */
  changePassword(next: string): Promise<void>;
  /**
   * Sends a link to the new address; the address changes when it is opened; the provider may end
   * every sign-in with that.
   */
  changeEmail(next: string, backTo: string): Promise<void>;
}
