// @vitest-environment happy-dom
/** The session: painted from our record, confirmed by the provider, over after four hours. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuthPort } from '../../../src/identity/auth-port.ts';
import type { AuthUser } from '../../../src/identity/auth-user.ts';
import { isAuthenticated, LAST_USER_KEY } from '../../../src/identity/device-record.ts';
import { pendingPurges, readLastUser, writeLastUser } from '../../../src/identity/last-user.ts';
import { recordedToken } from '../../../src/identity/recorded-auth.ts';
import {
  checkSession,
  connectIdentity,
  endSession,
  IDENTITY_WAIT_MS,
  idToken,
  onPurge,
  openSession,
  resetSession,
  revokeSession,
  sendPasswordReset,
  session,
  setServerClock,
  signIn,
  signInWithGoogle,
  signOut,
  signUp,
  updateProfile,
  whileTokenChanges,
} from '../../../src/identity/session.ts';

const NOW = Date.parse('2026-01-10T12:00:00Z');
const HOUR = 3_600_000;
/** Firebase looks into its store this often for what other tabs have written there, ms. */
const PROVIDER_POLL_MS = 800;
const PROJECT = 'demo-tradewind';
const at = (ms: number): string => new Date(ms).toUTCString();

/** `accountAt`: the account's last sign-in, where that was on another device. */
function person(uid: string, signedInAt: number, accountAt = signedInAt): AuthUser {
  return {
    uid,
    email: `${uid}@example.com`,
    displayName: null,
    metadata: { lastSignInTime: at(accountAt) },
    getIdToken: () =>
      Promise.resolve(recordedToken(uid, `${uid}@example.com`, PROJECT, Date.now(), signedInAt)),
  };
}

