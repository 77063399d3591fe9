/** Takes the stops that were pressed on a first frame into the queue, by the rules of any press. */
import * as z from 'zod/mini';
import type { OutboxEntry } from './outbox-entry.ts';
import { CLOCK_TOLERANCE_MS, coalesce } from './queue-rules.ts';

const Press = z.object({
  commandId: z.uuid(),
  agentId: z.string().check(z.minLength(1)),
  agentName: z.string(),
  seenGeneration: z.int(),
  pressedAt: z.number(),
});

/** What a press needs to know of the queue it joins. */
interface QueueToJoin {
  entries: OutboxEntry[];
  meta: { clockOffsetMs: number | null; lastSeenAt: number };
}

/**
 * The queue with each press as its own command, under the id that it was given when pressed.
 * `presses` is what lies on the device; a record that does not read is left out.
 */
export function withPresses<Q extends QueueToJoin>(state: Q, presses: unknown, uid: string): Q {
  if (!Array.isArray(presses)) return state;
  return presses.reduce<Q>((queue, raw) => {
    const parsed = Press.safeParse(raw);
    if (!parsed.success) return queue;
    const { commandId, pressedAt, ...agent } = parsed.data;
    const { clockOffsetMs, lastSeenAt } = queue.meta;
    const { entries } = coalesce(
      queue.entries,
      { intent: 'stop', ...agent, agents: [], confirmed: false },
      {
        uid,
        commandId,
        now: pressedAt,
        clockOffsetMs,
        clockMoved: pressedAt < lastSeenAt - CLOCK_TOLERANCE_MS,
      },
      () => crypto.randomUUID(),
    );
    const meta = { ...queue.meta, lastSeenAt: Math.max(pressedAt, lastSeenAt) };
    return { ...queue, entries, meta };
  }, state);
}
