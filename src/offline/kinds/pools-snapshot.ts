/** The kept trading pools. */
import { MarketPools } from '../../../contract/market.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const pools = replySnapshot('marketPools', MarketPools, {
  restore: 'after-paint',
  copiedByWorker: true,
});