/** A provider that is told what to say, and tells what it was asked. */
function provider(first: AuthUser | null | 'silent') {
  const asked: string[] = [];
  const listeners = new Set<(user: AuthUser | null) => void>();
  let user = first === 'silent' ? null : first;
  const become = (next: AuthUser | null): void => {
    user = next;
    for (const listener of listeners) listener(next);
  };
  const enter = (what: string, uid: string): Promise<AuthUser> => {
    asked.push(what);
    const next = person(uid, Date.now());
    become(next);
    return Promise.resolve(next);
  };
  const port: AuthPort = {
    observe(listener) {
      listeners.add(listener);
      if (first !== 'silent') listener(user);
      return () => {
        listeners.delete(listener);
      };
    },
    currentUser: () => user,
    holdsToken: () => true,
    signIn: (email, password) => enter(`signIn ${email} ${password}`, email.split('@')[0] ?? ''),
    signUp: (email, password, name) =>
      enter(`signUp ${email} ${password} ${name}`, email.split('@')[0] ?? ''),
    signInWithGoogle: () => enter('google', 'googler'),
    sendPasswordReset: (email) => {
      asked.push(`reset ${email}`);
      return Promise.resolve();
    },
    updateProfile: (change) => {
      asked.push(`profile ${change.displayName}`);
      return Promise.resolve();
    },
    signOut: () => {
      asked.push('signOut');
      become(null);
      return Promise.resolve();
    },
    account: () => Promise.reject(new Error('Not asked for here')),
  };
  return { port, asked, become };
}

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  localStorage.clear();
  resetSession();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('four hours', () => {
  it('are counted from the last sign-in, and a missing or unreadable one counts as over (R5-18, R9-02)', () => {
    expect(isAuthenticated(at(NOW - 4 * HOUR + 1_000), NOW)).toBe(true);
    expect(isAuthenticated(at(NOW - 4 * HOUR), NOW)).toBe(false);
    expect(isAuthenticated(null, NOW)).toBe(false);
    expect(isAuthenticated('yesterday', NOW)).toBe(false);
  });

  it('end while the page is open, with a notice ten minutes before (R5-18, R9-02)', async () => {
    connectIdentity(provider(person('ann', NOW)).port, PROJECT);
    openSession();
    await settled();
    expect(session).toMatchObject({
      status: 'signed-in',
      endingSoon: false,
      expiresAt: NOW + 4 * HOUR,
    });
    await vi.advanceTimersByTimeAsync(4 * HOUR - 9 * 60_000);
    expect(session).toMatchObject({ status: 'signed-in', endingSoon: true });
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(session).toMatchObject({ status: 'expired', endingSoon: false, user: { uid: 'ann' } });
  });

  it('are not counted by a timer while the page is hidden, but at once when it is seen again', async () => {
    let visible: DocumentVisibilityState = 'visible';
    const looked = vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visible);
    connectIdentity(provider(person('ann', NOW)).port, PROJECT);
    openSession();
    await settled();
    visible = 'hidden';
    document.dispatchEvent(new Event('visibilitychange'));
    const before = vi.getTimerCount();
    await vi.advanceTimersByTimeAsync(IDENTITY_WAIT_MS);
    expect(vi.getTimerCount(), 'only the wait for the provider was left').toBe(before - 1);
    expect(before).toBe(1);
    vi.setSystemTime(NOW + 5 * HOUR);
    visible = 'visible';
    document.dispatchEvent(new Event('visibilitychange'));
    expect(session.status).toBe('expired');
    looked.mockRestore();
  });

  it("go by the server's clock where it is known", async () => {
    connectIdentity(provider(person('ann', NOW)).port, PROJECT);
    await settled();
    vi.setSystemTime(NOW + 24 * HOUR);
    checkSession();
    expect(session.status).toBe('expired');
    setServerClock(-24 * HOUR);
    expect(session.status).toBe('signed-in');
  });

  it("go by the server's clock from the first look of the next start on: a device a day ahead does not lock its person out (F20)", () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW - HOUR - 24 * HOUR) });
    setServerClock(-24 * HOUR);
    resetSession();
    openSession();
    expect(session.status).toBe('signed-in');
    resetSession();
    localStorage.setItem('tradewind.clockOffset', 'garbage');
    openSession();
    expect(session.status).toBe('expired');
  });

  it('are not made longer by a sign-in of the same person on another device (R5-18)', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW - 6 * HOUR) });
    openSession();
    connectIdentity(provider(person('ann', NOW - 6 * HOUR, NOW - HOUR)).port, PROJECT);
    await settled();
    expect(session.status).toBe('expired');
    expect(readLastUser()?.lastSignInTime).toBe(at(NOW - 6 * HOUR));
  });

  it('stay as they were noted where no token can be had to tell of another sign-in (R5-18)', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW - 6 * HOUR) });
    openSession();
    const ann = {
      ...person('ann', NOW - 6 * HOUR, NOW - HOUR),
      getIdToken: () => Promise.reject(new Error('no network')),
    };
    connectIdentity(provider(ann).port, PROJECT);
    await settled();
    expect(session.status).toBe('expired');
  });

  it('follow a sign-in that another tab of this device has made', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW - 6 * HOUR) });
    openSession();
    connectIdentity(provider(person('ann', NOW - HOUR)).port, PROJECT);
    await settled();
    expect(session.status).toBe('signed-in');
    expect(readLastUser()?.lastSignInTime).toBe(at(NOW - HOUR));
  });

  it('begin anew when the same person signs in again, also after the server ended them', async () => {
    const { port } = provider(person('ann', NOW - 5 * HOUR));
    connectIdentity(port, PROJECT);
    await settled();
    expect(session.status).toBe('expired');
    await signIn('ann@example.com', 'secret');
    expect(session.status).toBe('signed-in');
    endSession();
    expect(session.status).toBe('expired');
    await signIn('ann@example.com', 'secret');
    expect(session.status).toBe('signed-in');
  });
});

