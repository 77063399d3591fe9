/** What a user can change about their own login, whatever the identity provider. */
import type { AuthUser } from './auth-user.ts';

export type SignInMethod = 'password' | 'google';

export interface AccountPort {
  /** The ways this user can log in. */
  methods(): SignInMethod[];
  /**
   * Reauthenticates the current user: by their password, or by a Google pop-up for null. No other
   * user can log in this way.
   */
  reauthenticate(password: string | null): Promise<AuthUser>;
  /** Ends all their other sessions. */
  changePassword(next: string): Promise<void>;
  /**
   * Sends a link to the new address; the address changes when it is opened; the provider may end
   * every sign-in with that.
   */
  changeEmail(next: string, backTo: string): Promise<void>;
}
