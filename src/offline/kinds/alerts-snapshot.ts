/** The kept price alerts and when they fired. */
import { replySnapshot } from '../snapshot-kind.ts';

export const alerts = replySnapshot('alerts', {
  restore: 'after-paint',
  copiedByWorker: true,
  // The stream tells of each that fires; another device may change one at any time.
  staleAfterMs: 60_000,
  streamed: true,
});
