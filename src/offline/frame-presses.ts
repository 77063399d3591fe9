/** Takes the stops that were pressed on a first frame into the queue, by the rules of any press. */
import {
  fields,
  number,
  someText,
  text,
  UNREAD,
  uuid,
  whole,
  type Read,
} from '../../contract/readers.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { CLOCK_TOLERANCE_MS, coalesce } from './queue-rules.ts';

const press = fields({
  commandId: uuid,
  agentId: someText,
  agentName: text,
  seenGeneration: whole,
  pressedAt: number,
});
type Press = Read<typeof press>;

/** What a press needs to know of the queue it joins. */
interface QueueToJoin {
  entries: OutboxEntry[];
  meta: {
    clockOffsetMs: number | null;
    lastSeenAt: number;
    lastSequence?: number | undefined;
    taken?: readonly string[] | undefined;
  };
}

/** The presses that lie on the device, and the records among them that do not read. */
export function readPresses(raw: unknown): { presses: Press[]; unreadable: unknown[] } {
  if (raw === undefined) return { presses: [], unreadable: [] };
  const presses: Press[] = [];
  const unreadable: unknown[] = [];
  for (const one of Array.isArray(raw) ? (raw as unknown[]) : [raw]) {
    const read = press(one);
    if (read !== UNREAD) presses.push(read);
    // Only a Stop is ever pressed on a frame: whoever reads the quarantine learns that much.
    else unreadable.push(typeof one === 'object' ? { ...one, intent: 'stop' } : one);
  }
  return { presses, unreadable };
}

/** The queue with each press as its own command, under the id that it was given when pressed. */
export function withPresses<Q extends QueueToJoin>(
  state: Q,
  presses: readonly Press[],
  uid: string,
): Q {
  return presses.reduce<Q>((queue, { commandId, pressedAt, ...agent }) => {
    const { clockOffsetMs, lastSeenAt, lastSequence, taken } = queue.meta;
    // The app has sent it without waiting for the disk.
    if (taken?.includes(commandId) === true) return queue;
    const { entries } = coalesce(
      queue.entries,
      { intent: 'stop', ...agent, agents: [], confirmed: false },
      {
        uid,
        commandId,
        now: pressedAt,
        clockOffsetMs,
        clockMoved: pressedAt < lastSeenAt - CLOCK_TOLERANCE_MS,
        lastSequence,
      },
      () => crypto.randomUUID(),
    );
    const meta = { ...queue.meta, lastSeenAt: Math.max(pressedAt, lastSeenAt) };
    return { ...queue, entries, meta };
  }, state);
}
