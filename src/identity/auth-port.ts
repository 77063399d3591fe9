/** What the session needs from an identity provider, whichever it is. */
import type { AccountPort } from './account-port.ts';
import type { AuthUser } from './auth-user.ts';

export interface AuthPort {
  /**
   * Reports the current user now and at every change; null for none. Returns the unsubscribe
   * function.
   */
  observe(listener: (user: AuthUser | null) => void): () => void;
  currentUser(): AuthUser | null;
  /** Whether the present user's token can be had without renewing it. */
  holdsToken(): boolean;
  signIn(email: string, password: string): Promise<AuthUser>;
  signUp(email: string, password: string, displayName: string | null): Promise<AuthUser>;
  /** A Google pop-up. */
  signInWithGoogle(): Promise<AuthUser>;
  /** Reauthenticates the current user, which restarts the four hours. */
  sendPasswordReset(email: string): Promise<void>;
  updateProfile(change: { displayName?: string; photoURL?: string }): Promise<void>;
  signOut(): Promise<void>;
  /** What the Security screen changes, loaded when it is asked for. */
  account(): Promise<AccountPort>;
}
