/** The kinds of data whose age is shown: how old each may be, and the slot it lies in. */
import {
  AGED_KINDS,
  SNAPSHOTS,
  STREAMED_KINDS,
  type AgedKind,
  type SnapshotKind,
} from '../offline/snapshot-registry.ts';
import { keptStore } from './kept-stores.ts';
import { portfolioStore } from './portfolio-store.ts';
import type { Slot } from './slot.ts';

export type DataKind = AgedKind;

/** Older than this (ms), an age turns amber; the file of each kind has the reason for its limit. */
export const STALE_AFTER = Object.fromEntries(
  AGED_KINDS.map((kind) => [kind, SNAPSHOTS[kind].staleAfterMs]),
) as Readonly<Record<DataKind, number>>;

export const isStreamed = (kind: DataKind): boolean => STREAMED_KINDS.includes(kind);

export function slotOf(kind: SnapshotKind): Slot<unknown> {
  const store = keptStore(kind);
  if (store === null) throw new Error(`No store holds ${kind}`);
  return store.slot;
}

/**
 * Whether it moves with every price, as open positions do. Marks tell of that, so silence of the stream
 * does not mean that nothing changed.
 */
export const isMarked = (kind: SnapshotKind): boolean =>
  kind === 'portfolio' && (portfolioStore.data?.positions.length ?? 0) > 0;

/** What the stream keeps true while it is open, by its silence too. */
export const streamedSlots = (): Slot<unknown>[] =>
  STREAMED_KINDS.filter((kind) => !isMarked(kind)).map(slotOf);
