/** The user's wallet as the server knows it: venue, balances and linked addresses. */
import { proxy } from 'valtio';
import type { WalletStatus } from '../../contract/wallet.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';

export const walletStore = proxy<Slot<WalletStatus>>(emptySlot());

export function applyWallet(next: WalletStatus, origin: Origin, savedAt = Date.now()): void {
  const before = walletStore.data?.servedAt;
  if (before !== undefined && next.servedAt !== undefined && next.servedAt < before) return;
  fill(walletStore, next, origin, savedAt);
}

export function loadWallet(force = false): Promise<void> {
  return load(
    walletStore,
    force,
    () => api.call('walletStatus', {}),
    (reply) => {
      applyWallet(reply, 'network');
    },
  );
}

/** The wallet was changed elsewhere: load it again if it was loaded before. */
export function walletChanged(): void {
  if (walletStore.data !== null) void loadWallet(true);
}

export function clearWallet(): void {
  clear(walletStore);
}
