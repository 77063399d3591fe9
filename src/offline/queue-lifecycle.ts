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
import type { Deliver } from './deliver.ts';
import type { Bearer, Drained } from './drain.ts';
import { pauseHolds, type Outbox } from './outbox.ts';
import { isPending, isStop, type OutboxEntry, type SetAside } from './outbox-entry.ts';
import { backoffMs } from './queue-rules.ts';
import type { Line } from './send.ts';
import { keepSnapshots } from './snapshots.ts';
import { openUserQueue, type UserQueue } from './user-queue.ts';

/** How long an accepted command is shown; by then the server's own state is on screen. */
const ACCEPTED_SHOWN_MS = 6_000;
const SOONEST_MS = 1_000;
/** How often a hidden app tries, which does so for stops only. */
const HIDDEN_MS = 30_000;

export interface QueueView {
  /** As last read, while the disk does not answer. */
  entries: OutboxEntry[];
  /** What the disk holds was not read yet, so nobody knows whether something waits. */
  unread: boolean;
  draining: boolean;
  paused: 'sign-in' | 'update' | null;
  storage: StorageMode;
  /** This page has had the storage, so what was saved may still lie in it. */
  wasOnDisk: boolean;
  /** Records that could not be read and will not be sent. */
  quarantined: SetAside[];
  /** The browser has deleted the app's data, including unsent commands. */
  lost: boolean;
}

const NOTHING: QueueView = {
  entries: [],
  unread: false,
  draining: false,
  paused: null,
  storage: 'unopened',
  wasOnDisk: false,
  quarantined: [],
  lost: false,
};

export interface LifecycleOptions {
  line: Line;
  token(force: boolean): Promise<Bearer | null>;
  /**
   * Whether this user is logged in on this device now. Asked before a missing database is created.
   */
  signedIn(uid: string): boolean;
  keepSnapshots(): boolean;
  /** The device's note of whose database was created here. */
  made: { had(uid: string): boolean; note(uid: string): void };
  /** Whether the app is in the background, where all rests but a stop. */
  hidden(): boolean;
  /** Whether a token can be had without renewing it. */
  holdsToken(): boolean;
  /**
   * Calls when the app is shown or hidden, or the browser believes to be online. Returns a function
   * that unsubscribes.
   */
  onWake(listener: () => void): () => void;
  onView(view: QueueView): void;
  /** The server has accepted a command, sent from here or elsewhere on this device. */
  onDelivered(commandId: string): void;
  onAgents(agents: Agent[]): void;
  /**
   * An alert as just accepted by the server, or the id of a deleted one. `isRepeat`: the command was
   * sent before, so the answer may be as old as that.
   */
  onAlert(alert: Alert | string, isRepeat?: boolean): void;
  onSettled(entry: OutboxEntry): void;
  /** A drain has ended; for the state of the connection. */
  onDrained(drained: Drained): void;
  onError(error: unknown): void;
}

interface Attached {
  uid: string;
  database: UserDatabase;
  queue: UserQueue;
  /** What was read of the queue last. */
  known?: Pick<QueueView, 'entries' | 'paused' | 'quarantined'>;
  stop: () => void;
}

export interface Lifecycle {
  readonly queue: UserQueue | null;
  readonly database: UserDatabase | null;
  attach(uid: string): void;
  detach(): void;
  /** Deletes all data of a user here, with or without a worker. */
  purge(uid: string): Promise<void>;
  /** Sends what can be sent now: after a press, a login, an answer of the server. Never throws. */
  drainNow(): Promise<void>;
  /** The user has logged in: what waited for that continues. */
  signedInAgain(): Promise<void>;
  refresh(): Promise<void>;
  /** The user has read that data was lost. */
  lossRead(): void;
}

export const createLifecycle = (
  options: LifecycleOptions,
  channel: OfflineChannel = openChannel(),
): Lifecycle => new QueueLifecycle(options, channel);

