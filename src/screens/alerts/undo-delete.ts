/** Recently deleted alerts, each of which can be restored in its place. */
import { proxy } from 'valtio';
import { AlertTerms } from '../../../contract/alerts.ts';
import { cancelCommand, deleteAlert, setAlert } from '../../commands.ts';
import type { AlertView } from '../../stores/alert-view.ts';
import { OFFER_BY_KEY_MS, OFFER_MS } from '../../stores/stop-offer.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { showResult } from '../show-result.ts';
import { NOT_UNDONE } from '../undo-command.ts';

/** Where and how Delete was pressed. */
export interface DeletePlace {
  /** The ids of the rows above it, nearest first. */
  above: readonly string[];
  byKey: boolean;
}

export interface Deleted extends DeletePlace {
  id: string;
  /** Offered to this user only. */
  uid: string;
  terms: AlertTerms;
  /**
   * Of the edit that the deletion took the place of before the server had it: the version it was
   * based on. Null where the server has these terms.
   */
  unsentVersion: number | null;
  /** The queued deletion; null where nothing had to be sent. */
  commandId: string | null;
  /** Undo was pressed. The offer stays in its place until the alert is back. */
  undoing: boolean;
}

/** `newest`: the alert that was deleted last, which is announced. */
export const deleted = proxy<{ list: Deleted[]; newest: string | null }>({
  list: [],
  newest: null,
});

const timers = new Map<string, ReturnType<typeof setTimeout>>();
/** The alert whose Undo was pressed by keyboard: its row gets the focus. */
let returning: string | null = null;

/** The offer stays while a pointer or the focus is on it. */
export function holdOffer(id: string): void {
  clearTimeout(timers.get(id));
}

/** Its time runs, from its beginning. */
export function releaseOffer(id: string): void {
  holdOffer(id);
  const offer = deleted.list.find((one) => one.id === id);
  if (offer === undefined) return;
  const timer = setTimeout(
    () => {
      forget(id);
    },
    offer.byKey ? OFFER_BY_KEY_MS : OFFER_MS,
  );
  timers.set(id, timer);
}

function forget(id: string): void {
  holdOffer(id);
  timers.delete(id);
  const index = deleted.list.findIndex((one) => one.id === id);
  if (index >= 0) deleted.list.splice(index, 1);
}

export async function removeAlertFrom(
  view: Pick<AlertView, 'id' | 'terms' | 'seenVersion' | 'entry'>,
  place: DeletePlace,
): Promise<void> {
  const { id, terms, seenVersion, entry } = view;
  const isUnsent = entry?.state === 'saved' || entry?.state === 'sending';
  forget(id);
  const pressed = deleteAlert(id, terms, seenVersion);
  showResult(pressed);
  const result = await pressed;
  if (result.said !== 'saved') return;
  const { uid, state, commandId } = result.entry;
  deleted.list.push({
    ...place,
    id,
    uid,
    terms: AlertTerms.parse(terms),
    unsentVersion: isUnsent ? seenVersion : null,
    commandId: state === 'cancelled' ? null : commandId,
    undoing: false,
  });
  deleted.newest = id;
  releaseOffer(id);
}

/**
 * Cancels a deletion that was never sent, and saves the edit again that it took the place of;
 * otherwise creates the alert again under the same id.
 */
async function isRestored(offer: Deleted): Promise<boolean> {
  const { id, terms, unsentVersion, commandId } = offer;
  const cancelled = commandId === null ? 'gone' : await cancelCommand(commandId);
  const isBack = cancelled === 'undone';
  if (isBack && unsentVersion === null) return true;
  if (cancelled === 'not-done') {
    pageToast('error', NOT_UNDONE);
    return false;
  }
  const pressed = setAlert(id, AlertTerms.parse(terms), isBack ? unsentVersion : null);
  showResult(pressed);
  const { said } = await pressed;
  return isBack || said === 'saved' || said === 'sent';
}

/** Where that fails, the offer stands again. */
export async function bringBack(id: string, byKey: boolean): Promise<void> {
  const offer = deleted.list.find((one) => one.id === id);
  if (offer === undefined || offer.undoing) return;
  offer.undoing = true;
  returning = byKey ? id : null;
  let isBack = false;
  try {
    isBack = await isRestored(offer);
  } finally {
    offer.undoing = isBack;
    if (!isBack) returning = null;
    releaseOffer(id);
  }
}

/** Asked by the row of an alert that is shown; true once. */
export function takesFocusBack(id: string): boolean {
  if (returning !== id) return false;
  returning = null;
  return true;
}
