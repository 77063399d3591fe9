/**
 * The commands of screens that can be queued: start, stop and alert changes. Nothing else may write
 * to the queue.
 */
import { proxy, snapshot } from 'valtio';
import { subscribeKey } from 'valtio/utils';
import type { Agent } from '../contract/agents.ts';
import type { AlertTerms } from '../contract/alerts.ts';
import { apiFetch } from './api/api.ts';
import { environment } from './environment.ts';
import { alertName } from './format/alert-text.ts';
import { hadDatabase, noteDatabase, readLastUser } from './identity/last-user.ts';
import { holdsToken, onPurge, session, sessionToken } from './identity/session.ts';
import { TokenFault } from './identity/token.ts';
import { log } from './platform/page-log.ts';
import { StorageFault, type StorageMode } from './offline/user-database.ts';
import { createLifecycle, loadDelivery, unsent } from './offline/queue-lifecycle.ts';
import { QueueFull } from './offline/outbox.ts';
import {
  isAlert,
  isStop,
  type OutboxEntry,
  type SetAside,
  type CommandRequest,
} from './offline/outbox-entry.ts';
import { keepSnapshots } from './offline/snapshots.ts';
import type { Unsaved } from './offline/unsaved.ts';
import {
  alertsStore,
  applyAlert,
  goneAlerts,
  loadAlerts,
  removeAlert,
} from './stores/alerts-store.ts';
import { agentsStore, applyAgent, loadAgents } from './stores/agents-store.ts';
import { observedState } from './stores/observed-state.ts';
import { clearBacktestRecord, backtestRecord } from './stores/started-backtests.ts';
import { connection } from './stores/connection.ts';
import { verifyOnline } from './stores/server-health.ts';
import { serverBoard } from './stores/market-store.ts';
import { requestPersistence } from './stores/storage-persistence.ts';
import { withdrawOffer } from './stores/stop-offer.ts';
import { removeToast } from './stores/toast-store.ts';

/**
 * The queue as screens read it. An entry's state is what is true on this device: Saved on this
 * device (`saved`), Sending, Accepted (`accepted`, for a few seconds until the server's own state
 * arrives), Needs you, Failed, Expired (`lapsed`), Cancelled.
 */
export interface Queue {
  /** By sequence, including those accepted in the last seconds. */
  entries: OutboxEntry[];
  /** The storage has not answered yet: what it holds may be unsent, though `entries` is empty. */
  unread: boolean;
  draining: boolean;
  lastError: string | null;
  /** Why nothing is sent, besides the network: until a login, or until this app is updated. */
  paused: 'sign-in' | 'update' | null;
  /**
   * `memory`: this browser saves nothing. `newer`: a newer build uses the database. Commands are
   * sent at once or not at all.
   */
  storage: StorageMode;
  /** This page has had the storage: what was saved then is sent by the worker, or after a reload. */
  wasOnDisk: boolean;
  /** Entries that could not be read and were quarantined. */
  quarantined: SetAside[];
  /**
   * The browser has deleted the app's data, unsent commands included; until the user has read it.
   */
  lost: boolean;
  /** How often Stop all was pressed in this page, saved or not. */
  stopAllPresses: number;
}

export const queue = proxy<Queue>({
  entries: [],
  unread: false,
  draining: false,
  lastError: null,
  paused: null,
  storage: 'unopened',
  wasOnDisk: false,
  quarantined: [],
  lost: false,
  stopAllPresses: 0,
});

/**
 * The result of a press. `saved`: on disk; show "Saved on this device". `sent`: it could not be
 * saved, but the server accepted it. `not-saved`: neither. `refused`: rejected, with the reason as
 * a sentence.
 */
export type CommandResult =
  | { said: 'saved'; entry: OutboxEntry }
  | { said: 'sent'; message: string }
  | { said: 'not-saved'; message: string }
  | { said: 'refused'; message: string };

/**
 * `undone`: never sent and never will be. `start-unknown`: the same of a stop, but a start that it had
 * withdrawn was sent and may have arrived. `dismissed`: finished and no longer shown. `not-done`: the
 * disk failed, the code for it could not be loaded, or it was pressed again meanwhile, so it waits as
 * before.
 */
