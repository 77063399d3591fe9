/** The queue's rules as pure functions: what joins it, and what time makes of it. */
import {
  BACKOFF_BASE_MS,
  BACKOFF_MAX_MS,
  OUTBOX_MAX,
  START_FRESH_MS,
  START_LAPSE_MS,
} from '../../contract/limits.ts';
import { backoffCeilingMs, type Backoff } from '../../contract/retry.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import {
  ALERT_ENTRY_VERSION,
  concerns,
  isAlert,
  isPending,
  isStop,
  OUTBOX_ENTRY_VERSION,
  type OutboxEntry,
  type SeenAgent,
  type CommandRequest,
} from './outbox-entry.ts';

/** The last places of a full queue are reserved for stops. */
export const RESERVED_FOR_STOPS = 100;
/** Two clock readings that differ by more than this mean that the clock was set. */
export const CLOCK_TOLERANCE_MS = 2 * 60_000;

export interface Stamp {
  uid: string;
  commandId: string;
  /** Device clock, ms. */
  now: number;
  clockOffsetMs: number | null;
  clockMoved: boolean;
  /** The highest sequence so far, also of commands that have left the queue. */
  lastSequence?: number | undefined;
}

export interface Change {
  /** The queue after the change, by sequence. */
  entries: OutboxEntry[];
  /** The entry for the request; null where the queue was full. */
  entry: OutboxEntry | null;
}

export const bySequence = (a: OutboxEntry, b: OutboxEntry): number => a.sequence - b.sequence;
export const unattempted = (entry: OutboxEntry): boolean =>
  entry.attempts === 0 && (entry.state === 'saved' || entry.state === 'needs-you');
const isOver = (entry: OutboxEntry): boolean =>
  entry.state === 'failed' || entry.state === 'lapsed' || entry.state === 'cancelled';
export const unresolved = (entry: OutboxEntry): boolean =>
  isPending(entry) || entry.state === 'needs-you';

function entryOf(request: CommandRequest, stamp: Stamp, sequence: number): OutboxEntry {
  return {
    version: isAlert(request) ? ALERT_ENTRY_VERSION : OUTBOX_ENTRY_VERSION,
    commandId: stamp.commandId,
    uid: stamp.uid,
    intent: request.intent,
    agentId: request.agentId,
    agentName: request.agentName,
    agents: request.agents,
    seenGeneration: request.seenGeneration,
    sequence,
    createdAt: stamp.now,
    clockOffsetMs: stamp.clockOffsetMs,
    clockMoved: stamp.clockMoved,
    contractVersion: CONTRACT_VERSION,
    attempts: 0,
    failures: 0,
    nextAttemptAt: null,
    state: 'saved',
    reason: null,
    confirmed: request.confirmed,
    ...(request.seen === undefined ? {} : { seen: request.seen }),
    ...(request.tested === undefined ? {} : { tested: request.tested }),
    ...(request.alert === undefined ? {} : { alert: request.alert }),
    ...(request.withdrawn === undefined ? {} : { withdrawn: request.withdrawn }),
  };
}

/** A press on an agent replaces finished entries of earlier presses. */
function withoutLeftovers(entries: OutboxEntry[], request: CommandRequest): OutboxEntry[] {
  const mine = concerns(request);
  return entries.filter((entry) => {
    if (!isOver(entry) || isAlert(entry)) return true;
    const theirs = concerns(entry);
    return !(mine === null || (theirs !== null && theirs.every((id) => mine.includes(id))));
  });
}

/**
 * What a stop does to earlier starts. An unsent one is removed. One sent without an answer must not
 * be sent again after the stop, or it would start what the user has stopped. `withdrawn`: those that
 * no longer go under their id.
 */
