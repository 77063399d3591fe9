/** What the delivery of a command leaves of the queue. Loaded with the code that delivers. */
import { isAlert, isStop, readEntry, type EntryResult, type OutboxEntry } from './outbox-entry.ts';
import { unresolved } from './queue-rules.ts';

/**
 * The queue without a command whose id was echoed. If the server rejected some of its agents, a
 * failure remains.
 */
export function afterDelivery(
  present: readonly OutboxEntry[],
  delivered: OutboxEntry,
  generations: ReadonlyMap<string, number>,
  left: OutboxEntry | null,
): OutboxEntry[] {
  const kept = present.filter((candidate) => !endedBy(delivered, candidate));
  const entries = kept.flatMap((candidate) => {
    if (candidate.commandId !== delivered.commandId) return [candidate];
    return left === null ? [] : [left];
  });
  return rebase(entries, delivered, generations).map((entry) =>
    entry.withdrawn === undefined
      ? entry
      : { ...entry, withdrawn: withdrawnAfter(entry.withdrawn, delivered, generations) },
  );
}

/** What Undo gives back hears of a delivery as if it had waited in the queue. */
const withdrawnAfter = (
  withdrawn: readonly unknown[],
  delivered: OutboxEntry,
  generations: ReadonlyMap<string, number>,
): unknown[] =>
  withdrawn.flatMap((raw) => {
    const read = readEntry(raw);
    if (read.is !== 'entry') return [raw];
    return read.entry.commandId === delivered.commandId
      ? []
      : rebase([read.entry], delivered, generations);
  });

/** A deleted alert takes its failed commands with it. */
const endedBy = (delivered: OutboxEntry, { alert, sequence, state }: OutboxEntry): boolean =>
  delivered.intent === 'delete-alert' &&
  alert?.id === delivered.alert?.id &&
  sequence < delivered.sequence &&
  (state === 'failed' || state === 'needs-you');

/**
 * After one of our own commands was accepted, a later start of the same agent gets the new
 * generation: only somebody else's change needs confirmation. `generations`: of the agents in the
 * reply.
 */
export function rebase(
  entries: readonly OutboxEntry[],
  delivered: OutboxEntry,
  generations: ReadonlyMap<string, number>,
): OutboxEntry[] {
  const observedGenerations = new Map(
    delivered.agents.map((agent) => [agent.id, agent.seenGeneration ?? null]),
  );
  if (delivered.agentId !== null)
    observedGenerations.set(delivered.agentId, delivered.seenGeneration);
  const next = (id: string, seen: number | null): number | null => {
    const now = generations.get(id);
    const then = observedGenerations.get(id) ?? null;
    return now !== undefined && seen !== null && seen === then && now - then <= 1 && now >= then
      ? now
      : seen;
  };
  return entries.map((entry) => {
    if (
      isStop(entry) ||
      entry.attempts > 0 ||
      entry.sequence <= delivered.sequence ||
      !unresolved(entry)
    )
      return entry;
    if (isAlert(entry)) return rebaseAlert(entry, delivered, generations);
    if (entry.agentId !== null) {
      const seenGeneration = next(entry.agentId, entry.seenGeneration);
      return seenGeneration === entry.seenGeneration ? entry : { ...entry, seenGeneration };
    }
    const agents = entry.agents.map((agent) => {
      const seen = next(agent.id, agent.seenGeneration ?? null);
      return seen === null ? agent : { ...agent, seenGeneration: seen };
    });
    return { ...entry, agents };
  });
}

/** The same for an alert, with versions in place of generations. */
function rebaseAlert(
  entry: OutboxEntry,
  { alert: delivered }: OutboxEntry,
  versions: ReadonlyMap<string, number>,
): OutboxEntry {
  const { alert } = entry;
  if (
    alert === undefined ||
    delivered?.id !== alert.id ||
    delivered.seenVersion !== alert.seenVersion
  )
    return entry;
  const seenVersion =
    delivered.terms === null ? null : (versions.get(alert.id) ?? alert.seenVersion);
  return { ...entry, alert: { ...alert, seenVersion } };
}

/**
 * What remains of a partly accepted command for many agents: a failure that names the rejected
 * ones, so that a retry concerns only them. Null where all succeeded.
 */
export function partlyRefused(
  entry: OutboxEntry,
  results: readonly EntryResult[],
  now: number,
): OutboxEntry | null {
  const refused = results.filter((result) => !result.went);
  if (refused.length === 0) return null;
  const seen = new Map(entry.agents.map((agent) => [agent.id, agent]));
  const verb = isStop(entry) ? 'stopped' : 'started';
  return {
    ...entry,
    state: 'failed',
    nextAttemptAt: null,
    results: [...results],
    agents: refused.map(({ agentId }) => seen.get(agentId) ?? { id: agentId }),
    reason: {
      code: 'partly_refused',
      message: `${results.length - refused.length} of ${results.length} ${verb}`,
      at: now,
    },
  };
}
