/** The kept sparklines of the market list. */
import { replySnapshot } from '../snapshot-kind.ts';

export const sparklines = replySnapshot('sparklines', { restore: 'after-paint' });
