/** Who is logged in on this page, and for how much longer. */
import { proxy } from 'valtio';
import { SESSION_MAX_AGE_MS, SESSION_NOTICE_MS } from '../../contract/limits.ts';
import { log } from '../platform/page-log.ts';
import { whileSeen } from '../platform/resting-timer.ts';
import type { AuthPort } from './auth-port.ts';
import type { AuthUser } from './auth-user.ts';
import { isAuthenticated, LAST_USER_KEY } from './device-record.ts';
import {
  forgetLastUser,
  forgetPerson,
  isLeaving,
  leavingDone,
  noteLeaving,
  notePurge,
  parseLastUser,
  PASSWORD_CHANGE_KEY,
  pendingPurges,
  purgeDone,
  readClockOffset,
  readLastUser,
  writeClockOffset,
  writeLastUser,
} from './last-user.ts';
import { readToken, TokenFault, verifiedToken, type VerifiedToken } from './token.ts';

export interface SessionUser {
  uid: string;
  email: string | null;
  displayName: string | null;
  metadata: {
    /** As the identity provider words it: a UTC date. */
    lastSignInTime: string | null;
  };
}

export interface Session {
  /**
   * `loading`: nothing known yet, not even our own record. `signed-in`: less than 4 hours since
   * sign-in. `expired`: the user is known, but the sign-in is over: 'Authentication Required'
   * online, read-only offline.
   */
  status: 'loading' | 'signed-out' | 'signed-in' | 'expired';
  user: SessionUser | null;
  /** Painted from our own record; the identity provider has not yet confirmed it. */
  provisional: boolean;
  /** Wall clock (ms) at which the 4 hours are over. */
  expiresAt: number | null;
  /** Less than ten minutes are left. */
  endingSoon: boolean;
}

export const session = proxy<Session>({
  status: 'loading',
  user: null,
  provisional: false,
  expiresAt: null,
  endingSoon: false,
});

/** How long anything waits for the identity provider before it continues without it, ms. */
export const IDENTITY_WAIT_MS = 6_000;
const CHECK_EVERY_MS = 15_000;
/** Firebase looks for what other tabs have put into its store every 800 ms. */
const FOLLOW_AFTER_MS = 2_000;

/**
 * Answers later whether the person of this moment is still the one logged in, for what comes late.
 * Nobody is known yet: then whoever comes counts.
 */
export function samePerson(): () => boolean {
  const uid = session.user?.uid;
  return () => uid === undefined || session.user?.uid === uid;
}

type Purge = (uid: string) => Promise<void>;

let port: AuthPort | null = null;
let projectId = '';
let clockOffsetMs = 0;
let confirmed = false;
/** The server said the sign-in is over; ends with a new sign-in. */
let ending = false;
/** A request with the old token may be refused before the page has the new one. */
let tokenChanges = false;
/** The provider says "nobody" while our record names someone; ends when it names someone again. */
let absent = false;
/** Another tab has noted a login or logout that this one is still to take. */
let behind = false;
let following: ReturnType<typeof setTimeout> | undefined;
const purges: Purge[] = [];
let openPort: (value: AuthPort) => void = () => undefined;
let portReady = new Promise<AuthPort>((resolve) => {
  openPort = resolve;
});

/**
 * The server's clock where it is known: a device a day off neither shortens nor stretches a
 * session.
 */
const now = (): number => Date.now() + clockOffsetMs;

/**
 * Looks at the clock again: expiry and its notice. Called by a timer, on waking, and when the
 * server's clock is learnt.
 */
export function checkSession(at = now()): void {
  const { user } = session;
  if (user === null || session.status === 'signed-out') return;
  const signedInAt = Date.parse(user.metadata.lastSignInTime ?? '');
  session.expiresAt = Number.isNaN(signedInAt) ? null : signedInAt + SESSION_MAX_AGE_MS;
  const valid = !ending && !absent && isAuthenticated(user.metadata.lastSignInTime, at);
  session.status = valid ? 'signed-in' : 'expired';
  session.endingSoon =
    valid && session.expiresAt !== null && session.expiresAt - at <= SESSION_NOTICE_MS;
}

