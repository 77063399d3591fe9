/** The kept fills of the account, newest first. */
import { QUERY_FRESH_MS } from '../../../contract/limits.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const history = replySnapshot('history', {
  restore: 'first-paint',
  copiedByWorker: true,
  // The newest fills, however many of them.
  wholeDespite: ['limit'],
  // The quickest agent evaluates every five minutes: before that, no trade is likely to be missing.
  staleAfterMs: QUERY_FRESH_MS,
  streamed: true,
  isOlder: (next, present) => next.sequence < present.sequence,
});
