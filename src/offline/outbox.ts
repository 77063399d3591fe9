/** The command queue on the device, and every change that page and worker make to it. */
import { OUTBOX_MAX } from '../../contract/limits.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import {
  concerns,
  isPending,
  readEntry,
  type AlertCommand,
  type EntryState,
  type OutboxEntry,
  type ObservedState,
  type SetAside,
  type CommandRequest,
} from './outbox-entry.ts';
import {
  aged,
  CLOCK_TOLERANCE_MS,
  coalesce,
  giveBack,
  highestSequence,
  type Stamp,
} from './queue-rules.ts';
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
  /**
   * What the disk does not know of commands. False: sent, though it took no mark of that. True: taken
   * by the server, though it could not let go of them; they are over. The next change stores it.
   */
  readonly unmarked: Map<string, boolean>;
  /** Tells this realm and the others; `sent`, of a command that is now in `unmarked`. */
  changed(sent?: string): void;
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
  /**
   * Undoes what was never sent, or dismisses what is finished. The starts that an undone stop had
   * withdrawn wait again. `start-unknown`: one of them had been sent, and may have arrived.
   */
  cancel(
    commandId: string,
  ): Promise<'undone' | 'start-unknown' | 'dismissed' | 'already-sent' | 'gone'>;
  /**
   * A new command in place of one that needed the user, failed or expired; `generations` are the
   * agents' present ones.
   */
  confirm(
    commandId: string,
    generations: ReadonlyMap<string, number>,
    seen?: ObservedState,
  ): Promise<OutboxEntry | null>;
  /** Stores the effect of time: starts that now need the user or have expired. */
  sweep(): Promise<QueueState>;
  /** Marks an entry as sending, before it is sent. Null when it is no longer to be sent. */
  claim(commandId: string): Promise<OutboxEntry | null>;
  /** Stores what a reply made of an entry, unless it is gone meanwhile. */
  settle(entry: OutboxEntry): Promise<void>;
  /**
   * Deletes an entry whose id was echoed: `left` is what that leaves of the queue. What the reply
   * said of the agents is kept in the same moment.
   */
  delivered(
    left: (entries: readonly OutboxEntry[]) => OutboxEntry[],
    beside?: Beside,
  ): Promise<void>;
  /**
   * Stores the server's clock. The answer proves that the network is there, so waits for it end.
   */
  proven(clockOffsetMs: number): Promise<void>;
  pause(pause: QueueMeta['pause']): Promise<void>;
  /** Deletes every entry of the given states, on the user's request. */
  discard(states: readonly EntryState[]): Promise<void>;
}

/** Reasons that end when the server answers. */
const WAITING_FOR_NETWORK = ['network', 'timeout', 'bad_reply'];

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
    unmarked,
    changed,
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
    cancel: (commandId) => change((state) => cancelEntry(state, commandId, newId)),
    confirm: (commandId, generations, seen) =>
      change((state) => {
        const entry = findEntry(agedEntries(state, now()), commandId);
        if (entry === undefined || isPending(entry)) return { ...state, result: null };
        return replaceEntry(state, entry, confirmedRequest(entry, generations, seen), origin);
      }),
    async sweep() {
      const state = marked(await store.read());
      const after = agedEntries(state, now());
      if (after.every((entry, index) => entry === state.entries[index])) return state;
      return change((fresh) => {
        const entries = agedEntries(fresh, now());
        return { entries, meta: fresh.meta, result: { entries, meta: fresh.meta } };
      });
    },
    claim: (commandId) => change((state) => claimEntry(state, commandId, now())),
    settle: (entry) => change((state) => settleEntry(state, entry)),
    delivered: (left, beside) =>
      change((state) => ({ ...state, entries: left(state.entries), result: undefined }), beside),
    proven: (clockOffsetMs) => change((state) => noteServerReached(state, clockOffsetMs, now())),
    pause: (pause) =>
      change((state) => ({ ...state, meta: { ...state.meta, pause }, result: undefined })),
    discard: (states) =>
      change((state) => ({
        ...state,
        entries: state.entries.filter((entry) => !states.includes(entry.state)),
        result: undefined,
      })),
  };
}

/** The queue after one change, and the result for the caller. */
type Changed<T> = QueueState & { result: T };

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