export function stopCancels(
  entries: readonly OutboxEntry[],
  stop: Pick<OutboxEntry, 'intent' | 'agentId'>,
  now: number,
  newId: () => string,
): { left: OutboxEntry[]; withdrawn: OutboxEntry[] } {
  const covers = (id: string): boolean => stop.intent === 'stop-all' || stop.agentId === id;
  const left = entries.flatMap((entry): OutboxEntry[] => {
    if (isStop(entry) || !unresolved(entry)) return [entry];
    if (entry.intent === 'start')
      return entry.agentId !== null && covers(entry.agentId) ? [] : [entry];
    const agents = entry.agents.filter((agent) => !covers(agent.id));
    if (agents.length === entry.agents.length) return [entry];
    if (agents.length === 0) return [];
    // Another list under the same id would be rejected, and nobody here may know that it was sent
    // past the disk. Agents it has already started are simply found running.
    return [
      {
        ...entry,
        agents,
        commandId: newId(),
        attempts: 0,
        failures: 0,
        nextAttemptAt: null,
        state: entry.state === 'needs-you' ? 'needs-you' : 'saved',
        createdAt: Math.min(entry.createdAt, now),
      },
    ];
  });
  const isLeft = ({ commandId }: OutboxEntry): boolean =>
    left.some((entry) => entry.commandId === commandId);
  return { left, withdrawn: entries.filter((entry) => !isLeft(entry)) };
}

/** A stop that keeps these starts too, for its Undo. */
export const keeping = <Stop extends Pick<OutboxEntry, 'withdrawn'>>(
  stop: Stop,
  starts: readonly OutboxEntry[],
): Stop =>
  starts.length === 0 ? stop : { ...stop, withdrawn: [...(stop.withdrawn ?? []), ...starts] };

/** An unattempted entry with the same request, unless something later contradicts it. */
export function sameRequest(
  entries: OutboxEntry[],
  request: CommandRequest,
): OutboxEntry | undefined {
  const sameTarget = (entry: OutboxEntry): boolean => {
    if (entry.intent !== request.intent) return false;
    if (request.intent === 'start' || request.intent === 'stop')
      return entry.agentId === request.agentId;
    return request.intent === 'stop-all' || sameAgents(entry.agents, request.agents);
  };
  const same = entries
    .filter((entry) => unattempted(entry) && entry.state === 'saved' && sameTarget(entry))
    .sort(bySequence)[0];
  if (same === undefined) return undefined;
  const contradicted = entries.some(
    (entry) =>
      entry.sequence > same.sequence &&
      isStop(entry) !== isStop(same) &&
      unresolved(entry) &&
      overlap(entry, same),
  );
  return contradicted ? undefined : same;
}

const sameAgents = (a: SeenAgent[], b: SeenAgent[]): boolean =>
  a.length === b.length && a.every((agent) => b.some((other) => other.id === agent.id));

/** Whether two entries concern the same agent or alert. */
export function overlap(a: OutboxEntry, b: OutboxEntry): boolean {
  if (isAlert(a) || isAlert(b)) return a.alert?.id === b.alert?.id;
  const [left, right] = [concerns(a), concerns(b)];
  return left === null || right === null || left.some((id) => right.includes(id));
}

/**
 * Adds a press to the queue, once. Only unattempted entries are merged: the same request twice
 * keeps the first; start then stop becomes stop; stop then start keeps both in order; stop-all
 * supersedes every unsent start.
 */
export function coalesce(
  present: readonly OutboxEntry[],
  request: CommandRequest,
  stamp: Stamp,
  newId: () => string,
): Change {
  const here = present.find(({ commandId }) => commandId === stamp.commandId);
  if (here !== undefined) return { entries: [...present], entry: here };
  if (isAlert(request)) return coalesceAlert(present, request, stamp);
  const before = withoutLeftovers([...present], request);
  const { left, withdrawn } = isStop(request)
    ? stopCancels(before, request, stamp.now, newId)
    : { left: before, withdrawn: [] };
  let entries = left;
  // Pressing Start again confirms a start that waits for confirmation.
  if (request.intent === 'start')
    entries = entries.filter(
      (entry) =>
        !(
          entry.intent === 'start' &&
          entry.agentId === request.agentId &&
          entry.state === 'needs-you'
        ),
    );
  const same = sameRequest(entries, request);
  if (same === undefined) return joined(present, entries, keeping(request, withdrawn), stamp);
  // Pressed again, a stop counts as pressed now: no start before it comes back past it.
  const entry = isStop(request)
    ? keeping({ ...same, sequence: nextSequence(present, stamp) }, withdrawn)
    : same;
  return {
    entries: entries.map((one) => (one === same ? entry : one)).sort(bySequence),
    entry,
  };
}

