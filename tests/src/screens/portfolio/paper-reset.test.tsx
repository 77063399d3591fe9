// @vitest-environment happy-dom
/** The reset of the paper account: held twice or without an answer, it is carried out once. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Portfolio } from '../../../../contract/trading.ts';
import { ApiError } from '../../../../src/api/api-error.ts';
import { recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { default: PortfolioScreen } =
  await import('../../../../src/screens/portfolio/PortfolioScreen.tsx');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../src/stores/portfolio-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const account = (book: number, sequence: number): Portfolio => ({
  ...(recordedReplies(recordState(NOW), NOW).portfolio as Portfolio),
  book,
  sequence,
});
/** The keys of the resets that were asked for, and the answer to the last one. */
let keys: string[] = [];
let answer: (reply: unknown) => void = () => undefined;
let lose: () => void = () => undefined;

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
  waitFor(() => {
    expect(reset().disabled).toBe(false);
  });

beforeEach(() => {
  keys = [];
  removeToast();
  connection.online = 'online';
  call.mockReset().mockImplementation((name: string, input: { commandId?: string }) => {
    if (name !== 'resetPaper') return new Promise(() => undefined);
    keys.push(input.commandId ?? `none ${keys.length}`);
    return new Promise((resolve, reject) => {
      answer = resolve;
      lose = () => {
        reject(new ApiError('timed out', { code: 'timeout', status: 0, text: '' }));
      };
    });
  });
  applyPortfolio(account(1, 1), 'network');
  render(<PortfolioScreen />);
});
afterEach(() => {
  cleanup();
  clearPortfolio();
});

it('cannot be held again while it is under way, and says so', async () => {
  await hold(1);
  await waitFor(() => {
    expect(reset().disabled).toBe(true);
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
