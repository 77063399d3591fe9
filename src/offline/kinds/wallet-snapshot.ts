/** What the server knew of the wallet: venue, balances and linked addresses. */
import { replySnapshot } from '../snapshot-kind.ts';

export const wallet = replySnapshot('walletStatus', {
  restore: 'after-paint',
  isOlder: (next, present) =>
    present.servedAt !== undefined &&
    next.servedAt !== undefined &&
    next.servedAt < present.servedAt,
});
