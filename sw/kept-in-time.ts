/** Storage that fails or hangs must not cost the person a notification. */
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
