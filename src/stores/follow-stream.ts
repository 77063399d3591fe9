/** Follows the stream: each event goes into its store, and what was missed is read again. */
import type { StreamEvent } from '../../contract/stream.ts';
import { apiFetch, rememberSource } from '../api/api.ts';
import { joinStream, type SharedStream } from '../api/shared-stream.ts';
import { environment } from '../environment.ts';
import { idToken, samePerson, session } from '../identity/session.ts';
import { noteClockOffset } from '../offline/server-clock.ts';
import {
  agentsStore,
  applyAgent,
  applyEntriesOff,
  applyRuns,
  loadAgents,
  removeAgent,
} from './agents-store.ts';
import { tellFiring } from './alert-toast.ts';
import { alertsStore, applyAlert, applyFiring, loadAlerts, removeAlert } from './alerts-store.ts';
import { connection, noteMarketTime } from './connection.ts';
import { streamedSlots } from './data-kinds.ts';
import { retryFailed } from './failed-reads.ts';
import { applyFill, historyStore, loadHistory } from './fills-store.ts';
import { liveSlots } from './live-slots.ts';
import { loadMarket, marketStore, rereadMarket, takeTicks } from './market-store.ts';
import { applyPortfolio, loadPortfolio, portfolioStore } from './portfolio-store.ts';
import { publishPriceGap, publishPrices } from './price-news.ts';
import { refused } from './refused-session.ts';
import { noteServerTime } from './server-health.ts';
import { loadSettings, settingsStore } from './settings-store.ts';
import type { Slot } from './slot.ts';
import { subscriptionChanged } from './subscription-store.ts';
import { walletChanged } from './wallet-store.ts';
import { withLive } from './with-live.ts';

let rereading: ReturnType<typeof setTimeout> | undefined;
/** Device clock (ms) of the stream's last event of any kind. */
let heardAt = 0;

/**
 * Loads everything again that stream events would have changed. Several calls at once cause one
 * load. What fails is tried again.
 */
function rereadAll(): void {
  connection.gapAt = Date.now();
  clearTimeout(rereading);
  rereading = setTimeout(() => {
    if (session.status !== 'signed-in') return;
    void Promise.all([
      loadAgents(true),
      loadPortfolio(true),
      loadHistory(true),
      loadMarket(true),
      loadAlerts(true),
      loadSettings(true),
    ]).then(retryFailed);
    walletChanged();
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

/** Until it has been read, what has changed is as good as one from the device. */
async function readChanged(
  slot: Slot<unknown>,
  read: (force: true) => Promise<void>,
): Promise<void> {
  await read(true);
  if (slot.status !== 'error') return;
  slot.origin = 'snapshot';
  retryFailed();
}

/** Alerts have no figure on a start: nothing else waits for them. */
async function catchUpAlerts(sequence: number): Promise<void> {
  const isSamePerson = samePerson();
  await loadAlerts();
  if (!isSamePerson() || (alertsStore.data?.sequence ?? sequence) >= sequence) return;
  // As good as one from the device until it is read anew: the stream vouches for no list with holes.
  alertsStore.origin = 'snapshot';
  await loadAlerts(true);
}

/**
 * Events may have been missed while nobody listened. Loads under way at the start are awaited
 * first, so that nothing is loaded twice. What is here and lacks events is not current until then.
 */
async function catchUp(sequence: number): Promise<void> {
  const isSamePerson = samePerson();
  void catchUpAlerts(sequence);
  const lists = [agentsStore, portfolioStore, historyStore];
  if (lists.some(({ data }) => (data?.sequence ?? sequence) < sequence))
    connection.gapAt ??= Date.now() + 1;
  await Promise.all([loadAgents(), loadPortfolio(), loadHistory()]);
  if (!isSamePerson()) return;
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

/** Applies one event of the stream to its store. */
export function applyEvent(event: StreamEvent): void {
  heardAt = Date.now();
  switch (event.type) {
    case 'hello':
      noteServerTime(event.serverTime);
      void noteClockOffset(session.user?.uid ?? '', connection.serverClockOffset ?? 0);
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
      void readChanged(portfolioStore, loadPortfolio);
      return;
    case 'portfolio.marked':
      applyPortfolio(event.portfolio, 'stream');
      return;
    case 'subscription.changed':
      void subscriptionChanged();
      return;
    case 'settings.changed':
      void readChanged(settingsStore, loadSettings);
      walletChanged();
      return;
    case 'alert.changed':
      applyAlert(event.alert, event.sequence);
      return;
    case 'alert.deleted':
      removeAlert(event.alertId, event.sequence);
      return;
    case 'alert.fired':
      if (applyFiring(event.alert, event.firing, event.sequence)) tellFiring(event.firing);
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

export const followStream = (owner: string): SharedStream =>
  joinStream({
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
