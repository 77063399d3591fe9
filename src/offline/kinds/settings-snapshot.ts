/** The kept trading settings. */
import { replySnapshot } from '../snapshot-kind.ts';

export const settings = replySnapshot('tradingSettings', {
  restore: 'after-paint',
  copiedByWorker: true,
  // Only the user changes them, here or on another device.
  staleAfterMs: 60 * 60_000,
  isOlder: (next, present) => next.version < present.version,
});