export const highestSequence = (entries: readonly OutboxEntry[], last = 0): number =>
  Math.max(last, ...entries.map((entry) => entry.sequence));
const nextSequence = (present: readonly OutboxEntry[], { lastSequence }: Stamp): number =>
  highestSequence(present, lastSequence) + 1;

/** Appends the request, where there is a place for it. */
function joined(
  present: readonly OutboxEntry[],
  left: readonly OutboxEntry[],
  request: CommandRequest,
  stamp: Stamp,
): Change {
  const capacity = isStop(request) ? OUTBOX_MAX : OUTBOX_MAX - RESERVED_FOR_STOPS;
  if (left.length >= capacity) return { entries: [...present].sort(bySequence), entry: null };
  const entry = entryOf(request, stamp, nextSequence(present, stamp));
  return { entries: [...left, entry].sort(bySequence), entry };
}

/**
 * The newest request about an alert replaces all unsent ones. One sent without an answer stays
 * before it, so that the server gets both in order. Deleting an alert that the server never heard
 * of sends nothing: the request is answered by a cancelled entry outside the queue.
 */
function coalesceAlert(
  present: readonly OutboxEntry[],
  request: CommandRequest,
  stamp: Stamp,
): Change {
  const { alert } = request;
  const mine = (entry: OutboxEntry): boolean => entry.alert?.id === alert?.id;
  const left = present.filter((entry) => !mine(entry) || (isPending(entry) && entry.attempts > 0));
  const withdrawn = present.some(
    (entry) => mine(entry) && !left.includes(entry) && entry.alert?.seenVersion === null,
  );
  const unheard =
    alert?.terms === null && alert.seenVersion === null && withdrawn && !left.some(mine);
  if (unheard)
    return {
      entries: [...left].sort(bySequence),
      entry: { ...entryOf(request, stamp, 0), state: 'cancelled' },
    };
  return joined(present, left, request, stamp);
}

/** How long a command has waited, ms; null where the device's clock was set meanwhile. */
function ageMs(entry: OutboxEntry, now: number, clockOffsetMs: number | null): number | null {
  if (entry.clockMoved || now < entry.createdAt) return null;
  const moved =
    entry.clockOffsetMs === null || clockOffsetMs === null
      ? 0
      : Math.abs(entry.clockOffsetMs - clockOffsetMs);
  if (moved > CLOCK_TOLERANCE_MS) return null;
  return now - entry.createdAt;
}

/**
 * The effect of time on an entry. A stop never ages. A start is sent without asking for 30 minutes,
 * must be confirmed after that or when its age is unknown, and expires after 24 hours. An alert
 * never ages: the server checks prices from the moment of the press.
 */
export function aged(entry: OutboxEntry, now: number, clockOffsetMs: number | null): OutboxEntry {
  if (isStop(entry) || isAlert(entry) || !unresolved(entry)) return entry;
  const age = ageMs(entry, now, clockOffsetMs);
  const note = (state: 'needs-you' | 'lapsed', code: string, message: string): OutboxEntry => ({
    ...entry,
    state,
    nextAttemptAt: null,
    reason: { code, message, at: now },
  });
  if (age !== null && age > START_LAPSE_MS)
    return note(
      'lapsed',
      'command_lapsed',
      `This start waited for more than 24 hours and was not ${entry.attempts > 0 ? 'confirmed' : 'sent'}`,
    );
  if (entry.state === 'needs-you') return entry;
  if (age === null)
    return note(
      'needs-you',
      'clock_moved',
      "This device's clock was changed. It is unknown how long this start has waited",
    );
  if (age > START_FRESH_MS)
    return note('needs-you', 'start_stale', 'This start has waited for more than 30 minutes');
  return entry;
}

const BACKOFF: Backoff = { baseMs: BACKOFF_BASE_MS, maxMs: BACKOFF_MAX_MS };

/** Full jitter, 1 s doubling to 60 s. `random` is in [0, 1). */
export const backoffMs = (failures: number, random: number): number =>
  Math.round(random * backoffCeilingMs(BACKOFF, failures));