export type CancelResult =
  | 'undone'
  | 'start-unknown'
  | 'dismissed'
  | 'already-sent'
  | 'gone'
  | 'not-done';

type ObservedState = Pick<Agent, 'id' | 'name' | 'generation'> & { version?: number };

const KEEP_KEY = 'tradewind.keepSnapshots';
/** Data beside the database that the choice covers too: drafts and the wallet note. */
const KEPT_BESIDE = /^tradewind\.(draft\.|wallet)/;
const line = { baseUrl: environment.apiUrl, fetch: apiFetch };

/** "Available offline": the user's choice to save snapshots, on by default. */
export function keepsSnapshots(): boolean {
  return localStorage.getItem(KEEP_KEY) !== 'false';
}

/** Takes effect at once: off deletes the snapshots. Queued commands stay. */
export async function setKeepSnapshots(keep: boolean): Promise<void> {
  localStorage.setItem(KEEP_KEY, String(keep));
  if (!keep)
    for (const key of Object.keys(localStorage))
      if (KEPT_BESIDE.test(key)) localStorage.removeItem(key);
  if (session.user !== null) await keepSnapshots(session.user.uid, keep);
}

/**
 * The provider waits for its store without a limit, after it has the new token: whoever asks again
 * gets that one, and no turn of the queue may wait for good.
 */
const TOKEN_DEADLINE_MS = 8_000;
function bearerInTime(force: boolean): Promise<{ uid: string; token: string } | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, TOKEN_DEADLINE_MS, null);
    void bearer(force).then((held) => {
      clearTimeout(timer);
      resolve(held);
    });
  });
}

/** Without a limit: what could not be saved is sent once, and nobody asks again. */
async function bearer(force: boolean): Promise<{ uid: string; token: string } | null> {
  try {
    return await sessionToken(force);
  } catch (error) {
    if (error instanceof TokenFault) return null;
    // Firebase could not reach its server: there is no token now.
    log.debug('No token for the queue', error);
    return null;
  }
}

/**
 * A notification may still call the stop saved. The page says so itself: a message to a worker that
 * is about to give way to a new one would hold it up.
 */
async function sayOnNotification(
  commandId: string,
  said: 'delivered' | 'failed' | 'undone',
): Promise<void> {
  try {
    if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
    const registration = await navigator.serviceWorker.getRegistration();
    if (registration === undefined) return;
    const { sayOfStop } = await import('./offline/stop-notification.ts');
    await sayOfStop(registration, commandId, said);
  } catch (error) {
    log.debug('The notification of a stop could not be replaced', error);
  }
}

const lacks = (list: readonly { id: string }[] | undefined, id: string): boolean =>
  list?.every((one) => one.id !== id) === true;

const lifecycle = createLifecycle({
  line,
  token: bearerInTime,
  // Also checks the device's record: it has another tab's log-out before this page hears of it.
  signedIn: (uid) => session.user?.uid === uid && readLastUser()?.uid === uid,
  keepSnapshots: keepsSnapshots,
  made: { had: hadDatabase, note: noteDatabase },
  hidden: () => document.visibilityState === 'hidden',
  holdsToken,
  onWake(listener) {
    addEventListener('online', listener);
    addEventListener('pageshow', listener);
    document.addEventListener('visibilitychange', listener);
    return () => {
      removeEventListener('online', listener);
      removeEventListener('pageshow', listener);
      document.removeEventListener('visibilitychange', listener);
    };
  },
  onView(view) {
    Object.assign(queue, view);
  },
  onDelivered(commandId) {
    connection.outdated = false;
    void sayOnNotification(commandId, 'delivered');
  },
  // A repeated command has its first answer: what the list lacks may be deleted since. No command
  // makes an agent.
  onAgents(agents) {
    for (const agent of agents)
      if (lacks(agentsStore.data?.agents, agent.id)) void loadAgents(true);
      else applyAgent(agent, null);
  },
  onAlert(alert, isRepeat) {
    if (typeof alert === 'string') removeAlert(alert, null);
    else if ((isRepeat || goneAlerts.has(alert.id)) && lacks(alertsStore.data?.alerts, alert.id))
      void loadAlerts(true);
    else applyAlert(alert, null);
  },
  onSettled(entry) {
    if (entry.state === 'failed') void sayOnNotification(entry.commandId, 'failed');
    void (isAlert(entry) ? loadAlerts(true) : loadAgents(true));
  },
  onDrained({ end }) {
    queue.lastError = null;
    // Drains the queue as soon as the server is back.
    if (end === 'offline') void verifyOnline();
    if (end === 'update') connection.outdated = true;
  },
  onError(error) {
    queue.lastError = 'The queue on this device could not be worked on';
    log.error('The queue could not be worked on', error);
  },
});

