/** The kept state of the trial; its store takes it together with the subscription. */
import { TrialStatus } from '../../../contract/subscription.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const trial = replySnapshot('trialStatus', TrialStatus, {
  restore: 'first-paint',
  copiedByWorker: true,
});
