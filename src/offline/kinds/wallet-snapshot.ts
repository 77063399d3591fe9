/** What the server knew of the wallet: venue, balances and linked addresses. */
import { WalletStatus } from '../../../contract/wallet.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const wallet = replySnapshot('walletStatus', WalletStatus, {
  restore: 'after-paint',
  isOlder: (next, present) =>
    present.servedAt !== undefined &&
    next.servedAt !== undefined &&
    next.servedAt < present.servedAt,
});
