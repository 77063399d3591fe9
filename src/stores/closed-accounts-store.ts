/** Closed paper accounts, loaded on demand. They are not kept on the device. */
import { proxy } from 'valtio';
import type { Analytics, History, Portfolio } from '../../contract/trading.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { emptySlot, fill, type Slot } from './slot.ts';

export interface ClosedAccount {
  portfolio: Portfolio;
  history: History;
  analytics: Analytics;
}

/** By account number; an entry appears when it is first asked for. */
export const closedAccountsStore = proxy<{ byNumber: Record<number, Slot<ClosedAccount>> }>({
  byNumber: {},
});

const READ = 1_000;

export function loadClosedAccount(book: number, force = false): Promise<void> {
  closedAccountsStore.byNumber[book] ??= emptySlot();
  const slot = closedAccountsStore.byNumber[book];
  return load(
    slot,
    force,
    async () => {
      const [portfolio, history, analytics] = await Promise.all([
        api.call('portfolio', { query: { book } }),
        api.call('history', { query: { book, limit: READ } }),
        api.call('analytics', { query: { book } }),
      ]);
      return { portfolio, history, analytics };
    },
    (reply) => {
      fill(slot, reply, 'network', Date.now());
    },
  );
}

export function clearClosedAccounts(): void {
  closedAccountsStore.byNumber = {};
}
