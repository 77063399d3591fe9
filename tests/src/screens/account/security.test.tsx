// @vitest-environment happy-dom
/**
 * What a person does to their own account on the Security screen; the server is the hosted
 * functions' port, the provider the session's.
 */
import '../../../support/page-world.ts';
import { strFromU8, unzipSync } from 'fflate';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXPORT_PARTS } from '../../../../contract/account.ts';
import { seriousFaults } from '../../../support/serious-faults.ts';
import type { AuthPort } from '../../../../src/identity/auth-port.ts';
import type { AuthUser } from '../../../../src/identity/auth-user.ts';

const { hosted } = vi.hoisted(() => ({ hosted: vi.fn() }));
vi.mock('../../../../src/callables/call-function.ts', () => ({ callFunction: hosted }));
const { ApiError } = await import('../../../../src/api/api-error.ts');
const { SignInSection } = await import('../../../../src/screens/security/SignInSection.tsx');
const { OwnDataSection } = await import('../../../../src/screens/security/OwnDataSection.tsx');
const { DeleteAccount } = await import('../../../../src/screens/security/DeleteAccount.tsx');
const { asCsv, asJson, asZip, collect } =
  await import('../../../../src/screens/security/export-data.ts');
const { writeLastUser } = await import('../../../../src/identity/last-user.ts');
const { connectIdentity, resetSession, session } =
  await import('../../../../src/identity/session.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { log } = await import('../../../../src/platform/page-log.ts');

const NOW = Date.now();
const offline = () =>
  new ApiError('The network did not answer', { code: 'network', status: 0, text: '' });
const wrongPassword = () => Object.assign(new Error('no'), { code: 'auth/wrong-password' });

/** What the provider was asked, in order. */
const asked: string[] = [];
let methods: ('password' | 'google')[] = ['password'];
function provider(): AuthPort {
  const user: AuthUser = {
    uid: 'uid-1',
    email: 'a@example.com',
    displayName: null,
    metadata: { lastSignInTime: new Date(NOW).toUTCString() },
    getIdToken: () => Promise.resolve(''),
  };
  let present: AuthUser | null = user;
  return {
    observe(listener) {
      listener(present);
      return () => undefined;
    },
    currentUser: () => present,
    holdsToken: () => true,
    signIn: () => Promise.resolve(user),
    signUp: () => Promise.resolve(user),
    signInWithGoogle: () => Promise.resolve(user),
    sendPasswordReset: () => Promise.resolve(),
    updateProfile: () => Promise.resolve(),
    signOut: () => {
      asked.push('signOut');
      present = null;
      return Promise.resolve();
    },
    account: () =>
      Promise.resolve({
        methods: () => methods,
        reauthenticate: (password) => {
          asked.push(`prove ${password}`);
          return password === 'wrong' ? Promise.reject(wrongPassword()) : Promise.resolve(user);
        },
        changePassword: (next) => {
          asked.push(`password ${next}`);
          return Promise.resolve();
        },
        changeEmail: (next, back) => {
          asked.push(`email ${next} ${back}`);
          return Promise.resolve();
        },
      }),
  };
}

beforeEach(() => {
  log.setLevel('error');
  hosted.mockReset();
  asked.length = 0;
  methods = ['password'];
  localStorage.clear();
  sessionStorage.clear();
  connection.online = 'online';
  resetSession();
  writeLastUser({
    uid: 'uid-1',
    email: 'a@example.com',
    lastSignInTime: new Date(NOW).toUTCString(),
  });
  Object.assign(session, {
    status: 'signed-in',
    provisional: false,
    expiresAt: NOW + 4 * 3_600_000,
    endingSoon: false,
    user: {
      uid: 'uid-1',
      email: 'a@example.com',
      displayName: null,
      metadata: { lastSignInTime: new Date(NOW).toUTCString() },
    },
  });
  connectIdentity(provider(), 'demo-tradewind');
  history.replaceState(null, '', '/');
});
afterEach(cleanup);

const type = (label: string | RegExp, value: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
};
const press = (name: string | RegExp): void => {
  fireEvent.click(screen.getByRole('button', { name }));
};
const sent = (name: string): unknown[] =>
  hosted.mock.calls.filter(([called]) => called === name).map(([, request]) => request as unknown);
describe('the sign-in', () => {
  it('changes the password only after the present one, says what is wrong beside it, and keeps what was typed (R2-19, R7-28)', async () => {
    render(<SignInSection />);
    await screen.findByText('Set');
    press('Change password');
    await screen.findByLabelText('New password');
    press('Change password');
    expect(screen.getAllByText('Required')).toHaveLength(2);
    type('Current password', 'wrong');
    type('New password', 'longer than six');
    press('Change password');
    expect(await screen.findByText('This is not your current password.')).toBeTruthy();
    expect(asked).toEqual(['prove wrong']);
    expect(screen.getByLabelText<HTMLInputElement>('New password').value).toBe('longer than six');
    type('Current password', 'right');
    press('Change password');
    await waitFor(() => {
      expect(screen.queryByLabelText('New password')).toBeNull();
    });
    expect(asked).toEqual(['prove wrong', 'prove right', 'password longer than six']);
    expect(session.status).toBe('signed-in');
  });

  it('sends a link to a new address and says that nothing has changed before it is opened', async () => {
    render(<SignInSection />);
    await screen.findByText('Set');
    press('Change email');
    type('Current password', 'right');
    await screen.findByLabelText('New email');
    type('New email', 'A@example.com');
    press('Send link');
    expect(screen.getByText('This is your current email.')).toBeTruthy();
    type('New email', ' b@example.com ');
    press('Send link');
    expect(await screen.findByText(/Open it to confirm your new email/)).toBeTruthy();
    expect(asked).toEqual(['prove right', `email b@example.com ${location.origin}/login`]);
    expect(screen.getByText('a@example.com')).toBeTruthy();
  });

  it('has nothing to change for somebody who signs in with Google, nor without a network', async () => {
    methods = ['google'];
    render(<SignInSection />);
    expect(await screen.findByText(/None. You log in with Google/)).toBeTruthy();
    for (const name of ['Change email', 'Change password'])
      expect(screen.getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(true);
    cleanup();
    connection.online = 'offline';
    render(<SignInSection />);
    expect(screen.getByText('You need a connection to change your login.')).toBeTruthy();
  });
});

describe("one's own data", () => {
  const page = (part: string, after?: string) => ({
    columns: part === 'settings' ? ['version', 'settings'] : ['id', 'text'],
    next: part === 'fills' && after === undefined ? 'k1' : null,
    rows:
      part === 'settings'
        ? [[1, '{"riskProfile":"moderate"}']]
        : [[`${part}-${after ?? 'first'}`, '=cmd, "x"']],
  });

  it('comes whole, every page of every part, as JSON and as a table a file that no spreadsheet runs (R2-19)', async () => {
    hosted.mockImplementation((_name: string, { part, after }: { part: string; after?: string }) =>
      Promise.resolve(page(part, after)),
    );
    const heard: number[] = [];
    const data = await collect((done) => heard.push(done), new AbortController().signal);
    expect(heard.at(-1)).toBe(data.size);
    expect(data.get('fills')?.rows.map(([id]) => id)).toEqual(['fills-first', 'fills-k1']);
    const json = JSON.parse(asJson(data, new Date(NOW))) as {
      parts: Record<string, Record<string, unknown>[]>;
    };
    expect(json.parts.settings).toEqual([{ version: 1, settings: { riskProfile: 'moderate' } }]);
    expect(
      asCsv({
        columns: ['a', 'b'],
        rows: [
          ['-1.5', null],
          ['=1+1', true],
        ],
      }),
    ).toBe("a,b\r\n-1.5,\r\n'=1+1,true");
    const files = unzipSync(asZip(data, new Date(NOW)));
    expect(Object.keys(files).sort()).toEqual([...data.keys()].map((part) => `${part}.csv`).sort());
    expect(strFromU8(files['fills.csv'] ?? new Uint8Array())).toBe(
      'id,text\r\nfills-first,"\'=cmd, ""x"""\r\nfills-k1,"\'=cmd, ""x"""',
    );
  });

  it('asks again for a page that a busy server has refused, and gives up in the end', async () => {
    vi.useFakeTimers();
    try {
      const busy = () => new ApiError('Busy', { code: 'server_busy', status: 503, text: '' });
      let refused = 0;
      hosted.mockImplementation(
        (_name: string, { part, after }: { part: string; after?: string }) =>
          part === 'fills' && (refused += 1) <= 2
            ? Promise.reject(busy())
            : Promise.resolve(page(part, after)),
      );
      const whole = collect(() => undefined, new AbortController().signal);
      await vi.runAllTimersAsync();
      expect((await whole).get('fills')?.rows).toHaveLength(2);
      hosted.mockImplementation(() => Promise.reject(busy()));
      const given = expect(
        collect(() => undefined, new AbortController().signal),
      ).rejects.toMatchObject({ code: 'server_busy' });
      await vi.runAllTimersAsync();
      await given;
    } finally {
      vi.useRealTimers();
    }
  });

  it('makes no file where a page is missing, and says so', async () => {
    const made = vi.fn(() => 'blob:x');
    Object.assign(URL, { createObjectURL: made, revokeObjectURL: () => undefined });
    hosted.mockImplementation((_name: string, { part }: { part: string }) =>
      part === 'orders' ? Promise.reject(offline()) : Promise.resolve(page(part)),
    );
    render(<OwnDataSection />);
    press('Save as JSON');
    expect((await screen.findByRole('alert')).textContent).toContain('No file was created.');
    expect(made).not.toHaveBeenCalled();
    hosted.mockImplementation((_name: string, { part, after }: { part: string; after?: string }) =>
      Promise.resolve(page(part, after)),
    );
    press('Save as CSV');
    expect(
      await screen.findByText(`${EXPORT_PARTS.length + 1} rows saved by your browser.`),
    ).toBeTruthy();
    expect(made).toHaveBeenCalledTimes(1);
  });
});

describe('deleting the account', () => {
  const PREVIEW = {
    agents: 3,
    running: 1,
    positions: 2,
    plan: { tier: 'pro', paidUntil: NOW, provider: 'test' },
  };

  it('says what ends, takes the word and the password, and leaves nobody signed in (R2-19)', async () => {
    hosted.mockImplementation((name: string) =>
      Promise.resolve(name === 'deletionPreview' ? PREVIEW : { state: 'done' }),
    );
    render(<DeleteAccount />);
    press('Delete account…');
    expect(await screen.findByText(/3 agents are stopped \(1 runs now\) and deleted/)).toBeTruthy();
    expect(
      screen.getByText(/2 open paper positions are deleted with the account, without a sale./),
    ).toBeTruthy();
    expect(screen.getByText(/Your pro plan is cancelled at once/)).toBeTruthy();
    type('Type DELETE to confirm', 'delete');
    press('Delete my account');
    expect(screen.getByText('Type DELETE')).toBeTruthy();
    expect(asked).toEqual([]);
    type('Type DELETE to confirm', 'DELETE');
    type('Current password', 'wrong');
    press('Delete my account');
    expect(await screen.findByText('This is not your current password.')).toBeTruthy();
    expect(sent('deleteAccount')).toEqual([]);
    expect(await seriousFaults()).toEqual([]);
    type('Current password', 'right');
    press('Delete my account');
    await waitFor(() => {
      expect(session.status).toBe('signed-out');
    });
    expect(sent('deleteAccount')).toEqual([{ confirm: 'DELETE' }]);
    expect(asked).toEqual(['prove wrong', 'prove right', 'signOut']);
    expect(localStorage.getItem('tradewind.lastUser')).toBeNull();
  });

  it('asks for nothing before the server has said what goes, nor where it cannot be read (R2-19)', async () => {
    let answer: ((preview: typeof PREVIEW) => void) | undefined;
    hosted
      .mockRejectedValueOnce(offline())
      .mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    render(<DeleteAccount />);
    press('Delete account…');
    const again = await screen.findByRole('button', { name: 'Try again' });
    expect(screen.queryByLabelText(/to confirm/)).toBeNull();
    fireEvent.click(again);
    expect(screen.queryByLabelText(/to confirm/)).toBeNull();
    act(() => {
      answer?.(PREVIEW);
    });
    expect(await screen.findByLabelText(/to confirm/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Delete my account' })).toBeTruthy();
  });

  it('says before the word is typed that exchange accounts are still connected, and where to remove them (R2-19)', async () => {
    hosted.mockResolvedValue({
      ...PREVIEW,
      connected: [{ id: 'c-1', exchange: 'kraken', label: 'Savings' }],
      coinsLeft: [],
    });
    render(<DeleteAccount />);
    press('Delete account…');
    expect(await screen.findByText("You can't delete your account yet.")).toBeTruthy();
    const way = screen.getByRole('link', { name: 'Kraken, Savings' });
    expect(way.getAttribute('href')).toBe('/live/c-1');
    expect(screen.queryByLabelText('Type DELETE to confirm')).toBeNull();
    expect(screen.queryByLabelText('Current password')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Delete my account' })).toBeNull();
    expect(await seriousFaults()).toEqual([]);
  });

  it('calls coins at an exchange what they are, and not paper (R2-19)', async () => {
    hosted.mockResolvedValue({
      ...PREVIEW,
      positions: 0,
      connected: [],
      coinsLeft: [{ id: 'c-2', exchange: 'kraken', label: 'Old', coins: ['BTC', 'SOL'] }],
    });
    render(<DeleteAccount />);
    press('Delete account…');
    expect(
      await screen.findByText(
        'Coins that agents bought stay in your account “Old” at Kraken: BTC, SOL. You can sell them at Kraken itself.',
      ),
    ).toBeTruthy();
    expect(screen.getByText('No open paper positions.')).toBeTruthy();
    expect(screen.getByLabelText('Type DELETE to confirm')).toBeTruthy();
  });

  it('says what stays of the address, and nothing where nothing does (R2-19)', async () => {
    hosted.mockResolvedValue({ ...PREVIEW, remembered: { trial: true, invited: true } });
    const { unmount } = render(<DeleteAccount />);
    press('Delete account…');
    expect(
      await screen.findByText(
        'A fingerprint of your email address is kept for 2 years, because you have used the free trial and an invitation.',
      ),
    ).toBeTruthy();
    unmount();
    hosted.mockResolvedValue({ ...PREVIEW, remembered: { trial: false, invited: false } });
    render(<DeleteAccount />);
    press('Delete account…');
    await screen.findByText(/3 agents/);
    expect(screen.queryByText(/fingerprint/)).toBeNull();
  });

  it('leaves everything as it was where the server did not take it', async () => {
    hosted.mockImplementation((name: string) =>
      name === 'deletionPreview' ? Promise.resolve(PREVIEW) : Promise.reject(offline()),
    );
    render(<DeleteAccount />);
    press('Delete account…');
    await screen.findByText(/3 agents/);
    type('Type DELETE to confirm', 'DELETE');
    type('Current password', 'right');
    press('Delete my account');
    expect((await screen.findByRole('alert')).textContent).toContain('Could not reach the server');
    expect(session.status).toBe('signed-in');
    expect(asked).toEqual(['prove right']);
  });
});
