/**
 * Moves the stores to and from the device: filled from it at the start, kept as they change. The
 * server's newer data is never overwritten.
 */
import { subscribe } from 'valtio';
import { restoredKinds, SNAPSHOT_KINDS, type SnapshotKind } from '../offline/snapshot-registry.ts';
import { readSnapshots, writeSnapshot } from '../offline/snapshots.ts';
import { log } from '../platform/page-log.ts';
import { keptStore, type KeptStore } from './kept-stores.ts';
import { takePreloadedSnapshots } from './preload-snapshots.ts';
import type { Slot } from './slot.ts';

/** A stream changes the stores four times a second; the device need not be written as often. */
const KEEP_EVERY_MS = 4_000;

/**
 * Reads kinds of a user into stores that are still empty; one change of the screen. The user's
 * database was opened by `openCommands`. What comes after the user has left is thrown away.
 */
async function restore(
  uid: string,
  kinds: readonly SnapshotKind[],
  present: () => boolean,
  preloaded: ReturnType<typeof takePreloadedSnapshots> = null,
): Promise<void> {
  const kept = await readSnapshots(uid, kinds, undefined, preloaded);
  if (!present()) return;
  for (const kind of kinds) {
    const store = keptStore(kind);
    if (store?.slot.data === null) store.restore(kept);
  }
}

/** Everything kept of a user; `onFirst` is called when what is looked at first is in its place. */
export async function hydrate(
  uid: string,
  present: () => boolean = () => true,
  onFirst: () => void = () => undefined,
): Promise<void> {
  const kindsAt = (when: 'first-paint' | 'after-paint'): readonly SnapshotKind[] =>
    restoredKinds(when, location.pathname);
  await restore(uid, kindsAt('first-paint'), present, takePreloadedSnapshots(uid)).finally(onFirst);
  await restore(uid, kindsAt('after-paint'), present);
}

/**
 * Whether a slot holds something worth keeping: the server's word. What was read from the device is
 * there already.
 */
const isWord = <T>(slot: Slot<T>): slot is Slot<T> & { data: T; savedAt: number } =>
  slot.data !== null &&
  slot.savedAt !== null &&
  (slot.origin === 'network' || slot.origin === 'stream');

/**
 * Valtio's proxies do not go into IndexedDB: a plain copy does. Everything kept is plain JSON by
 * the contract.
 */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

async function keep(
  uid: string,
  values: ReturnType<KeptStore['values']>,
  savedAt: number,
): Promise<void> {
  for (const kind of Object.keys(values) as SnapshotKind[]) {
    const value = values[kind];
    if (value != null) await writeSnapshot(uid, kind, value, savedAt);
  }
}

/**
 * Keeps what is in a store at most every four seconds while it changes, and once more at the end. A
 * change of `mark` is written at once: whoever has seen an agent stop must find it stopped in the
 * tunnel, also if the app was killed a second later.
 */
function throttled<T>(
  { slot, mark = () => '', values }: KeptStore<T>,
  uid: string,
): { stop(): void; flush(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written: { at: number; mark: string } | null = null;
  const news = (): { at: number; mark: string; urgent: boolean } | null => {
    if (!isWord(slot)) return null;
    const now = { at: slot.savedAt, mark: mark(slot.data) };
    const urgent = written === null || written.mark !== now.mark;
    return urgent || written?.at !== now.at ? { ...now, urgent } : null;
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const found = news();
    if (found === null || !isWord(slot)) return;
    written = found;
    keep(uid, values(plain(slot.data)), slot.savedAt).catch((error: unknown) => {
      log.warn('A snapshot could not be kept', error);
    });
  };
  // The server may have spoken while the device was still being read, as it does at a sign-in; of a
  // plan, say, it may not speak again for minutes.
  if (isWord(slot)) timer = setTimeout(flush, 0);
  const unsubscribe = subscribe(slot, () => {
    if (news()?.urgent === true) {
      clearTimeout(timer);
      timer = setTimeout(flush, 0);
    } else timer ??= setTimeout(flush, KEEP_EVERY_MS);
  });
  return {
    flush,
    stop() {
      unsubscribe();
      clearTimeout(timer);
    },
  };
}

/**
 * Keeps what the server says of a user until stopped. Stopping writes nothing: the user may have
 * signed out.
 */
export function keepSnapshots(uid: string): () => void {
  const kept = SNAPSHOT_KINDS.flatMap((kind) => {
    const store = keptStore(kind);
    return store === null ? [] : [throttled(store, uid)];
  });
  const leave = (): void => {
    if (document.visibilityState === 'hidden') for (const one of kept) one.flush();
  };
  document.addEventListener('visibilitychange', leave);
  return () => {
    document.removeEventListener('visibilitychange', leave);
    for (const one of kept) one.stop();
  };
}
