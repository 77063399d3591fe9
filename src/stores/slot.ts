/**
 * What every store holds of one kind of data: value, origin, age and error. Older data never
 * replaces newer.
 */
import { connection } from './connection.ts';

/**
 * Where the value came from. `exchange` is a public price loaded while the server is away: display
 * only.
 */
export type Origin = 'network' | 'stream' | 'snapshot' | 'exchange';

export interface Slot<T> {
  data: T | null;
  /** Device clock (ms) at which the server sent it; for a snapshot, when it was saved. */
  savedAt: number | null;
  origin: Origin | null;
  status: 'idle' | 'loading' | 'ready' | 'error';
  /** Why the last load failed, as a sentence; the last data stays. */
  error: string | null;
}

export function emptySlot<T>(): Slot<T> {
  return { data: null, savedAt: null, origin: null, status: 'idle', error: null };
}

/** Slots by an id from an address: without a prototype, `__proto__` finds nothing. */
export const slotsById = <T>(): Record<string, Slot<T>> =>
  Object.create(null) as Record<string, Slot<T>>;

/** Sets a value with its origin and time. */
export function fill<T>(slot: Slot<T>, data: T, origin: Origin, savedAt: number): void {
  slot.data = data;
  slot.origin = origin;
  slot.savedAt = savedAt;
  slot.status = 'ready';
  slot.error = null;
}

/**
 * Whether nothing can have changed unheard since it was loaded. On a list with holes an event says
 * something of one thing, and nothing of the others.
 */
export const isWhole = ({ origin, savedAt }: Slot<unknown>): boolean =>
  (origin === 'network' || origin === 'stream') && (savedAt ?? 0) >= (connection.gapAt ?? 0);

/** An event (null: a reply) is in the list: it is as new as the event where it was whole before. */
export function advance(
  slot: Slot<{ sequence: number }>,
  sequence: number | null,
  savedAt: number,
): void {
  if (sequence === null || slot.data === null || !isWhole(slot)) return;
  slot.data.sequence = sequence;
  slot.origin = 'stream';
  slot.savedAt = savedAt;
}

/** Clears it at log-out. */
export function clear<T>(slot: Slot<T>): void {
  Object.assign(slot, emptySlot<T>());
}
