/** Moves the stores to and from the device: painted from at the start, kept as they change; refuses to overwrite the server's word. */
import { subscribe } from 'valtio';
import { readSnapshot, writeSnapshot, type SnapshotKind } from '../offline/snapshots.ts';
import { log } from '../log.ts';
import { agentsStore, applyAgents } from './agents.ts';
import { analyticsStore, applyAnalytics } from './analytics.ts';
import { applyHistory, historyStore } from './history.ts';
import { applyMarket, applyOverview, applyPools, marketStore, overviewStore, poolsStore, toMarketData } from './market.ts';
import { applyPortfolio, portfolioStore } from './portfolio.ts';
import { applySettings, settingsStore } from './settings.ts';
import type { Slot } from './slot.ts';
import { applySubscription, subscriptionStore } from './subscription.ts';

/** A stream changes the stores four times a second; the device need not be written as often. */
const KEEP_EVERY_MS = 4_000;

/**
 * Reads everything kept of a user into stores that are still empty. The portfolio comes first: it is what is
 * looked at. The user's database was opened by `openCommands`. What comes after the person has left is thrown away.
 */
export async function hydrate(uid: string, present: () => boolean = () => true): Promise<void> {
  const read = async <K extends SnapshotKind>(kind: K): ReturnType<typeof readSnapshot<K>> => {
    const kept = await readSnapshot(uid, kind);
    return present() ? kept : null;
  };
  const portfolio = read('portfolio').then((kept) => {
    if (kept !== null && portfolioStore.data === null) applyPortfolio(kept.value, 'snapshot', kept.savedAt);
  });
  const others = Promise.all([
    read('agents').then((kept) => { if (kept !== null && agentsStore.data === null) applyAgents(kept.value, 'snapshot', kept.savedAt); }),
    read('market').then((kept) => { if (kept !== null && marketStore.data === null) applyMarket(kept.value, 'snapshot', kept.savedAt); }),
    read('overview').then((kept) => { if (kept !== null && overviewStore.data === null) applyOverview(kept.value, 'snapshot', kept.savedAt); }),
    read('pools').then((kept) => { if (kept !== null && poolsStore.data === null) applyPools(kept.value, 'snapshot', kept.savedAt); }),
    read('history').then((kept) => { if (kept !== null && historyStore.data === null) applyHistory(kept.value, 'snapshot', kept.savedAt); }),
    read('settings').then((kept) => { if (kept !== null && settingsStore.data === null) applySettings(kept.value, 'snapshot', kept.savedAt); }),
    read('analytics').then((kept) => { if (kept !== null && analyticsStore.data === null) applyAnalytics(kept.value, 'snapshot', kept.savedAt); }),
    Promise.all([read('subscription'), read('trial')]).then(([status, trial]) => {
      if (status === null || subscriptionStore.data !== null) return;
      applySubscription({ status: status.value, trial: trial?.value ?? null }, 'snapshot', status.savedAt);
    }),
  ]);
  await Promise.all([portfolio, others]);
}

/** Whether a slot holds something worth keeping: the server's word. What was read from the device is there already. */
const isWord = <T>(slot: Slot<T>): slot is Slot<T> & { data: T; savedAt: number } =>
  slot.data !== null && slot.savedAt !== null && (slot.origin === 'network' || slot.origin === 'stream');

/** Valtio's proxies do not go into IndexedDB: a plain copy does. Everything kept is plain JSON by the contract. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Calls `write` at most every four seconds while `store` changes, and once more at the end. */
function throttled<T>(store: Slot<T>, write: (data: T, savedAt: number) => Promise<unknown>): { stop(): void; flush(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writtenAt: number | null = null;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!isWord(store) || store.savedAt === writtenAt) return;
    writtenAt = store.savedAt;
    write(plain(store.data), store.savedAt).catch((error: unknown) => { log.warn('A snapshot could not be kept', error); });
  };
  const unsubscribe = subscribe(store, () => { timer ??= setTimeout(flush, writtenAt === null ? 0 : KEEP_EVERY_MS); });
  return { flush, stop() { unsubscribe(); clearTimeout(timer); } };
}

/** Keeps what the server says of a user until stopped. Stopping writes nothing: the user may have signed out. */
export function keepSnapshots(uid: string): () => void {
  const kept = [
    throttled(portfolioStore, (data, at) => writeSnapshot(uid, 'portfolio', data, at)),
    throttled(agentsStore, (data, at) => writeSnapshot(uid, 'agents', data, at)),
    throttled(marketStore, (data, at) => writeSnapshot(uid, 'market', toMarketData(data), at)),
    throttled(overviewStore, (data, at) => writeSnapshot(uid, 'overview', data, at)),
    throttled(poolsStore, (data, at) => writeSnapshot(uid, 'pools', data, at)),
    throttled(historyStore, (data, at) => writeSnapshot(uid, 'history', data, at)),
    throttled(settingsStore, (data, at) => writeSnapshot(uid, 'settings', data, at)),
    throttled(analyticsStore, (data, at) => writeSnapshot(uid, 'analytics', data, at)),
    throttled(subscriptionStore, async (data, at) => {
      if (data.status !== null) await writeSnapshot(uid, 'subscription', data.status, at);
      if (data.trial !== null) await writeSnapshot(uid, 'trial', data.trial, at);
    }),
  ];
  const leave = (): void => { if (document.visibilityState === 'hidden') for (const one of kept) one.flush(); };
  document.addEventListener('visibilitychange', leave);
  return () => {
    document.removeEventListener('visibilitychange', leave);
    for (const one of kept) one.stop();
  };
}
