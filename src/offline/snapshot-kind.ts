/** Describes a kind of snapshot. Each kind has a file of its own in `kinds/`. */
import type * as z from 'zod/mini';
import type { CALLS, CallName, CallReply } from '../../contract/calls.ts';

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

/**
 * A kind that is the whole reply to a GET call. Its schema is named beside the call's name, so that
 * a start, which reads no other reply, does without the schemas of all calls.
 */
export const replySnapshot = <N extends CallName, const T extends ReplyTraits<CallReply<N>>>(
  call: N,
  schema: (typeof CALLS)[N]['reply'],
  traits: T,
): T & { call: N; schema: (typeof CALLS)[N]['reply'] } => ({ ...traits, call, schema });

/** A kind that the page makes itself; the code that writes it reads it, where it is needed. */
export const ownSnapshot = <S extends z.ZodMiniType>(schema: S): { schema: S } => ({ schema });
