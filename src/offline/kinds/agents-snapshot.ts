/** The kept list of agents, with what keeps them from opening positions. */
import { replySnapshot } from '../snapshot-kind.ts';

export const agents = replySnapshot('agents', {
  restore: 'first-paint',
  copiedByWorker: true,
  // Another device, a guard or a stop may change an agent at any moment; what is shown decides what
  // is pressed.
  staleAfterMs: 60_000,
  streamed: true,
});
