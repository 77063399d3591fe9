/**
 * The page's side of the queue: when to send, what to show, what to delete; refuses to send while
 * nobody is attached.
 */
import type { Agent } from '../../contract/agents.ts';
import type { Alert } from '../../contract/alerts.ts';
import { BACKOFF_MAX_MS } from '../../contract/limits.ts';
import { openChannel, type OfflineChannel } from './channel.ts';
import {
  deleteUserDatabase,
  openUserDatabase,
  StorageFault,
  type StorageMode,
  type UserDatabase,
} from './database.ts';
import type { Bearer, Drained } from './drain.ts';
import { pauseHolds } from './outbox.ts';
import { isPending, type OutboxEntry, type SetAside } from './outbox-entry.ts';
import { backoffMs } from './queue-rules.ts';
import type { Line } from './send.ts';
import { keepSnapshots } from './snapshots.ts';
import { openUserQueue, type UserQueue } from './user-queue.ts';

export const SYNC_TAG = 'outbox';
/**
 * How long an accepted command is shown as such; by then the server's own word is on the screen.
 */
const ACCEPTED_SHOWN_MS = 6_000;
const SOONEST_MS = 1_000;

export interface QueueView {
  entries: OutboxEntry[];
  draining: boolean;
  paused: 'sign-in' | 'update' | null;
  storage: StorageMode;
  /** Records that could not be read and will not be sent. */
  quarantined: SetAside[];
  /** The browser has cleared what was kept here, unsent commands as well. */
  lost: boolean;
}

const NOTHING: QueueView = {
  entries: [],
  draining: false,
  paused: null,
  storage: 'unopened',
  quarantined: [],
  lost: false,
};

export interface LifecycleOptions {
  line: Line;
  token(force: boolean): Promise<Bearer | null>;
  /** Is this user signed in on this device, now? Asked before a missing database is made. */
  signedIn(uid: string): boolean;
  keepSnapshots(): boolean;
  /** The device's own note of whose database was made here. */
  made: { had(uid: string): boolean; note(uid: string): void };
  /** Is the app in the background? Its timers rest then. */
  hidden(): boolean;
  /**
   * Calls when the app is shown again or the browser believes to be online. Returns the
   * unsubscribe.
   */
  onWake(listener: () => void): () => void;
  onView(view: QueueView): void;
  onAgents(agents: Agent[]): void;
  /** An alert as the server has just taken it, or the id of one that is deleted. */
  onAlert(alert: Alert | string): void;
  onSettled(entry: OutboxEntry): void;
  /** The turn of a drain has ended; for the state of the connection. */
  onDrained(drained: Drained): void;
  onError(error: unknown): void;
}

interface Attached {
  uid: string;
  database: UserDatabase;
  queue: UserQueue;
  stop: () => void;
}

export interface Lifecycle {
  readonly queue: UserQueue | null;
  readonly database: UserDatabase | null;
  attach(uid: string): void;
  detach(): void;
  /** Deletes everything of a user here, with or without a worker. */
  purge(uid: string): Promise<void>;
  /** Sends what can be sent now: after a press, a sign-in, a proof of the network. Never throws. */
  drainNow(): Promise<void>;
  /** The person has signed in: what waited for that goes on. */
  signedInAgain(): Promise<void>;
  refresh(): Promise<void>;
  /** The person has read that something was lost. */
  lossRead(): void;
}

interface SyncRegistration {
  sync?: { register(tag: string): Promise<void> };
}

/**
 * Asks the browser to wake the worker when the network is there, where it can. Nothing rests on it.
 */
async function askForSync(): Promise<void> {
  try {
    const registration = (await (
      navigator as { serviceWorker?: ServiceWorkerContainer }
    ).serviceWorker?.getRegistration()) as SyncRegistration | undefined;
    await registration?.sync?.register(SYNC_TAG);
  } catch {
    // Not allowed, not there, or no worker yet: the page sends by itself.
  }
}

