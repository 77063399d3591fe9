/** The kept state of the trial; its store takes it together with the subscription. */
import { replySnapshot } from '../snapshot-kind.ts';

export const trial = replySnapshot('trialStatus', {
  restore: 'first-paint',
  copiedByWorker: true,
});
