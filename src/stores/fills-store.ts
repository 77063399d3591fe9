/** The fills of the account, newest first and each once. */
import type { Fill } from '../../contract/trading.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { replyStore } from './reply-store.ts';
import { fill } from './slot.ts';

const KEPT = 1_000;

export const {
  slot: historyStore,
  apply: applyHistory,
  clear: clearHistory,
} = replyStore('history');

/** Adds one fill from the stream on top. */
export function applyFill(next: Fill, sequence: number, savedAt = Date.now()): void {
  const present = historyStore.data;
  if (present === null || sequence <= present.sequence) return;
  const others = present.fills.filter((known) => known.id !== next.id);
  fill(
    historyStore,
    {
      fills: [next, ...others].slice(0, KEPT),
      sequence,
      asOf: Math.max(present.asOf, next.filledAt),
    },
    'stream',
    savedAt,
  );
}

export function loadHistory(force = false): Promise<void> {
  return load(
    historyStore,
    force,
    () => api.call('history', { query: { limit: 200 } }),
    (reply) => {
      applyHistory(reply, 'network');
    },
  );
}
