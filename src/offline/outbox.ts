/**
 * The queue on the device: every change of it is one strict transaction; refuses to drop what it
 * cannot read.
 */
import * as z from 'zod/mini';
import { OUTBOX_MAX } from '../../contract/limits.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import { StorageFault, type UserDatabase } from './database.ts';
import {
  isPending,
  legible,
  OutboxEntry,
  readEntry,
  type AlertCommand,
  type EntryResult,
  type EntryState,
  type SeenThen,
  type SetAside,
  type Wish,
} from './outbox-entry.ts';
import { aged, CLOCK_TOLERANCE_MS, coalesce, partlyRefused, rebase } from './queue-rules.ts';
import { trimSnapshots } from './snapshots.ts';

/** What page and worker share about sending, beside the entries. */
export const QueueMeta = z.object({
  /**
   * Server's clock − device's (ms) at the last proof that the server is there; and the device's
   * clock as last seen.
   */
  clockOffsetMs: z.nullable(z.number()),
  lastSeenAt: z.number(),
  /**
   * Nothing is sent until a later sign-in than `authTime` (s; null where the token did not say), or
   * another contract.
   */
  pause: z.nullable(
    z.object({
      why: z.enum(['sign-in', 'update']),
      authTime: z.nullable(z.number()),
      contractVersion: z.number(),
      since: z.optional(z.number()),
    }),
  ),
});
export type QueueMeta = z.infer<typeof QueueMeta>;
export const EMPTY_META: QueueMeta = { clockOffsetMs: null, lastSeenAt: 0, pause: null };

export interface QueueState {
  entries: OutboxEntry[];
  meta: QueueMeta;
}

/**
 * Where the queue lies. `change` is atomic and durable when it resolves; what it leaves out of
 * `entries` is deleted.
 */
export interface QueueStore {
  readonly uid: string;
  read(): Promise<QueueState>;
  change<T>(work: (state: QueueState) => QueueState & { result: T }): Promise<T>;
  /** The records that could not be read and were set aside. */
  quarantined(): Promise<SetAside[]>;
  /** Deletes them, by the person's word. */
  clearQuarantine(): Promise<void>;
}

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
  constructor() {
    super(`${OUTBOX_MAX} commands are waiting already; this one was not taken`);
  }
}

export interface OutboxOptions {
  now?: () => number;
  newId?: () => string;
  /** Told after every change that is on the disk. */
  changed?: () => void;
}

/** A sender's hold on one entry: what was written before the request went out. */
export interface Outbox {
  readonly uid: string;
  /** What is queued, as time has made it; nothing is written. */
  state(): Promise<QueueState>;
  quarantined(): Promise<SetAside[]>;
  /** The person has read that these will not be sent. */
  dismissQuarantined(): Promise<void>;
  /**
   * Resolves when the disk has it. A wish that needs nothing to be sent is answered by a cancelled
   * entry. @throws StorageFault, QueueFull
   */
  enqueue(wish: Wish): Promise<OutboxEntry>;
  /** Takes back what was never sent, or dismisses what is over. */
  cancel(commandId: string): Promise<'undone' | 'dismissed' | 'already-sent' | 'gone'>;
  /**
   * A new command in place of one that waited for the person, failed or lapsed; `generations` are
   * the agents' as they stand now.
   */
  confirm(
    commandId: string,
    generations: ReadonlyMap<string, number>,
    seen?: SeenThen,
  ): Promise<OutboxEntry | null>;
  /** Writes down what time has done: starts that now need the person or have lapsed. */
  sweep(): Promise<QueueState>;
  /** Marks an entry as on its way, before it is. Null when it is no longer to be sent. */
  claim(commandId: string): Promise<OutboxEntry | null>;
  /** Puts back what a reply made of an entry, unless it is gone meanwhile. */
  settle(entry: OutboxEntry): Promise<void>;
  /**
   * Deletes an entry whose id was echoed. Where the server refused some of its agents, what remains
   * is a failure to be seen.
   */
  delivered(
    entry: OutboxEntry,
    generations: ReadonlyMap<string, number>,
    results?: readonly EntryResult[],
  ): Promise<void>;
  /**
   * Notes the server's clock, which also proves that the network is there: waits for the network
   * end.
   */
  proven(clockOffsetMs: number): Promise<void>;
  pause(pause: QueueMeta['pause']): Promise<void>;
  /** Deletes every entry of the given states, by the person's word. */
  discard(states: readonly EntryState[]): Promise<void>;
}

