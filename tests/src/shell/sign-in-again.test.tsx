// @vitest-environment happy-dom
/** Logging in again in place: the same user and nobody else, by the ways that are theirs. */
import '../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SignInMethod } from '../../../src/identity/account-port.ts';
import type { AuthPort } from '../../../src/identity/auth-port.ts';
import type { AuthUser } from '../../../src/identity/auth-user.ts';
import { recordedToken } from '../../../src/identity/recorded-auth.ts';
import {
  checkSession,
  connectIdentity,
  onPurge,
  resetSession,
  session,
} from '../../../src/identity/session.ts';
import { Dialog } from '../../../src/components/Dialog.tsx';
import { Dock } from '../../../src/shell/Dock.tsx';
import { SignInAgain } from '../../../src/shell/SignInAgain.tsx';

const PROJECT = 'demo-tradewind';
const HOUR_MS = 3_600_000;
const person = (uid: string, signedInAt: number): AuthUser => ({
  uid,
  email: `${uid}@example.com`,
  displayName: null,
  metadata: { lastSignInTime: new Date(signedInAt).toUTCString() },
  getIdToken: () =>
    Promise.resolve(recordedToken(uid, `${uid}@example.com`, PROJECT, Date.now(), signedInAt)),
});

let methods: SignInMethod[];
/** Whom the Google window names. */
let chosen: string;
let purged: string[];
const closed = vi.fn();

beforeEach(async () => {
  localStorage.clear();
  resetSession();
  chosen = 'ann';
  purged = [];
  closed.mockReset();
  let user = person('ann', Date.now() - 3 * HOUR_MS);
  const not = () => Promise.reject(new Error('Not asked for here'));
  const enter = (uid: string): Promise<AuthUser> => {
    user = person(uid, Date.now());
    return Promise.resolve(user);
  };
  const port: AuthPort = {
    observe: (listener) => {
      listener(user);
      return () => undefined;
    },
    currentUser: () => user,
    holdsToken: () => true,
    signIn: (email) => enter(email.split('@')[0] ?? ''),
    signUp: not,
    signInWithGoogle: () => enter(chosen),
    sendPasswordReset: not,
    updateProfile: not,
    signOut: not,
    account: () =>
      Promise.resolve({
        methods: () => methods,
        reauthenticate: () =>
          chosen === 'ann'
            ? enter('ann')
            : Promise.reject(Object.assign(new Error('no'), { code: 'auth/user-mismatch' })),
        changePassword: not,
        changeEmail: not,
      }),
  };
  onPurge((uid) => {
    purged.push(uid);
    return Promise.resolve();
  });
  connectIdentity(port, PROJECT);
  await waitFor(() => {
    expect(session.user?.uid).toBe('ann');
  });
});
afterEach(() => {
  cleanup();
  resetSession();
});

const show = () => render(<SignInAgain open onOpenChange={closed} />);
const google = () => screen.findByRole('button', { name: 'Continue with Google' });

describe('logging in again in place', () => {
  it('by Google refuses another account: its user would delete what this one has not sent', async () => {
    methods = ['password', 'google'];
    chosen = 'ben';
    show();
    fireEvent.click(await google());
    await screen.findByText('This is a different account. Choose the one you are logged in with.');
    expect([session.user?.uid, purged]).toEqual(['ann', []]);
    expect(closed).not.toHaveBeenCalled();
  });

  it('by Google restarts the four hours of the same user (R9-02)', async () => {
    methods = ['google'];
    show();
    const before = session.expiresAt ?? 0;
    fireEvent.click(await google());
    await waitFor(() => {
      expect(closed).toHaveBeenCalledWith(false);
    });
    expect(session.expiresAt).toBeGreaterThan(before + 2 * HOUR_MS);
    expect(screen.queryByLabelText('Password')).toBeNull();
  });

  it('offers no Google where the user has a password alone', async () => {
    methods = ['password'];
    show();
    fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'secret' } });
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    expect(screen.queryByRole('button', { name: 'Continue with Google' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Log in' }));
    await waitFor(() => {
      expect(closed).toHaveBeenCalledWith(false);
    });
  });
});

describe('a session of which ten minutes are left', () => {
  const SAID = 'Your session ends soon.';
  const seenAt = (at: number): Promise<void> =>
    act(() => {
      checkSession(at);
      return Promise.resolve();
    });
  const nearEnd = (): Promise<void> => seenAt(Date.now() + 55 * 60_000);
  const heard = (): (Element | null)[] =>
    screen.getAllByText(SAID).map((said) => said.closest('[role="status"][aria-live="polite"]'));

  it('is announced once, in a region that was there before, without its minutes (R9-02)', async () => {
    render(<Dock />);
    const regions = [...document.querySelectorAll('[role="status"]')];
    expect(document.body.textContent).not.toContain('session');
    await nearEnd();
    const [region = null, ...more] = heard();
    expect(regions).toContain(region);
    expect(more).toEqual([]);
    expect(region?.textContent).toBe(SAID);
    expect(screen.getByText(/^Your session ends in \d/).closest('[role="status"]')).toBeNull();
    await seenAt(Date.now());
    expect(region?.textContent).toBe('');
  });

  it('is announced and shown in a dialog, which covers the page (R9-02)', async () => {
    const dialog = (
      <Dialog open onOpenChange={closed} title="New price">
        <input aria-label="Price" />
      </Dialog>
    );
    render(
      <>
        <Dock />
        {dialog}
      </>,
    );
    const open = await screen.findByRole('dialog');
    expect(open.textContent).not.toContain('session');
    await nearEnd();
    expect(open.textContent).toMatch(/Your session ends in \d+ \w+\./);
    expect(heard()[0]?.closest('[aria-hidden="true"]')).toBeNull();
  });
});