let open = false;

/**
 * Connects the queue with the session. Called once, before `openSession()`, which may have a purge
 * to finish.
 */
export function openCommands(): void {
  if (open) return;
  open = true;
  onPurge((uid) => {
    clearBacktestRecord();
    return lifecycle.purge(uid);
  });
  const follow = (): void => {
    if (session.user !== null) {
      lifecycle.attach(session.user.uid);
      return;
    }
    lifecycle.detach();
    // Toasts and offers name the agents of the user who has left.
    removeToast();
    withdrawOffer();
  };
  subscribeKey(session, 'user', follow, true);
  subscribeKey(
    session,
    'status',
    (status) => {
      if (status === 'signed-in') void lifecycle.signedInAgain();
    },
    true,
  );
  subscribeKey(
    session,
    'expiresAt',
    () => {
      if (session.status === 'signed-in') void lifecycle.signedInAgain();
    },
    true,
  );
  // No token before the provider has named the user: what was pressed before that is sent now.
  subscribeKey(
    session,
    'provisional',
    (provisional) => {
      if (!provisional && session.status === 'signed-in') void lifecycle.drainNow();
    },
    true,
  );
  subscribeKey(
    connection,
    'online',
    (online) => {
      if (online === 'online') void lifecycle.drainNow();
    },
    true,
  );
  follow();
}

/**
 * When the queue of the user named by this device is in `queue`, so that what waits is drawn with
 * the first picture; at once without a user.
 */
export function queueRead(): Promise<void> {
  if (session.user === null || queue.storage !== 'unopened') return Promise.resolve();
  return new Promise((resolve) => {
    const stop = subscribeKey(queue, 'storage', (storage) => {
      if (storage === 'unopened') return;
      stop();
      resolve();
    });
  });
}

const NOT_SAVED =
  'Not saved and not sent. This browser has no free storage and the server could not be reached.';

const NOT_LOADED = 'Not confirmed. Part of the app could not be loaded. Try again when online.';

/** After the session has ended the queue accepts only stops. */
const SESSION_OVER =
  'Your session has ended. Log in again to start agents or set alerts. You can still stop agents.';

async function submit(asked: CommandRequest): Promise<CommandResult> {
  const request = { press: { id: crypto.randomUUID(), at: Date.now() }, ...asked };
  const { outbox } = lifecycle.queue ?? {};
  if (outbox === undefined || session.user === null)
    return { said: 'refused', message: 'Not authenticated' };
  if (session.status === 'expired' && !isStop(request))
    return { said: 'refused', message: SESSION_OVER };
  try {
    const entry = await outbox.enqueue(request);
    void lifecycle.drainNow();
    if (!isStop(request)) void requestPersistence();
    return { said: 'saved', entry };
  } catch (error) {
    if (error instanceof QueueFull)
      return isStop(request)
        ? sendNow(request, error.message)
        : { said: 'refused', message: error.message };
    if (!(error instanceof StorageFault)) throw error;
    return sendNow(request);
  }
}

const loadUnsaved = () => import('./offline/unsaved.ts');

/** Null where nothing was sent. */
async function sendOnce(uid: string, request: CommandRequest): Promise<Unsaved | null> {
  let unsaved: Awaited<ReturnType<typeof loadUnsaved>>;
  try {
    unsaved = await loadUnsaved();
  } catch (error) {
    log.error('The code that sends an unsaved command could not be loaded', error);
    return null;
  }
  return unsaved.sendUnsaved(uid, request, {
    line,
    token: bearer,
    outbox: lifecycle.queue?.outbox,
    told: lifecycle.queue?.told,
    waiting: snapshot(queue).entries as OutboxEntry[],
  });
}

