/**
 * Keeps the stores in sync for the signed-in user: snapshots first, then the server, then its
 * stream.
 */
import { subscribe } from 'valtio';
import { subscribeKey } from 'valtio/utils';
import { MEMORY_CHECK_MS } from '../../contract/limits.ts';
import type { StreamEvent } from '../../contract/stream.ts';
import { apiFetch, observeApi, rememberSource } from '../api/api.ts';
import type { SharedStream } from '../api/shared-stream.ts';
import { environment } from '../environment.ts';
import { endSession, idToken, revokeSession, session } from '../identity/session.ts';
import { backoffMs } from '../offline/queue-rules.ts';
import { untilReached } from '../platform/load-part.ts';
import { log } from '../platform/page-log.ts';
import { whileSeen } from '../platform/resting-timer.ts';
import { clearAccountChoice, loadAccountChoice } from './account-choice.ts';
import {
  agentsStore,
  applyAgent,
  applyEntriesOff,
  applyRuns,
  clearAgents,
  loadAgents,
  removeAgent,
} from './agents-store.ts';
import {
  alertsStore,
  applyAlert,
  applyFiring,
  clearAlerts,
  loadAlerts,
  removeAlert,
} from './alerts-store.ts';
import { clearAnalytics } from './analytics-store.ts';
import { notePushLag, pushLag } from './push-lag.ts';
import { clearClosedAccounts } from './closed-accounts-store.ts';
import { connection, noteMarketTime } from './connection.ts';
import { noteServerTime, verifyOnline, watchHealth } from './server-health.ts';
import { applyFill, clearHistory, historyStore, loadHistory } from './fills-store.ts';
import { hydrate, keepSnapshots } from './hydrate.ts';
import { clearLive, liveSlots } from './live-slots.ts';
import type * as LiveStore from './live-store.ts';
import { clearMarket, loadMarket, marketStore, rereadMarket, takeTicks } from './market-store.ts';
import { streamedSlots } from './data-kinds.ts';
import { clearChartChoices, loadChartChoices } from './chart-choices.ts';
import { clearChoices, loadChoices } from './market-choices.ts';
import { publishPriceGap, publishPrices } from './price-news.ts';
import { clearTableChoices, loadTableChoices } from './table-choices.ts';
import { applyPortfolio, loadPortfolio, portfolioStore } from './portfolio-store.ts';
import { clearReplyStores } from './reply-store.ts';
import { loadSettings } from './settings-store.ts';
import {
  checkSubscriptionIfDue,
  clearSubscription,
  refreshEntitlement,
  subscriptionChanged,
} from './subscription-store.ts';
import { followVisits } from './last-visit.ts';
import { walletChanged } from './wallet-store.ts';

const ENTITLEMENT_TICK_MS = MEMORY_CHECK_MS;
const REREAD_SOONEST_MS = 1_000;

let uid: string | null = null;
let stream: SharedStream | null = null;
/** Whose stream is being opened. */
let opening: string | null = null;
let stopKeeping: () => void = () => undefined;
let restoredFirst: () => void = () => undefined;
let rereading: ReturnType<typeof setTimeout> | undefined;
/** How often what was missed could not be read, one after the other. */
let misses = 0;
/** Device clock (ms) of the stream's last event of any kind. */
let heardAt = 0;

/** Exchange accounts have code of their own, which most people never need. */
function withLive(work: (live: typeof LiveStore) => unknown): void {
  const owner = uid;
  untilReached(() => import('./live-store.ts'))
    .then((live) => (uid === owner ? work(live) : undefined))
    .catch((error: unknown) => {
      log.error('Could not follow exchange accounts', error);
    });
}

const STREAMED_READS = [
  [agentsStore, loadAgents],
  [portfolioStore, loadPortfolio],
  [historyStore, loadHistory],
  [marketStore, loadMarket],
  [alertsStore, loadAlerts],
] as const;
type Reads = readonly (typeof STREAMED_READS)[number][];

async function reread(reads: Reads): Promise<void> {
  await Promise.all(reads.map(([, read]) => read(true)));
  rereadFailed();
}

/** What may have changed in a gap and could not be read since; none where nobody can see or get it. */
function failedReads(): Reads {
  const { gapAt, online } = connection;
  const rests = document.visibilityState === 'hidden' || online === 'offline';
  if (rests || session.status !== 'signed-in') return [];
  return STREAMED_READS.filter(
    ([slot]) => slot.status === 'error' && (slot.savedAt ?? 0) < (gapAt ?? 0),
  );
}

/** Tries it again later, after each failure more slowly. */
function rereadFailed(): void {
  if (failedReads().length === 0) return;
  clearTimeout(rereading);
  rereading = setTimeout(
    () => {
      void reread(failedReads());
    },
    REREAD_SOONEST_MS + backoffMs(misses, Math.random()),
  );
  misses += 1;
}

