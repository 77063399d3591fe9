/** The kept trading pools. */
import { replySnapshot } from '../snapshot-kind.ts';

export const pools = replySnapshot('marketPools', {
  restore: 'after-paint',
  copiedByWorker: true,
});
