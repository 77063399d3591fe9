/** What the server knows of the user's wallet: venue, balances and linked addresses. */
import { replyStore } from './reply-store.ts';

export const {
  slot: walletStore,
  apply: applyWallet,
  load: loadWallet,
  clear: clearWallet,
} = replyStore('wallet');

/** Something of it was changed somewhere: read again where it was read before. */
export function walletChanged(): void {
  if (walletStore.data !== null) void loadWallet(true);
}
