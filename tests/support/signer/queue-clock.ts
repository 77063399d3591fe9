/** A clock that goes from one sleeper to the next: many wait at once, and each for its own time. */
import type { Clock } from '../../../signer/exchanges/budget.ts';

export interface QueueClock extends Clock {
  /** Wakes in order of time whoever sleeps until then. */
  runFor(ms: number): Promise<void>;
}

/** What was woken goes as far as it gets without time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

export function queueClock(atMs = Date.parse('2026-01-01T10:00:00Z')): QueueClock {
  let now = atMs;
  let sleeping: { atMs: number; wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((resolve) => {
        sleeping.push({ atMs: now + ms, wake: resolve });
      }),
    async runFor(ms) {
      const endMs = now + ms;
      for (;;) {
        await settle();
        const [next] = sleeping.toSorted((a, b) => a.atMs - b.atMs);
        if (next === undefined || next.atMs > endMs) break;
        sleeping = sleeping.filter((one) => one !== next);
        now = next.atMs;
        next.wake();
      }
      now = endMs;
    },
  };
}