/**
 * Asks for the code that sends, saved or not, and takes back, so that the first press does not wait
 * for it. Called after the first paint; a press before that asks by itself.
 */
export async function preloadDelivery(): Promise<void> {
  await Promise.all([loadDelivery(), loadUnsaved(), loadReview()]);
}

/** `unanswered`: what is said of the try; none was made without it. */
function notSaved(unanswered: string | undefined, why: string | undefined): string {
  if (unanswered === undefined) return why ?? NOT_SAVED;
  return why === undefined ? unanswered : `${why} ${unanswered}`;
}

/** It could not be saved: try the network. `why`: where the disk is not the reason. */
async function sendNow(request: CommandRequest, why?: string): Promise<CommandResult> {
  const uid = session.user?.uid;
  const sent = uid === undefined ? null : await sendOnce(uid, request);
  // Tries the disk until it is back: it learns of this then.
  void lifecycle.drainNow();
  // Somebody else is here by now: nothing of it is theirs to see.
  if (session.user?.uid !== uid) return { said: 'refused', message: 'Not authenticated' };
  if (sent === null || sent.outcome === 'unknown')
    return { said: 'not-saved', message: notSaved(sent?.message, why) };
  if (sent.outcome === 'refused') return { said: 'refused', message: sent.message };
  for (const agent of sent.agents) applyAgent(agent, null);
  if (sent.alert !== null) applyAlert(sent.alert, null);
  if (request.alert?.terms === null) removeAlert(request.alert.id, null);
  return { said: sent.said, message: sent.message };
}

const agentRequest = (intent: 'start' | 'stop', agent: ObservedState): CommandRequest => ({
  intent,
  agentId: agent.id,
  agentName: agent.name,
  agents: [],
  seenGeneration: agent.generation,
  confirmed: false,
  ...(intent === 'start'
    ? { seen: observedState([agent.id]), ...backtestRecord({ agentId: agent.id }, agent.version) }
    : {}),
});
const allAgentsRequest = (
  intent: 'start-all' | 'stop-all',
  agents: readonly ObservedState[],
): CommandRequest => ({
  intent,
  agentId: null,
  agentName: '',
  seenGeneration: null,
  confirmed: false,
  agents: agents.slice(0, 100).map((agent) => ({ id: agent.id, seenGeneration: agent.generation })),
  ...(intent === 'start-all' ? { seen: observedState(agents.map((agent) => agent.id)) } : {}),
});

export function startAgent(agent: ObservedState): Promise<CommandResult> {
  return submit(agentRequest('start', agent));
}

/** `again`: of one that was pressed before, and could not be saved then. */
export function stopAgent(
  agent: ObservedState,
  again?: Pick<CommandRequest, 'press'>,
): Promise<CommandResult> {
  return submit({ ...agentRequest('stop', agent), ...again });
}

/** Starts the agents that were shown, and no other. */
export function startAll(agents: readonly ObservedState[]): Promise<CommandResult> {
  return submit(allAgentsRequest('start-all', agents));
}

/** Stops every agent, also those that this device has not loaded. */
export function stopAll(): Promise<CommandResult> {
  queue.stopAllPresses += 1;
  return submit(allAgentsRequest('stop-all', agentsStore.data?.agents ?? []));
}

/** An alert as it will be; `seenVersion` is that of the alert on screen, null for a new one. */
export function setAlert(
  id: string,
  terms: AlertTerms,
  seenVersion: number | null,
): Promise<CommandResult> {
  const quote = serverBoard()?.symbols[terms.symbol];
  const seen = quote === undefined ? null : { price: quote.price, at: quote.timestamp };
  return submit({
    ...alertRequest('set-alert', terms),
    alert: { id, terms, seenVersion: seenVersion ?? versionOf(id), seen },
  });
}

export function deleteAlert(
  id: string,
  terms: AlertTerms,
  seenVersion: number | null,
): Promise<CommandResult> {
  return submit({
    ...alertRequest('delete-alert', terms),
    alert: { id, terms: null, seenVersion: seenVersion ?? versionOf(id), seen: null },
  });
}

