/** An alert as shown: the server's state with unsent changes on top. */
import type { Alert, AlertTerms } from '../../contract/alerts.ts';
import type { OutboxEntry } from '../offline/outbox-entry.ts';

export interface AlertView {
  id: string;
  /** As it will be: from the newest command of this device, otherwise the server's state. */
  terms: AlertTerms;
  /** The server's state; null where it does not know this alert. */
  alert: Alert | null;
  /** The newest pending command, otherwise a failure that was not dismissed. */
  entry: OutboxEntry | null;
  /** Its deletion is not confirmed by the server yet. */
  leaving: boolean;
  /** The command was never sent and can be undone. */
  canUndo: boolean;
  /** The version that an edit is based on. */
  seenVersion: number | null;
}

const isOpen = ({ state }: OutboxEntry): boolean =>
  state !== 'failed' && state !== 'lapsed' && state !== 'cancelled';

const termsOf = ({ symbol, condition, repeatMinutes, note, active }: Alert): AlertTerms => ({
  symbol,
  condition,
  repeatMinutes,
  note,
  active,
});

function viewOf(
  id: string,
  alert: Alert | null,
  entries: readonly OutboxEntry[],
): AlertView | null {
  const mine = entries
    .filter((entry) => entry.alert?.id === id)
    .sort((a, b) => b.sequence - a.sequence);
  const open = mine.find(isOpen) ?? null;
  const entry = open ?? mine.find(({ state }) => state === 'failed' || state === 'lapsed') ?? null;
  const requestedTerms = mine.find((one) => one.alert?.terms != null && one.state !== 'cancelled')
    ?.alert?.terms;
  const accepted = open?.state === 'accepted';
  // Once the server has accepted a command, its own state counts.
  const terms =
    alert !== null && (open === null ? entry === null : accepted)
      ? termsOf(alert)
      : (requestedTerms ?? (alert === null ? null : termsOf(alert)));
  // Deleted and confirmed: nothing to show.
  if (terms === null || (accepted && open.alert?.terms === null)) return null;
  return {
    id,
    terms,
    alert,
    entry,
    leaving: open?.alert?.terms === null,
    canUndo: open !== null && open.state === 'saved' && open.attempts === 0,
    seenVersion: alert?.version ?? null,
  };
}

/** All alerts, including those waiting to be created, oldest first. */
export function alertViews(alerts: readonly Alert[], entries: readonly OutboxEntry[]): AlertView[] {
  const known = new Map(alerts.map((alert) => [alert.id, alert]));
  const waiting = entries.flatMap(({ alert }) =>
    alert === undefined || known.has(alert.id) ? [] : [alert.id],
  );
  return [...known.keys(), ...new Set(waiting)].flatMap(
    (id) => viewOf(id, known.get(id) ?? null, entries) ?? [],
  );
}
