/** Which account is shown, paper or one at an exchange, kept on this device. */
import { proxy } from 'valtio';
import type { LiveExchange } from '../../contract/signer.ts';
import { session } from '../identity/session.ts';
import { changePreference, readPreference } from '../offline/device-preferences.ts';

export interface LiveName {
  id: string;
  exchange: LiveExchange;
  label: string;
}

/** `known`: the exchange accounts that may be chosen, as last heard. */
export const accountChoice = proxy<{ chosen: string | null; known: LiveName[] }>({
  chosen: null,
  known: [],
});

/** Loads a user's choice; `present` says whether they are still logged in. */
export async function loadAccountChoice(
  uid: string,
  present: () => boolean = () => true,
): Promise<void> {
  const kept = await readPreference(uid, 'account');
  if (kept === null || !present()) return;
  accountChoice.known = kept.known;
  accountChoice.chosen = kept.chosen;
}

async function keep(): Promise<void> {
  const uid = session.user?.uid;
  const { chosen, known } = accountChoice;
  if (uid !== undefined)
    await changePreference(uid, 'account', () => ({
      chosen,
      known: known.map(({ id, exchange, label }) => ({ id, exchange, label })),
    }));
}

/** Applied at once and saved; null for paper. */
export async function chooseAccount(id: string | null): Promise<void> {
  accountChoice.chosen = id;
  await keep();
}

/** What the server says there is. An account that is gone gives the choice back to paper. */
export async function noteLiveAccounts(names: readonly LiveName[]): Promise<void> {
  const next = names.map(({ id, exchange, label }) => ({ id, exchange, label }));
  const isSame = JSON.stringify(next) === JSON.stringify(accountChoice.known);
  const isGone =
    accountChoice.chosen !== null && !next.some(({ id }) => id === accountChoice.chosen);
  if (isSame && !isGone) return;
  accountChoice.known = next;
  if (isGone) accountChoice.chosen = null;
  await keep();
}

export function clearAccountChoice(): void {
  accountChoice.known = [];
  accountChoice.chosen = null;
}