const findEntry = (entries: readonly OutboxEntry[], commandId: string): OutboxEntry | undefined =>
  entries.find((candidate) => candidate.commandId === commandId);

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
  const stamp: Stamp = {
    uid,
    commandId: newId(),
    now: at,
    clockOffsetMs,
    clockMoved: at < lastSeenAt - CLOCK_TOLERANCE_MS,
    lastSequence,
  };
  const { entries, entry: result } = coalesce(state.entries, request, stamp, newId);
  return { entries, meta: { ...state.meta, lastSeenAt: Math.max(at, lastSeenAt) }, result };
}

/** Puts a new command in place of `replaced`. Null without a change where the queue is full. */
function replaceEntry(
  state: QueueState,
  replaced: OutboxEntry,
  request: CommandRequest,
  { uid, now, newId }: CommandOrigin,
): Changed<OutboxEntry | null> {
  const { clockOffsetMs, lastSequence } = state.meta;
  const stamp: Stamp = {
    uid,
    commandId: newId(),
    now: now(),
    clockOffsetMs,
    clockMoved: false,
    lastSequence,
  };
  const rest = state.entries.filter((candidate) => candidate.commandId !== replaced.commandId);
  const { entries, entry: result } = coalesce(rest, request, stamp, newId);
  return result === null ? { ...state, result: null } : { entries, meta: state.meta, result };
}

function cancelEntry(
  state: QueueState,
  commandId: string,
  newId: () => string,
): Changed<Awaited<ReturnType<Outbox['cancel']>>> {
  const entry = findEntry(state.entries, commandId);
  if (entry === undefined) return { ...state, result: 'gone' };
  const pending = isPending(entry);
  if (pending && entry.attempts > 0) return { ...state, result: 'already-sent' };
  const neverSent = entry.attempts === 0 && (pending || entry.state === 'needs-you');
  const rest = state.entries.filter((candidate) => candidate !== entry);
  if (!neverSent) return { ...state, entries: rest, result: 'dismissed' };
  const starts = (entry.withdrawn ?? []).flatMap((raw) => {
    const read = readEntry(raw);
    return read.is === 'entry' ? [read.entry] : [];
  });
  // What remains of a start of many has an id of its own, so the whole does not go again.
  const back = starts.filter((start) =>
    (concerns(start) ?? []).every((id) => concerns(entry)?.includes(id) ?? true),
  );
  return {
    ...state,
    entries: giveBack(rest, back, newId),
    result: starts.some(({ attempts }) => attempts > 0) ? 'start-unknown' : 'undone',
  };
}

/** The same request again, now confirmed by the user. */
function confirmedRequest(
  entry: OutboxEntry,
  generations: ReadonlyMap<string, number>,
  seen: ObservedState | undefined,
): CommandRequest {
  const { intent, agentId, agentName } = entry;
  return {
    intent,
    agentId,
    agentName,
    agents: entry.agents.map((agent) => ({
      ...agent,
      seenGeneration: generations.get(agent.id) ?? agent.seenGeneration,
    })),
    seenGeneration:
      (agentId === null ? undefined : generations.get(agentId)) ?? entry.seenGeneration,
    confirmed: true,
    seen: seen ?? entry.seen,
    tested: entry.tested,
    alert: againOf(entry, generations),
  };
}

function claimEntry(state: QueueState, commandId: string, at: number): Changed<OutboxEntry | null> {
  const entry = findEntry(state.entries, commandId);
  if (entry === undefined) return { ...state, result: null };
  const present = aged(entry, at, state.meta.clockOffsetMs);
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
}

function settleEntry(state: QueueState, settled: OutboxEntry): Changed<undefined> {
  return {
    ...state,
    result: undefined,
    entries: state.entries.map((candidate) =>
      candidate.commandId === settled.commandId && isPending(candidate) ? settled : candidate,
    ),
  };
}

function noteServerReached(
  state: QueueState,
  clockOffsetMs: number,
  at: number,
): Changed<undefined> {
  const waitsForNetwork = (entry: OutboxEntry): boolean =>
    isPending(entry) &&
    entry.nextAttemptAt !== null &&
    entry.reason !== null &&
    WAITING_FOR_NETWORK.includes(entry.reason.code);
  return {
    result: undefined,
    meta: { ...state.meta, clockOffsetMs, lastSeenAt: at },
    entries: state.entries.map((entry) =>
      waitsForNetwork(entry) ? { ...entry, nextAttemptAt: null } : entry,
    ),
  };
}

/** The request for an alert against its present version; as a new one where it is gone. */
function againOf(
  { alert }: OutboxEntry,
  versions: ReadonlyMap<string, number>,
): AlertCommand | undefined {
  return alert === undefined
    ? undefined
    : { ...alert, seenVersion: versions.get(alert.id) ?? null };
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
