/** The current user and a checked token inside the service worker, with or without a page. */
import type { Auth } from 'firebase/auth';
import { openAuth, storageAnswers } from './firebase-app.ts';
import { verifiedToken, type VerifiedToken } from './token.ts';

/**
 * Firebase reloads a stored user over the network and can hang on a half-open connection; a
 * worker's life is short.
 */
const WAIT_MS = 8_000;

export interface WorkerIdentity {
  /**
   * The signed-in user and a token, a new one by `force`; null when nobody is signed in or no token
   * can be had now.
   */
  token(force?: boolean): Promise<VerifiedToken | null>;
}

const setting = (name: string): string => {
  const value: unknown = (import.meta.env as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
};

const within = <T>(work: Promise<T>, ms: number): Promise<T | null> =>
  Promise.race([
    work,
    new Promise<null>((resolve) => {
      setTimeout(() => {
        resolve(null);
      }, ms);
    }),
  ]);

export function workerIdentity(): WorkerIdentity {
  const projectId = setting('VITE_FIREBASE_PROJECT_ID');
  let opened: Auth | null = null;
  const auth = (): Auth => {
    opened ??= openAuth(
      {
        apiKey: setting('VITE_FIREBASE_API_KEY'),
        authDomain: setting('VITE_FIREBASE_AUTH_DOMAIN'),
        projectId,
        storageBucket: setting('VITE_FIREBASE_STORAGE_BUCKET'),
        messagingSenderId: setting('VITE_FIREBASE_MESSAGING_SENDER_ID'),
        appId: setting('VITE_FIREBASE_APP_ID'),
      },
      self.location.origin,
    );
    return opened;
  };
  const read = async (force: boolean): Promise<VerifiedToken | null> => {
    // Asked again at the next call: storage that hangs now may answer then.
    if (opened === null && !(await storageAnswers())) return null;
    const held = auth();
    await held.authStateReady();
    if (held.currentUser === null) return null;
    // By this device's clock alone nobody can tell whether a token is over: a day ahead, every new
    // one would be. Firebase renews by its own count, and the server says.
    return verifiedToken(held.currentUser, { projectId, now: 0, force });
  };
  return {
    token: (force = false) =>
      within(
        read(force).catch(() => null),
        WAIT_MS,
      ),
  };
}
