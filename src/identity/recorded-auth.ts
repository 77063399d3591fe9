/**
 * A stand-in identity provider for a build with recorded replies: anyone may log in. Never use it
 * with a real server.
 */
import { readLastUser } from './last-user.ts';
import type { AuthPort } from './auth-port.ts';
import type { AuthUser } from './auth-user.ts';

const HOUR_S = 3_600;
const UID = 'recorded-user';

const encode = (value: object): string =>
  btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** A token of the right shape and of no worth: unsigned, as the emulator's are. */
export function recordedToken(
  uid: string,
  email: string,
  projectId: string,
  nowMs: number,
  signedInMs = nowMs,
): string {
  const now = Math.floor(nowMs / 1_000);
  const claims = {
    iss: `https://securetoken.google.com/${projectId}`,
    aud: projectId,
    sub: uid,
    email,
    auth_time: Math.floor(signedInMs / 1_000),
    iat: now,
    exp: now + HOUR_S,
  };
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`;
}

export function recordedAuth(projectId: string): AuthPort {
  const listeners = new Set<(user: AuthUser | null) => void>();
  const person = (
    email: string | null,
    displayName: string | null,
    lastSignInTime = new Date().toUTCString(),
  ): AuthUser => ({
    uid: UID,
    email,
    displayName,
    metadata: { lastSignInTime },
    getIdToken: () => Promise.resolve(recordedToken(UID, email ?? '', projectId, Date.now())),
  });
  const last = readLastUser();
  let user: AuthUser | null =
    last?.uid === UID ? person(last.email, null, last.lastSignInTime ?? undefined) : null;
  const become = (next: AuthUser | null): void => {
    user = next;
    for (const listener of listeners) listener(next);
  };
  const enter = (email: string, displayName: string | null): Promise<AuthUser> => {
    const next = person(email, displayName);
    become(next);
    return Promise.resolve(next);
  };
  return {
    observe(listener) {
      listeners.add(listener);
      listener(user);
      return () => {
        listeners.delete(listener);
      };
    },
    currentUser: () => user,
    holdsToken: () => user !== null,
    signIn: (email) => enter(email, null),
    signUp: (email, _password, displayName) => enter(email, displayName),
    signInWithGoogle: () => enter('recorded@example.com', 'Recorded'),
    sendPasswordReset: () => Promise.resolve(),
    updateProfile(change) {
      if (user !== null && change.displayName !== undefined) user.displayName = change.displayName;
      return Promise.resolve();
    },
    signOut() {
      become(null);
      return Promise.resolve();
    },
    account: () =>
      Promise.reject(
        new Error('This build runs on recorded replies. There is no account to change.'),
      ),
  };
}
