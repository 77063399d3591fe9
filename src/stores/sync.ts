/**
 * Keeps the stores in sync for the signed-in user: snapshots first, then the server, then its
 * stream.
 */
import { subscribe } from 'valtio';
import { subscribeKey } from 'valtio/utils';
import { MEMORY_CHECK_MS } from '../../contract/limits.ts';
import { observeApi } from '../api/api.ts';
import type { SharedStream } from '../api/shared-stream.ts';
import { environment } from '../environment.ts';
import { session } from '../identity/session.ts';
import { untilReached } from '../platform/load-part.ts';
import { log } from '../platform/page-log.ts';
import { whileSeen } from '../platform/resting-timer.ts';
import { clearAccountChoice, loadAccountChoice } from './account-choice.ts';
import { clearAgents, loadAgents } from './agents-store.ts';
import { clearAlerts, loadAlerts } from './alerts-store.ts';
import { clearAnalytics } from './analytics-store.ts';
import { notePushLag, pushLag } from './push-lag.ts';
import { clearClosedAccounts } from './closed-accounts-store.ts';
import { connection } from './connection.ts';
import { verifyOnline, watchHealth } from './server-health.ts';
import { clearHistory, loadHistory } from './fills-store.ts';
import { hydrate, keepSnapshots } from './hydrate.ts';
import { clearLive } from './live-slots.ts';
import { clearMarket, loadMarket } from './market-store.ts';
import { clearChartChoices, loadChartChoices } from './chart-choices.ts';
import { clearChoices, loadChoices } from './market-choices.ts';
import { clearTableChoices, loadTableChoices } from './table-choices.ts';
import { loadPortfolio } from './portfolio-store.ts';
import { clearReplyStores } from './reply-store.ts';
import { loadSettings } from './settings-store.ts';
import {
  checkSubscriptionIfDue,
  clearSubscription,
  refreshEntitlement,
} from './subscription-store.ts';
import { followVisits } from './last-visit.ts';
import { refused } from './refused-session.ts';
import { withLive } from './with-live.ts';

const ENTITLEMENT_TICK_MS = MEMORY_CHECK_MS;

let uid: string | null = null;
let stream: SharedStream | null = null;
/** Whose stream is being opened. */
let opening: string | null = null;
let stopKeeping: () => void = () => undefined;
let restoredFirst: () => void = () => undefined;

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
  const { followStream } = await import('./follow-stream.ts');
  if (!isOurs()) return;
  stream ??= followStream(owner);
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
    // A push message may have arrived since.
    if (uid !== null)
      notePushLag(uid).catch((error: unknown) => {
        log.warn('Could not read data from notifications', error);
      });
  });
  watchHealth();
  return restored;
}
