/**
 * Keeps the state of push messages one after the other. Storage that fails or hangs must not cost
 * the person a notification.
 */
import type { Pushed } from '../src/offline/pushed-state.ts';

/** A browser that sees no notification for longer shows one of its own, and may end the address. */
const WAIT_MS = 5_000;

/** What became of a message's state: `not-kept` where keeping it failed or is not done in time. */
export function keptInTime(keeping: Promise<Pushed>, waitMs = WAIT_MS): Promise<Pushed> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      resolve('not-kept');
    }, waitMs);
    const settle = (kept: Pushed): void => {
      clearTimeout(late);
      resolve(kept);
    };
    keeping.then(settle, () => {
      settle('not-kept');
    });
  });
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Two messages at once would both read the snapshot before either has written it, and the later
 * write would undo the earlier one.
 */
export function inTurn<T>(keep: () => Promise<T>): Promise<T> {
  const mine = last.then(keep);
  last = mine.catch(() => undefined);
  return mine;
}
