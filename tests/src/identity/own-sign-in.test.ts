// @vitest-environment happy-dom
/** Changes of the own login whose answer is lost on the way. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccountPort } from '../../../src/identity/account-port.ts';
import type { AuthPort } from '../../../src/identity/auth-port.ts';
import type { AuthUser } from '../../../src/identity/auth-user.ts';
import { readLastUser } from '../../../src/identity/last-user.ts';
import { changePassword } from '../../../src/identity/own-sign-in.ts';
import {
  connectIdentity,
  onPurge,
  openSession,
  resetSession,
  revokeSession,
  session,
  signIn,
} from '../../../src/identity/session.ts';

const ann: AuthUser = {
  uid: 'ann',
  email: 'ann@example.com',
  displayName: null,
  metadata: { lastSignInTime: new Date().toUTCString() },
  getIdToken: () => Promise.resolve(''),
};

function provider(change: AccountPort['changePassword']): AuthPort {
  return {
    observe: (listener) => {
      listener(ann);
      return () => undefined;
    },
    currentUser: () => ann,
    holdsToken: () => true,
    signIn: () => Promise.resolve(ann),
    signUp: () => Promise.resolve(ann),
    signInWithGoogle: () => Promise.resolve(ann),
    sendPasswordReset: () => Promise.resolve(),
    updateProfile: () => Promise.resolve(),
    signOut: () => Promise.resolve(),
    account: () =>
      Promise.resolve({
        methods: () => ['password'],
        reauthenticate: () => Promise.resolve(ann),
        changePassword: change,
        changeEmail: () => Promise.resolve(),
      }),
  };
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const purge = vi.fn(() => Promise.resolve());

beforeEach(() => {
  localStorage.clear();
  resetSession();
  purge.mockClear();
  onPurge(purge);
});

/** A start of the app on which the provider answers a change like that. */
async function start(change: AccountPort['changePassword']): Promise<void> {
  openSession();
  connectIdentity(provider(change), 'demo-tradewind');
  await signIn('ann@example.com', 'secret');
}

describe('a new password whose answer is lost', () => {
  it.each(['auth/network-request-failed', 'auth/timeout', 'auth/internal-error'])(
    'may have ended the token: its refusal asks to log in again and deletes nothing (%s)',
    async (code) => {
      await start(() => Promise.reject(failure(code)));
      await expect(changePassword('secret', 'another')).rejects.toThrow(code);
      await revokeSession();
      expect(session).toMatchObject({ status: 'expired', user: { uid: 'ann' } });
      expect(readLastUser()?.uid).toBe('ann');
      expect(purge).not.toHaveBeenCalled();
    },
  );

  it('is remembered by the next page, and by one that was closed before any answer', async () => {
    let asked: () => void = () => undefined;
    const asking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await start(() => {
      asked();
      return new Promise(() => undefined);
    });
    void changePassword('secret', 'another');
    await asking;
    resetSession();
    onPurge(purge);
    openSession();
    await revokeSession();
    expect(session).toMatchObject({ status: 'expired', user: { uid: 'ann' } });
    expect(purge).not.toHaveBeenCalled();
  });

  it('is forgotten with the next login: a session revoked after it is over like a sign-out (F30)', async () => {
    await start(() => Promise.reject(failure('auth/network-request-failed')));
    await expect(changePassword('secret', 'another')).rejects.toThrow();
    await signIn('ann@example.com', 'another');
    await revokeSession();
    expect(session).toMatchObject({ status: 'signed-out', user: null });
    expect(purge).toHaveBeenCalledTimes(1);
  });

  it('is not what a refusal is, nor a change that was answered (F30)', async () => {
    const answers = [() => Promise.resolve(), () => Promise.reject(failure('auth/weak-password'))];
    for (const answer of answers) {
      resetSession();
      purge.mockClear();
      onPurge(purge);
      await start(answer);
      await changePassword('secret', 'another').catch(() => undefined);
      await revokeSession();
      expect(session.status).toBe('signed-out');
      expect(purge).toHaveBeenCalledTimes(1);
    }
  });

  it('of one person says nothing about another', async () => {
    await start(() => Promise.reject(failure('auth/network-request-failed')));
    await expect(changePassword('secret', 'another')).rejects.toThrow();
    if (session.user !== null) session.user.uid = 'bob';
    await revokeSession();
    expect(session.status).toBe('signed-out');
  });
});