/** Reasons that the proof of a network answers. */
const WAITING_FOR_NETWORK = ['network', 'timeout', 'bad_reply'];

export function createOutbox(store: QueueStore, options: OutboxOptions = {}): Outbox {
  const { now = Date.now, newId = () => crypto.randomUUID(), changed = () => undefined } = options;
  const { uid } = store;

  async function change<T>(work: (state: QueueState) => QueueState & { result: T }): Promise<T> {
    const result = await store.change(work);
    changed();
    return result;
  }

  const agedAll = (state: QueueState, at: number): OutboxEntry[] =>
    state.entries.map((entry) => aged(entry, at, state.meta.clockOffsetMs));

  return {
    uid,
    async state() {
      const state = await store.read();
      return { ...state, entries: agedAll(state, now()) };
    },
    quarantined: () => store.quarantined(),
    async dismissQuarantined() {
      await store.clearQuarantine();
      changed();
    },
    async enqueue(wish) {
      const entry = await change((state) => {
        const at = now();
        const { clockOffsetMs, lastSeenAt } = state.meta;
        const stamp = {
          uid,
          commandId: newId(),
          now: at,
          clockOffsetMs,
          clockMoved: at < lastSeenAt - CLOCK_TOLERANCE_MS,
        };
        const { entries, entry: result } = coalesce(state.entries, wish, stamp, newId);
        return { entries, meta: { ...state.meta, lastSeenAt: Math.max(at, lastSeenAt) }, result };
      });
      if (entry === null) throw new QueueFull();
      return entry;
    },
    cancel: (commandId) =>
      change((state) => {
        const entry = state.entries.find((candidate) => candidate.commandId === commandId);
        const without = {
          ...state,
          entries: state.entries.filter((candidate) => candidate !== entry),
        };
        if (entry === undefined) return { ...state, result: 'gone' as const };
        if (!isPending(entry))
          return {
            ...without,
            result:
              entry.attempts === 0 && entry.state === 'needs-you'
                ? ('undone' as const)
                : ('dismissed' as const),
          };
        return entry.attempts === 0
          ? { ...without, result: 'undone' as const }
          : { ...state, result: 'already-sent' as const };
      }),
    confirm: (commandId, generations, seen) =>
      change((state) => {
        const entry = agedAll(state, now()).find((candidate) => candidate.commandId === commandId);
        if (entry === undefined || isPending(entry)) return { ...state, result: null };
        const { intent, agentId, agentName } = entry;
        const agents = entry.agents.map((agent) => ({
          ...agent,
          seenGeneration: generations.get(agent.id) ?? agent.seenGeneration,
        }));
        const seenGeneration =
          (agentId === null ? undefined : generations.get(agentId)) ?? entry.seenGeneration;
        const { clockOffsetMs } = state.meta;
        const wish: Wish = {
          intent,
          agentId,
          agentName,
          agents,
          seenGeneration,
          confirmed: true,
          seen: seen ?? entry.seen,
          tested: entry.tested,
          alert: againOf(entry, generations),
        };
        const rest = state.entries.filter((candidate) => candidate.commandId !== commandId);
        const { entries, entry: result } = coalesce(
          rest,
          wish,
          { uid, commandId: newId(), now: now(), clockOffsetMs, clockMoved: false },
          newId,
        );
        return result === null ? { ...state, result: null } : { entries, meta: state.meta, result };
      }),
    async sweep() {
      const state = await store.read();
      const after = agedAll(state, now());
      if (after.every((entry, index) => entry === state.entries[index])) return state;
      return change((fresh) => {
        const entries = agedAll(fresh, now());
        return { entries, meta: fresh.meta, result: { entries, meta: fresh.meta } };
      });
    },
    claim: (commandId) =>
      change((state) => {
        const at = now();
        const entry = state.entries.find((candidate) => candidate.commandId === commandId);
        const present = entry === undefined ? undefined : aged(entry, at, state.meta.clockOffsetMs);
        if (present === undefined) return { ...state, result: null };
        const result = isPending(present)
          ? {
              ...present,
              state: 'sending' as const,
              attempts: present.attempts + 1,
              nextAttemptAt: null,
            }
          : null;
        return {
          ...state,
          entries: state.entries.map((candidate) =>
            candidate === entry ? (result ?? present) : candidate,
          ),
          result,
        };
      }),
    settle: (entry) =>
      change((state) => ({
        ...state,
        result: undefined,
        entries: state.entries.map((candidate) =>
          candidate.commandId === entry.commandId && isPending(candidate) ? entry : candidate,
        ),
      })),
    delivered: (entry, generations, results = []) =>
      change((state) => {
        const left = partlyRefused(entry, results, now());
        const kept = state.entries.filter((candidate) => !endedBy(entry, candidate));
        const entries = kept.flatMap((candidate) =>
          candidate.commandId !== entry.commandId ? [candidate] : left === null ? [] : [left],
        );
        return { ...state, result: undefined, entries: rebase(entries, entry, generations) };
      }),
    proven: (clockOffsetMs) =>
      change((state) => ({
        result: undefined,
        meta: { ...state.meta, clockOffsetMs, lastSeenAt: now() },
        entries: state.entries.map((entry) =>
          isPending(entry) &&
          entry.nextAttemptAt !== null &&
          entry.reason !== null &&
          WAITING_FOR_NETWORK.includes(entry.reason.code)
            ? { ...entry, nextAttemptAt: null }
            : entry,
        ),
      })),
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

/** An alert that is gone takes along what had failed about it. */
const endedBy = (told: OutboxEntry, { alert, sequence, state }: OutboxEntry): boolean =>
  told.intent === 'delete-alert' &&
  alert?.id === told.alert?.id &&
  sequence < told.sequence &&
  (state === 'failed' || state === 'needs-you');

/**
 * The same wish about an alert as the server has it now; where it is there no longer, as a new one.
 */
function againOf(
  { alert }: OutboxEntry,
  versions: ReadonlyMap<string, number>,
): AlertCommand | undefined {
  return alert === undefined
    ? undefined
    : { ...alert, seenVersion: versions.get(alert.id) ?? null };
}

/**
 * How long a server's word that this app is too old is believed without asking again: it may be
 * rolled back too, ms.
 */
const TOO_OLD_MS = 60_000;

/** Whether a paused queue may try again what the server would not have from this version. */
export function mayAskAgain({ pause }: QueueMeta, now: number): boolean {
  return pause?.why === 'update' && Math.abs(now - (pause.since ?? 0)) >= TOO_OLD_MS;
}

/** A pause ends by itself with a later sign-in or another version of the app. */
export function pauseHolds(meta: QueueMeta, authTime: number | null): 'sign-in' | 'update' | null {
  const { pause } = meta;
  if (pause === null) return null;
  if (pause.why === 'update') return pause.contractVersion === CONTRACT_VERSION ? 'update' : null;
  return authTime !== null && pause.authTime !== null && authTime > pause.authTime
    ? null
    : 'sign-in';
}

const QUEUE_META = 'queue';

/** The queue in the user's own database. */
export function databaseStore(database: UserDatabase): QueueStore {
  const { uid } = database;

  function sort(
    keys: IDBValidKey[],
    values: unknown[],
    meta: unknown,
  ): { state: QueueState; stored: Map<string, OutboxEntry>; corrupt: [IDBValidKey, unknown][] } {
    const stored = new Map<string, OutboxEntry>();
    const corrupt: [IDBValidKey, unknown][] = [];
    keys.forEach((key, index) => {
      const read = readEntry(values[index]);
      // A newer build's is neither ours to send nor ours to set aside.
      if (read.is === 'newer') return;
      if (read.is === 'entry' && read.entry.commandId === key && read.entry.uid === uid)
        stored.set(read.entry.commandId, read.entry);
      else corrupt.push([key, values[index]]);
    });
    const known = QueueMeta.safeParse(meta);
    const entries = [...stored.values()].sort((a, b) => a.sequence - b.sequence);
    return { state: { entries, meta: known.success ? known.data : EMPTY_META }, stored, corrupt };
  }

  function load(transaction: IDBTransaction): Promise<ReturnType<typeof sort>> {
    const outbox = transaction.objectStore('outbox');
    const keys = outbox.getAllKeys();
    const values = outbox.getAll() as IDBRequest<unknown[]>;
    const meta = transaction.objectStore('meta').get(QUEUE_META) as IDBRequest<unknown>;
    return new Promise((resolve, reject) => {
      // Requests of one transaction succeed in order: the last one's success is everybody's.
      meta.onsuccess = () => {
        resolve(sort(keys.result, values.result, meta.result));
      };
      for (const request of [keys, values, meta])
        request.onerror = () => {
          reject(request.error ?? new Error('The queue could not be read'));
        };
    });
  }

  function write(
    transaction: IDBTransaction,
    before: ReturnType<typeof sort>,
    after: QueueState,
  ): void {
    const outbox = transaction.objectStore('outbox');
    const quarantine = transaction.objectStore('quarantine');
    for (const [key, value] of before.corrupt) {
      quarantine.put({ at: Date.now(), key, value }, crypto.randomUUID());
      outbox.delete(key);
    }
    const kept = new Set(after.entries.map((entry) => entry.commandId));
    for (const commandId of before.stored.keys())
      if (!kept.has(commandId)) outbox.delete(commandId);
    for (const entry of after.entries)
      if (before.stored.get(entry.commandId) !== entry)
        outbox.put(OutboxEntry.parse(entry), entry.commandId);
    if (after.meta !== before.state.meta)
      transaction.objectStore('meta').put(after.meta, QUEUE_META);
  }

  const changeOnce = <T>(work: (state: QueueState) => QueueState & { result: T }): Promise<T> =>
    database.transact(['outbox', 'quarantine', 'meta'], 'readwrite', async (transaction) => {
      const before = await load(transaction);
      const { result, ...after } = work(before.state);
      write(transaction, before, after);
      return result;
    });

  return {
    uid,
    async read() {
      const found = await database.transact(['outbox', 'meta'], 'readonly', load);
      if (found.corrupt.length > 0) await changeOnce((state) => ({ ...state, result: undefined }));
      return found.state;
    },
    async change(work) {
      try {
        return await changeOnce(work);
      } catch (error) {
        if (!(error instanceof StorageFault) || error.code !== 'quota') throw error;
        // Caches make room for intent, never the other way round.
        await trimSnapshots(database, null);
        return changeOnce(work);
      }
    },
    quarantined: () =>
      database.transact(
        ['quarantine'],
        'readonly',
        (transaction) =>
          new Promise<SetAside[]>((resolve, reject) => {
            const request = transaction.objectStore('quarantine').getAll() as IDBRequest<
              { value: unknown }[]
            >;
            request.onsuccess = () => {
              resolve(request.result.map(({ value }) => legible(value)));
            };
            request.onerror = () => {
              reject(request.error ?? new Error('read failed'));
            };
          }),
      ),
    clearQuarantine: () =>
      database.transact(['quarantine'], 'readwrite', (transaction) => {
        transaction.objectStore('quarantine').clear();
      }),
  };
}
