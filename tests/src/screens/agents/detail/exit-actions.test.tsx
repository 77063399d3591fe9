// @vitest-environment happy-dom
/** Stop and sell as a person reads and holds it, with the server there, gone, and going. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../../contract/agents.ts';
import { SALE_RECORDED } from '../../../../../contract/sale-recorded.ts';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';
import {
  AGENT_ID,
  IN_LIVE_ACCOUNT,
  liveAccount,
  liveConnection,
} from '../../../../support/live/live-replies.ts';
import type { OutboxEntry } from '../../../../../src/offline/outbox-entry.ts';

const { call, order, stop } = vi.hoisted(() => ({
  call: vi.fn(),
  order: [] as string[],
  stop: vi.fn(),
}));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../../src/stores/agents-store.ts', async (original) => ({
  ...(await original<object>()),
  loadAgents: () => Promise.resolve(),
}));
vi.mock('../../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  stopAgent: stop,
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { queue } = await import('../../../../../src/commands.ts');
const { ExitActions } = await import('../../../../../src/screens/agents/detail/ExitActions.tsx');
const { TokenFault } = await import('../../../../../src/identity/token.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { applyAgents, clearAgents } = await import('../../../../../src/stores/agents-store.ts');
const { clearLive } = await import('../../../../../src/stores/live-slots.ts');
const { applyLiveAccount } = await import('../../../../../src/stores/live-store.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const never = () => new Promise<never>(() => undefined);
const replies = recordedReplies(recordState(Date.now()), Date.now());
const agent: Agent = { ...replies.agents!.agents[0]!, name: 'Harbour', openPositions: 2 };
const waiting = { commandId: 'c1', intent: 'stop', agentId: agent.id, state: 'saved', attempts: 0 };
const stopEntry = { ...waiting, agents: [], sequence: 1, reason: null } as unknown as OutboxEntry;
const noAnswer = (): Promise<never> =>
  Promise.reject(new ApiError('Failed', { code: 'timeout', status: 0, text: 'Failed' }));

const said = (): string[] => toastStore.toasts.map(({ message }) => message);
const shown = (): string => document.body.textContent;
const sell = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Stop and sell/ });
async function hold(): Promise<void> {
  fireEvent.pointerDown(sell(), { button: 0 });
  await waitFor(() => {
    expect(order).not.toEqual([]);
  });
}

beforeEach(() => {
  order.length = 0;
  removeToast();
  queue.entries = [];
  connection.online = 'online';
  stop.mockReset().mockImplementation(() => {
    order.push('stop');
    queue.entries = [stopEntry];
    return Promise.resolve({ said: 'saved', entry: stopEntry });
  });
  call.mockReset().mockImplementation(async (name: string) => {
    if (name !== 'liquidateAgent') return never();
    order.push('sale');
    return noAnswer();
  });
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearLive();
});

it('saves the stop before it asks for the sale, and says of a sale without an answer that it is not confirmed, and where the stop is (R7-17, F03)', async () => {
  render(<ExitActions agent={agent} />);
  await hold();
  await waitFor(() => {
    expect(said()).toEqual([
      'Harbour is not confirmed as sold: the server did not answer. Stop saved on this device. Not yet received by the server.',
    ]);
  });
  expect(order).toEqual(['stop', 'sale']);
});

it('says nothing of a saved stop where none was saved, and asks for the sale all the same (F13)', async () => {
  stop.mockImplementation(() => {
    order.push('stop');
    return Promise.resolve({ said: 'not-saved', message: 'Not saved and not sent.' });
  });
  render(<ExitActions agent={agent} />);
  await hold();
  await waitFor(() => {
    expect(said().sort()).toEqual([
      'Harbour is not confirmed as sold: the server did not answer.',
      'Not saved and not sent.',
    ]);
  });
  expect(order).toEqual(['stop', 'sale']);
});

it('says where nobody is logged in that there is no token, not that the server was silent', async () => {
  call.mockImplementation(() => {
    const text = 'No authentication token available';
    const cause = new TokenFault('no_token', text);
    return Promise.reject(new ApiError(text, { code: 'no_token', status: 401, text, cause }));
  });
  render(<ExitActions agent={agent} />);
  await hold();
  await waitFor(() => {
    expect(said()).toEqual([
      'No authentication token available. Stop saved on this device. Not yet received by the server.',
    ]);
  });
});

it('shows that it is under way, with the sentence that was held, until there is an answer', async () => {
  let answer: (value: Promise<never>) => void = () => undefined;
  call.mockImplementation(
    () =>
      new Promise<never>((resolve) => {
        order.push('sale');
        answer = resolve;
      }),
  );
  render(<ExitActions agent={agent} />);
  const before = screen.getByText(/All positions are then sold/).textContent;
  await hold();
  await waitFor(() => {
    expect(order).toEqual(['stop', 'sale']);
  });
  act(() => {
    connection.online = 'offline';
  });
  expect(screen.getByText(before)).toBeTruthy();
  expect(shown()).toContain('Asking the server to sell. Nothing counts as sold until it answers.');
  expect(sell().getAttribute('aria-disabled')).toBe('true');
  expect(sell().disabled).toBe(false);
  await act(async () => {
    answer(noAnswer());
    await Promise.resolve();
  });
  await waitFor(() => {
    expect(sell().getAttribute('aria-disabled')).toBeNull();
  });
  expect(shown()).not.toContain('Asking the server');
});

it.each([
  [[], 'Harbour stopped. Its positions were sold.'],
  [
    [{ pair: 'ETH/USDT', message: 'No current price for ETH/USDT.' }],
    'Harbour stopped. Not everything was sold. No current price for ETH/USDT.',
  ],
])('calls sold only what the server says is: %j stay unsold (R7-17)', async (unsold, words) => {
  call.mockImplementation((name: string) =>
    name === 'liquidateAgent'
      ? Promise.resolve({ commandId: 'c', agent, fills: [], unsold })
      : never(),
  );
  render(<ExitActions agent={agent} />);
  await hold();
  await waitFor(() => {
    expect(said()).toEqual([words]);
  });
});

it.each([
  ['leads to the list after a deletion', null, '/agents'],
  ['takes nobody away who has gone on before the answer to a deletion', '/market', '/market'],
])('%s', async (_what, gone, led) => {
  history.replaceState(null, '', `/agents/${agent.id}`);
  let answer: (reply: unknown) => void = () => undefined;
  call.mockImplementation(() => {
    order.push('delete');
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  render(<ExitActions agent={{ ...agent, status: 'stopped', openPositions: 0 }} />);
  fireEvent.pointerDown(screen.getByRole('button', { name: /^Delete/ }), { button: 0 });
  await waitFor(() => {
    expect(order).toEqual(['delete']);
  });
  if (gone !== null) history.pushState(null, '', gone);
  answer({ commandId: 'c', agentId: agent.id });
  await waitFor(() => {
    expect(said()).toEqual(['Harbour deleted. Its trades stay in your history.']);
  });
  await act(async () => {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  });
  expect(location.pathname).toBe(led);
});

it('says offline what a hold will do, claims no saved stop before it, and asks for no sale after it (F01)', async () => {
  connection.online = 'offline';
  render(<ExitActions agent={agent} />);
  expect(shown()).toContain(
    'Offline. Hold to save the stop of Harbour on this device. Nothing is sold: selling needs a connection.',
  );
  expect(shown()).not.toMatch(/is saved/);
  await hold();
  expect(order).toEqual(['stop']);
});

const NOW = Date.now();
const live: Agent = {
  ...agent,
  id: AGENT_ID,
  status: 'running',
  ...IN_LIVE_ACCOUNT,
};
const [bitcoin] = liveAccount(NOW).positions;
const ether = { ...bitcoin!, id: 'position-2', pair: 'ETH/USD', quantity: '0.5', value: '1500' };
const hers = { ...ether, id: 'position-3', agentId: 'agent-2', quantity: '7' };
const show = (own: Parameters<typeof liveAccount>[1], at = NOW): void => {
  applyLiveAccount(liveAccount(at, own), at === NOW ? 'network' : 'snapshot', at);
};
const REST = 'Its stop losses there are cancelled first. Real money. Done when Kraken confirms it.';

it.each([
  [
    'with its worth',
    { positions: [bitcoin!, ether, hers] },
    'Sells 0.00123456 BTC, 0.5 ETH at Kraken: about 1,590.12 USD at the present bid, less fees.',
  ],
  [
    'with what has no price',
    { positions: [bitcoin!, { ...ether, value: null }] },
    'Sells 0.00123456 BTC, 0.5 ETH at Kraken: about 90.12 USD at the present bid, less fees; no price is known now for ETH.',
  ],
  [
    'though no price is known',
    { positions: [{ ...bitcoin!, value: null }] },
    'Sells 0.00123456 BTC at Kraken: no price is known now.',
  ],
])('names what a live agent sells, %s, and not that its stop losses stay', (_, own, sells) => {
  applyAgents({ ...structuredClone(replies.agents!), agents: [live] }, 'network');
  show(own);
  render(<ExitActions agent={live} />);
  expect(shown()).toContain(`Harbour opens no new positions. ${sells} ${REST}`);
  expect(shown()).not.toMatch(/keeps? (its|their) stop loss/);
});

it('says of what a live agent sells that it was last seen so, and how old that is', () => {
  applyAgents({ ...structuredClone(replies.agents!), agents: [live] }, 'snapshot', NOW - 3_600_000);
  connection.online = 'unknown';
  show({ positions: [bitcoin!] }, NOW - 3_600_000);
  render(<ExitActions agent={live} />);
  expect(shown()).toContain(
    `Harbour opens no new positions once the server has the stop. Sells 0.00123456 BTC at Kraken: about 90.12 USD at the bid when last seen, less fees. ${REST}`,
  );
  expect(document.querySelector(`[data-age-since="${NOW - 3_600_000}"]`)).not.toBeNull();
});

it('says where the account of a live agent is not loaded that amounts are not known', () => {
  render(<ExitActions agent={live} />);
  expect(shown()).toContain(
    `Sells all it holds at Kraken at the price there is, less fees. How much that is has not been loaded yet. ${REST}`,
  );
});

const OUT = 'A purchase is out and is being cancelled. What it brings is sold.';
const GONE =
  'Tradewind keeps no key of this exchange account any more. Sell at the exchange yourself.';
it.each([
  [
    'recorded',
    [
      { pair: 'BTC/USD', message: SALE_RECORDED },
      { pair: 'ETH/USD', message: SALE_RECORDED },
    ],
    'open',
    'success',
    'Harbour stopped. Sale recorded. Done when Kraken confirms it.',
  ],
  [
    'recorded beside a purchase that is out',
    [
      { pair: 'BTC/USD', message: SALE_RECORDED },
      { pair: 'ETH/USD', message: OUT },
    ],
    'open',
    'success',
    `Harbour stopped. Sale recorded. Done when Kraken confirms it. ${OUT}`,
  ],
  [
    'a purchase that is out',
    [{ pair: 'ETH/USD', message: OUT }],
    'open',
    'success',
    `Harbour stopped. Sale recorded. Done when Kraken confirms it. ${OUT}`,
  ],
  ['nothing', [], 'open', 'success', 'Harbour stopped. There was nothing left to sell.'],
  [
    'impossible in a closed account',
    [
      { pair: 'BTC/USD', message: GONE },
      { pair: 'ETH/USD', message: GONE },
    ],
    'ended',
    'error',
    `Harbour stopped. Nothing was sold. ${GONE}`,
  ],
] as const)('calls a sale at an exchange what it is: %s', async (_, unsold, state, tone, words) => {
  show({});
  call.mockImplementation((name: string) => {
    if (name === 'liveAccount')
      return Promise.resolve(
        liveAccount(NOW, { sequence: 9, connection: liveConnection(NOW, { state }) }),
      );
    return name === 'liquidateAgent'
      ? Promise.resolve({ commandId: 'c', agent: live, fills: [], unsold })
      : never();
  });
  render(<ExitActions agent={live} />);
  await hold();
  await waitFor(() => {
    expect(toastStore.toasts.map((toast) => [toast.type, toast.message])).toEqual([[tone, words]]);
  });
});
