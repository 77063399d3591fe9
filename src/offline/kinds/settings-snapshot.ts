/** The kept trading settings. */
import { TradingSettings } from '../../../contract/user.ts';
import { replySnapshot } from '../snapshot-kind.ts';

export const settings = replySnapshot('tradingSettings', TradingSettings, {
  restore: 'after-paint',
  copiedByWorker: true,
  // Only the user changes them, here or on another device.
  staleAfterMs: 60 * 60_000,
  isOlder: (next, present) => next.version < present.version,
});
