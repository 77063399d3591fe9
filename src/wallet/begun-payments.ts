/**
 * The payments, swaps and mints begun on this device whose end is not known, kept for their user
 * until logout. The kit's card forgets its own when it is left.
 */
import { useEffect } from 'react';
import * as z from 'zod/mini';
import { proxy, useSnapshot } from 'valtio';
import { keepsSnapshots } from '../commands.ts';
import { readLastUser } from '../identity/last-user.ts';
import { onPurge, session } from '../identity/session.ts';

/** `at`: device clock, ms. A note without a kind is of the time when only payments were noted. */
const Begun = z.object({
  id: z.string(),
  at: z.number(),
  kind: z._default(z.enum(['payment', 'swap', 'mint']), 'payment'),
});
export type Begun = z.infer<typeof Begun>;
export type BegunKind = Begun['kind'];
const Kept = z.object({ uid: z.string(), begun: z.array(Begun) });

/** A logout deletes everything that is not a preference of the device. */
const KEY = 'tradewind.walletPayments';
const KEPT_MAX = 20;

const begunStore = proxy<{ uid: string | null; list: Begun[] }>({ uid: null, list: [] });

onPurge(() => {
  Object.assign(begunStore, { uid: null, list: [] });
  return Promise.resolve();
});

function readKept(uid: string): Begun[] {
  try {
    const kept = Kept.safeParse(JSON.parse(localStorage.getItem(KEY) ?? 'null'));
    return kept.success && kept.data.uid === uid ? kept.data.begun : [];
  } catch {
    return [];
  }
}

/** The list is of this page alone: the device has no room for it, or may not keep it. */
let onlyHere = false;

const known = (uid: string): Begun[] =>
  onlyHere && begunStore.uid === uid ? begunStore.list.map((one) => ({ ...one })) : readKept(uid);

function write(uid: string, begun: Begun[]): void {
  const list = begun.toSorted((a, b) => b.at - a.at).slice(0, KEPT_MAX);
  Object.assign(begunStore, { uid, list });
  onlyHere = true;
  // By the device's record too: a sign-out is in it before this page has heard of it.
  if (readLastUser()?.uid !== uid || !keepsSnapshots()) return;
  try {
    if (list.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify({ uid, begun: list }));
    onlyHere = false;
  } catch {
    // The device is full: the note lasts as long as the page.
  }
}

const ownUid = (): string => session.user?.uid ?? '';

/** Answers the id under which it is noted. */
export function noteBegun(kind: BegunKind, now = Date.now()): string {
  const uid = ownUid();
  const id = crypto.randomUUID();
  write(uid, [{ id, at: now, kind }, ...known(uid)]);
  return id;
}

/** Its end is known, or its person has read of it. */
export function forgetBegun(id: string): void {
  const uid = ownUid();
  write(
    uid,
    known(uid).filter((one) => one.id !== id),
  );
}

/** The person's of one kind, newest first. Follows other tabs. */
export function useBegunPayments(kind: BegunKind): readonly Begun[] {
  const uid = useSnapshot(session).user?.uid ?? '';
  const { list, uid: whose } = useSnapshot(begunStore);
  useEffect(() => {
    Object.assign(begunStore, { uid, list: known(uid) });
    const follow = (event: StorageEvent): void => {
      if (event.key === KEY) begunStore.list = readKept(uid);
    };
    addEventListener('storage', follow);
    return () => {
      removeEventListener('storage', follow);
    };
  }, [uid]);
  return whose === uid ? list.filter((one) => one.kind === kind) : [];
}