describe('a login in another tab', () => {
  const told = (uid: string, signedInAt: number): void => {
    writeLastUser({ uid, email: null, lastSignInTime: at(signedInAt) });
    dispatchEvent(
      new StorageEvent('storage', {
        key: LAST_USER_KEY,
        newValue: localStorage.getItem(LAST_USER_KEY),
      }),
    );
  };

  it('begins the four hours here once the provider has its token here too (R5-18, F29)', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW - 5 * HOUR) });
    openSession();
    endSession();
    told('ann', NOW);
    expect(session.status, 'the token of this tab is still the old one').toBe('expired');
    await vi.advanceTimersByTimeAsync(PROVIDER_POLL_MS);
    expect(session.status).toBe('expired');
    await vi.advanceTimersByTimeAsync(2_000 - PROVIDER_POLL_MS);
    expect(session).toMatchObject({ status: 'signed-in', expiresAt: NOW + 4 * HOUR });
  });

  it('of somebody else takes the first from the screen at once', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW) });
    openSession();
    told('bob', NOW);
    expect(session).toMatchObject({ status: 'signed-out', user: null });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(session).toMatchObject({ status: 'signed-in', user: { uid: 'bob' } });
  });

  it('that was followed by a logout there is not taken', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW - 5 * HOUR) });
    openSession();
    told('ann', NOW);
    localStorage.removeItem(LAST_USER_KEY);
    dispatchEvent(new StorageEvent('storage', { key: LAST_USER_KEY, newValue: null }));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(session).toMatchObject({ status: 'signed-out', user: null });
  });

  it('waits in a hidden tab, where timers are slow, until it is seen', async () => {
    let visible: DocumentVisibilityState = 'visible';
    const looked = vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visible);
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW - 5 * HOUR) });
    openSession();
    visible = 'hidden';
    document.dispatchEvent(new Event('visibilitychange'));
    told('ann', NOW);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session.status).toBe('expired');
    visible = 'visible';
    document.dispatchEvent(new Event('visibilitychange'));
    expect(session.status).toBe('expired');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(session.status).toBe('signed-in');
    looked.mockRestore();
  });
});

describe('a session that the server calls revoked', () => {
  it('is over like a sign-out, except while this device itself replaces its token', async () => {
    connectIdentity(provider(person('ann', NOW)).port, PROJECT);
    await settled();
    await whileTokenChanges(() => revokeSession());
    expect(session).toMatchObject({ status: 'signed-in', user: { uid: 'ann' } });
    await expect(
      whileTokenChanges(() => Promise.reject(new Error('weak password'))),
    ).rejects.toThrow('weak password');
    await revokeSession();
    expect(session).toMatchObject({ status: 'signed-out', user: null });
    expect(readLastUser()).toBeNull();
  });
});

describe('start', () => {
  it('paints the last user at once, before the provider is there', () => {
    writeLastUser({ uid: 'ann', email: 'ann@example.com', lastSignInTime: at(NOW - HOUR) });
    openSession();
    expect(session).toMatchObject({
      status: 'signed-in',
      provisional: true,
      user: { uid: 'ann', email: 'ann@example.com' },
    });
    expect(JSON.parse(localStorage.getItem(LAST_USER_KEY) ?? '')).toEqual({
      uid: 'ann',
      email: 'ann@example.com',
      lastSignInTime: at(NOW - HOUR),
    });
  });

  it('with a record that does not read, or none, waits for the provider, but not for ever', async () => {
    localStorage.setItem(LAST_USER_KEY, '{"uid":7}');
    openSession();
    expect(session.status).toBe('loading');
    await vi.advanceTimersByTimeAsync(IDENTITY_WAIT_MS);
    expect(session.status).toBe('signed-out');
  });

  it('keeps everything when the provider says "nobody", and stops counting the person as authenticated', async () => {
    const purged: string[] = [];
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW - HOUR) });
    openSession();
    onPurge((uid) => {
      purged.push(uid);
      return Promise.resolve();
    });
    connectIdentity(provider(null).port, PROJECT);
    await settled();
    expect(session).toMatchObject({ status: 'expired', user: { uid: 'ann' } });
    expect(readLastUser()?.uid).toBe('ann');
    expect(purged).toEqual([]);
  });

  it('does not wait for a provider that never answers (R8-08)', async () => {
    const without = expect(idToken()).rejects.toThrow('Firebase auth not initialized');
    await vi.advanceTimersByTimeAsync(IDENTITY_WAIT_MS);
    await without;
    connectIdentity(provider('silent').port, PROJECT);
    const silent = expect(idToken()).rejects.toThrow('Firebase auth not initialized');
    await vi.advanceTimersByTimeAsync(IDENTITY_WAIT_MS);
    await silent;
  });
});

