/** The kept sparklines of the market list. */
import { Sparklines } from '../../../contract/market.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const sparklines = replySnapshot('sparklines', Sparklines, { restore: 'after-paint' });
