/** Firebase as the page's identity provider, loaded after the first paint. */
import {
  createUserWithEmailAndPassword,
  GoogleAuthProvider,
  onAuthStateChanged,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  signInWithPopup,
  signOut,
  updateProfile,
  type Auth,
  type User,
} from 'firebase/auth';
import type { AuthPort } from './auth-port.ts';

/**
 * Firebase's word for a script of Google's that did not load is "internal error", which tells a
 * person nothing.
 */
export function googleFailure(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'auth/internal-error'
    ? Object.assign(new Error('Google could not be reached', { cause }), {
        code: 'auth/google-unreachable',
      })
    : cause;
}

/** Firebase renews a token that has less than half a minute left, and sending takes a while. */
const RENEWED_BEFORE_MS = 60_000;

/** Firebase's own count (device clock, ms), which it says only in the record that it stores. */
function expiryOf(user: User | null): number {
  const record: { stsTokenManager?: { expirationTime?: unknown } } | undefined = user?.toJSON();
  const at = record?.stsTokenManager?.expirationTime;
  return typeof at === 'number' ? at : 0;
}

export function firebaseAuth(opened: Auth): AuthPort {
  return {
    observe: (listener) => onAuthStateChanged(opened, listener),
    currentUser: () => opened.currentUser,
    holdsToken: () => expiryOf(opened.currentUser) - RENEWED_BEFORE_MS > Date.now(),
    async signIn(email, password) {
      return (await signInWithEmailAndPassword(opened, email, password)).user;
    },
    async signUp(email, password, displayName) {
      const { user } = await createUserWithEmailAndPassword(opened, email, password);
      if (displayName !== null && displayName !== '') await updateProfile(user, { displayName });
      return user;
    },
    async signInWithGoogle() {
      const { browserPopupRedirectResolver } = await import('./google-popup.ts');
      try {
        return (
          await signInWithPopup(opened, new GoogleAuthProvider(), browserPopupRedirectResolver)
        ).user;
      } catch (cause) {
        throw googleFailure(cause);
      }
    },
    sendPasswordReset: (email) => sendPasswordResetEmail(opened, email),
    async updateProfile(change) {
      if (opened.currentUser !== null) await updateProfile(opened.currentUser, change);
    },
    signOut: () => signOut(opened),
    account: async () => {
      const { firebaseAccount } = await import('./firebase-account.ts');
      // Until the provider has read its stored user, it knows nobody.
      await opened.authStateReady();
      return firebaseAccount(opened);
    },
  };
}