describe('identity operations', () => {
  it('sign in, create, reset, update the profile, Google, sign out, and follow the provider (R7-28)', async () => {
    const { port, asked, become } = provider(null);
    connectIdentity(port, PROJECT);
    await settled();
    expect(session.status).toBe('signed-out');
    await signIn('ann@example.com', 'secret');
    expect(session.user?.uid).toBe('ann');
    await updateProfile({ displayName: 'Ann' });
    expect(session.user?.displayName).toBe('Ann');
    await signOut();
    await signUp('bob@example.com', 'secret', 'Bob');
    await signOut();
    await signInWithGoogle();
    await sendPasswordReset('ann@example.com');
    expect(asked).toEqual([
      'signIn ann@example.com secret',
      'profile Ann',
      'signOut',
      'signUp bob@example.com secret Bob',
      'signOut',
      'google',
      'reset ann@example.com',
    ]);
    become(person('carl', NOW));
    await settled();
    expect(session.user?.uid).toBe('carl');
  });

  it('renew a refused token once for everybody who asks at that moment (F28)', async () => {
    const ann = person('ann', NOW);
    const asked: boolean[] = [];
    connectIdentity(
      provider({
        ...ann,
        getIdToken: async (force) => {
          asked.push(force);
          await Promise.resolve();
          return ann.getIdToken(force);
        },
      }).port,
      PROJECT,
    );
    openSession();
    await settled();
    asked.length = 0;
    const tokens = await Promise.all([idToken(true), idToken(true), idToken(true)]);
    expect(new Set(tokens).size).toBe(1);
    expect(asked).toEqual([true]);
    await idToken(true);
    expect(asked, 'a call refused a moment later takes the new one').toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(60_000);
    await idToken(true);
    expect(asked).toEqual([true, false, true]);
  });

  it('give a token of the person that is shown and of nobody else', async () => {
    const { port } = provider(person('ann', NOW));
    connectIdentity(port, PROJECT);
    await settled();
    await expect(idToken()).resolves.toBe(recordedToken('ann', 'ann@example.com', PROJECT, NOW));
    if (session.user !== null) session.user.uid = 'bob';
    await expect(idToken()).rejects.toThrow('Not authenticated');
  });
});

