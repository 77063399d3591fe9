/**
 * Loads a store from the server: fresh for five minutes, one request at a time. An answer for
 * another user is dropped.
 */
import { QUERY_FRESH_MS } from '../../contract/limits.ts';
import { ApiError } from '../api/api-error.ts';
import { session } from '../identity/session.ts';
import { failureSentence } from '../format/failure-sentence.ts';
import { log } from '../platform/page-log.ts';
import type { Slot } from './slot.ts';

/** `again`: forced while a load was under way, whose answer may be too old. */
interface Running {
  uid: string | null;
  done: Promise<void>;
  again: Promise<void> | null;
}
const running = new WeakMap<object, Running>();

/**
 * Whether a slot holds the server's data of the last five minutes. Snapshots and fallbacks do not
 * count.
 */
function isFresh<T>(slot: Slot<T>, now: number): boolean {
  return (
    slot.data !== null &&
    (slot.origin === 'network' || slot.origin === 'stream') &&
    slot.savedAt !== null &&
    now - slot.savedAt >= 0 &&
    now - slot.savedAt < QUERY_FRESH_MS
  );
}

/**
 * Loads and applies once, unless fresh. Never throws: a failure is in `slot.error`, and the last
 * data is kept. The client's three attempts are one try and two retries.
 */
export function load<T, R>(
  slot: Slot<T>,
  force: boolean,
  read: () => Promise<R>,
  apply: (reply: R) => void,
): Promise<void> {
  const uid = session.user?.uid ?? null;
  const present = running.get(slot);
  if (present?.uid === uid) {
    if (!force) return present.done;
    present.again ??= present.done.then(() =>
      (session.user?.uid ?? null) === uid ? load(slot, true, read, apply) : undefined,
    );
    return present.again;
  }
  if (!force && isFresh(slot, Date.now())) return Promise.resolve();
  const run = async (): Promise<void> => {
    slot.status = 'loading';
    try {
      const reply = await read();
      if ((session.user?.uid ?? null) !== uid) return;
      apply(reply);
      slot.status = 'ready';
      slot.error = null;
    } catch (error) {
      const sentence = await failureSentence(error);
      if ((session.user?.uid ?? null) !== uid) return;
      slot.status = 'error';
      slot.error = sentence;
      if (!(error instanceof ApiError)) log.error('Loading failed with an internal error', error);
    }
  };
  const done = run().finally(() => {
    if (running.get(slot)?.done === done) running.delete(slot);
  });
  running.set(slot, { uid, done, again: null });
  return done;
}
