/**
 * What a delivery changes in the queue: a command goes out, is answered, and leaves. Loaded with
 * the code that delivers.
 */
import { isPending, type OutboxEntry } from './outbox-entry.ts';
import type { Outbox } from './outbox.ts';
import { aged } from './queue-rules.ts';
import type { Beside, QueueMeta } from './queue-store.ts';

/** Reasons that end when the server answers. */
const WAITING_FOR_NETWORK = ['network', 'timeout', 'bad_reply'];

/** Marks an entry as sending, before it is sent. Null when it is no longer to be sent. */
export const claimIn = (outbox: Outbox, commandId: string): Promise<OutboxEntry | null> =>
  outbox.change((state) => {
    const entry = state.entries.find((candidate) => candidate.commandId === commandId);
    if (entry === undefined) return { ...state, result: null };
    const present = aged(entry, outbox.now(), state.meta.clockOffsetMs);
    const result: OutboxEntry | null = isPending(present)
      ? { ...present, state: 'sending', attempts: present.attempts + 1, nextAttemptAt: null }
      : null;
    return {
      ...state,
      entries: state.entries.map((candidate) =>
        candidate === entry ? (result ?? present) : candidate,
      ),
      result,
    };
  });

/** What an earlier turn was sending when its page was ended: it may have arrived, and waits again. */
export const releaseIn = (outbox: Outbox): Promise<void> =>
  outbox.change((state) => ({
    ...state,
    result: undefined,
    entries: state.entries.map((entry) =>
      entry.state === 'sending' ? { ...entry, state: 'saved' } : entry,
    ),
  }));

/** Stores what a reply made of an entry, unless it is gone meanwhile. */
export const settleIn = (outbox: Outbox, settled: OutboxEntry): Promise<void> =>
  outbox.change((state) => ({
    ...state,
    result: undefined,
    entries: state.entries.map((candidate) =>
      candidate.commandId === settled.commandId && isPending(candidate) ? settled : candidate,
    ),
  }));

/** Enough for whoever asks what became of a command that another tab has just sent. */
const TAKEN_KEPT = 20;

function withTaken(meta: QueueMeta, ids: readonly string[]): QueueMeta {
  const { taken = [] } = meta;
  const more = ids.filter((id) => !taken.includes(id));
  return { ...meta, taken: [...taken, ...more].slice(-TAKEN_KEPT) };
}

/** Stores what the disk was not told: which commands were sent without it, and which are over. */
export const unmarkedIn = (outbox: Outbox): Promise<void> =>
  outbox.change(({ entries, meta }) => {
    const over = [...outbox.unmarked].flatMap(([id, isOver]) => (isOver ? [id] : []));
    return { entries, meta: withTaken(meta, over), result: undefined };
  });

/**
 * Deletes an entry whose id was echoed: `left` is what that leaves of the queue. What the reply
 * said of the agents is kept in the same moment, and that the command was taken: a tab hears of
 * that by a message, which may come later than it reads the queue.
 */
export const deliveredIn = (
  outbox: Outbox,
  commandId: string,
  left: (entries: readonly OutboxEntry[]) => OutboxEntry[],
  beside?: Beside,
): Promise<void> =>
  outbox.change(
    ({ entries, meta }) => ({
      entries: left(entries),
      meta: withTaken(meta, [commandId]),
      result: undefined,
    }),
    beside,
  );

/**
 * Stores the server's clock. The answer proves that the network is there, so waits for it end.
 */
export const provenIn = (outbox: Outbox, clockOffsetMs: number): Promise<void> =>
  outbox.change((state) => ({
    result: undefined,
    meta: { ...state.meta, clockOffsetMs, lastSeenAt: outbox.now() },
    entries: state.entries.map((entry) =>
      waitsForNetwork(entry) ? { ...entry, nextAttemptAt: null } : entry,
    ),
  }));

const waitsForNetwork = (entry: OutboxEntry): boolean =>
  isPending(entry) &&
  entry.nextAttemptAt !== null &&
  entry.reason !== null &&
  WAITING_FOR_NETWORK.includes(entry.reason.code);
