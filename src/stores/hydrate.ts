/**
 * Loads the stores from the device and saves their changes. Newer data of the server is never
 * overwritten.
 */
import { subscribe } from 'valtio';
import type { AlertList } from '../../contract/alerts.ts';
import { readSnapshots, writeSnapshot, type SnapshotKind } from '../offline/snapshots.ts';
import { log } from '../platform/page-log.ts';
import { agentsStore, applyAgents, type AgentsData } from './agents-store.ts';
import { alertsStore, applyAlerts } from './alerts-store.ts';
import { analyticsStore, applyAnalytics, applyInsight, insightStore } from './analytics-store.ts';
import { takePreloadedSnapshots } from './preload-snapshots.ts';
import { applyHistory, historyStore } from './fills-store.ts';
import {
  applyMarket,
  applyOverview,
  applyPools,
  applySparklines,
  marketStore,
  overviewStore,
  poolsStore,
  sparklinesStore,
  toMarketData,
} from './market-store.ts';
import { applyPortfolio, portfolioStore } from './portfolio-store.ts';
import { applySettings, settingsStore } from './settings-store.ts';
import type { Slot } from './slot.ts';
import { applySubscription, subscriptionStore } from './subscription-store.ts';
import { applyWallet, walletStore } from './wallet-store.ts';

/** The stream changes stores four times a second; the device is written less often. */
const KEEP_EVERY_MS = 4_000;

/** Needed for the first paint: shell, guard and dashboard. */
const FIRST = [
  'portfolio',
  'agents',
  'market',
  'history',
  'subscription',
  'trial',
] as const satisfies readonly SnapshotKind[];
const LATER = [
  'overview',
  'pools',
  'sparklines',
  'settings',
  'analytics',
  'insight',
  'wallet',
  'alerts',
] as const satisfies readonly SnapshotKind[];

/** The PRO dashboard begins with this, so it needs it for the first paint. */
const firstKinds = (): readonly ((typeof FIRST)[number] | 'insight')[] =>
  location.pathname === '/pro-dashboard' ? [...FIRST, 'insight'] : FIRST;

/**
 * Loads a user's most important snapshots into empty stores in one render. `openCommands` has
 * opened the database. Results that arrive after log-out are dropped.
 */
async function hydrateFirst(uid: string, present: () => boolean): Promise<void> {
  const { portfolio, agents, market, history, subscription, trial, insight } = await readSnapshots(
    uid,
    firstKinds(),
    undefined,
    takePreloadedSnapshots(uid),
  );
  if (!present()) return;
  if (insight !== undefined && insightStore.data === null)
    applyInsight(insight.value, 'snapshot', insight.savedAt);
  if (portfolio !== undefined && portfolioStore.data === null)
    applyPortfolio(portfolio.value, 'snapshot', portfolio.savedAt);
  if (agents !== undefined && agentsStore.data === null)
    applyAgents(agents.value, 'snapshot', agents.savedAt);
  if (market !== undefined && marketStore.data === null)
    applyMarket(market.value, 'snapshot', market.savedAt);
  if (history !== undefined && historyStore.data === null)
    applyHistory(history.value, 'snapshot', history.savedAt);
  if (subscription !== undefined && subscriptionStore.data === null)
    applySubscription(
      { status: subscription.value, trial: trial?.value ?? null },
      'snapshot',
      subscription.savedAt,
    );
}

/** Loads the remaining snapshots. */
async function hydrateLater(uid: string, present: () => boolean): Promise<void> {
  const { overview, pools, sparklines, settings, analytics, insight, wallet, alerts } =
    await readSnapshots(uid, LATER);
  if (!present()) return;
  if (overview !== undefined && overviewStore.data === null)
    applyOverview(overview.value, 'snapshot', overview.savedAt);
  if (pools !== undefined && poolsStore.data === null)
    applyPools(pools.value, 'snapshot', pools.savedAt);
  if (sparklines !== undefined && sparklinesStore.data === null)
    applySparklines(sparklines.value, 'snapshot', sparklines.savedAt);
  if (settings !== undefined && settingsStore.data === null)
    applySettings(settings.value, 'snapshot', settings.savedAt);
  if (analytics !== undefined && analyticsStore.data === null)
    applyAnalytics(analytics.value, 'snapshot', analytics.savedAt);
  if (insight !== undefined && insightStore.data === null)
    applyInsight(insight.value, 'snapshot', insight.savedAt);
  if (alerts !== undefined && alertsStore.data === null)
    applyAlerts(alerts.value, 'snapshot', alerts.savedAt);
  if (wallet !== undefined && walletStore.data === null)
    applyWallet(wallet.value, 'snapshot', wallet.savedAt);
}

