/** The kept portfolio: painted first, and deleted last where the disk is full. */
import { replySnapshot } from '../snapshot-kind.ts';

export const portfolio = replySnapshot('portfolio', {
  restore: 'first-paint',
  copiedByWorker: true,
  // Marked at prices, but read for its size rather than its last digit: a minute is four missed
  // heartbeats of the stream.
  staleAfterMs: 60_000,
  streamed: true,
  /** By sequence, then by the server's clock; a later account replaces an earlier one. */
  isOlder(next, present) {
    const sameAccount = present.accountId === next.accountId && present.book === next.book;
    return sameAccount
      ? next.sequence < present.sequence ||
          (next.sequence === present.sequence && next.servedAt < present.servedAt)
      : present.sourceId === next.sourceId && next.book < present.book;
  },
});
