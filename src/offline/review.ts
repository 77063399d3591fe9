/**
 * What a person makes of a command that waits: takes it back, or confirms it. Loaded after the first
 * picture.
 */
import {
  concerns,
  isPending,
  isStop,
  readEntry,
  type AlertCommand,
  type CommandRequest,
  type ObservedState,
  type OutboxEntry,
  type Press,
} from './outbox-entry.ts';
import type { Changed, Outbox } from './outbox.ts';
import {
  aged,
  coalesce,
  keeping,
  sameRequest,
  stopCancels,
  unattempted,
  type Stamp,
} from './queue-rules.ts';
import type { QueueState } from './queue-store.ts';

/**
 * `undone`: never sent and never will be. `start-unknown`: the same of a stop, but a start that it had
 * withdrawn was sent and may have arrived. `dismissed`: finished and no longer shown. `not-done`: it
 * was pressed again meanwhile, so it waits.
 */
type Cancelled = 'undone' | 'start-unknown' | 'dismissed' | 'already-sent' | 'gone' | 'not-done';

/**
 * Undoes what was never sent, or dismisses what is finished. The starts that an undone stop had
 * withdrawn wait again. `before`: the queue as it was when the user asked for this.
 */
export const cancelCommandIn = (
  outbox: Outbox,
  commandId: string,
  before?: QueueState,
): Promise<Cancelled> =>
  outbox.change((state) => cancelEntry(state, commandId, outbox.newId, before));

/**
 * A new command in place of one that needed the user, failed or expired; `generations` are the
 * agents' present ones. Null where it no longer waits for that, or the queue is full.
 */
export const confirmCommandIn = (
  outbox: Outbox,
  commandId: string,
  generations: ReadonlyMap<string, number>,
  seen?: ObservedState,
  press?: Press,
): Promise<OutboxEntry | null> =>
  outbox.change((state) => {
    const found = findEntry(state, commandId);
    const entry = found && aged(found, outbox.now(), state.meta.clockOffsetMs);
    if (entry === undefined || isPending(entry)) return { ...state, result: null };
    return replaceEntry(state, entry, confirmedRequest(entry, generations, seen, press), outbox);
  });

const findEntry = ({ entries }: QueueState, commandId: string): OutboxEntry | undefined =>
  entries.find((candidate) => candidate.commandId === commandId);

function cancelEntry(
  state: QueueState,
  commandId: string,
  newId: () => string,
  before: QueueState | undefined,
): Changed<Cancelled> {
  const entry = findEntry(state, commandId);
  if (entry === undefined) return { ...state, result: 'gone' };
  const asked = before && findEntry(before, commandId);
  // A stop that is pressed again keeps its id. While this code was loaded, its Undo came to be older
  // than that press.
  if (asked !== undefined && entry.sequence > asked.sequence)
    return { ...state, result: 'not-done' };
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

/**
 * The queue with the starts that an undone stop had withdrawn. The stops that were pressed after a
 * start and still wait act on it as if it had been there, and give it back in their turn.
 */
function giveBack(
  present: readonly OutboxEntry[],
  starts: readonly OutboxEntry[],
  newId: () => string,
): OutboxEntry[] {
  let back = starts;
  const entries = present.map((stop) => {
    if (!isStop(stop) || !isPending(stop)) return stop;
    const isLater = (start: OutboxEntry): boolean => start.sequence > stop.sequence;
    const { left, withdrawn } = stopCancels(
      back.filter((start) => !isLater(start)),
      stop,
      stop.createdAt,
      newId,
    );
    back = [...left, ...back.filter(isLater)];
    return keeping(stop, withdrawn);
  });
  // A start that asks is answered by a later press of Start, wherever that waited.
  const isAnswered = (start: OutboxEntry): boolean =>
    start.state === 'needs-you' &&
    [...entries, ...back].some(
      ({ intent, agentId, sequence }) =>
        intent === 'start' && agentId === start.agentId && sequence > start.sequence,
    );
  return back.reduce(
    (queue, start) =>
      isAnswered(start) || (unattempted(start) && sameRequest(queue, start) !== undefined)
        ? queue
        : [...queue, start],
    entries,
  );
}

/** Puts a new command in place of `replaced`. Null without a change where the queue is full. */
function replaceEntry(
  state: QueueState,
  replaced: OutboxEntry,
  request: CommandRequest,
  { uid, now, newId }: Outbox,
): Changed<OutboxEntry | null> {
  const { clockOffsetMs, lastSequence } = state.meta;
  const { press = { id: newId(), at: now() } } = request;
  const stamp: Stamp = {
    uid,
    commandId: press.id,
    now: press.at,
    clockOffsetMs,
    clockMoved: false,
    lastSequence,
  };
  const rest = state.entries.filter((candidate) => candidate.commandId !== replaced.commandId);
  const { entries, entry: result } = coalesce(rest, request, stamp, newId);
  return result === null ? { ...state, result: null } : { entries, meta: state.meta, result };
}

/** What `confirmCommandIn` asks for, with the press that it is given, where no disk takes it. */
export const pressedAgain = (
  entry: OutboxEntry,
  generations: ReadonlyMap<string, number>,
  seen?: ObservedState,
): CommandRequest =>
  confirmedRequest(entry, generations, seen, { id: crypto.randomUUID(), at: Date.now() });

/** The same request again, now confirmed by the user. */
function confirmedRequest(
  entry: OutboxEntry,
  generations: ReadonlyMap<string, number>,
  seen: ObservedState | undefined,
  press: Press | undefined,
): CommandRequest {
  const { intent, agentId, agentName } = entry;
  return {
    press,
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

/** The request for an alert against its present version; as a new one where it is gone. */
function againOf(
  { alert }: OutboxEntry,
  versions: ReadonlyMap<string, number>,
): AlertCommand | undefined {
  return alert === undefined
    ? undefined
    : { ...alert, seenVersion: versions.get(alert.id) ?? null };
}
