// @vitest-environment happy-dom
/** A new key for an exchange account, and orders that a refused key cannot read. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallReply } from '../../../../../contract/calls.ts';
import type { LiveAccount, StepUpWire } from '../../../../../contract/live.ts';
import { GIVE_UP_UNREAD_AFTER_MS } from '../../../../../contract/live-state.ts';
import { KEY_ADVICE } from '../../../../../contract/key-advice.ts';
import { keyDigest } from '../../../../../signer/replace-key.ts';
import {
  CONNECTION_ID,
  liveAccount,
  liveConnection,
  liveOrder,
} from '../../../../support/live/live-replies.ts';
import { seriousFaults } from '../../../../support/serious-faults.ts';

const { call, confirmByPassword } = vi.hoisted(() => ({
  call: vi.fn(),
  confirmByPassword: vi.fn(),
}));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../../src/live/confirm-act.ts', async (original) => ({
  ...(await original<object>()),
  confirmByPassword,
}));

const { session } = await import('../../../../../src/identity/session.ts');
const { LiveOverview } =
  await import('../../../../../src/screens/live/account/LiveAccountScreen.tsx');
const { isTyping } = await import('../../../../../src/platform/app-updates.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { clearLive } = await import('../../../../../src/stores/live-slots.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const KEY = { apiKey: 'the-new-key-of-the-account', secret: 'a-secret-that-nobody-keeps' };
const STEP_UP = { statement: {}, keyId: 'key-1', signature: 's' } as unknown as StepUpWire;
type Report = CallReply<'replaceExchangeKey'>['report'];
const REPORT: Report = {
  accepted: true,
  faults: [],
  permissions: null,
  balances: [],
  advice: KEY_ADVICE.kraken,
};
const refused = { keyFaults: ['invalid_key'], ordersUnreadSince: NOW - GIVE_UP_UNREAD_AFTER_MS };

let account: LiveAccount;
let report: Report;
beforeEach(() => {
  account = liveAccount(NOW, { connection: liveConnection(NOW, { keyFaults: ['invalid_key'] }) });
  report = REPORT;
  removeToast();
  Object.assign(connection, { online: 'online', backAt: null });
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'uid-1', email: 'a@example.com', displayName: null, metadata: {} },
  });
  confirmByPassword.mockReset().mockResolvedValue(STEP_UP);
  call.mockReset().mockImplementation((name: string) => {
    if (name === 'liveAccount') return Promise.resolve(structuredClone(account));
    if (name === 'replaceExchangeKey')
      return Promise.resolve({ commandId: 'c', report, connection: liveConnection(NOW) });
    return new Promise<never>(() => undefined);
  });
});
afterEach(() => {
  cleanup();
  clearLive();
});

const open = () => render(<LiveOverview id={CONNECTION_ID} />);
const replacing = () =>
  call.mock.calls
    .filter(([name]) => name === 'replaceExchangeKey')
    .map(([, input]) => input as unknown);

async function paste() {
  const [button] = await screen.findAllByRole('button', { name: 'Replace key' });
  if (button === undefined) throw new Error('There is no button');
  fireEvent.click(button);
  const dialog = within(await screen.findByRole('dialog'));
  fireEvent.change(dialog.getByLabelText('API key'), { target: { value: ` ${KEY.apiKey} ` } });
  fireEvent.change(dialog.getByLabelText('Private key'), { target: { value: KEY.secret } });
  fireEvent.click(dialog.getByRole('button', { name: 'Next: confirm' }));
  return dialog;
}

async function confirm(dialog: Awaited<ReturnType<typeof paste>>): Promise<void> {
  const button = await dialog.findByRole('button', { name: /^Replace key with password/ });
  const password = dialog.getByLabelText(/password/i);
  fireEvent.change(password, { target: { value: 'my password' } });
  fireEvent.click(button);
}

describe('a key that is not accepted any more', () => {
  it('is replaced by one that the person pastes and confirms, under its own digest', async () => {
    open();
    const dialog = await paste();
    expect(await seriousFaults()).toEqual([]);
    await confirm(dialog);
    await waitFor(() => {
      expect(replacing()).toEqual([
        { params: { id: CONNECTION_ID }, body: { ...KEY, stepUp: STEP_UP } },
      ]);
    });
    expect(confirmByPassword.mock.calls[0]?.[0]).toMatchObject({
      purpose: 'replace_key',
      connectionId: CONNECTION_ID,
      agentId: null,
      limits: null,
      keyDigest: keyDigest(KEY),
    });
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
    expect(toastStore.toasts.map(({ message }) => message)).toEqual([
      'Key replaced. Delete the old one at Kraken.',
    ]);
    expect(document.body.innerHTML).not.toContain(KEY.secret);
  });

  it('is not lost to an update of the app while it waits to be confirmed', async () => {
    open();
    const dialog = await paste();
    const button = await dialog.findByRole('button', { name: /^Replace key with password/ });
    expect(button).toBeTruthy();
    expect(isTyping()).toBe(true);
    cleanup();
    expect(isTyping()).toBe(false);
  });

  it('stays where the new one is of another account, and the page says so and forgets it', async () => {
    report = { ...REPORT, accepted: false, faults: ['other_account'] };
    open();
    const dialog = await paste();
    await confirm(dialog);
    await dialog.findByText(/belongs to another account at Kraken/);
    expect(dialog.getByText(/The old key is still kept/)).toBeDefined();
    fireEvent.click(dialog.getByRole('button', { name: 'Try another key' }));
    expect((await dialog.findByLabelText<HTMLInputElement>('Private key')).value).toBe('');
  });

  it('needs both parts', async () => {
    open();
    const [button] = await screen.findAllByRole('button', { name: 'Replace key' });
    if (button !== undefined) fireEvent.click(button);
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.click(dialog.getByRole('button', { name: 'Next: confirm' }));
    expect(await dialog.findAllByText('Required')).toHaveLength(2);
  });

  it('cannot be replaced offline, which is said', async () => {
    open();
    await screen.findAllByRole('button', { name: 'Replace key' });
    act(() => {
      connection.online = 'offline';
    });
    await screen.findAllByText('You need a connection to replace the key.');
    const buttons = await screen.findAllByRole<HTMLButtonElement>('button', {
      name: 'Replace key',
    });
    expect(buttons.every(({ disabled }) => disabled)).toBe(true);
  });
});

it('a key that is accepted can be replaced too', async () => {
  account = liveAccount(NOW);
  open();
  await screen.findByText(/^Accepted when last read/);
  expect(screen.getAllByRole('button', { name: 'Replace key' })).toHaveLength(1);
});

describe('an order that a refused key cannot read', () => {
  const stop = liveOrder(NOW, { type: 'stop', side: 'sell', stopPrice: '60000' });

  it('may be given up after ten minutes, which says what it means', async () => {
    account = liveAccount(NOW, { connection: liveConnection(NOW, refused), orders: [stop] });
    open();
    await screen.findByText(/can neither read nor cancel this order/);
    const button = screen.getByRole('button', { name: /^Give this order up/ });
    expect(button.closest('[data-order]')?.textContent).toContain('OABC-1');
    fireEvent.pointerDown(button, { button: 0 });
    await waitFor(
      () => {
        expect(call.mock.calls.some(([name]) => name === 'giveUpOrder')).toBe(true);
      },
      { timeout: 5_000 },
    );
    expect(document.body.textContent).toContain(
      'It may still rest at Kraken: cancel it there yourself.',
    );
  });

  it('cannot be given up sooner, and nothing is said of one that can be read', async () => {
    const soon = { ...refused, ordersUnreadSince: NOW - 60_000 };
    account = liveAccount(NOW, { connection: liveConnection(NOW, soon), orders: [stop] });
    open();
    await screen.findByText(/you can give the order up here/);
    expect(screen.queryByRole('button', { name: /^Give this order up/ })).toBeNull();
    cleanup();
    clearLive();
    account = liveAccount(NOW, { orders: [stop] });
    open();
    await screen.findByText('Open orders');
    expect(screen.queryByText(/can neither read nor cancel/)).toBeNull();
  });

  it('does not keep the key from being deleted without a word of what to do', async () => {
    account = liveAccount(NOW, { connection: liveConnection(NOW, refused), orders: [stop] });
    open();
    const section = (await screen.findByText('End and disconnect')).closest('section');
    expect(section?.textContent).toMatch(/not loaded yet|give up the orders that cannot be read/);
  });
});
