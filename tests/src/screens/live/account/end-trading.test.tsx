// @vitest-environment happy-dom
/** Ending live trading and selling at an exchange while the network goes away. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../../contract/agents.ts';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';
import type { OutboxEntry } from '../../../../../src/offline/outbox-entry.ts';
import { IN_LIVE_ACCOUNT, liveAccount } from '../../../../support/live/live-replies.ts';

const { call, order, stop } = vi.hoisted(() => ({
  call: vi.fn(),
  order: [] as string[],
  stop: vi.fn(),
}));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  stopAgent: stop,
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { queue } = await import('../../../../../src/commands.ts');
const { EndTrading } = await import('../../../../../src/screens/live/account/EndTrading.tsx');
const { LivePositions } = await import('../../../../../src/screens/live/account/LivePositions.tsx');
const { applyAgents, clearAgents } = await import('../../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { clearLive } = await import('../../../../../src/stores/live-slots.ts');
const { applyLiveAccount } = await import('../../../../../src/stores/live-store.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const account = liveAccount(NOW);
const live = (id: string, status: Agent['status']): Agent => ({
  ...replies.agents!.agents[0]!,
  id,
  name: id,
  status,
  ...IN_LIVE_ACCOUNT,
});
const said = (): string[] => toastStore.toasts.map(({ message }) => message);
const hold = (name: RegExp): void => {
  fireEvent.pointerDown(screen.getByRole('button', { name }), { button: 0 });
};
const never = () => new Promise<never>(() => undefined);

beforeEach(() => {
  order.length = 0;
  removeToast();
  queue.entries = [];
  connection.online = 'online';
  const list = structuredClone(replies.agents!);
  const agents = [...list.agents, live('Ebb', 'running'), live('Gale', 'stopped')];
  applyAgents({ ...list, agents }, 'network');
  stop.mockReset().mockImplementation(({ id }: Agent) => {
    order.push(`stop ${id}`);
    const entry = {
      commandId: `c-${id}`,
      intent: 'stop',
      agentId: id,
      agents: [],
      sequence: 1,
      state: 'saved',
      attempts: 0,
      reason: null,
    } as unknown as OutboxEntry;
    queue.entries = [entry];
    return Promise.resolve({ said: 'saved', entry });
  });
  call.mockReset().mockImplementation((name: string) => {
    if (name !== 'endLiveTrading') return never();
    order.push('end');
    return Promise.reject(new ApiError('Failed', { code: 'network', status: 0, text: 'Failed' }));
  });
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearLive();
});

it('saves the stop of every agent that runs in this account before it asks for the end, and says without an answer that it is not confirmed (F03)', async () => {
  render(<EndTrading account={account} />);
  hold(/^End live trading/);
  await waitFor(() => {
    expect(said()).toEqual([
      'Live trading at Kraken is not confirmed as ended: the server did not answer. Stop saved on this device. Not yet received by the server.',
    ]);
  });
  expect(order).toEqual(['stop Ebb', 'end']);
  // The question is over with its answer, whatever is read anew after it.
  expect(document.body.textContent).not.toContain('Asking the server to end live trading.');
});

it('shows of the end that it is being asked for', async () => {
  call.mockImplementation(never);
  render(<EndTrading account={account} />);
  hold(/^End live trading/);
  await screen.findByText(/^Asking the server to end live trading\./);
});

it('shows of a sale that it is being asked for, and takes no second press meanwhile', async () => {
  call.mockImplementation((name: string) => {
    order.push(name);
    return never();
  });
  render(<LivePositions account={account} />);
  hold(/^Sell/);
  await screen.findByText('Asking the server to sell.');
  expect(order).toEqual(['closeLivePosition']);
  expect(screen.queryByRole('button', { name: /^Sell/ })).toBeNull();
});

it.each([
  ['leads to the dashboard once the key is deleted', '/live/here', '/dashboard'],
  ['takes nobody away who has gone on before the key is deleted', '/market', '/market'],
])('%s', async (_, at, to) => {
  const list = structuredClone(replies.agents!);
  applyAgents({ ...list, agents: [live('Gale', 'stopped')], sequence: 99 }, 'network');
  let answer: (reply: unknown) => void = () => undefined;
  call.mockImplementation((name: string) =>
    name === 'removeConnection'
      ? new Promise((resolve) => {
          order.push(name);
          answer = resolve;
        })
      : never(),
  );
  history.replaceState(null, '', '/live/here');
  render(<EndTrading account={account} />);
  hold(/^Delete key/);
  await waitFor(() => {
    expect(order).toEqual(['removeConnection']);
  });
  history.replaceState(null, '', at);
  answer({ commandId: 'c', connection: { ...account.connection, state: 'ended' } });
  await waitFor(() => {
    expect(said()).toEqual(['Key deleted. You can delete it at the exchange too.']);
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(location.pathname).toBe(to);
});

const HELD =
  'Deletes the key of Kraken and closes this account here, for good. What you hold stays at Kraken.';
const [position] = account.positions;
const exit = (symbol: string) => ({
  agentId: 'Gale',
  symbol,
  quantity: null,
  reason: 'liquidated',
  askedAt: NOW,
});
it.each([
  ['nothing', { positions: [], exits: [] }, HELD],
  ['a guard', { exits: [] }, `${HELD} 1 position stays without a stop loss.`],
  [
    'guards and sales',
    {
      positions: [position!, { ...position!, id: 'position-2', pair: 'ETH/USD' }],
      exits: [exit('BTC/USD')],
    },
    `${HELD} 2 positions stay without a stop loss. 1 sale is given up.`,
  ],
  [
    'sales',
    { positions: [], exits: [exit('BTC/USD'), exit('ETH/USD')] },
    `${HELD} 2 sales are given up.`,
  ],
])('says before the key is deleted that %s is lost with it', (_, own, sentence) => {
  const list = structuredClone(replies.agents!);
  applyAgents({ ...list, agents: [live('Gale', 'stopped')], sequence: 99 }, 'network');
  const shown = liveAccount(NOW, own);
  applyLiveAccount(shown, 'network', NOW);
  render(<EndTrading account={shown} />);
  screen.getByText(sentence);
});

it('says of what is lost with the key that it was last seen so', () => {
  const list = structuredClone(replies.agents!);
  applyAgents({ ...list, agents: [live('Gale', 'stopped')], sequence: 99 }, 'network');
  connection.online = 'offline';
  render(<EndTrading account={liveAccount(NOW, { exits: [] })} />);
  screen.getByText(`${HELD} As last seen: 1 position stays without a stop loss.`);
});
