// @vitest-environment happy-dom
/** Coins that an account lacks: what is said of them, and how they are written off. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveAccount } from '../../../../../contract/live.ts';
import {
  AGENT_ID,
  CONNECTION_ID,
  liveAccount,
  liveConnection,
} from '../../../../support/live/live-replies.ts';
import { seriousFaults } from '../../../../support/serious-faults.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { LiveOverview } =
  await import('../../../../../src/screens/live/account/LiveAccountScreen.tsx');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { clearLive } = await import('../../../../../src/stores/live-slots.ts');
const { applyLiveAccount, loadLiveAccount } =
  await import('../../../../../src/stores/live-store.ts');
const { toastStore } = await import('../../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const holder = {
  positionId: 'position-1',
  agentId: AGENT_ID,
  agentName: 'SOL bot',
  symbol: 'SOL/USD',
  held: '1.2',
  most: '0.5',
};
/** Anew each time: what a store has taken is its own. */
const missing = (most = holder.most) => [
  { asset: 'SOL', amount: '0.5', holders: [{ ...holder, most }] },
];
const written = () => ({
  id: 'write-off-1',
  agentId: AGENT_ID,
  symbol: 'SOL/USD',
  quantity: '0.5',
  cost: '71.3',
  at: NOW,
});
let account: LiveAccount;
let answer: () => Promise<unknown>;
interface Ask {
  body: unknown;
  commandId: string;
}
const asks = (): Ask[] =>
  call.mock.calls
    .filter(([name]) => name === 'writeOffPosition')
    .map(([, input]): Ask => input as Ask);
const show = (own: Partial<LiveAccount>): void => {
  account = liveAccount(NOW, { ...own, sequence: account.sequence + 1 });
};

beforeEach(() => {
  account = liveAccount(NOW, { missing: missing(), writeOffs: [] });
  answer = () => Promise.resolve({ commandId: 'c', writeOff: written() });
  connection.online = 'online';
  toastStore.toasts = [];
  call.mockReset().mockImplementation((name: string) => {
    if (name === 'writeOffPosition') return answer();
    if (name === 'liveAccount') return Promise.resolve(structuredClone(account));
    return new Promise<never>(() => undefined);
  });
});
afterEach(() => {
  cleanup();
  clearLive();
});

const open = () => render(<LiveOverview id={CONNECTION_ID} />);
const pressWriteOff = async () => {
  fireEvent.click(await screen.findByRole('button', { name: 'Write off 0.5 SOL' }));
  return within(await screen.findByRole('dialog'));
};
const confirm = async (): Promise<void> => {
  const dialog = await pressWriteOff();
  fireEvent.click(dialog.getByRole('button', { name: 'Write off' }));
};
const lost = () =>
  Promise.reject(new ApiError('Timed out', { code: 'timeout', status: 0, text: 'Timed out' }));

describe('coins that are missing', () => {
  it('are named with amount and agents, what is safe, and what can be done', async () => {
    const { container } = open();
    await screen.findByText(/0\.5 SOL less than agents hold/);
    const text = document.body.textContent;
    expect(text).toContain('The account has 0.5 SOL less than agents hold.');
    expect(text).toContain('No stop sells what is not there.');
    expect(text).toContain('Buy the coins back at Kraken, or write them off here.');
    expect(text).toContain('SOL bot holds 1.2 SOL');
    expect(container.querySelector('[data-missing="SOL"]')?.className).toContain('live-frame');
    expect(await seriousFaults()).toEqual([]);
  });

  it('take the place of their alarm, which stays with a server that does not tell them', async () => {
    const alarm = {
      kind: 'coins_missing',
      about: 'SOL 0.5',
      raisedAt: NOW,
      detail: { asset: 'SOL', amount: '0.5' },
    };
    account = liveAccount(NOW, { missing: missing(), alarms: [alarm] });
    open();
    await screen.findByText(/less than agents hold\./);
    expect(screen.queryByText('The account has less of a coin than agents hold')).toBeNull();
    cleanup();
    clearLive();
    account = liveAccount(NOW, { alarms: [alarm] });
    open();
    await screen.findByText('The account has less of a coin than agents hold');
    expect(screen.queryByRole('button', { name: /^Write off/ })).toBeNull();
  });

  it('cannot be written off while an order may sell them, or once the account is closed here', async () => {
    account = liveAccount(NOW, { missing: missing('0') });
    open();
    await screen.findByText(/An order may still sell them/);
    expect(screen.queryByRole('button', { name: /^Write off/ })).toBeNull();
    cleanup();
    clearLive();
    account = liveAccount(NOW, {
      missing: missing(),
      connection: liveConnection(NOW, { state: 'ended', endedAt: NOW }),
    });
    open();
    await screen.findByText('Positions');
    expect(screen.queryByText(/less than agents/)).toBeNull();
  });

  it('stay readable offline, in the past tense, and cannot be written off', async () => {
    connection.online = 'offline';
    const before = NOW - 7_500_000;
    applyLiveAccount(liveAccount(before, { missing: missing() }), 'snapshot', before);
    open();
    await screen.findByText(/When last seen, the account had 0\.5 SOL less than agents held\./);
    expect(screen.getByRole('button', { name: 'Write off 0.5 SOL' })).toHaveProperty(
      'disabled',
      true,
    );
    expect(screen.getByText('You need a connection to write coins off.')).toBeDefined();
    const section = document.querySelector('[data-missing="SOL"]');
    expect(section?.textContent).toMatch(/Data 2 h ago/);
  });
});

