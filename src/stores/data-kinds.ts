/** The kinds of data whose age is shown: how old each may be, and the slot it lies in. */
import {
  AGED_KINDS,
  SNAPSHOTS,
  STREAMED_KINDS,
  type AgedKind,
  type SnapshotKind,
} from '../offline/snapshot-registry.ts';
import { keptStore } from './kept-stores.ts';
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

/** What the stream keeps true while it is open. */
export const streamedSlots = (): Slot<unknown>[] => STREAMED_KINDS.map(slotOf);
