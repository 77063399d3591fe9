// @vitest-environment happy-dom
/** Connecting an exchange while answers come late, or not at all. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveConnection } from '../../../../../contract/live-state.ts';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';
import { CONNECTION_ID, liveConnection } from '../../../../support/live/live-replies.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { session } = await import('../../../../../src/identity/session.ts');
const { default: ConnectScreen } =
  await import('../../../../../src/screens/live/connect/ConnectScreen.tsx');
const { gently, isTyping, updates } = await import('../../../../../src/platform/app-updates.ts');
const { accountChoice, clearAccountChoice } =
  await import('../../../../../src/stores/account-choice.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { clearLive } = await import('../../../../../src/stores/live-slots.ts');
const { applyMarket, clearMarket } = await import('../../../../../src/stores/market-store.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const PASSKEY = { id: 'key-1', kind: 'passkey', credentialId: 'c', publicKey: 'p' };

interface Asked {
  name: string;
  input: { body?: Record<string, unknown>; commandId?: string; signal?: AbortSignal };
  resolve: (reply: unknown) => void;
  reject: (error: unknown) => void;
}
/** Every call, answered when the test says so. */
let asked: Asked[];
let listed: LiveConnection[];

const of = (name: string): Asked[] => asked.filter((one) => one.name === name);
const nth = async (name: string, count: number): Promise<Asked> =>
  waitFor(() => {
    expect(of(name)).toHaveLength(count);
    return of(name)[count - 1]!;
  });
const said = (): string[] => toastStore.toasts.map(({ message }) => message);
const noAnswer = () => new ApiError('Failed', { code: 'timeout', status: 0, text: 'Failed' });

beforeEach(() => {
  asked = [];
  listed = [];
  removeToast();
  call.mockReset().mockImplementation((name: string, input: Asked['input']) => {
    if (name === 'liveConnections')
      return Promise.resolve({ connections: listed, sequence: 5, asOf: NOW });
    if (name === 'passkeys') return Promise.resolve({ passkeys: [{ key: PASSKEY }] });
    return new Promise((resolve, reject) => {
      asked.push({ name, input, resolve, reject });
    });
  });
  Object.assign(connection, { online: 'online', backAt: null });
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'uid-1', email: 'a@example.com', displayName: null, metadata: {} },
  });
  const market = structuredClone(replies.marketData!);
  Object.assign(market.source, { kind: 'exchange', label: 'Kraken' });
  applyMarket(market, 'network');
  history.replaceState(null, '', '/live/connect');
});
afterEach(() => {
  cleanup();
  clearAccountChoice();
  clearLive();
  clearMarket();
});

const report = {
  commandId: 'c',
  report: {
    accepted: true,
    faults: [],
    permissions: liveConnection(NOW).permissions,
    balances: [{ asset: 'USD', total: '1000', available: '900' }],
    advice: { page: 'Settings → API', allow: ['Query Funds'], forbid: ['Withdraw Funds'] },
  },
  firstWeek: { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' },
  pairs: ['BTC/USD'],
};
const press = (name: string | RegExp): void => {
  fireEvent.click(screen.getByRole('button', { name }));
};
const type = (label: string, value: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
};
/** Lets everything that an answer sets going take place. */
const settle = (): Promise<void> =>
  act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

async function pasteKey(apiKey = 'public-part'): Promise<void> {
  await screen.findByLabelText('API key');
  type('API key', apiKey);
  type('Private key', 'private-part');
  press('Check this key');
}
/** From the pasted key to the last step. */
async function toConfirmation(checks: number): Promise<void> {
  await toLimits(checks);
  type('Name of this account', 'Main');
  press('Next: confirmation');
  await screen.findByRole('heading', { name: /Confirmation/ });
}
async function toLimits(checks: number): Promise<void> {
  await pasteKey();
  (await nth('checkExchangeKey', checks)).resolve(report);
  await screen.findByLabelText('Balances');
  press('Next: limits');
}
const connectPress = async (): Promise<void> => {
  fireEvent.click(await screen.findByRole('button', { name: 'Connect with your passkey' }));
};

describe('a key that is being checked', () => {
  it('leads nowhere once its step was left, and is not shown as another exchange’s', async () => {
    render(<ConnectScreen />);
    press('Next: create a key');
    await pasteKey();
    const check = await nth('checkExchangeKey', 1);
    press('Back');
    fireEvent.click(screen.getByRole('radio', { name: /Coinbase/ }));
    press('Next: create a key');
    type('API key name', 'of Coinbase');
    check.resolve(report);
    await settle();
    expect(screen.queryByLabelText('Balances')).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>('API key name').value).toBe('of Coinbase');
    expect(check.input.signal?.aborted).toBe(true);
  });
});