describe('a write-off', () => {
  it('is confirmed in a dialog that says what happens, and is shown once it is done', async () => {
    open();
    const dialog = await pressWriteOff();
    expect(dialog.getByText('LIVE')).toBeDefined();
    expect(
      dialog.getByText(
        /SOL bot gives up 0\.5 SOL\. Nothing is bought or sold\. Its result does not count them\./,
      ),
    ).toBeDefined();
    expect(asks()).toEqual([]);
    show({ missing: [], writeOffs: [written()] });
    fireEvent.click(dialog.getByRole('button', { name: 'Write off' }));
    await screen.findByText('Written off by an agent, at cost');
    expect(asks()).toMatchObject([
      { params: { id: 'position-1' }, body: { quantity: '0.5', held: '1.2' } },
    ]);
    expect(screen.queryByText(/less than agents/)).toBeNull();
    expect(toastStore.toasts.map(({ message }) => message)).toContain('SOL bot gave up 0.5 SOL.');
  });

  it('is called off by Cancel', async () => {
    open();
    const dialog = await pressWriteOff();
    fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
    expect(asks()).toEqual([]);
  });

  it('without an answer is claimed neither way, and asked for again under the same id', async () => {
    answer = lost;
    open();
    await confirm();
    await screen.findByText(/The server did not answer\. They may have been written off\./);
    expect(toastStore.toasts).toEqual([]);
    expect(screen.getByRole('button', { name: 'Write off 0.5 SOL' })).toBeDefined();
    answer = () => Promise.resolve({ commandId: 'c', writeOff: written() });
    show({ missing: [], writeOffs: [written()] });
    await confirm();
    await screen.findByText('Written off by an agent, at cost');
    const [first, second] = asks();
    expect(second?.commandId).toBe(first?.commandId);
  });

  it('whose answer was lost is told by the account once that is read', async () => {
    answer = lost;
    open();
    await confirm();
    await screen.findByText(/They may have been written off/);
    show({ missing: [], writeOffs: [written()] });
    await act(() => loadLiveAccount(CONNECTION_ID, true));
    expect(screen.queryByText(/They may have been written off/)).toBeNull();
    expect(screen.getByText('Written off by an agent, at cost')).toBeDefined();
  });

  it('that is being asked for keeps the focus on its button', async () => {
    answer = () => new Promise<never>(() => undefined);
    open();
    await confirm();
    await screen.findByText('Asking the server to write them off.');
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Write off 0.5 SOL' });
    expect([button.getAttribute('aria-disabled'), button.disabled]).toEqual(['true', false]);
  });

  it('whose answer was lost is not called unchanged without a network', async () => {
    answer = lost;
    open();
    await confirm();
    await screen.findByText(/They may have been written off/);
    const dialog = await pressWriteOff();
    act(() => {
      connection.online = 'offline';
    });
    await dialog.findByText(
      'You need a connection to write coins off. They may have been written off already.',
    );
    expect(dialog.queryByText(/Nothing was changed/)).toBeNull();
  });

  it('that is refused says why, and is another question the next time', async () => {
    const why = 'The account lacks 0.2 SOL. Nothing was written off.';
    answer = () =>
      Promise.reject(new ApiError(why, { code: 'write_off_refused', status: 409, text: why }));
    open();
    await confirm();
    await waitFor(() => {
      expect(toastStore.toasts.map(({ message }) => message)).toEqual([why]);
    });
    await confirm();
    await waitFor(() => {
      expect(asks()).toHaveLength(2);
    });
    const [first, second] = asks();
    expect(second?.commandId).not.toBe(first?.commandId);
  });

  it('that is done is not offered again while the account cannot be read', async () => {
    open();
    const dialog = await pressWriteOff();
    call.mockImplementation((name: string) => (name === 'writeOffPosition' ? answer() : lost()));
    fireEvent.click(dialog.getByRole('button', { name: 'Write off' }));
    await screen.findByText('0.5 SOL given up. The account has not been read since.');
    expect(screen.queryByRole('button', { name: /^Write off/ })).toBeNull();
  });
});

describe('an account as an older server tells it', () => {
  it('is read without what was missing or written off', () => {
    const old = liveAccount(NOW);
    expect(old).not.toHaveProperty('missing');
    expect(LiveAccount.safeParse(old).success).toBe(true);
  });
});
