/** The kept overview of the market. */
import { MarketOverview } from '../../../contract/market.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const overview = replySnapshot('marketOverview', MarketOverview, {
  restore: 'after-paint',
  copiedByWorker: true,
});