/** Difference of the server's clock to this device's, ms. */
export function setServerClock(offsetMs: number): void {
  clockOffsetMs = offsetMs;
  writeClockOffset(offsetMs);
  checkSession();
}

/**
 * The server says that the sign-in is over, whatever our clock says; only a new sign-in ends that.
 */
export function endSession(): void {
  ending = true;
  checkSession();
}

/**
 * Registers what must be deleted with a user's private data; called on sign-out and when another
 * user signs in.
 */
export function onPurge(purge: Purge): void {
  purges.push(purge);
}

async function purge(uid: string): Promise<void> {
  notePurge(uid);
  const results = await Promise.allSettled(purges.map((run) => run(uid)));
  // Last: what runs before may need its own note, and may still write.
  forgetPerson(uid);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) purgeDone(uid);
  else
    log.error('Private data could not be deleted yet; the next start tries again', failed.reason);
}

function setUser(user: SessionUser, provisional: boolean): void {
  session.user = user;
  session.provisional = provisional;
  if (session.status === 'loading' || session.status === 'signed-out') session.status = 'expired';
  checkSession();
}

function setNobody(): void {
  Object.assign(session, {
    status: 'signed-out',
    user: null,
    provisional: false,
    expiresAt: null,
    endingSoon: false,
  } satisfies Session);
}

/**
 * When the sign-in of this device was. The provider's record names the last one of the account,
 * which may have been on another device; the token tells of the one it stems from.
 */
async function signedInTime(user: AuthUser, before: string | null): Promise<string | null> {
  const accounts = user.metadata.lastSignInTime ?? null;
  if (accounts === before) return before;
  try {
    const { authenticatedAt } = readToken(await user.getIdToken(false), projectId);
    if (authenticatedAt !== null) return new Date(authenticatedAt).toUTCString();
  } catch {
    // Without a network an expired token is not renewed.
  }
  return before ?? accounts;
}

/** Applies the user that the provider reports. */
async function take(user: AuthUser, justSignedIn: boolean): Promise<void> {
  const before = readLastUser();
  if (justSignedIn) ending = false;
  absent = false;
  confirmed = true;
  // A sign-out that the provider would not take is over with this: told again at the next start, it
  // would hit this person.
  if (justSignedIn) {
    leavingDone();
    localStorage.removeItem(PASSWORD_CHANGE_KEY);
  }
  // Another user's data must be gone from the screen before the new one is named.
  if (before !== null && before.uid !== user.uid) {
    ending = false;
    setNobody();
    await purge(before.uid);
    // Signed out again while the first user's data was being deleted: then nobody is here.
    if (port !== null && port.currentUser()?.uid !== user.uid) return;
  }
  const known = before?.uid === user.uid ? before.lastSignInTime : null;
  const noted = localStorage.getItem(LAST_USER_KEY);
  const lastSignInTime = justSignedIn
    ? (user.metadata.lastSignInTime ?? null)
    : await signedInTime(user, known);
  // Somebody has signed in or out here meanwhile: that counts.
  if (localStorage.getItem(LAST_USER_KEY) !== noted) return;
  if (lastSignInTime !== known) ending = false;
  writeLastUser({ uid: user.uid, email: user.email, lastSignInTime });
  setUser(
    {
      uid: user.uid,
      email: user.email,
      displayName: user.displayName,
      metadata: { lastSignInTime },
    },
    false,
  );
}

/**
 * "Nobody" from the provider deletes nothing by itself: it clears its store on some server errors
 * too.
 */
function takeNobody(): void {
  confirmed = true;
  if (readLastUser() === null) {
    setNobody();
  } else {
    absent = true;
    checkSession();
  }
}

