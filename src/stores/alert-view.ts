/** An alert as shown: the server's state with unsent changes on top. */
import type { Alert, AlertTerms } from '../../contract/alerts.ts';
import type { OutboxEntry } from '../offline/outbox-entry.ts';

export interface AlertView {
  id: string;
  /** As it shall be: the newest command of this device, else the server's state. */
  terms: AlertTerms;
  /** The server's word; null where it has not told of this alert. */
  alert: Alert | null;
  /** The newest command about it that is not over, else a failure not yet dismissed. */
  entry: OutboxEntry | null;
  /** It is to be deleted, and the server has not said so yet. */
  leaving: boolean;
  /** The command was never sent and can be taken back. */
  canUndo: boolean;
  /** What an edit of it is made on. */
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
  // What was taken by the server is told by its own word from then on.
  const terms =
    alert !== null && (open === null ? entry === null : accepted)
      ? termsOf(alert)
      : (requestedTerms ?? (alert === null ? null : termsOf(alert)));
  // Deleted, and the server's word is here: nothing is left to show.
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

/** All alerts, those that wait to be created among them, oldest first. */
export function alertViews(alerts: readonly Alert[], entries: readonly OutboxEntry[]): AlertView[] {
  const known = new Map(alerts.map((alert) => [alert.id, alert]));
  const waiting = entries.flatMap(({ alert }) =>
    alert === undefined || known.has(alert.id) ? [] : [alert.id],
  );
  return [...known.keys(), ...new Set(waiting)].flatMap(
    (id) => viewOf(id, known.get(id) ?? null, entries) ?? [],
  );
}
