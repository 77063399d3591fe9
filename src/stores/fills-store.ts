/** The fills of the account, newest first and each once. */
import type { Fill, History } from '../../contract/trading.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { replyStore } from './reply-store.ts';
import { advance, isWhole, type Origin } from './slot.ts';

const KEPT = 1_000;

const kept = replyStore('history');
export const historyStore = kept.slot;

/**
 * Fills that were told while no whole list was loaded, by id. A list that was asked for before, and comes
 * after, does not know of them.
 */
const early = new Map<string, { fill: Fill; sequence: number }>();

/** Replaces the list unless a newer one is loaded. */
export function applyHistory(next: History, origin: Origin, savedAt = Date.now()): void {
  kept.apply(next, origin, savedAt);
  // A list from the device may lack more than that: it waits for the server's.
  if (origin !== 'network') return;
  const news = [...early.values()].sort((a, b) => a.sequence - b.sequence);
  early.clear();
  for (const one of news) applyFill(one.fill, one.sequence);
}

export function clearHistory(): void {
  early.clear();
  kept.clear();
}

/** Adds one fill from the stream on top. */
export function applyFill(next: Fill, sequence: number, savedAt = Date.now()): void {
  const present = historyStore.data;
  if (!isWhole(historyStore)) early.set(next.id, { fill: next, sequence });
  if (present === null || sequence <= present.sequence) return;
  const others = present.fills.filter((known) => known.id !== next.id);
  const isNew = others.length === present.fills.length;
  const { total } = present;
  historyStore.data = {
    ...present,
    fills: [next, ...others].slice(0, KEPT),
    ...(total === undefined ? {} : { total: isNew ? total + 1 : total }),
    asOf: Math.max(present.asOf, next.filledAt),
  };
  advance(historyStore, sequence, savedAt);
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