/** Paints from our own record at once, without waiting for the network. */
export function openSession(): void {
  // Until the server says its time again, what it said last: a device whose clock is wrong mostly
  // stays wrong.
  clockOffsetMs = readClockOffset();
  const last = readLastUser();
  if (last !== null)
    setUser(
      {
        uid: last.uid,
        email: last.email,
        displayName: null,
        metadata: { lastSignInTime: last.lastSignInTime },
      },
      true,
    );
  for (const uid of pendingPurges()) if (uid !== last?.uid) void purge(uid);
  whileSeen(CHECK_EVERY_MS, () => {
    checkSession();
  });
  document.addEventListener('visibilitychange', () => {
    checkSession();
    takeOtherTabsSoon();
  });
  addEventListener('storage', (event) => {
    if (event.key === LAST_USER_KEY) followOtherTab(event.newValue);
  });
  // A page in the back/forward cache is told of nothing.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) followOtherTab(localStorage.getItem(LAST_USER_KEY));
  });
  setTimeout(() => {
    if (session.status === 'loading') setNobody();
  }, IDENTITY_WAIT_MS);
}

function followOtherTab(text: string | null): void {
  if (parseLastUser(text)?.uid !== session.user?.uid) setNobody();
  behind = true;
  takeOtherTabsSoon();
}

/**
 * Not at once: until the provider has found the other tab's login in its store, it has the token of
 * the old one here, which the server refuses, and renewing it would overwrite the new. A hidden
 * tab, whose timers are slow, waits until it is seen.
 */
function takeOtherTabsSoon(): void {
  clearTimeout(following);
  if (behind && document.visibilityState !== 'hidden')
    following = setTimeout(takeOtherTabs, FOLLOW_AFTER_MS);
}

function takeOtherTabs(): void {
  behind = false;
  const last = readLastUser();
  if (
    last !== null &&
    (last.uid !== session.user?.uid || last.lastSignInTime !== session.user.metadata.lastSignInTime)
  ) {
    ending = false;
    absent = false;
    setUser(
      {
        uid: last.uid,
        email: last.email,
        displayName: null,
        metadata: { lastSignInTime: last.lastSignInTime },
      },
      true,
    );
  }
}

/** Gives the session its identity provider, once that is loaded. */
export function connectIdentity(provider: AuthPort, project: string): void {
  projectId = project;
  const begin = (): void => {
    port = provider;
    provider.observe((user) => {
      if (user === null) takeNobody();
      // A provider that was still loading names its stored user before it comes to the sign-out
      // that waits in line.
      else if (!isLeaving())
        take(user, false).catch((error: unknown) => {
          log.error('The session could not be resumed', error);
        });
    });
    openPort(provider);
  };
  // A sign-out that the provider never heard of (offline, or the tab was closed) comes before its
  // stored user.
  if (isLeaving())
    void provider
      .signOut()
      .catch(() => undefined)
      .then(leavingDone)
      .then(begin);
  else begin();
}

/** Forgets everything, for tests. */
export function resetSession(): void {
  port = null;
  confirmed = false;
  ending = false;
  tokenChanges = false;
  absent = false;
  behind = false;
  clearTimeout(following);
  clockOffsetMs = 0;
  renewedAt = -Infinity;
  purges.length = 0;
  portReady = new Promise((resolve) => {
    openPort = resolve;
  });
  Object.assign(session, {
    status: 'loading',
    user: null,
    provisional: false,
    expiresAt: null,
    endingSoon: false,
  } satisfies Session);
}

/** The provider, waited for, but not for ever. @throws TokenFault */
export function identityProvider(): Promise<AuthPort> {
  if (port !== null) return Promise.resolve(port);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new TokenFault('identity_unavailable', 'Firebase auth not initialized'));
    }, IDENTITY_WAIT_MS);
    void portReady.then((ready) => {
      clearTimeout(timer);
      resolve(ready);
    });
  });
}

