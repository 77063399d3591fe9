/** Recently deleted alerts, each of which can be restored. */
import { proxy } from 'valtio';
import { AlertTerms } from '../../../contract/alerts.ts';
import { cancelCommand, deleteAlert, setAlert } from '../../commands.ts';
import type { AlertView } from '../../stores/alert-view.ts';
import { showResult } from '../show-result.ts';

interface Deleted {
  id: string;
  /** Offered to this user only. */
  uid: string;
  terms: AlertTerms;
  /** The queued deletion; null where nothing had to be sent. */
  commandId: string | null;
}

const UNDO_MS = 8_000;

export const deleted = proxy<{ list: Deleted[] }>({ list: [] });

const forget = (id: string): void => {
  const index = deleted.list.findIndex((one) => one.id === id);
  if (index >= 0) deleted.list.splice(index, 1);
};

export async function removeAlertFrom(
  view: Pick<AlertView, 'id' | 'terms' | 'seenVersion'>,
): Promise<void> {
  const { id, terms, seenVersion } = view;
  const pressed = deleteAlert(id, terms, seenVersion);
  showResult(pressed);
  const result = await pressed;
  if (result.said !== 'saved') return;
  const commandId = result.entry.state === 'cancelled' ? null : result.entry.commandId;
  deleted.list.push({ id, uid: result.entry.uid, terms: AlertTerms.parse(terms), commandId });
  setTimeout(() => {
    forget(id);
  }, UNDO_MS);
}

/** Cancels a deletion that was never sent; otherwise creates the alert again under the same id. */
export async function bringBack({ id, terms, commandId }: Omit<Deleted, 'uid'>): Promise<void> {
  forget(id);
  if (commandId !== null && (await cancelCommand(commandId)) === 'undone') return;
  showResult(setAlert(id, AlertTerms.parse(terms), null));
}
