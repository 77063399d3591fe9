/**
 * The command queue on the device: what joins it, what time makes of it, and the way for every change
 * that comes later (`delivery-changes.ts`, `review.ts`).
 */
import { OUTBOX_MAX } from '../../contract/limits.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import type { OutboxEntry, SetAside, CommandRequest } from './outbox-entry.ts';
import { aged, CLOCK_TOLERANCE_MS, coalesce, highestSequence, type Stamp } from './queue-rules.ts';
import type { Beside, QueueMeta, QueueState, QueueStore } from './queue-store.ts';

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
  constructor() {
    super(`${OUTBOX_MAX} commands are already waiting. This one was not saved`);
  }
}

export interface OutboxOptions {
  now?: () => number;
  newId?: () => string;
  /** Called after every stored change, and for a command that is sent without one. */
  changed?: (sent?: string) => void;
}

export interface Outbox {
  readonly uid: string;
  readonly now: () => number;
  readonly newId: () => string;
  /**
   * What the disk does not know of commands. False: sent, though it took no mark of that. True: taken
   * by the server, though it could not let go of them; they are over. The next change stores it.
   */
  readonly unmarked: Map<string, boolean>;
  /** Tells this realm and the others; `sent`, of a command that is now in `unmarked`. */
  changed(sent?: string): void;
  /**
   * One change by the rules of code that comes later. What `work` leaves out is deleted; `beside`
   * changes in the same moment.
   */
  change<T>(work: (state: QueueState) => Changed<T>, beside?: Beside): Promise<T>;
  /** The queue as of now, with ages applied; nothing is written. */
  state(): Promise<QueueState>;
  quarantined(): Promise<SetAside[]>;
  /** The user has read that these will not be sent. */
  dismissQuarantined(): Promise<void>;
  /**
   * Resolves once stored. A request that needs nothing to be sent is answered by a cancelled entry.
   * @throws StorageFault, QueueFull
   */
  enqueue(request: CommandRequest): Promise<OutboxEntry>;
  /** Stores the effect of time: starts that now need the user or have expired. */
  sweep(): Promise<QueueState>;
  pause(pause: QueueMeta['pause']): Promise<void>;
}

export function createOutbox(store: QueueStore, options: OutboxOptions = {}): Outbox {
  const { now = Date.now, newId = () => crypto.randomUUID(), changed = () => undefined } = options;
  const { uid } = store;
  const origin: CommandOrigin = { uid, now, newId };
  const unmarked = new Map<string, boolean>();
  const marked = (state: QueueState): QueueState => ({
    ...state,
    entries: state.entries.flatMap((entry) => {
      const isOver = unmarked.get(entry.commandId);
      if (isOver === true) return [];
      return isOver === undefined || entry.attempts > 0 ? entry : { ...entry, attempts: 1 };
    }),
  });

  async function change<T>(work: (state: QueueState) => Changed<T>, beside?: Beside): Promise<T> {
    const result = await store.change((state) => numbered(work(marked(state))), beside);
    changed();
    return result;
  }

  return {
    uid,
    now,
    newId,
    unmarked,
    changed,
    change,
    async state() {
      const state = marked(await store.read());
      return { ...state, entries: agedEntries(state, now()) };
    },
    quarantined: () => store.quarantined(),
    async dismissQuarantined() {
      await store.clearQuarantine();
      changed();
    },
    async enqueue(request) {
      const entry = await change((state) => addCommand(state, request, origin));
      if (entry === null) throw new QueueFull();
      return entry;
    },
    async sweep() {
      const state = marked(await store.read());
      const after = agedEntries(state, now());
      if (after.every((entry, index) => entry === state.entries[index])) return state;
      return change((fresh) => {
        const entries = agedEntries(fresh, now());
        return { entries, meta: fresh.meta, result: { entries, meta: fresh.meta } };
      });
    },
    pause: (pause) =>
      change((state) => ({ ...state, meta: { ...state.meta, pause }, result: undefined })),
  };
}

/** The queue after one change, and the result for the caller. */
export type Changed<T> = QueueState & { result: T };

/** A number is never given twice, even when its command has left the queue. */
const numbered = <T>(after: Changed<T>): Changed<T> => ({
  ...after,
  meta: {
    ...after.meta,
    lastSequence: highestSequence(after.entries, after.meta.lastSequence),
  },
});

const agedEntries = (state: QueueState, at: number): OutboxEntry[] =>
  state.entries.map((entry) => aged(entry, at, state.meta.clockOffsetMs));

/** Source of ids and times of new commands. */
interface CommandOrigin {
  uid: string;
  now: () => number;
  newId: () => string;
}

/** Null where the queue is full. */
function addCommand(
  state: QueueState,
  request: CommandRequest,
  { uid, now, newId }: CommandOrigin,
): Changed<OutboxEntry | null> {
  const at = now();
  const { clockOffsetMs, lastSeenAt, lastSequence } = state.meta;
  const { press = { id: newId(), at } } = request;
  const stamp: Stamp = {
    uid,
    commandId: press.id,
    now: press.at,
    clockOffsetMs,
    clockMoved: at < lastSeenAt - CLOCK_TOLERANCE_MS,
    lastSequence,
  };
  const { entries, entry: result } = coalesce(state.entries, request, stamp, newId);
  return { entries, meta: { ...state.meta, lastSeenAt: Math.max(at, lastSeenAt) }, result };
}

/** A pause ends with a later login or another version of the app. */
export function pauseHolds(meta: QueueMeta, authTime: number | null): 'sign-in' | 'update' | null {
  const { pause } = meta;
  if (pause === null) return null;
  if (pause.why === 'update') return pause.contractVersion === CONTRACT_VERSION ? 'update' : null;
  return authTime !== null && pause.authTime !== null && authTime > pause.authTime
    ? null
    : 'sign-in';
}
