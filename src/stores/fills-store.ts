/** The account's fills, newest first, without duplicates. */
import { proxy } from 'valtio';
import type { Fill, History } from '../../contract/trading.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';

const KEPT = 1_000;

export const historyStore = proxy<Slot<History>>(emptySlot());

/** Replaces the list unless a newer one is loaded. */
export function applyHistory(next: History, origin: Origin, savedAt = Date.now()): void {
  const present = historyStore.data;
  if (present !== null && next.sequence < present.sequence) return;
  fill(historyStore, next, origin, savedAt);
}

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

export function clearHistory(): void {
  clear(historyStore);
}
