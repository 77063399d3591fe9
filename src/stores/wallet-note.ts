/** Which wallet was last connected, known without loading the wallet. It is deleted at log-out. */
import { useEffect } from 'react';
import { proxy, useSnapshot } from 'valtio';
import { fields, number, readJson, text, textLike, yesOrNo } from '../../contract/readers.ts';
import { CHAIN_ADDRESS } from '../../contract/text-forms.ts';
import { keepsSnapshots } from '../commands.ts';
import { readLastUser } from '../identity/last-user.ts';
import { session } from '../identity/session.ts';

export interface WalletNote {
  address: string;
  chain: string;
  testCoins: boolean;
  /** Device clock, ms. */
  at: number;
}

const kept = fields({
  address: textLike(CHAIN_ADDRESS),
  chain: text,
  testCoins: yesOrNo,
  at: number,
  uid: text,
});

const KEY = 'tradewind.wallet';

/** `live`: the wallet is loaded in this page, and the note is its present state. */
export const walletNote = proxy<{ uid: string | null; note: WalletNote | null; live: boolean }>({
  uid: null,
  note: null,
  live: false,
});

function parse(json: string | null, uid: string): WalletNote | null {
  const note = readJson(kept, json);
  if (note?.uid !== uid) return null;
  const { address, at, chain, testCoins } = note;
  return { address, at, chain, testCoins };
}

/** Shows the saved note of this user, and follows other tabs. Returns a function that stops it. */
export function openWalletNote(uid: string): () => void {
  // A note that is not live is read again: a log-out may have deleted it.
  if (walletNote.uid !== uid || !walletNote.live)
    Object.assign(walletNote, { uid, note: parse(localStorage.getItem(KEY), uid), live: false });
  const follow = (event: StorageEvent): void => {
    if (event.key === KEY && !walletNote.live) walletNote.note = parse(event.newValue, uid);
  };
  addEventListener('storage', follow);
  return () => {
    removeEventListener('storage', follow);
  };
}

/** Saves the wallet's state; null: not connected. */
export function noteWallet(note: WalletNote | null): void {
  const uid = readLastUser()?.uid;
  // Logged out: the note is deleted, and nothing is written after that.
  if (uid === undefined) {
    Object.assign(walletNote, { uid: null, note: null, live: false });
    return;
  }
  Object.assign(walletNote, { uid, note, live: true });
  try {
    if (note === null || !keepsSnapshots()) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify({ ...note, uid }));
  } catch {
    // Without free storage the note lasts as long as the page.
  }
}

export type ShownWallet = WalletNote & { live: boolean };

/** The wallet of the page's user; null where none was connected. */
export function useWalletNote(): ShownWallet | null {
  const uid = useSnapshot(session).user?.uid ?? null;
  const { live, note, uid: whose } = useSnapshot(walletNote);
  useEffect(() => (uid === null ? undefined : openWalletNote(uid)), [uid]);
  return note === null || uid === null || whose !== uid ? null : { ...note, live };
}
