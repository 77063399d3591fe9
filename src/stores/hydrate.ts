/**
 * Loads the stores from the device and saves their changes. Newer data of the server is never
 * overwritten.
 */
import { subscribe } from 'valtio';
import { restoredKinds, SNAPSHOT_KINDS, type SnapshotKind } from '../offline/snapshot-registry.ts';
import { isToldSince, readSnapshots, writeSnapshot } from '../offline/snapshots.ts';
import { heldDatabase } from '../offline/user-database.ts';
import { PartUnreachable, untilReached } from '../platform/load-part.ts';
import { log } from '../platform/page-log.ts';
import { agentsStore, applyAgent } from './agents-store.ts';
import { alertsStore, applyAlert, removeAlert } from './alerts-store.ts';
import { keptStore, type KeptStore } from './kept-stores.ts';
import { takePreloadedSnapshots } from '../first-frame/read-device.ts';

/** The stream changes stores four times a second; the device is written less often. */
const KEEP_EVERY_MS = 4_000;
/** When what could not be written for want of the schemas is tried again, ms. */
const KEEP_AGAIN_MS = 10_000;

/**
 * Loads a user's most important snapshots into empty stores in one render. `openCommands` has
 * opened the database. Results that arrive after log-out are dropped.
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

/**
 * What another build has kept is read by the schemas. Where they cannot be loaded it is read once
 * they can, and nothing else waits for that.
 */
async function restoreOrLater(...what: Parameters<typeof restore>): Promise<void> {
  try {
    await restore(...what);
  } catch (error) {
    if (!(error instanceof PartUnreachable)) throw error;
    const [uid, kinds, present] = what;
    untilReached(() => restore(uid, kinds, present)).catch((reason: unknown) => {
      log.error('Could not read saved data', reason);
    });
  }
}

/**
 * Loads all snapshots of a user; `onFirst` is called once those for the first paint are applied.
 */
export async function hydrate(
  uid: string,
  present: () => boolean = () => true,
  onFirst: () => void = () => undefined,
): Promise<void> {
  const kindsAt = (when: 'first-paint' | 'after-paint'): readonly SnapshotKind[] =>
    restoredKinds(when, location.pathname);
  const early = takePreloadedSnapshots(uid);
  await restoreOrLater(uid, kindsAt('first-paint'), present, early).finally(onFirst);
  await restoreOrLater(uid, kindsAt('after-paint'), present);
}

/**
 * The first reading lies before the first look into the queue. A command that the worker delivers
 * between the two is in neither; what its answer said is in the list by now.
 */
export async function hearTold(uid: string): Promise<void> {
  const database = heldDatabase(uid);
  if (database === null || !(await isToldSince(database, performance.timeOrigin))) return;
  const { agents, alerts } = await readSnapshots(uid, ['agents', 'alerts'], database);
  if (agentsStore.origin === 'snapshot')
    for (const agent of agents?.value.agents ?? []) applyAgent(agent, null);
  if (alertsStore.origin !== 'snapshot' || alerts === undefined) return;
  const left = new Set(alerts.value.alerts.map(({ id }) => id));
  for (const { id } of [...(alertsStore.data?.alerts ?? [])])
    if (!left.has(id)) removeAlert(id, null);
  for (const alert of alerts.value.alerts) applyAlert(alert, null);
}

/**
 * IndexedDB cannot clone valtio proxies; a plain copy works, because all snapshots are plain JSON.
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
 * Calls `write` at most every four seconds while `store` changes, and once more at the end. A
 * change of `mark` is written at once: an agent seen to stop must be stopped offline too, even if
 * the app is killed a second later.
 */
function throttled<T>(
  { slot, mark = () => '', values }: KeptStore<T>,
  uid: string,
): { stop(): void; flush(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written: { at: number; mark: string } | null = null;
  let isStopped = false;
  const news = (): { data: T; at: number; mark: string; urgent: boolean } | null => {
    const { data, savedAt, origin } = slot;
    if (data === null || savedAt === null || origin === 'exchange') return null;
    const now = { data, at: savedAt, mark: mark(data) };
    // It lies there already, until an event says more of it.
    if (origin === 'snapshot') written ??= now;
    const urgent = written === null || written.mark !== now.mark;
    return urgent || written?.at !== now.at ? { ...now, urgent } : null;
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const found = news();
    if (found === null) return;
    written = found;
    keep(uid, values(plain(found.data)), found.at).catch((error: unknown) => {
      log.warn('Could not save a snapshot', error);
      if (isStopped || !(error instanceof PartUnreachable)) return;
      timer ??= setTimeout(() => {
        // Not the mark of what is to be written, which an event may have changed on a kept list.
        written = { at: Number.NaN, mark: '' };
        flush();
      }, KEEP_AGAIN_MS);
    });
  };
  // The server may have spoken while the device was still being read, as it does at a sign-in; of a
  // plan, say, it may not speak again for minutes.
  if (news() !== null) timer = setTimeout(flush, 0);
  const unsubscribe = subscribe(slot, () => {
    if (news()?.urgent === true) {
      clearTimeout(timer);
      timer = setTimeout(flush, 0);
    } else timer ??= setTimeout(flush, KEEP_EVERY_MS);
  });
  return {
    flush,
    stop() {
      isStopped = true;
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
