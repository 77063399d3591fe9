/** The kept metrics of the account. */
import { replySnapshot } from '../snapshot-kind.ts';

export const analytics = replySnapshot('analytics', {
  restore: 'after-paint',
  copiedByWorker: true,
  // Built from closed days: within an hour only the present day's part can have moved.
  staleAfterMs: 60 * 60_000,
  isOlder: (next, present) => next.asOf < present.asOf,
});
