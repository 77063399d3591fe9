/** The page's side of the queue: when to send, what to show, what to delete. */
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
} from './user-database.ts';
import type { Bearer, Drained } from './drain.ts';
import { pauseHolds } from './outbox.ts';
import { isPending, type OutboxEntry, type SetAside } from './outbox-entry.ts';
import { backoffMs } from './queue-rules.ts';
import type { Line } from './send.ts';
import { keepSnapshots } from './snapshots.ts';
import { openUserQueue, type UserQueue } from './user-queue.ts';

const SYNC_TAG = 'outbox';
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

export const createLifecycle = (
  options: LifecycleOptions,
  channel: OfflineChannel = openChannel(),
): Lifecycle => new QueueLifecycle(options, channel);

class QueueLifecycle implements Lifecycle {
  private attached: Attached | null = null;
  private draining = 0;
  private misses = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly accepted = new Map<string, OutboxEntry>();

  constructor(
    private readonly options: LifecycleOptions,
    private readonly channel: OfflineChannel,
  ) {
    channel.listen((message) => {
      if (this.attached === null || message.uid !== this.attached.uid) return;
      if (message.type === 'delivered')
        this.delivered(message.entry, message.agents, message.alert ?? null);
      if (message.type === 'purged') {
        void this.attached.database.retire();
        this.detach();
      }
    });
  }

  get queue(): UserQueue | null {
    return this.attached?.queue ?? null;
  }

  get database(): UserDatabase | null {
    return this.attached?.database ?? null;
  }

  attach(uid: string): void {
    if (this.attached?.uid === uid && !this.attached.database.deleted) return;
    this.detach();
    const { options } = this;
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
    const queue = this.openQueue(database);
    const stopMode = database.onMode(this.refreshSoon);
    const stopWaking = options.onWake(() => {
      if (!options.hidden()) void this.drainNow();
    });
    this.attached = {
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
    this.refreshSoon();
    void this.drainNow();
  }

  detach(): void {
    this.attached?.stop();
    this.attached = null;
    this.accepted.clear();
    this.clearTimer();
    this.options.onView(NOTHING);
  }

  async purge(uid: string): Promise<void> {
    if (this.attached?.uid === uid) this.detach();
    this.channel.post({ type: 'purged', uid });
    await deleteUserDatabase(uid);
  }

  async drainNow(): Promise<void> {
    const present = this.attached;
    if (present === null) return;
    this.clearTimer();
    this.draining += 1;
    this.refreshSoon();
    try {
      const drained = await present.queue.drain();
      this.misses = drained.end === 'offline' || drained.end === 'signed-out' ? this.misses + 1 : 0;
      if (this.attached !== present) return;
      if (drained.end !== 'empty') void askForSync();
      this.schedule(drained);
      this.options.onDrained(drained);
    } catch (error) {
      this.options.onError(error);
    } finally {
      this.draining -= 1;
      this.refreshSoon();
    }
  }

  async signedInAgain(): Promise<void> {
    try {
      const state = await this.attached?.queue.outbox.state();
      if (state?.meta.pause?.why === 'sign-in') await this.attached?.queue.outbox.pause(null);
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error;
    }
    await this.drainNow();
  }

  async refresh(): Promise<void> {
    const present = this.attached;
    if (present === null) return;
    let view: QueueView = { ...NOTHING, draining: this.draining > 0 };
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
    if (this.attached !== present) return;
    this.options.onView({
      ...view,
      entries: this.withAccepted(view.entries),
      storage: present.database.mode,
      lost: present.database.lost,
    });
  }

  lossRead(): void {
    this.attached?.database.noteLossRead();
    this.refreshSoon();
  }

  private openQueue(database: UserDatabase): UserQueue {
    const { options } = this;
    return openUserQueue(database, {
      line: options.line,
      channel: this.channel,
      token: (force) => options.token(force),
      onDelivered: (entry, agents, alert) => {
        this.delivered(entry, agents, alert);
      },
      onSettled: (entry) => {
        options.onSettled(entry);
        this.refreshSoon();
      },
      onChange: this.refreshSoon,
    });
  }

  private readonly refreshSoon = (): void => {
    this.refresh().catch((error: unknown) => {
      this.options.onError(error);
    });
  };

  /** The queue and what was accepted a moment ago, by sequence. */
  private withAccepted(entries: OutboxEntry[]): OutboxEntry[] {
    // What was accepted in part is in the queue still, as what it now is.
    const gone = [...this.accepted.values()].filter(
      ({ commandId }) => !entries.some((entry) => entry.commandId === commandId),
    );
    return [...entries, ...gone].sort((a, b) => a.sequence - b.sequence);
  }

  private delivered(entry: OutboxEntry, agents: Agent[], alert: Alert | null): void {
    this.accepted.set(entry.commandId, { ...entry, state: 'accepted', reason: null });
    setTimeout(() => {
      this.accepted.delete(entry.commandId);
      this.refreshSoon();
    }, ACCEPTED_SHOWN_MS);
    this.options.onAgents(agents);
    if (alert !== null) this.options.onAlert(alert);
    else if (entry.alert?.terms === null) this.options.onAlert(entry.alert.id);
    this.refreshSoon();
  }

  private clearTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Drains again later, unless the app is hidden: coming back is a trigger of its own. */
  private schedule(drained: Drained): void {
    this.clearTimer();
    if (this.options.hidden()) return;
    const later = this.delayAfter(drained);
    if (later !== null)
      this.timer = setTimeout(
        () => {
          void this.drainNow();
        },
        Math.min(later, BACKOFF_MAX_MS),
      );
  }

  private delayAfter({ end, dueAt }: Drained): number | null {
    // No token now is no sign-out: the provider may be slow or away while the server is there.
    if (end === 'offline' || end === 'signed-out')
      return SOONEST_MS + backoffMs(this.misses, Math.random());
    return end === 'waiting' ? Math.max(SOONEST_MS, (dueAt ?? 0) - Date.now()) : null;
  }
}

export const unsent = (entries: readonly OutboxEntry[]): OutboxEntry[] =>
  entries.filter((entry) => isPending(entry) || entry.state === 'needs-you');