/** Waits until the provider has reported the user, but not forever. */
async function settledUser(auth: AuthPort): Promise<AuthUser | null | undefined> {
  if (confirmed || auth.currentUser() !== null) return auth.currentUser();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve(auth.currentUser() ?? undefined);
    }, IDENTITY_WAIT_MS);
    const stop = auth.observe((user) => {
      clearTimeout(timer);
      queueMicrotask(() => {
        stop();
      });
      resolve(user);
    });
  });
}

/**
 * A checked bearer token of the user this page shows.
 * @throws TokenFault
 */
export async function idToken(force = false): Promise<string> {
  return (await sessionToken(force)).token;
}

/** A renewal under way: whoever else was refused the old token waits for the same new one. */
let renewing: Promise<VerifiedToken> | null = null;
let renewedAt = -Infinity;
/**
 * Calls that went out together are refused one after the other: the last of them finds the token
 * renewed already.
 */
const RENEWED_FOR_MS = 10_000;

/** The token and whose it is, so that a queued command is never sent in another's name. */
export async function sessionToken(force = false): Promise<VerifiedToken> {
  const auth = await identityProvider();
  const user = await settledUser(auth);
  const ask = (anew: boolean): Promise<VerifiedToken> =>
    verifiedToken(user, { projectId, now: now(), force: anew });
  const due = force && Math.abs(Date.now() - renewedAt) >= RENEWED_FOR_MS;
  if (due)
    renewing ??= ask(true)
      .then((token) => {
        renewedAt = Date.now();
        return token;
      })
      .finally(() => {
        renewing = null;
      });
  const held = await (due && renewing !== null ? renewing : ask(false));
  if (session.user !== null && session.user.uid !== held.uid)
    throw new TokenFault('not_authenticated', 'Not authenticated');
  return held;
}

/** Whether `sessionToken()` would renew nothing, which a hidden tab must not. */
export const holdsToken = (): boolean => port?.holdsToken() === true;

/** The current user has reauthenticated. */
export function takeSignIn(user: AuthUser): Promise<void> {
  return take(user, true);
}

export async function signIn(email: string, password: string): Promise<void> {
  await take(await (await identityProvider()).signIn(email, password), true);
}

export async function signUp(
  email: string,
  password: string,
  displayName: string | null = null,
): Promise<void> {
  await take(await (await identityProvider()).signUp(email, password, displayName), true);
}

export async function signInWithGoogle(): Promise<void> {
  await take(await (await identityProvider()).signInWithGoogle(), true);
}

export async function sendPasswordReset(email: string): Promise<void> {
  await (await identityProvider()).sendPasswordReset(email);
}

export async function updateProfile(change: {
  displayName?: string;
  photoURL?: string;
}): Promise<void> {
  await (await identityProvider()).updateProfile(change);
  if (session.user !== null && change.displayName !== undefined)
    session.user.displayName = change.displayName;
}

/**
 * Explicit logout: clears the user first, then deletes their data on this device; works offline.
 */
export async function signOut(): Promise<void> {
  const uid = session.user?.uid ?? readLastUser()?.uid ?? null;
  if (uid !== null) notePurge(uid);
  noteLeaving();
  forgetLastUser();
  ending = false;
  absent = false;
  setNobody();
  const leaving = port?.signOut().then(leavingDone, (error: unknown) => {
    log.warn('The identity provider did not confirm the logout', error);
  });
  if (uid !== null) await purge(uid);
  await leaving;
}

/** Runs a change of this login that ends the token the page still holds. */
export async function whileTokenChanges(change: () => Promise<void>): Promise<void> {
  tokenChanges = true;
  try {
    await change();
  } finally {
    tokenChanges = false;
  }
}

/**
 * The server says that this user was revoked or disabled: the same as a sign-out, without asking.
 */
export async function revokeSession(): Promise<void> {
  if (tokenChanges) return;
  // A new password whose answer was lost may have revoked the token that this device still holds.
  if (localStorage.getItem(PASSWORD_CHANGE_KEY) === session.user?.uid) endSession();
  else await signOut();
}
