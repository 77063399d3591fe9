/** The kept overview of the market. */
import { replySnapshot } from '../snapshot-kind.ts';

export const overview = replySnapshot('marketOverview', {
  restore: 'after-paint',
  copiedByWorker: true,
});