describe('a key that seems to lack a right', () => {
  it('is taken, and what comes of it stands beside what was found', async () => {
    render(<ConnectScreen />);
    press('Next: create a key');
    await pasteKey();
    const permissions = { ...report.report.permissions, notSeen: ['Cancel/Close Orders'] };
    const check = await nth('checkExchangeKey', 1);
    check.resolve({ ...report, report: { ...report.report, permissions } });
    const found = await screen.findByLabelText('Permissions');
    expect(found.textContent).toContain('Cancel/Close Orders');
    expect(found.textContent).toContain('no order can be cancelled');
    press('Next: limits');
    await screen.findByLabelText('Name of this account');
  });

  it('is not spoken of where it has them all', async () => {
    render(<ConnectScreen />);
    press('Next: create a key');
    await pasteKey();
    (await nth('checkExchangeKey', 1)).resolve(report);
    expect((await screen.findByLabelText('Permissions')).textContent).not.toContain('cancelled');
  });
});

describe('a connecting that got no answer', () => {
  async function unanswered(): Promise<Asked> {
    render(<ConnectScreen />);
    press('Next: create a key');
    await toConfirmation(1);
    await connectPress();
    const first = await nth('connectExchange', 1);
    listed = [liveConnection(NOW)];
    first.reject(noAnswer());
    await screen.findByText(/^Kraken may have been connected/);
    return first;
  }

  it('reads again what is connected, and offers the same request once more before anything else', async () => {
    const first = await unanswered();
    await screen.findByRole('link', { name: /Kraken.*Main/ });
    expect(screen.queryByRole('button', { name: 'Connect with your passkey' })).toBeNull();
    press('Try again');
    const again = await nth('connectExchange', 2);
    expect(again.input.commandId).toBe(first.input.commandId);
    expect(again.input.body).toEqual(first.input.body);
    again.resolve({ commandId: 'c', report: report.report, connection: liveConnection(NOW) });
    await waitFor(() => {
      expect(location.pathname).toBe(`/live/${CONNECTION_ID}`);
    });
  });

  it('is the same request also after its key was pasted again', async () => {
    const first = await unanswered();
    fireEvent.click(await screen.findByRole('button', { name: 'Paste the key again' }));
    await toConfirmation(2);
    await screen.findByText(/^Kraken may have been connected/);
    press('Try again');
    const again = await nth('connectExchange', 2);
    expect(again.input.commandId).toBe(first.input.commandId);
    expect(again.input.body).toEqual(first.input.body);
  });

  it('holds up no other key', async () => {
    const first = await unanswered();
    fireEvent.click(await screen.findByRole('button', { name: 'Paste the key again' }));
    await pasteKey('another-key');
    (await nth('checkExchangeKey', 2)).resolve(report);
    await screen.findByLabelText('Balances');
    press('Next: limits');
    press('Next: confirmation');
    await connectPress();
    const other = await nth('connectExchange', 2);
    expect(other.input.commandId).not.toBe(first.input.commandId);
    expect(screen.queryByText(/^Kraken may have been connected/)).toBeNull();
  });

  it('stays possible until the server has judged the request itself', async () => {
    await unanswered();
    press('Try again');
    const limited = { code: 'rate_limited', status: 429, text: 'Later' } as const;
    (await nth('connectExchange', 2)).reject(new ApiError('Later', limited));
    await settle();
    await screen.findByText(/^Kraken may have been connected/);
    press('Try again');
    const ended = { code: 'connection_ended', status: 409, text: 'Ended' } as const;
    (await nth('connectExchange', 3)).reject(new ApiError('Ended', ended));
    await screen.findByRole('button', { name: 'Connect with your passkey' });
  });
});