/**
 * Loads all snapshots of a user; `onFirst` is called once those for the first paint are applied.
 */
export async function hydrate(
  uid: string,
  present: () => boolean = () => true,
  onFirst: () => void = () => undefined,
): Promise<void> {
  await hydrateFirst(uid, present).finally(onFirst);
  await hydrateLater(uid, present);
}

/** Whether a slot holds the server's data. What came from the device is saved already. */
const isWord = <T>(slot: Slot<T>): slot is Slot<T> & { data: T; savedAt: number } =>
  slot.data !== null &&
  slot.savedAt !== null &&
  (slot.origin === 'network' || slot.origin === 'stream');

/**
 * IndexedDB cannot clone valtio proxies; a plain copy works, because all snapshots are plain JSON.
 */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * Calls `write` at most every four seconds while `store` changes, and once more at the end. A
 * change of `mark` is written at once: an agent seen to stop must be stopped offline too, even if
 * the app is killed a second later.
 */
function throttled<T>(
  store: Slot<T>,
  write: (data: T, savedAt: number) => Promise<unknown>,
  mark: (data: T) => string = () => '',
): { stop(): void; flush(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written: { at: number; mark: string } | null = null;
  const news = (): { at: number; mark: string; urgent: boolean } | null => {
    if (!isWord(store)) return null;
    const now = { at: store.savedAt, mark: mark(store.data) };
    const urgent = written === null || written.mark !== now.mark;
    return urgent || written?.at !== now.at ? { ...now, urgent } : null;
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const found = news();
    if (found === null || !isWord(store)) return;
    written = found;
    write(plain(store.data), store.savedAt).catch((error: unknown) => {
      log.warn('Could not save a snapshot', error);
    });
  };
  // The server may have answered while the device was still being read, as after a login, and may
  // not send that data again for minutes.
  if (isWord(store)) timer = setTimeout(flush, 0);
  const unsubscribe = subscribe(store, () => {
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

/** Agents, their states and trading halts, without the times of evaluations. */
const agentsMark = ({ agents, entriesOff }: AgentsData): string =>
  `${agents.map(({ id, generation, version, status }) => `${id} ${generation} ${version} ${status}`).join(',')} ${JSON.stringify(entriesOff)}`;

/** Alerts and their firings, which the server sends only once. */
const alertsMark = ({ alerts, firings }: AlertList): string =>
  `${alerts.map(({ id, version, phase }) => `${id} ${version} ${phase}`).join(',')} ${firings[0]?.id ?? ''}`;

/**
 * Saves the server's data of the user until stopped. Stopping writes nothing: the user may have
 * logged out.
 */
export function keepSnapshots(uid: string): () => void {
  const kept = [
    throttled(portfolioStore, (data, at) => writeSnapshot(uid, 'portfolio', data, at)),
    throttled(agentsStore, (data, at) => writeSnapshot(uid, 'agents', data, at), agentsMark),
    throttled(marketStore, (data, at) => writeSnapshot(uid, 'market', toMarketData(data), at)),
    throttled(overviewStore, (data, at) => writeSnapshot(uid, 'overview', data, at)),
    throttled(poolsStore, (data, at) => writeSnapshot(uid, 'pools', data, at)),
    throttled(sparklinesStore, (data, at) => writeSnapshot(uid, 'sparklines', data, at)),
    throttled(historyStore, (data, at) => writeSnapshot(uid, 'history', data, at)),
    throttled(settingsStore, (data, at) => writeSnapshot(uid, 'settings', data, at)),
    throttled(analyticsStore, (data, at) => writeSnapshot(uid, 'analytics', data, at)),
    throttled(insightStore, (data, at) => writeSnapshot(uid, 'insight', data, at)),
    throttled(alertsStore, (data, at) => writeSnapshot(uid, 'alerts', data, at), alertsMark),
    throttled(walletStore, (data, at) => writeSnapshot(uid, 'wallet', data, at)),
    throttled(subscriptionStore, async (data, at) => {
      if (data.status !== null) await writeSnapshot(uid, 'subscription', data.status, at);
      if (data.trial !== null) await writeSnapshot(uid, 'trial', data.trial, at);
    }),
  ];
  const leave = (): void => {
    if (document.visibilityState === 'hidden') for (const one of kept) one.flush();
  };
  document.addEventListener('visibilitychange', leave);
  return () => {
    document.removeEventListener('visibilitychange', leave);
    for (const one of kept) one.stop();
  };
}
