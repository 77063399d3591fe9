/** What the server knows of the user's wallet: venue, balances and linked addresses. */
import { replyStore } from './reply-store.ts';

export const {
  slot: walletStore,
  apply: applyWallet,
  load: loadWallet,
  clear: clearWallet,
} = replyStore('wallet');

/** The wallet was changed elsewhere: load it again if it was loaded before. */
export function walletChanged(): void {
  if (walletStore.data !== null) void loadWallet(true);
}
