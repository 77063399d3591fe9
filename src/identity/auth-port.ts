/** What the session needs from an identity provider, whichever it is. */
import type { AccountPort } from './account-port.ts';

export interface AuthUser {
  uid: string;
  email: string | null;
  displayName: string | null;
  metadata: { lastSignInTime?: string | undefined };
  getIdToken(force: boolean): Promise<string>;
}

export interface AuthPort {
  /**
   * Reports the current user now and at every change; null for none. Returns the unsubscribe
   * function.
   */
  observe(listener: (user: AuthUser | null) => void): () => void;
  currentUser(): AuthUser | null;
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