describe('a new version while a key is on its way through the steps', () => {
  /** Whether an update that nobody asked for would take the page away. */
  const reloads = (): boolean => {
    const reload = vi.fn();
    gently(reload)();
    updates.waiting = false;
    return reload.mock.calls.length > 0;
  };

  it('waits from the found key on, and for the name and the limits once the key is refused', async () => {
    render(<ConnectScreen />);
    press('Next: create a key');
    expect(reloads()).toBe(true);
    await pasteKey();
    (await nth('checkExchangeKey', 1)).resolve(report);
    await screen.findByLabelText('Balances');
    expect([isTyping(), reloads()]).toEqual([true, false]);
    press('Next: limits');
    type('Name of this account', 'Main');
    press('Next: confirmation');
    await connectPress();
    expect(isTyping()).toBe(true);
    (await nth('connectExchange', 1)).reject(
      new ApiError('Refused', { code: 'signer_refused', status: 422, text: 'Refused' }),
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Paste the key again' }));
    expect(isTyping()).toBe(true);
    cleanup();
    expect([isTyping(), reloads()]).toEqual([false, true]);
  });

  it('takes the page where the key was not taken: nothing of it is left', async () => {
    render(<ConnectScreen />);
    press('Next: create a key');
    await pasteKey();
    (await nth('checkExchangeKey', 1)).resolve({
      ...report,
      report: { ...report.report, accepted: false, faults: ['can_withdraw'] },
    });
    await screen.findByRole('button', { name: 'Try another key' });
    expect(isTyping()).toBe(false);
  });
});

describe('limits that were lowered', () => {
  const NAMES = ['Largest order', 'Most in the market', 'Largest loss in a day'];
  const LOWER = ['20', '60', '10'];
  const CAPS = ['100', '500', '25'];
  const shown = (): string[] =>
    NAMES.map((name) => screen.getByLabelText<HTMLInputElement>(name).value);
  async function lowered(): Promise<void> {
    render(<ConnectScreen />);
    press('Next: create a key');
    await toLimits(1);
    expect(shown()).toEqual(CAPS);
    NAMES.forEach((name, index) => {
      type(name, LOWER[index]!);
    });
    type('Name of this account', 'Main');
    press('Next: confirmation');
    await connectPress();
    (await nth('connectExchange', 1)).reject(
      new ApiError('Refused', { code: 'signer_refused', status: 422, text: 'Refused' }),
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Paste the key again' }));
  }

  it('stay as they are where the key is pasted again, and are what is sent', async () => {
    await lowered();
    await toLimits(2);
    expect(shown()).toEqual(LOWER);
    press('Next: confirmation');
    await connectPress();
    const { input } = await nth('connectExchange', 2);
    expect(input.body?.limits).toEqual({ maxOrder: '20', maxExposure: '60', maxDailyLoss: '10' });
  });

  it('stay as they are after a look at another exchange', async () => {
    await lowered();
    press('Back');
    fireEvent.click(screen.getByRole('radio', { name: /Binance/ }));
    press('Next: create a key');
    press('Back');
    fireEvent.click(screen.getByRole('radio', { name: /Kraken/ }));
    press('Next: create a key');
    await toLimits(2);
    expect(shown()).toEqual(LOWER);
  });

  it('are not those of another exchange', async () => {
    await lowered();
    press('Back');
    fireEvent.click(screen.getByRole('radio', { name: /Binance/ }));
    press('Next: create a key');
    type('API Key', 'of Binance');
    type('Secret Key', 'private-part');
    press('Check this key');
    (await nth('checkExchangeKey', 2)).resolve(report);
    await screen.findByLabelText('Balances');
    press('Next: limits');
    expect(shown()).toEqual(CAPS);
  });
});

describe('a connecting whose answer comes late', () => {
  it('takes nobody away who has gone elsewhere, chooses nothing, and says that it is done', async () => {
    const { unmount } = render(<ConnectScreen />);
    press('Next: create a key');
    await toConfirmation(1);
    await connectPress();
    const made = await nth('connectExchange', 1);
    history.replaceState(null, '', '/market');
    unmount();
    listed = [liveConnection(NOW)];
    made.resolve({ commandId: 'c', report: report.report, connection: liveConnection(NOW) });
    await waitFor(() => {
      expect(said()).toEqual(['Kraken is connected.']);
    });
    expect(location.pathname).toBe('/market');
    expect(accountChoice.chosen).toBeNull();
  });
});
