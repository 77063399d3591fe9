// @vitest-environment happy-dom
/** The reset of the paper account: held twice or without an answer, it is carried out once. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { History, Portfolio } from '../../../../contract/trading.ts';
import { ApiError } from '../../../../src/api/api-error.ts';
import { recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';

const { call, purges, saved } = vi.hoisted(() => ({
  call: vi.fn(),
  saved: vi.fn<(name: string, content: string) => void>(),
  purges: [] as ((uid: string) => Promise<unknown>)[],
}));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../src/screens/portfolio/csv.ts', async (original) => ({
  ...(await original<object>()),
  download: saved,
}));
vi.mock('../../../../src/identity/session.ts', async (original) => ({
  ...(await original<object>()),
  onPurge: (purge: (uid: string) => Promise<unknown>) => purges.push(purge),
}));

const { default: PortfolioScreen } =
  await import('../../../../src/screens/portfolio/PortfolioScreen.tsx');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../src/stores/portfolio-store.ts');
const { applyHistory, historyStore, clearHistory } =
  await import('../../../../src/stores/fills-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const account = (book: number, sequence: number): Portfolio => ({
  ...(recordedReplies(recordState(NOW), NOW).portfolio as Portfolio),
  book,
  sequence,
});
const trades = (sequence: number) => ({ fills: [], total: 0, sequence, asOf: NOW });
/** The keys of the resets that were asked for, and the answer to the last one. */
let keys: string[] = [];
let answer: (reply: unknown) => void = () => undefined;
let lose: () => void = () => undefined;
let refuseBusy: () => void = () => undefined;
/** What the server's other readings answer; without one they hang. */
let readings: Record<string, unknown> = {};

const reset = () => screen.getAllByRole<HTMLButtonElement>('button', { name: /^Reset paper/ })[0]!;
const shown = (): string => document.body.textContent;
async function hold(times: number): Promise<void> {
  fireEvent.pointerDown(reset(), { button: 0 });
  await waitFor(() => {
    expect(keys).toHaveLength(times);
  });
  fireEvent.pointerUp(reset());
}
const pressable = () =>
  vi.waitFor(() => {
    expect(reset().getAttribute('aria-disabled')).toBeNull();
  });

beforeEach(() => {
  keys = [];
  readings = { history: trades(1) };
  removeToast();
  connection.online = 'online';
  call.mockReset().mockImplementation((name: string, input: { commandId?: string }) => {
    if (name in readings) return Promise.resolve(readings[name]);
    if (name !== 'resetPaper') return new Promise(() => undefined);
    keys.push(input.commandId ?? `none ${keys.length}`);
    return new Promise((resolve, reject) => {
      answer = resolve;
      lose = () => {
        reject(new ApiError('timed out', { code: 'timeout', status: 0, text: '' }));
      };
      refuseBusy = () => {
        const parts = { code: 'server_busy', status: 503, text: 'Busy' } as const;
        reject(new ApiError('Busy', parts));
      };
    });
  });
  applyPortfolio(account(1, 1), 'network');
  render(<PortfolioScreen />);
});
afterEach(() => {
  cleanup();
  clearPortfolio();
  clearHistory();
});

it('cannot be held again while it is under way, and says so', async () => {
  await hold(1);
  await waitFor(() => {
    expect(reset().getAttribute('aria-disabled')).toBe('true');
  });
  expect(shown()).toContain('Nothing counts as reset until it answers.');
  fireEvent.pointerDown(reset(), { button: 0 });
  await new Promise((resolve) => {
    setTimeout(resolve, 800);
  });
  expect(keys).toHaveLength(1);
  answer({ commandId: keys[0], portfolio: account(2, 2) });
  await pressable();
  expect(toastStore.toasts.map(({ message }) => message)).toEqual([
    'New paper account opened. The old account is kept.',
  ]);
});

it('is the same request until it is answered, and another for the next account', async () => {
  await hold(1);
  lose();
  await pressable();
  expect(shown()).toContain('Holding again does not reset it twice.');
  await hold(2);
  expect(keys[1]).toBe(keys[0]);
  answer({ commandId: keys[0], portfolio: account(2, 2) });
  await pressable();
  expect(shown()).not.toContain('Holding again does not reset it twice.');
  await hold(3);
  expect(keys[2]).not.toBe(keys[0]);
  answer({ commandId: keys[2], portfolio: account(3, 3) });
  await pressable();
});

it('leaves the trades of the old account under its own name in their file, until the new ones are here', async () => {
  const { history } = recordedReplies(recordState(NOW), NOW) as { history: History };
  applyHistory({ ...history, book: 1, quote: 'USDT', sequence: 9 }, 'network');
  applyPortfolio(account(2, 10), 'network');
  const csv = await screen.findByRole('button', { name: 'CSV' });
  await waitFor(() => {
    expect(shown()).toContain('Paper account 2');
  });
  fireEvent.click(csv);
  const [name, content = ''] = saved.mock.calls[0] ?? [];
  expect(name).toBe('PAPER-tradewind-trades-account-1.csv');
  expect(content.split('\r\n')[1]).toMatch(/^PAPER account 1,USDT,/);
});

it('does not say that the server did not answer where it answered with a failure', async () => {
  await hold(1);
  refuseBusy();
  await pressable();
  expect(shown()).toContain(
    'The server has not confirmed it. The account may have been reset. Holding again does not reset it twice.',
  );
  expect(shown()).not.toContain('did not answer');
  await hold(2);
  expect(keys[1]).toBe(keys[0]);
  answer({ commandId: keys[0], portfolio: account(2, 2) });
  await pressable();
});

it('is free for the next person while the reset of the one before is under way (R4-07)', async () => {
  await hold(1);
  const loseFirst = lose;
  await Promise.all(purges.map((purge) => purge('uid-before')));
  applyPortfolio(account(1, 9), 'network');
  await pressable();
  expect(shown()).not.toContain('Asking the server for a new account.');
  await hold(2);
  expect(keys[1]).not.toBe(keys[0]);
  loseFirst();
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
  // The end of the first is not that of the second.
  expect(reset().getAttribute('aria-disabled')).toBe('true');
  answer({ commandId: keys[1], portfolio: account(2, 10) });
  await pressable();
});

it('reads the trades of the new account where it was opened without a confirmation', async () => {
  await hold(1);
  readings = { portfolio: account(2, 20), history: trades(20) };
  lose();
  await pressable();
  await vi.waitFor(() => {
    expect(historyStore.data?.sequence).toBe(20);
  });
});
