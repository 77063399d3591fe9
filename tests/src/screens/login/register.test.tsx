// @vitest-environment happy-dom
/** Registration: what the form keeps, for whom, and the name that the account gets. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuthPort } from '../../../../src/identity/auth-port.ts';
import type { AuthUser } from '../../../../src/identity/auth-user.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { connectIdentity, resetSession, session, signOut } =
  await import('../../../../src/identity/session.ts');
const { recordedToken } = await import('../../../../src/identity/recorded-auth.ts');
const { default: RegisterScreen } =
  await import('../../../../src/screens/login/RegisterScreen.tsx');
const { openTypedName } = await import('../../../../src/screens/login/typed-name.ts');

const PROJECT = 'demo-tradewind';
const person = (email: string): AuthUser => ({
  uid: email.split('@')[0] ?? '',
  email,
  displayName: null,
  metadata: { lastSignInTime: new Date().toUTCString() },
  getIdToken: () => Promise.resolve(recordedToken('ann', email, PROJECT, Date.now(), Date.now())),
});
const settings = {
  displayName: 'ann',
  tradingEnabled: true,
  tradingMode: 'automatic' as const,
  tradingFrequency: 'optimized' as const,
  riskProfile: 'moderate' as const,
  maxTradeAmount: 10_000,
  notificationsEnabled: true,
};

let refused: boolean;
beforeEach(() => {
  localStorage.clear();
  resetSession();
  refused = false;
  let user: AuthUser | null = null;
  const not = () => Promise.reject(new Error('Not asked for here'));
  const port: AuthPort = {
    observe: (listener) => {
      listener(user);
      return () => undefined;
    },
    currentUser: () => user,
    holdsToken: () => true,
    signIn: not,
    signUp: (email) => {
      if (refused)
        return Promise.reject(
          Object.assign(new Error('no'), { code: 'auth/email-already-in-use' }),
        );
      user = person(email);
      return Promise.resolve(user);
    },
    signInWithGoogle: not,
    sendPasswordReset: not,
    updateProfile: not,
    signOut: () => {
      user = null;
      return Promise.resolve();
    },
    account: not,
  };
  connectIdentity(port, PROJECT);
  call.mockReset();
  call.mockImplementation((name: string) =>
    Promise.resolve(
      name === 'tradingSettings' ? { settings, version: 4, riskProfiles: [] } : { commandId: '1' },
    ),
  );
});
afterEach(() => {
  cleanup();
  resetSession();
});

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const fill = (values: Record<string, string>): void => {
  for (const [label, value] of Object.entries(values))
    fireEvent.change(field(label), { target: { value } });
};
const shown = () => ['Name (optional)', 'Email', 'Password'].map((label) => field(label).value);
const create = (): void => {
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
};
const TYPED = {
  'Name (optional)': 'Ann Harbour',
  Email: 'ann@example.com',
  Password: 'correct horse',
};

describe('the register form', () => {
  it('keeps what was typed over an error, and over a visit to the terms all but the password', async () => {
    refused = true;
    const first = render(<RegisterScreen />);
    fill(TYPED);
    create();
    await screen.findByText(/^An account with this email exists/);
    expect(shown()).toEqual(Object.values(TYPED));
    first.unmount();
    render(<RegisterScreen />);
    expect(shown()).toEqual(['Ann Harbour', 'ann@example.com', '']);
  });

  it('shows the next person at this device nothing of the one who logged in, also by another way', async () => {
    const first = render(<RegisterScreen />);
    fill(TYPED);
    first.unmount();
    // Logged in by Google or on the login page.
    session.user = {
      uid: 'ann',
      email: 'ann@example.com',
      displayName: null,
      metadata: { lastSignInTime: new Date().toUTCString() },
    };
    await signOut();
    render(<RegisterScreen />);
    expect(shown()).toEqual(['', '', '']);
  });

  it('writes the name that was typed to the settings, once, and leaves the others as they are (R5-12)', async () => {
    render(<RegisterScreen />);
    fill(TYPED);
    create();
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith('updateTradingSettings', {
        body: { ...settings, displayName: 'Ann Harbour', version: 4 },
      });
    });
    expect(call.mock.calls.filter(([name]) => name === 'updateTradingSettings')).toHaveLength(1);
  });

  it('keeps a name that could not be written until a later start writes it', async () => {
    const answers = call.getMockImplementation();
    call.mockRejectedValue(new Error('No network'));
    render(<RegisterScreen />);
    fill(TYPED);
    create();
    await waitFor(() => {
      expect(call).toHaveBeenCalled();
    });
    await waitFor(() => {
      expect(localStorage.getItem('tradewind.typedName')).toContain('Ann Harbour');
    });
    call.mockReset();
    call.mockImplementation(answers ?? (() => undefined));
    openTypedName();
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith('updateTradingSettings', {
        body: { ...settings, displayName: 'Ann Harbour', version: 4 },
      });
      expect(localStorage.getItem('tradewind.typedName')).toBeNull();
    });
  });

  it('leaves a name alone that its user has chosen elsewhere meanwhile', async () => {
    render(<RegisterScreen />);
    fill({ ...TYPED, 'Name (optional)': ' ' });
    create();
    await waitFor(() => {
      expect(session.status).toBe('signed-in');
    });
    const note = { uid: 'ann', name: 'Ann Harbour', replaces: 'ann@' };
    localStorage.setItem('tradewind.typedName', JSON.stringify(note));
    openTypedName();
    await waitFor(() => {
      expect(localStorage.getItem('tradewind.typedName')).toBeNull();
    });
    expect(call).toHaveBeenCalledExactlyOnceWith('tradingSettings', {});
  });

  it('keeps no name for the next person at this device', async () => {
    call.mockRejectedValue(new Error('No network'));
    render(<RegisterScreen />);
    fill(TYPED);
    create();
    await waitFor(() => {
      expect(localStorage.getItem('tradewind.typedName')).not.toBeNull();
    });
    await signOut();
    expect(localStorage.getItem('tradewind.typedName')).toBeNull();
  });

  it('writes nothing where no name was typed', async () => {
    render(<RegisterScreen />);
    fill({ ...TYPED, 'Name (optional)': ' ' });
    create();
    await waitFor(() => {
      expect(session.status).toBe('signed-in');
    });
    expect(call).not.toHaveBeenCalled();
  });
});
