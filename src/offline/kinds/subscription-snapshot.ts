/** The kept state of the subscription, which decides what opens without a network. */
import { SUBSCRIPTION_RECHECK_MS } from '../../../contract/limits.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const subscription = replySnapshot('subscriptionStatus', {
  restore: 'first-paint',
  copiedByWorker: true,
  // Checked every five minutes; a second check that did not come is one that failed.
  staleAfterMs: 2 * SUBSCRIPTION_RECHECK_MS,
});