/**
 * Loads everything again that stream events would have changed. Several calls at once cause one
 * load.
 */
function rereadAll(): void {
  connection.gapAt = Date.now();
  misses = 0;
  clearTimeout(rereading);
  rereading = setTimeout(() => {
    if (session.status !== 'signed-in') return;
    void reread(STREAMED_READS);
    if (liveSlots.connections.data !== null) withLive(({ rereadLive }) => rereadLive());
  }, 150);
}

/** The event sequence up to which everything loaded is current. */
function oldestSequence(): number {
  return Math.min(
    agentsStore.data?.sequence ?? -1,
    portfolioStore.data?.sequence ?? -1,
    historyStore.data?.sequence ?? -1,
  );
}

/** Alerts have no figure on a start: nothing else waits for them. */
async function catchUpAlerts(sequence: number): Promise<void> {
  const owner = uid;
  await loadAlerts();
  if (uid !== owner || (alertsStore.data?.sequence ?? sequence) >= sequence) return;
  // As good as one from the device until it is read anew: the stream vouches for no list with holes.
  alertsStore.origin = 'snapshot';
  await loadAlerts(true);
}

/**
 * Events may have been missed while nobody listened. Loads under way at the start are awaited
 * first, so that nothing is loaded twice. What is here and lacks events is not current until then.
 */
async function catchUp(sequence: number): Promise<void> {
  const owner = uid;
  void catchUpAlerts(sequence);
  const lists = [agentsStore, portfolioStore, historyStore];
  if (lists.some(({ data }) => (data?.sequence ?? sequence) < sequence))
    connection.gapAt ??= Date.now() + 1;
  await Promise.all([loadAgents(), loadPortfolio(), loadHistory()]);
  if (uid !== owner) return;
  if (oldestSequence() < sequence) rereadAll();
  else connection.gapAt = null;
}

/**
 * The stream's state. When it ends, its data was current until its last event, and later events may
 * be missing.
 */
function onStreamState(state: typeof connection.stream): void {
  const streaming = (one: typeof connection.stream): boolean => one === 'open' || one === 'shared';
  const ends = streaming(connection.stream) && !streaming(state);
  connection.stream = state;
  if (!ends) return;
  const gapBefore = connection.gapAt ?? 0;
  for (const slot of streamedSlots()) {
    const isWord = slot.origin === 'network' || slot.origin === 'stream';
    if (isWord && slot.savedAt !== null && slot.savedAt >= gapBefore && slot.savedAt < heardAt)
      slot.savedAt = heardAt;
  }
  connection.gapAt = Math.max(Date.now(), heardAt + 1);
}

/**
 * The server ended this session: by age it is paused; if revoked, all data of the user is deleted.
 */
function refused(reason: string): void {
  if (reason === 'token_revoked')
    revokeSession().catch((error: unknown) => {
      log.error('Could not clear the revoked session', error);
    });
  else endSession();
}

/** Applies one event of the stream to its store. */
export function applyEvent(event: StreamEvent): void {
  heardAt = Date.now();
  switch (event.type) {
    case 'hello':
      noteServerTime(event.serverTime);
      noteMarketTime(event.marketTime);
      rememberSource(event.source.id);
      publishPriceGap();
      void catchUp(event.sequence);
      return;
    case 'heartbeat':
      noteServerTime(event.serverTime);
      noteMarketTime(event.marketTime);
      connection.verifiedAt = Date.now();
      return;
    case 'ticks':
      noteMarketTime(event.now);
      publishPrices(event);
      rereadMarket();
      // Never mixed into the prices of an exchange in the server's place.
      if (marketStore.origin !== 'exchange') takeTicks(event.symbols, event.now);
      return;
    case 'agent.changed':
      applyAgent(event.agent, event.sequence);
      return;
    case 'agents.ran':
      applyRuns(event.agents);
      return;
    case 'entries.off':
      applyEntriesOff(event.off);
      return;
    case 'agent.deleted':
      removeAgent(event.agentId, event.sequence);
      return;
    case 'fill.recorded':
      applyFill(event.fill, event.sequence);
      return;
    case 'portfolio.changed':
      void loadPortfolio(true);
      return;
    case 'portfolio.marked':
      applyPortfolio(event.portfolio, 'stream');
      return;
    case 'subscription.changed':
      void subscriptionChanged();
      return;
    case 'settings.changed':
      void loadSettings(true);
      walletChanged();
      return;
    case 'alert.changed':
      applyAlert(event.alert, event.sequence);
      return;
    case 'alert.deleted':
      removeAlert(event.alertId, event.sequence);
      return;
    case 'alert.fired':
      applyFiring(event.alert, event.firing, event.sequence);
      return;
    case 'live_order':
    case 'live_connection':
      withLive(({ applyLiveEvent }) => {
        applyLiveEvent(event);
      });
      return;
    case 'session.ended':
      refused(event.reason);
      return;
  }
}

