/** What of the queue is sent next, and when. Nothing of it is needed before something waits. */
import { STOPS_AT_ONCE } from '../../contract/limits.ts';
import { isAlert, isPending, isStop, type OutboxEntry } from './outbox-entry.ts';
import { bySequence, overlap } from './queue-rules.ts';

/**
 * The longest wait between two sends, whatever the server asks. A longer one comes from a clock
 * that was set back.
 */
export const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * What may be sent now, beside what is under way: stops first, up to four at once; then starts,
 * then alerts, one by one. Starts of one agent keep their order, and follow any earlier stop of it.
 * Stops do not wait for each other, except for the same one; they wait only for a start of their
 * agent that is under way.
 */
export function pick(
  entries: readonly OutboxEntry[],
  inFlight: readonly OutboxEntry[],
  now: number,
): OutboxEntry[] {
  const pending = entries.filter(isPending).sort(bySequence);
  const flying = (entry: OutboxEntry): boolean =>
    inFlight.some((other) => other.commandId === entry.commandId);
  const due = ({ nextAttemptAt }: OutboxEntry): boolean =>
    nextAttemptAt === null || nextAttemptAt <= now || nextAttemptAt - now > LONGEST_WAIT_MS;
  const ready = pending.filter((entry) => !flying(entry) && due(entry));
  const overtakes = (entry: OutboxEntry): boolean =>
    pending.some(
      (other) =>
        other.sequence < entry.sequence &&
        (isStop(entry)
          ? other.intent === entry.intent && other.agentId === entry.agentId
          : overlap(other, entry)),
    );
  const startFlies = (entry: OutboxEntry): boolean =>
    inFlight.some((other) => !isStop(other) && overlap(other, entry));
  const stops = ready
    .filter((entry) => isStop(entry) && !overtakes(entry) && !startFlies(entry))
    .slice(0, Math.max(0, STOPS_AT_ONCE - inFlight.filter(isStop).length));
  if (stops.length > 0 || inFlight.length > 0) return stops;
  const next =
    ready.find((entry) => !isStop(entry) && !isAlert(entry) && !overtakes(entry)) ??
    ready.find((entry) => isAlert(entry) && !overtakes(entry));
  return next === undefined ? [] : [next];
}

/** When the next entry becomes due (device clock, ms); null when nothing waits for time. */
export function nextDueAt(entries: readonly OutboxEntry[]): number | null {
  const times = entries.filter(isPending).map((entry) => entry.nextAttemptAt ?? 0);
  return times.length === 0 ? null : Math.min(...times);
}
