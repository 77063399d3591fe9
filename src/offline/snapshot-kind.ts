/** Describes a kind of snapshot. Each kind has a file of its own in `kinds/`. */
import type { CallName, CallReply } from '../../contract/calls.ts';

export interface ReplyTraits<T> {
  /** A start reads it before it paints, or right after. */
  restore: 'first-paint' | 'after-paint';
  /** A start on this path reads it before it paints as well. */
  firstPaintOn?: string;
  /** The service worker keeps a copy of each reply to the call, also with no page left to do it. */
  copiedByWorker?: true;
  /** Query parameters with which a reply is still the whole value. With any other it is a part. */
  wholeDespite?: readonly string[];
  /** Older than this (ms), what is shown of it counts as stale. Absent where no screen asks. */
  staleAfterMs?: number;
  /** The stream tells of every change: while it is open and silent, nothing has changed. */
  streamed?: true;
  /**
   * Whether a value that has just come is older than the one in the store, which then stays. Unused
   * where `src/stores/kept-stores.ts` names a store that takes the value by rules of its own.
   */
  isOlder?: (next: T, present: T) => boolean;
}

/** A kind of which no more is said than what its value is. */
export interface KindOf<T> {
  /** Never set: it names the type. */
  readonly value?: T;
}

/**
 * A kind that is the whole reply to a GET call. Its schema is in `snapshot-schemas.ts`, so that a
 * start, which finds what this build has parsed, does without the schemas.
 */
export const replySnapshot = <N extends CallName, const T extends ReplyTraits<CallReply<N>>>(
  call: N,
  traits: T,
): T & KindOf<CallReply<N>> & { call: N } => ({ ...traits, call });

/** A kind that the page makes itself; the code that writes it reads it, where it is needed. */
export const ownSnapshot = <T>(): KindOf<T> => ({});