function clearAll(): void {
  pushLag.pushedSequence = null;
  connection.gapAt = null;
  clearAccountChoice();
  clearAgents();
  clearAlerts();
  clearHistory();
  clearAnalytics();
  clearClosedAccounts();
  clearLive();
  clearMarket();
  clearChoices();
  clearChartChoices();
  clearTableChoices();
  clearSubscription();
  clearReplyStores();
}

async function listen(owner: string): Promise<void> {
  const isOurs = (): boolean => uid === owner && session.status === 'signed-in';
  if (stream !== null || environment.mockApi || !isOurs()) return;
  const { joinStream } = await import('../api/shared-stream.ts');
  if (!isOurs()) return;
  stream ??= joinStream({
    uid: owner,
    url: `${environment.apiUrl}/api/stream`,
    token: idToken,
    fetch: apiFetch,
    onEvent: applyEvent,
    onGap: () => {
      rereadAll();
      publishPriceGap();
    },
    onState: onStreamState,
    onRefused: refused,
  });
}

/** One try at a time for each person, however often it is asked for. */
function openStream(owner: string): void {
  if (opening === owner) return;
  opening = owner;
  untilReached(() => listen(owner))
    .catch((error: unknown) => {
      log.error('Could not open the stream', error);
    })
    .finally(() => {
      if (opening === owner) opening = null;
    });
}

function leaveStream(): void {
  stream?.close();
  stream = null;
}

async function begin(owner: string): Promise<void> {
  await Promise.all([
    hydrate(owner, () => uid === owner, restoredFirst),
    notePushLag(owner),
    loadChoices(owner, () => uid === owner),
    loadChartChoices(owner, () => uid === owner),
    loadTableChoices(owner, () => uid === owner),
    loadAccountChoice(owner, () => uid === owner),
  ]);
  if (uid !== owner) return;
  stopKeeping = keepSnapshots(owner);
  refresh();
  // From the device first, then from the server: whether there is an account at an exchange at all.
  withLive(async ({ restoreLive, loadLive }) => {
    await restoreLive(owner, () => uid === owner);
    if (uid === owner && session.status === 'signed-in') await loadLive();
  });
}

/** Loads what the first screens show and opens the stream. Fresh data is not loaded again. */
function refresh(): void {
  if (uid === null || session.status !== 'signed-in') return;
  void Promise.all([
    checkSubscriptionIfDue(),
    loadPortfolio(),
    loadAgents(),
    loadMarket(),
    loadHistory(),
    loadSettings(),
    loadAlerts(),
  ]);
  openStream(uid);
}

function follow(): void {
  const next = session.status === 'loading' ? null : (session.user?.uid ?? null);
  if (next !== uid) {
    leaveStream();
    stopKeeping();
    stopKeeping = () => undefined;
    clearAll();
    uid = next;
    followVisits(next);
    if (next !== null)
      begin(next).catch((error: unknown) => {
        log.error('Could not read saved data', error);
      });
    return;
  }
  if (session.status === 'signed-in') refresh();
  else leaveStream();
}

/**
 * Starts everything that keeps the stores current. Called once, before the first paint; does not
 * wait for the network. @returns when the last user's first snapshots are in the stores; at once
 * without a user.
 */
export function startSync(): Promise<void> {
  const restored = new Promise<void>((resolve) => {
    restoredFirst = resolve;
  });
  observeApi((event) => {
    if (event.type === 'refused') refused(event.code);
  });
  subscribe(session, follow);
  follow();
  if (uid === null) restoredFirst();
  subscribeKey(connection, 'online', (online) => {
    refreshEntitlement();
    if (online !== 'online') return;
    stream?.wake();
    refresh();
    rereadFailed();
  });
  subscribeKey(connection, 'stream', (state) => {
    if (state === 'stale') void verifyOnline();
  });
  const tick = (): void => {
    refreshEntitlement();
    if (session.status === 'signed-in' && connection.online === 'online')
      void checkSubscriptionIfDue();
  };
  whileSeen(ENTITLEMENT_TICK_MS, tick);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') return;
    tick();
    rereadFailed();
    // A push message may have arrived since.
    if (uid !== null)
      notePushLag(uid).catch((error: unknown) => {
        log.warn('Could not read data from notifications', error);
      });
  });
  watchHealth();
  return restored;
}
