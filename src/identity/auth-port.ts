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
  /** Tells the present user now and at every change; null for nobody. Returns the unsubscribe. */
  observe(listener: (user: AuthUser | null) => void): () => void;
  currentUser(): AuthUser | null;
  signIn(email: string, password: string): Promise<AuthUser>;
  signUp(email: string, password: string, displayName: string | null): Promise<AuthUser>;
  /** A Google pop-up. */
  signInWithGoogle(): Promise<AuthUser>;
  /** Proves the present user again, so that the four hours begin anew. */
  sendPasswordReset(email: string): Promise<void>;
  updateProfile(change: { displayName?: string; photoURL?: string }): Promise<void>;
  signOut(): Promise<void>;
  /** What the Security screen changes, loaded when it is asked for. */
  account(): Promise<AccountPort>;
}
