// @vitest-environment happy-dom
/**
 * Referrals and support as screens: what they send, what they keep, what they say; the server is
 * the hosted functions' port alone.
 */
import '../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seriousFaults } from '../../../support/serious-faults.ts';
import type { Referral } from '../../../../contract/referrals.ts';
import type { SupportRequest } from '../../../../contract/support.ts';

const { hosted } = vi.hoisted(() => ({ hosted: vi.fn() }));
vi.mock('../../../../src/callables/call-function.ts', () => ({ callFunction: hosted }));
const { ApiError } = await import('../../../../src/api/api-error.ts');
const { Routes } = await import('../../../../src/App.tsx');
const { default: Referrals } =
  await import('../../../../src/screens/referrals/ReferralsScreen.tsx');
const { modulesPath } = await import('../../../../src/screens/referrals/QrCode.tsx');
const { default: Support } = await import('../../../../src/screens/support/SupportScreen.tsx');
const { withoutSecrets } = await import('../../../../src/screens/support/diagnostics.ts');
const { forgetPerson, writeLastUser } = await import('../../../../src/identity/last-user.ts');
const { resetSession, session } = await import('../../../../src/identity/session.ts');
const { claimKept } = await import('../../../../src/referrals/claim-referral.ts');
const { keepReferral, keptReferral } = await import('../../../../src/referrals/kept-referral.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { log, recentErrors } = await import('../../../../src/platform/page-log.ts');

const NOW = Date.now();
const refusal = (
  code: 'referral_refused' | 'limit_reached' | 'internal' | 'idempotency_mismatch',
  text = '',
) => new ApiError(code, { code, status: 409, text });
const offline = () =>
  new ApiError('The network did not answer', { code: 'network', status: 0, text: '' });

beforeEach(() => {
  log.setLevel('error');
  hosted.mockReset();
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
const REFERRAL: Referral = {
  code: 'ABCD2345',
  rewardDays: 14,
  joined: [
    { day: '2026-01-05', state: 'earned' },
    { day: '2026-01-04', state: 'joined' },
  ],
  joinedCount: 2,
  days: { added: 14, waiting: 0 },
  invitedOn: null,
};

describe('referrals', () => {
  it('show the code, its link as words and as a QR code, who joined by day and state, and what it earned (R2-13)', async () => {
    hosted.mockResolvedValue(REFERRAL);
    render(<Referrals />);
    expect(await screen.findByText('ABCD2345')).toBeTruthy();
    expect(screen.getByText(new RegExp(`${location.origin}/ref/ABCD2345`))).toBeTruthy();
    expect(await screen.findByRole('img', { name: /QR code/ })).toBeTruthy();
    const joined = screen.getByRole('region', { name: 'Sign-ups' });
    expect(
      within(joined)
        .getAllByRole('listitem')
        .map((row) => row.textContent),
    ).toEqual([expect.stringContaining('Paid for a plan'), expect.stringContaining('Signed up')]);
    expect(
      within(screen.getByRole('region', { name: 'Earned' })).getByText('14 days'),
    ).toBeTruthy();
    expect(await seriousFaults()).toEqual([]);
  });

  it('say what is missing where there is nobody yet, no network, or no answer', async () => {
    hosted.mockResolvedValue({ ...REFERRAL, joined: [], joinedCount: 0 });
    render(<Referrals />);
    expect(await screen.findByText('No sign-ups yet')).toBeTruthy();
    cleanup();
    connection.online = 'offline';
    render(<Referrals />);
    expect(screen.getByText('Your code is not saved on this device')).toBeTruthy();
    cleanup();
    connection.online = 'online';
    hosted.mockRejectedValueOnce(refusal('internal'));
    render(<Referrals />);
    fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('No sign-ups yet')).toBeTruthy();
  });

  it('draw a code with the three corners that readers look for', () => {
    const { path, size } = modulesPath('https://trade.example.com/ref/ABCD2345');
    const dark = new Set([...path.matchAll(/M(\d+) (\d+)h/g)].map(([, x, y]) => `${x} ${y}`));
    const corner = (x: number, y: number) =>
      [0, 1, 2, 3, 4, 5, 6].every(
        (i) =>
          dark.has(`${x + i} ${y}`) && dark.has(`${x + i} ${y + 6}`) && dark.has(`${x} ${y + i}`),
      ) &&
      !dark.has(`${x + 1} ${y + 1}`) &&
      dark.has(`${x + 3} ${y + 3}`);
    expect([corner(4, 4), corner(size - 11, 4), corner(4, size - 11)]).toEqual([true, true, true]);
  });

  it('lead from a link to the registration, and the code outlives the tab until the account has it (R2-03)', async () => {
    Object.assign(session, { status: 'signed-out', user: null });
    history.replaceState(null, '', '/ref/abcd-2345');
    render(<Routes />);
    expect(await screen.findByText(/Invited with code ABCD2345/)).toBeTruthy();
    expect(location.pathname).toBe('/register');
    sessionStorage.clear();
    expect(keptReferral()).toBe('ABCD2345');
    forgetPerson('somebody-before');
    expect(keptReferral()).toBe('ABCD2345');
    expect(await claimKept()).toBe(false);
    expect(hosted).not.toHaveBeenCalled();
    Object.assign(session, { status: 'signed-in', provisional: false });
    hosted.mockRejectedValueOnce(offline());
    expect(await claimKept()).toBe(false);
    expect(keptReferral()).toBe('ABCD2345');
    hosted.mockResolvedValueOnce({ invitedOn: '2026-01-05' });
    expect(await claimKept()).toBe(true);
    expect(sent('claimReferral')).toEqual([{ code: 'ABCD2345' }, { code: 'ABCD2345' }]);
    expect(keptReferral()).toBeNull();
  });

  it('keep the first link for a month, nothing that is no code, and forget one that the server refuses', async () => {
    keepReferral('ABCD2345', NOW - 31 * 86_400_000);
    expect(keptReferral()).toBeNull();
    keepReferral('<script>');
    expect(keptReferral()).toBeNull();
    keepReferral('JKMN6789');
    keepReferral('ABCD2345');
    expect(keptReferral()).toBe('JKMN6789');
    hosted.mockRejectedValueOnce(refusal('limit_reached'));
    expect([await claimKept(), keptReferral()]).toEqual([false, 'JKMN6789']);
    hosted.mockRejectedValueOnce(refusal('referral_refused'));
    expect([await claimKept(), keptReferral()]).toEqual([true, null]);
  });
});

const request = (part: Partial<SupportRequest> = {}): SupportRequest => ({
  id: 'aaaaaaaa-0000-4000-8000-000000000001',
  category: 'billing',
  state: 'open',
  priority: false,
  hasDiagnostics: false,
  createdAt: NOW,
  updatedAt: NOW,
  messages: [{ id: 'm1', author: 'person', text: 'Where is my invoice?', createdAt: NOW }],
  ...part,
});
const none = { requests: [], priority: false };

describe('a support request', () => {
  const fill = (): void => {
    type('Topic', 'billing');
    type(/What happened/, 'My card was declined.');
  };

  it('keeps what was typed over an error and a reload, and sends it again under the same id (R2-18)', async () => {
    hosted.mockImplementation((name: string) =>
      name === 'supportRequests' ? Promise.resolve(none) : Promise.reject(offline()),
    );
    render(<Support />);
    await screen.findByText('No requests yet');
    press('Send');
    expect(screen.getByText('Choose a topic')).toBeTruthy();
    expect(sent('openSupportRequest')).toEqual([]);
    fill();
    press('Send');
    expect((await screen.findByRole('alert')).textContent).toContain('Your text is saved.');
    cleanup();
    hosted.mockImplementation((name: string) =>
      Promise.resolve(
        name === 'supportRequests' ? none : { requests: [request()], priority: false },
      ),
    );
    render(<Support />);
    expect(screen.getByLabelText<HTMLTextAreaElement>(/What happened/).value).toBe(
      'My card was declined.',
    );
    press('Send');
    expect(await screen.findByText('Waiting for an answer')).toBeTruthy();
    const [first, second] = sent('openSupportRequest') as { id: string; diagnostics: unknown }[];
    expect(second).toEqual(first);
    expect(first?.diagnostics).toBeNull();
    expect(screen.getByLabelText<HTMLTextAreaElement>(/What happened/).value).toBe('');
    expect(JSON.stringify({ ...localStorage })).not.toContain('declined');
    expect(await seriousFaults()).toEqual([]);
  });

  it('is another request where the words were changed after an answer that never came', async () => {
    hosted.mockImplementation((name: string) =>
      name === 'supportRequests' ? Promise.resolve(none) : Promise.reject(offline()),
    );
    render(<Support />);
    await screen.findByText('No requests yet');
    fill();
    press('Send');
    await screen.findByRole('alert');
    type(/What happened/, 'My card was declined twice.');
    press('Send');
    await waitFor(() => {
      expect(sent('openSupportRequest')).toHaveLength(2);
    });
    const [first, second] = sent('openSupportRequest') as { id: string }[];
    expect(second?.id).not.toBe(first?.id);
  });

  it("is not sent offline, says so, and its words go with a sign-out and are no other person's", () => {
    connection.online = 'offline';
    hosted.mockResolvedValue(none);
    render(<Support />);
    fill();
    expect(
      screen.getByText(/You're offline. You can't send this now. Your text is saved/),
    ).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true);
    cleanup();
    if (session.user !== null) session.user.uid = 'uid-2';
    render(<Support />);
    expect(screen.getByLabelText<HTMLTextAreaElement>(/What happened/).value).toBe('');
    cleanup();
    forgetPerson('uid-1');
    expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain('declined');
  });

  it("stays out of the device's storage where nothing may be kept there, and a sign-out takes it from the tab", () => {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    hosted.mockResolvedValue(none);
    render(<Support />);
    fill();
    expect(JSON.stringify({ ...localStorage })).not.toContain('declined');
    expect(JSON.stringify({ ...sessionStorage })).toContain('declined');
    cleanup();
    forgetPerson('uid-1');
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('declined');
  });

  it('shows the facts before they go, sends exactly those, and none without consent', async () => {
    const quiet = vi.spyOn(console, 'error').mockReturnValue();
    log.error(
      'A screen failed',
      new Error(
        'jane@example.com at https://x.example.com/a?token=1 eyJhbGciOi.eyJzdWIiOiIx.sig 0123456789abcdef0123456789abcdef',
      ),
    );
    quiet.mockRestore();
    expect(recentErrors().at(-1)?.text).toContain('jane@example.com');
    hosted.mockImplementation((name: string) =>
      Promise.resolve(
        name === 'supportRequests'
          ? none
          : { requests: [request({ hasDiagnostics: true })], priority: true },
      ),
    );
    render(<Support />);
    fill();
    fireEvent.click(screen.getByRole('switch', { name: 'Include app details' }));
    const shown = screen.getByText('Data that will be sent').closest('details')?.textContent ?? '';
    press('Send');
    await screen.findByText('Waiting for an answer');
    const [{ diagnostics }] = sent('openSupportRequest') as [
      { diagnostics: Record<string, unknown> & { errors: string[] } },
    ];
    for (const value of [
      diagnostics.appVersion,
      diagnostics.browser,
      diagnostics.plan,
      ...diagnostics.errors,
    ])
      expect(shown).toContain(value);
    expect(diagnostics.errors.at(-1)).toMatch(
      /A screen failed: \[address\] at https:\/\/x\.example\.com\/a \[token\] \[…\]$/,
    );
    expect(JSON.stringify(diagnostics)).not.toMatch(/jane|eyJ|token=1|0123456789abcdef/);
    expect(withoutSecrets('x'.repeat(900)).length).toBeLessThanOrEqual(240);
    expect(screen.getByText('Priority support')).toBeTruthy();
  });

  /** The server's answer to the next call of this name, to be given later. */
  function heldReply(held: string, others: unknown) {
    let answer = (_reply: unknown): void => undefined;
    hosted.mockImplementation((name: string) =>
      name === held
        ? new Promise((resolve) => {
            answer = resolve;
          })
        : Promise.resolve(others),
    );
    return (reply: unknown): void => {
      answer(reply);
    };
  }
  const send = (): void => {
    const form = screen.getByRole('region', { name: 'New request' });
    fireEvent.click(within(form).getByRole('button', { name: 'Send' }));
  };
  const text = () => screen.getByLabelText<HTMLTextAreaElement>(/What happened/);

  it('keeps what is typed after Send as another request, here and where the screen was left (R2-18)', async () => {
    const answer = heldReply('openSupportRequest', none);
    render(<Support />);
    await screen.findByText('No requests yet');
    fill();
    send();
    type(/What happened/, 'My card was declined. Twice.');
    answer({ requests: [request()], priority: false });
    await screen.findByText('Waiting for an answer');
    expect(text().value).toBe('My card was declined. Twice.');
    send();
    await waitFor(() => {
      expect(sent('openSupportRequest')).toHaveLength(2);
    });
    const [first, second] = sent('openSupportRequest') as { id: string }[];
    expect(second?.id).not.toBe(first?.id);
    cleanup();
    render(<Support />);
    type(/What happened/, 'A third thing.');
    answer({ requests: [request()], priority: false });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(JSON.stringify({ ...localStorage })).toContain('A third thing.');
  });

  it('is another request too where the screen was opened again before the answer (R2-18)', async () => {
    const answer = heldReply('openSupportRequest', none);
    render(<Support />);
    await screen.findByText('No requests yet');
    fill();
    send();
    cleanup();
    render(<Support />);
    type(/What happened/, 'My card was declined. And what now?');
    answer({ requests: [request()], priority: false });
    await new Promise((resolve) => setTimeout(resolve, 50));
    send();
    await waitFor(() => {
      expect(sent('openSupportRequest')).toHaveLength(2);
    });
    const [first, second] = sent('openSupportRequest') as { id: string }[];
    expect(second?.id).not.toBe(first?.id);
  });

  it('is not called saved on this device where it is in this tab alone, or nowhere', async () => {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    hosted.mockImplementation((name: string) =>
      name === 'supportRequests' ? Promise.resolve(none) : Promise.reject(offline()),
    );
    render(<Support />);
    fill();
    expect(document.body.textContent).toContain('Kept in this tab until sent.');
    press('Send');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Your text is kept in this tab.',
    );
    act(() => {
      connection.online = 'offline';
    });
    expect((await screen.findByText(/You're offline/)).textContent).toContain(
      'Your text is kept in this tab.',
    );
    expect(document.body.textContent).not.toContain('saved');
    vi.stubGlobal('sessionStorage', {
      removeItem: () => undefined,
      setItem: () => {
        throw new Error('full');
      },
    });
    type(/What happened/, 'My card was declined again.');
    vi.unstubAllGlobals();
    expect(screen.getByText(/out of storage/)).toBeTruthy();
    expect(document.body.textContent).not.toMatch(/is saved|is kept/);
    expect(screen.getByText(/You're offline/).textContent).not.toContain('Send it when');
  });

  it('keeps what is typed after an addition was sent, and its conversation open with the focus in it (R2-18)', async () => {
    const answered = request({ state: 'answered' });
    const answer = heldReply('addToSupportRequest', { requests: [answered], priority: false });
    render(<Support />);
    const field = await screen.findByLabelText<HTMLTextAreaElement>('Add a message');
    const row = field.closest('details') as HTMLDetailsElement;
    expect(row.open).toBe(true);
    field.focus();
    type('Add a message', 'Thank you.');
    fireEvent.click(within(row).getByRole('button', { name: 'Send' }));
    type('Add a message', 'Thank you. And the one before?');
    answer({ requests: [{ ...answered, state: 'open' }], priority: false });
    await screen.findByText('Waiting for an answer');
    expect(row.open).toBe(true);
    expect(document.activeElement).toBe(field);
    expect(field.value).toBe('Thank you. And the one before?');
    fireEvent.click(within(row).getByRole('button', { name: 'Send' }));
    await waitFor(() => {
      expect(sent('addToSupportRequest')).toHaveLength(2);
    });
    const [first, second] = sent('addToSupportRequest') as { messageId: string }[];
    expect(second?.messageId).not.toBe(first?.messageId);
  });

  const addition = () => screen.findByLabelText<HTMLTextAreaElement>('Add a message');
  const sendIn = (field: HTMLElement): void => {
    const row = field.closest('details') as HTMLElement;
    fireEvent.click(within(row).getByRole('button', { name: 'Send' }));
  };

  it('keeps what is typed to a request when the screen is left, by request, until it is sent or the person logs out (R2-18)', async () => {
    const [one, two] = [
      request({ state: 'answered' }),
      request({ id: 'aaaaaaaa-0000-4000-8000-000000000002' }),
    ];
    hosted.mockResolvedValue({ requests: [one, two], priority: false });
    render(<Support />);
    const [first] = await screen.findAllByLabelText('Add a message');
    fireEvent.change(first as HTMLElement, { target: { value: 'It was the new card.' } });
    expect(screen.getByText('Saved on this device until sent.')).toBeTruthy();
    fill();
    cleanup();
    render(<Support />);
    const [again, other] = await screen.findAllByLabelText<HTMLTextAreaElement>('Add a message');
    expect(again?.value).toBe('It was the new card.');
    expect(other?.value).toBe('');
    fireEvent.change(other as HTMLElement, { target: { value: 'And another thing.' } });
    cleanup();
    render(<Support />);
    // A text that waits is not hidden in a conversation that is shut.
    const [, shown] = await screen.findAllByLabelText<HTMLTextAreaElement>('Add a message');
    expect(shown?.value).toBe('And another thing.');
    expect(shown?.closest('details')?.open).toBe(true);
    sendIn(shown as HTMLElement);
    await waitFor(() => {
      expect(shown?.value).toBe('');
    });
    const kept = (): string => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);
    expect(kept()).not.toContain('And another thing.');
    expect(kept()).toContain('It was the new card.');
    // The request that is being written stays too.
    expect(text().value).toBe('My card was declined.');
    forgetPerson('uid-1');
    expect(kept()).not.toContain('It was the new card.');
  });

  it('sends an addition again under its id after the screen was left, and forgets one that has arrived (R2-18)', async () => {
    hosted.mockImplementation((name: string) =>
      name === 'supportRequests'
        ? Promise.resolve({ requests: [request({ state: 'answered' })], priority: false })
        : Promise.reject(offline()),
    );
    render(<Support />);
    const field = await addition();
    fireEvent.change(field, { target: { value: 'Thank you.' } });
    sendIn(field);
    await screen.findByText(/Could not reach the server/);
    cleanup();
    render(<Support />);
    sendIn(await addition());
    await waitFor(() => {
      expect(sent('addToSupportRequest')).toHaveLength(2);
    });
    const [first, second] = sent('addToSupportRequest') as { messageId: string }[];
    expect(second).toEqual(first);
    cleanup();
    const [message] = request().messages;
    const arrived = { ...message, id: first?.messageId, text: 'Thank you.' };
    hosted.mockResolvedValue({
      requests: [{ ...request(), messages: [message, arrived] }],
      priority: false,
    });
    render(<Support />);
    await screen.findByText('Thank you.', { selector: 'p' });
    const emptied = await addition();
    await waitFor(() => {
      expect(emptied.value).toBe('');
    });
    expect(JSON.stringify({ ...localStorage })).not.toContain('Thank you.');
  });

  it('is sent whole as another request where another tab has sent part of it (R2-18)', async () => {
    hosted.mockImplementation((name: string) =>
      name === 'supportRequests' || sent(name).length > 1
        ? Promise.resolve(
            name === 'supportRequests' ? none : { requests: [request()], priority: false },
          )
        : Promise.reject(refusal('idempotency_mismatch')),
    );
    render(<Support />);
    await screen.findByText('No requests yet');
    fill();
    send();
    await screen.findByText('Waiting for an answer');
    const [first, second] = sent('openSupportRequest') as { id: string; text: string }[];
    expect(second).toEqual({ ...first, id: second?.id });
    expect(second?.id).not.toBe(first?.id);
    expect(text().value).toBe('');
  });

  it('keeps its new id where the answer to that never comes, and where more is typed meanwhile (R2-18)', async () => {
    hosted.mockImplementation((name: string) => {
      if (name === 'supportRequests') return Promise.resolve(none);
      return Promise.reject(sent(name).length === 1 ? refusal('idempotency_mismatch') : offline());
    });
    render(<Support />);
    await screen.findByText('No requests yet');
    fill();
    send();
    expect((await screen.findByRole('alert')).textContent).toContain('Your text is saved.');
    cleanup();
    render(<Support />);
    send();
    await waitFor(() => {
      expect(sent('openSupportRequest')).toHaveLength(3);
    });
    const [first, second, third] = sent('openSupportRequest') as { id: string }[];
    expect(third).toEqual(second);
    expect(second?.id).not.toBe(first?.id);
    hosted.mockReset();
    let refuse = (_error: unknown): void => undefined;
    hosted.mockImplementation((name: string) => {
      if (name === 'supportRequests') return Promise.resolve(none);
      return sent(name).length === 1
        ? new Promise((_resolve, reject) => {
            refuse = reject;
          })
        : Promise.resolve({ requests: [request()], priority: false });
    });
    cleanup();
    render(<Support />);
    send();
    type(/What happened/, 'My card was declined. Twice.');
    refuse(refusal('idempotency_mismatch'));
    await screen.findByText('Waiting for an answer');
    expect(text().value).toBe('My card was declined. Twice.');
    send();
    await waitFor(() => {
      expect(sent('openSupportRequest')).toHaveLength(3);
    });
    const ids = (sent('openSupportRequest') as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  it('sends an addition under another id where another tab has sent other words under its own (R2-18)', async () => {
    const { messages } = request();
    let taken = '';
    hosted.mockImplementation((name: string, asked: { messageId: string }) => {
      if (name === 'addToSupportRequest' && sent(name).length === 1) {
        taken = asked.messageId;
        return Promise.reject(refusal('idempotency_mismatch'));
      }
      const others = messages.map((one) => ({ ...one, id: taken, text: 'It was' }));
      const all = taken === '' ? messages : [...messages, ...others];
      return Promise.resolve({
        requests: [request({ state: 'answered', messages: all })],
        priority: false,
      });
    });
    render(<Support />);
    const field = await addition();
    fireEvent.change(field, { target: { value: 'It was the new card.' } });
    sendIn(field);
    await waitFor(() => {
      expect(field.value).toBe('');
    });
    const [first, second] = sent('addToSupportRequest') as { messageId: string; text: string }[];
    expect(second).toEqual({ ...first, messageId: second?.messageId });
    expect(second?.messageId).not.toBe(first?.messageId);
  });

  it('keeps an addition whose id another tab has used for other words, until it is sent (R2-18)', async () => {
    hosted.mockResolvedValue({ requests: [request({ state: 'answered' })], priority: false });
    render(<Support />);
    const field = await addition();
    fireEvent.change(field, { target: { value: 'It was the new card.' } });
    const kept = JSON.parse(localStorage.getItem('tradewind.supportDraft') ?? '{}') as {
      messages?: Record<string, { id: string }>;
    };
    const id = Object.values(kept.messages ?? {})[0]?.id ?? '';
    cleanup();
    const first = request().messages;
    const messages = [...first, ...first.map((one) => ({ ...one, id, text: 'It was' }))];
    hosted.mockImplementation((name: string) =>
      name === 'supportRequests'
        ? Promise.resolve({
            requests: [{ ...request({ state: 'answered' }), messages }],
            priority: false,
          })
        : Promise.reject(offline()),
    );
    render(<Support />);
    const again = await addition();
    sendIn(again);
    await screen.findByText(/Could not reach the server/);
    expect(again.value).toBe('It was the new card.');
  });

  it('stands with its answer, takes an addition once, and can be closed', async () => {
    const answered = request({
      state: 'answered',
      priority: true,
      messages: [
        ...request().messages,
        { id: 'm2', author: 'operator', text: 'Under Plan.', createdAt: NOW },
      ],
    });
    hosted.mockImplementation((name: string) => {
      if (name === 'addToSupportRequest' && sent(name).length === 1)
        return Promise.reject(offline());
      return Promise.resolve({
        requests: [name === 'closeSupportRequest' ? { ...answered, state: 'closed' } : answered],
        priority: true,
      });
    });
    render(<Support />);
    expect(await screen.findByText('Under Plan.')).toBeTruthy();
    expect(screen.getByText('Answered')).toBeTruthy();
    expect(screen.getByText('Priority')).toBeTruthy();
    type('Add a message', 'Thank you, and the one before?');
    const row = screen.getByText('Under Plan.').closest('details') as HTMLElement;
    fireEvent.click(within(row).getByRole('button', { name: 'Send' }));
    await waitFor(() => {
      expect(sent('addToSupportRequest')).toHaveLength(1);
    });
    await waitFor(() => {
      expect(screen.getByLabelText<HTMLTextAreaElement>('Add a message').value).toBe(
        'Thank you, and the one before?',
      );
    });
    await waitFor(() => {
      expect(
        within(row).getByRole('button', { name: 'Send' }).getAttribute('aria-busy'),
      ).toBeNull();
    });
    fireEvent.click(within(row).getByRole('button', { name: 'Send' }));
    await waitFor(() => {
      expect(screen.getByLabelText<HTMLTextAreaElement>('Add a message').value).toBe('');
    });
    const [one, two] = sent('addToSupportRequest');
    expect(two).toEqual(one);
    press('Close request');
    expect(await screen.findByText('Closed')).toBeTruthy();
  });
});