export function createLifecycle(
  options: LifecycleOptions,
  channel: OfflineChannel = openChannel(),
): Lifecycle {
  let attached: Attached | null = null;
  let draining = 0;
  let misses = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const accepted = new Map<string, OutboxEntry>();

  const refresh = async (): Promise<void> => {
    const present = attached;
    if (present === null) return;
    let view: QueueView = { ...NOTHING, draining: draining > 0 };
    try {
      const state = await present.queue.outbox.state();
      view = {
        ...view,
        entries: state.entries,
        paused: pauseHolds(state.meta, null),
        quarantined: await present.queue.outbox.quarantined(),
      };
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error;
    }
    if (attached !== present) return;
    // What was accepted in part is in the queue still, as what it now is.
    const gone = [...accepted.values()].filter(
      ({ commandId }) => !view.entries.some((entry) => entry.commandId === commandId),
    );
    const shown = [...view.entries, ...gone].sort((a, b) => a.sequence - b.sequence);
    options.onView({
      ...view,
      entries: shown,
      storage: present.database.mode,
      lost: present.database.lost,
    });
  };
  const refreshSoon = (): void => {
    refresh().catch((error: unknown) => {
      options.onError(error);
    });
  };

  const delivered = (entry: OutboxEntry, agents: Agent[], alert: Alert | null): void => {
    accepted.set(entry.commandId, { ...entry, state: 'accepted', reason: null });
    setTimeout(() => {
      accepted.delete(entry.commandId);
      refreshSoon();
    }, ACCEPTED_SHOWN_MS);
    options.onAgents(agents);
    if (alert !== null) options.onAlert(alert);
    else if (entry.alert?.terms === null) options.onAlert(entry.alert.id);
    refreshSoon();
  };

  const rest = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };

  /** Looks again later, unless the app is hidden: coming back is a trigger of its own. */
  const schedule = (drained: Drained): void => {
    rest();
    if (options.hidden()) return;
    // No token now is no sign-out: the provider may be slow or away while the server is there.
    const later =
      drained.end === 'offline' || drained.end === 'signed-out'
        ? SOONEST_MS + backoffMs(misses, Math.random())
        : drained.end === 'waiting'
          ? Math.max(SOONEST_MS, (drained.dueAt ?? 0) - Date.now())
          : null;
    if (later !== null)
      timer = setTimeout(
        () => {
          void drainNow();
        },
        Math.min(later, BACKOFF_MAX_MS),
      );
  };

  async function drainNow(): Promise<void> {
    const present = attached;
    if (present === null) return;
    rest();
    draining += 1;
    refreshSoon();
    try {
      const drained = await present.queue.drain();
      misses = drained.end === 'offline' || drained.end === 'signed-out' ? misses + 1 : 0;
      if (attached !== present) return;
      if (drained.end !== 'empty') void askForSync();
      schedule(drained);
      options.onDrained(drained);
    } catch (error) {
      options.onError(error);
    } finally {
      draining -= 1;
      refreshSoon();
    }
  }

  const onWake = (): void => {
    if (!options.hidden()) void drainNow();
  };

  channel.listen((message) => {
    if (attached === null || message.uid !== attached.uid) return;
    if (message.type === 'delivered')
      delivered(message.entry, message.agents, message.alert ?? null);
    if (message.type === 'purged') {
      void attached.database.retire();
      lifecycle.detach();
    }
  });

  const lifecycle: Lifecycle = {
    get queue() {
      return attached?.queue ?? null;
    },
    get database() {
      return attached?.database ?? null;
    },
    attach(uid) {
      if (attached?.uid === uid && !attached.database.deleted) return;
      lifecycle.detach();
      const database = openUserDatabase(uid, {
        mayCreate: () => options.signedIn(uid),
        keepSnapshots: () => options.keepSnapshots(),
        note: {
          had: () => options.made.had(uid),
          made: () => {
            options.made.note(uid);
          },
        },
      });
      const queue = openUserQueue(database, {
        line: options.line,
        channel,
        token: (force) => options.token(force),
        onDelivered: delivered,
        onSettled: (entry) => {
          options.onSettled(entry);
          refreshSoon();
        },
        onChange: refreshSoon,
      });
      const stopMode = database.onMode(refreshSoon);
      const stopWaking = options.onWake(onWake);
      attached = {
        uid,
        database,
        queue,
        stop() {
          stopMode();
          queue.close();
          stopWaking();
        },
      };
      // Whoever made the database may not have known the person's choice.
      if (!options.keepSnapshots())
        keepSnapshots(uid, false).catch((error: unknown) => {
          if (!(error instanceof StorageFault)) options.onError(error);
        });
      refreshSoon();
      void drainNow();
    },
    detach() {
      attached?.stop();
      attached = null;
      accepted.clear();
      rest();
      options.onView(NOTHING);
    },
    async purge(uid) {
      if (attached?.uid === uid) lifecycle.detach();
      channel.post({ type: 'purged', uid });
      await deleteUserDatabase(uid);
    },
    drainNow,
    async signedInAgain() {
      try {
        const state = await attached?.queue.outbox.state();
        if (state?.meta.pause?.why === 'sign-in') await attached?.queue.outbox.pause(null);
      } catch (error) {
        if (!(error instanceof StorageFault)) throw error;
      }
      await drainNow();
    },
    refresh,
    lossRead() {
      attached?.database.noteLossRead();
      refreshSoon();
    },
  };
  return lifecycle;
}

export const unsent = (entries: readonly OutboxEntry[]): OutboxEntry[] =>
  entries.filter((entry) => isPending(entry) || entry.state === 'needs-you');