class QueueLifecycle implements Lifecycle {
  private attached: Attached | null = null;
  private draining = 0;
  private misses = 0;
  /** The server took the token for none while the app is hidden: it is renewed when that is seen. */
  private isRefused = false;
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
    const stopMode = database.onMode((mode) => {
      this.refreshSoon();
      if (mode === 'disk' && queue.outbox.unmarked.size > 0)
        loadDelivery()
          .then(({ tellDisk }) => tellDisk(queue.outbox))
          .catch((error: unknown) => {
            options.onError(error);
          });
    });
    const stopWaking = options.onWake(this.wake);
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
    // Whoever created the database may not have known the user's choice, and the page may have been
    // left before the database had noted it.
    keepSnapshots(uid, options.keepSnapshots()).catch((error: unknown) => {
      if (!(error instanceof StorageFault)) options.onError(error);
    });
    this.show(this.attached);
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
      this.misses = endsByItself(drained.end) ? this.misses + 1 : 0;
      if (this.attached !== present) return;
      this.schedule(drained);
      this.options.onDrained(drained);
    } catch (error) {
      this.options.onError(error);
      this.misses += 1;
      if (this.attached === present) this.schedule({ end: 'no-storage', dueAt: null });
    } finally {
      this.draining -= 1;
      this.refreshSoon();
    }
  }

  /**
   * A hidden app may be closed before its drain has ended, as on a network that gives no answer. It
   * rests, but not with a stop: the agent would trade on until somebody looks. A sign-in that has
   * ended is not renewed for that, which would put it over a new one of another tab.
   */
  private readonly wake = (): void => {
    const { options } = this;
    const hidden = options.hidden();
    if (hidden && (this.draining > 0 || this.waits(isPending)))
      loadDelivery().then(
        ({ askForSync }) => askForSync(),
        // Without this code there is no worker yet that could send.
        () => undefined,
      );
    if (!hidden) this.isRefused = false;
    const mayStop = this.waits(isWaitingStop) && options.holdsToken() && !this.isRefused;
    if (!hidden || mayStop) void this.drainNow();
  };

  private waits(how: (entry: OutboxEntry) => boolean): boolean {
    return this.attached?.known?.entries.some(how) === true;
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
    try {
      const { entries, meta } = await present.queue.outbox.state();
      const quarantined = await present.queue.outbox.quarantined();
      present.known = { entries, paused: pauseHolds(meta, null), quarantined };
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error;
      if (error.code === 'signed-out') present.known = { ...NOTHING };
    }
    if (this.attached === present) this.show(present);
  }

  lossRead(): void {
    this.attached?.database.noteLossRead();
    this.refreshSoon();
  }

  private show({ uid, database, queue, known }: Attached): void {
    const { unmarked } = queue.outbox;
    this.options.onView({
      ...NOTHING,
      ...known,
      entries: this.withAccepted(
        known?.entries.filter(({ commandId }) => unmarked.get(commandId) !== true) ?? [],
      ),
      unread: known === undefined && this.options.made.had(uid),
      draining: this.draining > 0,
      storage: database.mode,
      wasOnDisk: database.wasOnDisk,
      lost: database.lost,
    });
  }

  private openQueue(database: UserDatabase): UserQueue {
    const { options } = this;
    return openUserQueue(database, {
      line: options.line,
      deliver: this.deliver,
      channel: this.channel,
      // Refused, and hidden: another tab may have ended the sign-in.
      token: (force) => {
        if (!force || !options.hidden()) return options.token(force);
        this.isRefused = true;
        return Promise.resolve(null);
      },
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

  /**
   * Nothing waits at most starts, so the code that sends is no part of one: it comes right after
   * the first picture, or at once for what waits. Where it cannot be had, neither can the server.
   */
  private readonly deliver: Deliver = async (ports, line) => {
    if (!(await mayWait(ports.outbox))) return { end: 'empty', dueAt: null };
    let delivery: Awaited<ReturnType<typeof loadDelivery>>;
    try {
      delivery = await loadDelivery();
    } catch (error) {
      this.options.onError(error);
      return { end: 'offline', dueAt: null };
    }
    return delivery.deliver(ports, line);
  };

  private readonly refreshSoon = (): void => {
    this.refresh().catch((error: unknown) => {
      this.options.onError(error);
    });
  };

  /** The queue and recently accepted commands, by sequence. */
  private withAccepted(entries: OutboxEntry[]): OutboxEntry[] {
    // Partly accepted commands are still in the queue.
    const gone = [...this.accepted.values()].filter(
      ({ commandId }) => !entries.some((entry) => entry.commandId === commandId),
    );
    return [...entries, ...gone].sort((a, b) => a.sequence - b.sequence);
  }

  private delivered(entry: OutboxEntry, agents: Agent[], alert: Alert | null): void {
    this.accepted.set(entry.commandId, { ...entry, state: 'accepted', reason: null });
    const known = this.attached?.known;
    // The disk may not be able to tell that it is over.
    if (known) known.entries = known.entries.filter((one) => one.commandId !== entry.commandId);
    setTimeout(() => {
      this.accepted.delete(entry.commandId);
      this.refreshSoon();
    }, ACCEPTED_SHOWN_MS);
    this.options.onDelivered(entry.commandId);
    this.options.onAgents(agents);
    if (alert !== null) this.options.onAlert(alert, entry.attempts > 1);
    else if (entry.alert?.terms === null) this.options.onAlert(entry.alert.id);
    this.refreshSoon();
  }

  private clearTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Drains again later; while the app is hidden, for a stop only: becoming visible drains as well. */
  private schedule(drained: Drained): void {
    this.clearTimer();
    const hidden = this.options.hidden();
    if (hidden && (this.isRefused || !this.waits(isWaitingStop))) return;
    const later = this.delayAfter(drained);
    if (later !== null)
      this.timer = setTimeout(
        this.wake,
        Math.max(hidden ? HIDDEN_MS : 0, Math.min(later, BACKOFF_MAX_MS)),
      );
  }

  private delayAfter({ end, dueAt }: Drained): number | null {
    if (endsByItself(end)) return SOONEST_MS + backoffMs(this.misses, Math.random());
    // The server may take this app again, as after a rollback.
    if (end === 'update') return BACKOFF_MAX_MS;
    return end === 'waiting' ? Math.max(SOONEST_MS, (dueAt ?? 0) - Date.now()) : null;
  }
}

/** A missing token is not a log-out: the provider may be slow or away. So may the disk. */
const endsByItself = (end: Drained['end']): boolean =>
  end === 'offline' || end === 'signed-out' || end === 'no-storage';

const isWaitingStop = (entry: OutboxEntry): boolean => isStop(entry) && isPending(entry);

/** The code that sends; asked for early by whoever may have something to send soon. */
export const loadDelivery = () => import('./page-delivery.ts');

/** Whether there is something to send. A queue that cannot be read is left to the delivery. */
async function mayWait(outbox: Outbox): Promise<boolean> {
  try {
    return (await outbox.sweep()).entries.some(isPending);
  } catch (error) {
    if (error instanceof StorageFault) return true;
    throw error;
  }
}

export const unsent = (entries: readonly OutboxEntry[]): OutboxEntry[] =>
  entries.filter((entry) => isPending(entry) || entry.state === 'needs-you');
