// @vitest-environment happy-dom
/** What is said of a position while it is sold, after the sale was called off, and once its account is closed. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../../contract/agents.ts';
import type { LiveAccount } from '../../../../../contract/live.ts';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';
import {
  AGENT_ID,
  CONNECTION_ID,
  IN_LIVE_ACCOUNT,
  liveAccount,
  liveConnection,
  liveOrder,
} from '../../../../support/live/live-replies.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { ExitActions } = await import('../../../../../src/screens/agents/detail/ExitActions.tsx');
const { LivePositions } = await import('../../../../../src/screens/live/account/LivePositions.tsx');
const { default: LiveAgentPart } =
  await import('../../../../../src/screens/live/agent/LiveAgentPart.tsx');
const { useLiveAccount } = await import('../../../../../src/screens/live/use-live.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { clearLive } = await import('../../../../../src/stores/live-slots.ts');
const { applyLiveAccount, loadLiveAccount } =
  await import('../../../../../src/stores/live-store.ts');
const { toastStore } = await import('../../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const SELLING = 'Selling. Done when Kraken confirms it.';
let account: LiveAccount;
let readFails: boolean;

function Positions() {
  const { data } = useLiveAccount(CONNECTION_ID);
  return data === null ? null : <LivePositions account={data} />;
}
const answer = (own: Partial<LiveAccount>): void => {
  account = liveAccount(NOW, { ...own, sequence: account.sequence + 1 });
};
const reread = (): Promise<void> => act(() => loadLiveAccount(CONNECTION_ID, true));
async function sell(): Promise<void> {
  fireEvent.pointerDown(await screen.findByRole('button', { name: /^Sell/ }), { button: 0 });
  await waitFor(() => {
    expect(call).toHaveBeenCalledWith('closeLivePosition', expect.anything());
  });
}
const exit = {
  agentId: AGENT_ID,
  symbol: 'BTC/USD',
  quantity: null,
  reason: 'closed_by_hand',
  askedAt: NOW,
} as const;
const ended = () => liveConnection(NOW, { state: 'ended', endedAt: NOW });

beforeEach(() => {
  account = liveAccount(NOW, { exits: [] });
  readFails = false;
  connection.online = 'online';
  toastStore.toasts = [];
  call.mockReset().mockImplementation((name: string) => {
    if (name === 'closeLivePosition') return Promise.resolve({ commandId: 'c' });
    if (name !== 'liveAccount') return new Promise<never>(() => undefined);
    const failed = new ApiError('Failed', { code: 'network', status: 0, text: 'Failed' });
    return readFails ? Promise.reject(failed) : Promise.resolve(structuredClone(account));
  });
});
afterEach(() => {
  cleanup();
  clearLive();
});

describe('a sale that was asked for', () => {
  it('is no longer told as under way once the account shows that it was called off', async () => {
    render(<Positions />);
    await screen.findByRole('button', { name: /^Sell/ });
    answer({ exits: [exit] });
    await sell();
    await screen.findByText(SELLING);
    answer({ exits: [] });
    await reread();
    await screen.findByRole('button', { name: /^Sell/ });
    expect(screen.queryByText(SELLING)).toBeNull();
  });

  it('is told as under way until the account could be read again', async () => {
    render(<Positions />);
    await screen.findByRole('button', { name: /^Sell/ });
    readFails = true;
    await sell();
    await screen.findByText(SELLING);
    readFails = false;
    answer({ exits: [] });
    await reread();
    await screen.findByRole('button', { name: /^Sell/ });
  });

  it('is told as under way where the server does not say which sales wait', async () => {
    account = liveAccount(NOW);
    render(<Positions />);
    await sell();
    await screen.findByText(SELLING);
    answer({});
    await reread();
    expect(screen.getByText(SELLING)).toBeDefined();
  });
});

describe('the press on Sell', () => {
  it('is told as recorded by the server, not as asked of the exchange', async () => {
    render(<Positions />);
    answer({ exits: [exit] });
    await sell();
    await screen.findByText(SELLING);
    expect(toastStore.toasts.map(({ message }) => message)).toEqual([
      'Sale recorded. Done when Kraken confirms it.',
    ]);
  });

  it('keeps the focus where the button was, also once the sale is called off', async () => {
    render(<Positions />);
    const button = await screen.findByRole('button', { name: /^Sell/ });
    button.focus();
    answer({ exits: [exit] });
    fireEvent.keyDown(button, { key: 'Enter' });
    const state = await screen.findByText(SELLING);
    expect(state.closest('[role=status]')).not.toBeNull();
    const place = document.activeElement;
    expect(place).not.toBe(document.body);
    expect(place?.contains(state)).toBe(true);
    answer({ exits: [] });
    await reread();
    const again = await screen.findByRole('button', { name: /^Sell/ });
    expect(document.activeElement?.contains(again)).toBe(true);
    expect(document.activeElement).not.toBe(document.body);
  });

  it('takes no focus where the sale was asked for elsewhere', async () => {
    render(<Positions />);
    await screen.findByRole('button', { name: /^Sell/ });
    answer({ exits: [exit] });
    await reread();
    await screen.findByText(SELLING);
    expect(document.activeElement).toBe(document.body);
  });
});

describe('what agents hold in an account that has ended', () => {
  const agent: Agent = {
    ...(replies.agents!.agents[0] as Agent),
    id: AGENT_ID,
    name: 'Ebb',
    status: 'stopped',
    openPositions: 1,
    ...IN_LIVE_ACCOUNT,
  };
  const CLOSED = 'This account is closed here. You can sell at Kraken itself.';

  it('offers no sale here, names no stop loss, and says where to sell', async () => {
    account = liveAccount(NOW, { connection: ended() });
    render(<Positions />);
    await screen.findByText(CLOSED);
    expect(screen.queryByRole('button', { name: /^Sell/ })).toBeNull();
    expect(screen.getByText('No stop loss')).toBeDefined();
    expect(document.body.textContent).not.toContain('watched by Tradewind');
  });

  it('is offered for sale in the words of its agent’s page neither', () => {
    applyLiveAccount(liveAccount(NOW, { connection: ended() }), 'network');
    render(<ExitActions agent={agent} />);
    expect(screen.getByText(CLOSED)).toBeDefined();
    expect(screen.queryByRole('button', { name: /^Stop and sell/ })).toBeNull();
    cleanup();
    applyLiveAccount(liveAccount(NOW, { sequence: 9 }), 'network');
    render(<ExitActions agent={agent} />);
    expect(screen.getByRole('button', { name: /^Stop and sell/ })).toBeDefined();
  });

  it('is not said to be traded', async () => {
    account = liveAccount(NOW, {
      connection: ended(),
      orders: [liveOrder(NOW, { state: 'filled' })],
    });
    render(<LiveAgentPart agent={agent} connectionId={CONNECTION_ID} />);
    await screen.findByText(/^Traded/);
    const text = document.body.textContent;
    expect(text).toContain(
      'Traded Kraken, Main with real money. This account is closed here and nothing is traded.',
    );
    expect(text).not.toMatch(/^Trades|stay at Kraken/);
  });
});