describe('sign-out', () => {
  it("deletes what is the person's, without a network, and finishes at the next start what was cut short", async () => {
    const purged: string[] = [];
    let fails = true;
    onPurge((uid) => {
      purged.push(uid);
      return fails ? Promise.reject(new Error('blocked')) : Promise.resolve();
    });
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    connectIdentity(provider(person('ann', NOW)).port, PROJECT);
    await settled();
    await signOut();
    expect(session).toMatchObject({ status: 'signed-out', user: null });
    expect(readLastUser()).toBeNull();
    expect(pendingPurges()).toEqual(['ann']);
    fails = false;
    openSession();
    await settled();
    expect(purged).toEqual(['ann', 'ann']);
    expect(pendingPurges()).toEqual([]);
  });

  it("leaves nothing of the person in the browser's own storage, whoever wrote it, and what is the device's (F35)", async () => {
    connectIdentity(provider(person('ann', NOW)).port, PROJECT);
    await settled();
    localStorage.setItem('tradewind.seen', 'ann 1 2 agent-1');
    localStorage.setItem('base-acc-sdk.store', '{"account":"0xab"}');
    localStorage.setItem('tradewind.appearance', '{"theme":"dark"}');
    onPurge(() => {
      localStorage.setItem('late', 'agent-1');
      return Promise.resolve();
    });
    await signOut();
    expect(Object.keys(localStorage)).toEqual(['tradewind.appearance']);
  });

  it('that is finished when somebody else is here already takes only what names the one who went', async () => {
    localStorage.setItem('tradewind.purge', 'ann');
    localStorage.setItem('tradewind.seen', 'ann 1 2 agent-1');
    localStorage.setItem('tradewind.push', 'ben');
    localStorage.setItem(
      LAST_USER_KEY,
      JSON.stringify({ uid: 'ben', email: null, lastSignInTime: at(NOW) }),
    );
    openSession();
    await settled();
    expect(Object.keys(localStorage).sort()).toEqual([LAST_USER_KEY, 'tradewind.push']);
  });

  it('before the provider was loaded is told to it when it is, before it can bring the person back', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW) });
    openSession();
    await signOut();
    const { port, asked } = provider(person('ann', NOW));
    connectIdentity(port, PROJECT);
    await settled();
    expect(asked).toEqual(['signOut']);
    expect(session.status).toBe('signed-out');
  });

  it("while the provider still loads its stored user is not undone by that user's name, and holds nobody up who signs in after it (F35)", async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW) });
    openSession();
    const { port, become } = provider('silent');
    // As Firebase does it: the sign-out waits in line behind the loading, whose end names the
    // stored user first.
    let loaded: () => void = () => undefined;
    const loading = new Promise<void>((resolve) => {
      loaded = resolve;
    });
    connectIdentity({ ...port, signOut: () => loading.then(() => port.signOut()) }, PROJECT);
    const leaving = signOut();
    become(person('ann', NOW));
    await settled();
    expect(session).toMatchObject({ status: 'signed-out', user: null });
    expect(readLastUser()).toBeNull();
    loaded();
    await leaving;
    expect(session).toMatchObject({ status: 'signed-out', user: null });
    await signIn('bob@example.com', 'secret');
    expect(session).toMatchObject({ status: 'signed-in', user: { uid: 'bob' } });
  });

  it('that the provider refused is over when somebody signs in: the next start does not sign them out', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW) });
    openSession();
    const { port, asked } = provider(person('ann', NOW));
    connectIdentity(
      { ...port, signOut: () => Promise.reject(new Error('storage is full')) },
      PROJECT,
    );
    await settled();
    await signOut();
    await signIn('bob@example.com', 'secret');
    await settled();
    expect(session.user?.uid).toBe('bob');
    resetSession();
    openSession();
    connectIdentity(port, PROJECT);
    await settled();
    expect(asked).not.toContain('signOut');
    expect(session).toMatchObject({ status: 'signed-in', user: { uid: 'bob' } });
  });

  it('in another tab is followed here', () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW) });
    openSession();
    dispatchEvent(new StorageEvent('storage', { key: LAST_USER_KEY, newValue: null }));
    expect(session).toMatchObject({ status: 'signed-out', user: null });
  });

  it('elsewhere is seen by a page that Back brings, which was told nothing while it was kept (F35)', async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW) });
    openSession();
    const shown = (persisted: boolean): boolean =>
      dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
    shown(true);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(session).toMatchObject({ status: 'signed-in', user: { uid: 'ann' } });
    localStorage.removeItem(LAST_USER_KEY);
    shown(false);
    expect(session.user?.uid).toBe('ann');
    shown(true);
    expect(session).toMatchObject({ status: 'signed-out', user: null });
    writeLastUser({ uid: 'bob', email: null, lastSignInTime: at(NOW) });
    shown(true);
    expect(session.user).toBeNull();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(session).toMatchObject({ status: 'signed-in', user: { uid: 'bob' } });
  });

  it("of one happens when another signs in: the first one's data goes before the second is named", async () => {
    const order: string[] = [];
    onPurge((uid) => {
      order.push(`purge ${uid} while ${session.user?.uid ?? 'nobody'}`);
      return Promise.resolve();
    });
    const { port } = provider(person('ann', NOW));
    connectIdentity(port, PROJECT);
    await settled();
    await signIn('bob@example.com', 'secret');
    await settled();
    expect(order[0]).toBe('purge ann while nobody');
    expect(session.user?.uid).toBe('bob');
    expect(readLastUser()?.uid).toBe('bob');
  });

  it("during the deletion of an earlier user's data leaves nobody here (F34, F35)", async () => {
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: at(NOW) });
    const { port } = provider(null);
    const purges: (() => void)[] = [];
    onPurge(
      () =>
        new Promise((resolve) => {
          purges.push(resolve);
        }),
    );
    openSession();
    connectIdentity(port, PROJECT);
    await settled();
    const entering = signIn('bob@example.com', 'secret');
    await settled();
    expect(session.status).toBe('signed-out');
    const leaving = signOut();
    await settled();
    for (const finish of purges) finish();
    await settled();
    await Promise.all([entering, leaving]);
    expect(session).toMatchObject({ status: 'signed-out', user: null });
    expect(readLastUser()).toBeNull();
  });
});