/** The server may have accepted a new alert since its form was opened. */
const versionOf = (id: string): number | null =>
  alertsStore.data?.alerts.find((alert) => alert.id === id)?.version ?? null;

const alertRequest = (intent: 'set-alert' | 'delete-alert', terms: AlertTerms): CommandRequest => ({
  intent,
  agentId: null,
  agentName: alertName(terms),
  agents: [],
  seenGeneration: null,
  confirmed: false,
});

const loadReview = () => import('./offline/review.ts');

/** Null where it could not be had: a command then waits as on a disk that takes no change. */
async function reviewCode(): Promise<Awaited<ReturnType<typeof loadReview>> | null> {
  try {
    return await loadReview();
  } catch (error) {
    log.error('The code that takes back and confirms commands could not be loaded', error);
    return null;
  }
}

/** Undoes what was never sent, or dismisses what is finished. */
export async function cancelCommand(commandId: string): Promise<CancelResult> {
  const { outbox } = lifecycle.queue ?? {};
  if (outbox === undefined) return 'gone';
  try {
    // The queue as it is at the press: what is pressed while the code comes counts after it.
    const [review, before] = await Promise.all([reviewCode(), outbox.state()]);
    const result = (await review?.cancelCommandIn(outbox, commandId, before)) ?? 'not-done';
    if (result === 'undone' || result === 'start-unknown') {
      void sayOnNotification(commandId, 'undone');
      // What a stop had withdrawn waits again.
      void lifecycle.drainNow();
    }
    return result;
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    return 'not-done';
  }
}

/** Retries what needed the user, failed or expired, as a new press on what is shown now. */
export async function confirmCommand(commandId: string): Promise<CommandResult> {
  const { outbox } = lifecycle.queue ?? {};
  const waiting = queue.entries.find((entry) => entry.commandId === commandId);
  if (session.status === 'expired' && waiting !== undefined && !isStop(waiting))
    return { said: 'refused', message: SESSION_OVER };
  const generations = new Map([
    ...(agentsStore.data?.agents.map((agent): [string, number] => [agent.id, agent.generation]) ??
      []),
    ...(alertsStore.data?.alerts.map((alert): [string, number] => [alert.id, alert.version]) ?? []),
  ]);
  let again: CommandRequest | undefined = waiting;
  try {
    const ids =
      waiting?.agentId === null
        ? waiting.agents.map((agent) => agent.id)
        : [waiting?.agentId ?? ''];
    const now =
      waiting === undefined || isStop(waiting) || isAlert(waiting) ? undefined : observedState(ids);
    const review = await reviewCode();
    // Somebody else may be here by now, who has asked for nothing.
    if (session.user?.uid !== outbox?.uid) return { said: 'refused', message: 'Not authenticated' };
    if (review === null) return unconfirmed(waiting, NOT_LOADED);
    again = waiting && review.pressedAgain(waiting, generations, now);
    const entry =
      outbox && (await review.confirmCommandIn(outbox, commandId, generations, now, again?.press));
    if (!entry) return { said: 'refused', message: 'This command is no longer waiting' };
    void lifecycle.drainNow();
    return { said: 'saved', entry };
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    return unconfirmed(again);
  }
}

/** A stop that could not be confirmed here goes out at once. */
const unconfirmed = async (
  asked: CommandRequest | undefined,
  why?: string,
): Promise<CommandResult> =>
  asked !== undefined && isStop(asked)
    ? sendNow(asked, why)
    : { said: 'not-saved', message: why ?? NOT_SAVED };

/** What a log-out would discard, to be shown before. */
export function unsentCommands(): OutboxEntry[] {
  return unsent(queue.entries);
}

/** Sends what can be sent now: for the queue's "Send now". */
export function sendQueued(): Promise<void> {
  return lifecycle.drainNow();
}

/** The user has read that the browser deleted the app's data. */
export function lossRead(): void {
  lifecycle.lossRead();
}

/** The user has read which saved commands will not be sent. */
export async function dismissQuarantined(): Promise<void> {
  await lifecycle.queue?.outbox.dismissQuarantined();
}
