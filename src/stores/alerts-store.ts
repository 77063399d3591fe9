/** The user's price alerts and their firings, as the server last reported them. */
import { proxy } from 'valtio';
import type { Alert, AlertFiring, AlertList } from '../../contract/alerts.ts';
import { ALERT_FIRINGS_TOLD } from '../../contract/limits.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { advance, clear, emptySlot, fill, isWhole, type Origin, type Slot } from './slot.ts';
import { ToldNews } from './told-news.ts';

export const alertsStore = proxy<Slot<AlertList>>(emptySlot());

/** The newest firing (server's wall clock, ms) that the user has seen on this device. */
export const alertsSeen = proxy<{ until: number }>({ until: 0 });

const SEEN_KEY = 'tradewind.alertsSeen';
/** On a device that has never shown the list, older firings are not new. */
const NEWS_MS = 24 * 60 * 60_000;

interface EarlyNews {
  /** Null: deleted. */
  alert: Alert | null;
  sequence: number | null;
}

/**
 * What was said of alerts while no whole list was loaded. A list that was asked for before, and comes
 * after, does not know of it.
 */
const early = {
  alerts: new Map<string, EarlyNews>(),
  firings: new Map<string, { firing: AlertFiring; sequence: number }>(),
};

/** Which were said to be deleted: an answer from before may name one. */
export const goneAlerts = new Set<string>();

const told = new ToldNews<Alert>((next, listed) => next.version > listed.version);

function forgetEarly(): void {
  early.alerts.clear();
  early.firings.clear();
}

/** Applies what the server's list is too old to know. */
function applyEarly(list: AlertList): void {
  const firings = [...early.firings.values()].filter(({ sequence }) => sequence > list.sequence);
  const alerts = [...early.alerts].sort(([, a], [, b]) => (a.sequence ?? -1) - (b.sequence ?? -1));
  forgetEarly();
  for (const { firing } of firings.sort((a, b) => a.sequence - b.sequence)) addFiring(firing);
  for (const [id, { alert, sequence }] of alerts) {
    const isKnown = alertsStore.data?.alerts.some((one) => one.id === id) === true;
    if (alert === null) removeAlert(id, sequence);
    // A reply without a sequence may be older than the alert's deletion, which the list shows.
    else if (sequence !== null || isKnown) applyAlert(alert, sequence);
  }
}

/** Replaces the list unless a newer one is loaded. `asked`: when the server was asked for it. */
export function applyAlerts(
  next: AlertList,
  origin: Origin,
  savedAt = Date.now(),
  asked = told.asked(),
): void {
  const present = alertsStore.data;
  if (present !== null && next.sequence < present.sequence) return;
  if (alertsSeen.until === 0)
    alertsSeen.until = Number(localStorage.getItem(SEEN_KEY) ?? next.servedAt - NEWS_MS);
  const alerts = origin === 'network' ? told.over(next.alerts, asked) : next.alerts;
  fill(alertsStore, { ...next, alerts }, origin, savedAt);
  // A list from the device may lack more than that: it waits for the server's.
  if (origin === 'network') applyEarly(next);
}

/** Whether the list on its way may not know of it. What a reply said is laid over that list. */
const isEarly = (sequence: number | null): boolean =>
  alertsStore.data === null || (sequence !== null && !isWhole(alertsStore));

/**
 * One alert, from the stream (with its sequence) or from a command's reply (null). Never back to an
 * older version.
 */
export function applyAlert(next: Alert, sequence: number | null, savedAt = Date.now()): void {
  const present = alertsStore.data;
  const known = present?.alerts.find(({ id }) => id === next.id);
  if (sequence === null) told.note(next.id, next, known === undefined);
  if (isEarly(sequence)) {
    const before = early.alerts.get(next.id)?.alert;
    if (before == null || next.version >= before.version)
      early.alerts.set(next.id, { alert: next, sequence });
  }
  if (present === null || (sequence ?? Infinity) <= present.sequence) return;
  if (known === undefined) present.alerts.push(next);
  // A reply may arrive after the stream has reported a later state of that version.
  else if (sequence === null ? next.version > known.version : next.version >= known.version)
    Object.assign(known, next);
  advance(alertsStore, sequence, savedAt);
}

/** Removes a deleted alert; its firings stay. */
export function removeAlert(id: string, sequence: number | null, savedAt = Date.now()): void {
  const present = alertsStore.data;
  goneAlerts.add(id);
  if (sequence === null) told.note(id, null, false);
  if (isEarly(sequence)) early.alerts.set(id, { alert: null, sequence });
  if (present === null || (sequence ?? Infinity) <= present.sequence) return;
  const index = present.alerts.findIndex((alert) => alert.id === id);
  if (index >= 0) present.alerts.splice(index, 1);
  advance(alertsStore, sequence, savedAt);
}

function addFiring(firing: AlertFiring): void {
  const present = alertsStore.data;
  if (present === null) return;
  present.firings = [firing, ...present.firings.filter(({ id }) => id !== firing.id)].slice(
    0,
    ALERT_FIRINGS_TOLD,
  );
}

/** A new firing, on top of the list. Answers whether the list did not know it. */
export function applyFiring(
  alert: Alert,
  firing: AlertFiring,
  sequence: number,
  savedAt = Date.now(),
): boolean {
  const present = alertsStore.data;
  if (present !== null && sequence <= present.sequence) return false;
  if (isEarly(sequence)) early.firings.set(firing.id, { firing, sequence });
  addFiring(firing);
  applyAlert(alert, sequence, savedAt);
  return true;
}

/** Firings not yet seen on this device. */
export const unseenFirings = (
  firings: readonly Pick<AlertFiring, 'recordedAt'>[],
  until: number,
): number => firings.filter(({ recordedAt }) => recordedAt > until).length;

/** Marks the list as seen. */
export function noteAlertsSeen(): void {
  const newest = alertsStore.data?.firings[0]?.recordedAt ?? 0;
  if (newest <= alertsSeen.until) return;
  alertsSeen.until = newest;
  localStorage.setItem(SEEN_KEY, String(newest));
}

export function loadAlerts(force = false): Promise<void> {
  let asked = 0;
  return load(
    alertsStore,
    force,
    () => {
      asked = told.asked();
      return api.call('alerts', {});
    },
    (reply) => {
      applyAlerts(reply, 'network', Date.now(), asked);
    },
  );
}

export function clearAlerts(): void {
  forgetEarly();
  told.clear();
  goneAlerts.clear();
  clear(alertsStore);
  alertsSeen.until = 0;
}
