/** The kept prices of every pair. */
import { replySnapshot } from '../snapshot-kind.ts';

export const market = replySnapshot('marketData', {
  restore: 'first-paint',
  copiedByWorker: true,
  // Prices come four times a second, and the stream sends a heartbeat every fifteen seconds at the
  // latest.
  staleAfterMs: 20_000,
  streamed: true,
});
