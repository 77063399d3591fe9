/** Connects one user's queue with its storage, network and the other tabs. */
import type { Agent } from '../../contract/agents.ts';
import type { Alert } from '../../contract/alerts.ts';
import type { OfflineChannel } from './channel.ts';
import type { UserDatabase } from './user-database.ts';
import type { Deliver } from './deliver.ts';
import type { Bearer, Drained } from './drain.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { databaseStore } from './queue-store.ts';
import type { Line } from './send.ts';

export interface UserQueueOptions {
  line: Line;
  /** The worker has it at hand; the page asks for it when something waits. */
  deliver: Deliver;
  channel: OfflineChannel;
  token(force: boolean): Promise<Bearer | null>;
  onDelivered?(entry: OutboxEntry, agents: Agent[], alert: Alert | null): void;
  onSettled?(entry: OutboxEntry): void;
  /** The queue changed, here or in another realm. */
  onChange?(): void;
}

export interface UserQueue {
  readonly uid: string;
  readonly outbox: Outbox;
  /** Sends what can be sent. Calls during a run cause one further run. */
  drain(): Promise<Drained>;
  /** Tells the other realms what the server said of a command that it has taken. */
  readonly told: (entry: OutboxEntry, agents: Agent[], alert: Alert | null) => void;
  close(): void;
}

const tellingOf =
  (channel: OfflineChannel, uid: string): UserQueue['told'] =>
  (entry, agents, alert) => {
    channel.post({ type: 'delivered', uid, entry, agents, alert });
  };

export function openUserQueue(database: UserDatabase, options: UserQueueOptions): UserQueue {
  const { uid } = database;
  const told = tellingOf(options.channel, uid);
  const waiting = new Set<() => void>();
  const news = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
    options.onChange?.();
  };
  const outbox = createOutbox(databaseStore(database), {
    changed(sent) {
      options.channel.post({ type: 'queue', uid, sent });
      news();
    },
  });
  const unlisten = options.channel.listen((message) => {
    if (message.type === 'purged' || message.uid !== uid) return;
    const sent = message.type === 'queue' ? message.sent : message.entry.commandId;
    // Its sender's disk may know nothing of it. One that is over here stays over.
    if (sent !== undefined && !outbox.unmarked.has(sent)) outbox.unmarked.set(sent, false);
    if (message.type === 'queue') news();
  });

  const runOnce = (): Promise<Drained> =>
    options.deliver(
      {
        outbox,
        token: (force) => options.token(force),
        now: Date.now,
        random: Math.random,
        changed: () =>
          new Promise((resolve) => {
            waiting.add(resolve);
          }),
        onDelivered(entry, agents, alert) {
          told(entry, agents, alert);
          options.onDelivered?.(entry, agents, alert);
        },
        onSettled: (entry) => options.onSettled?.(entry),
      },
      options.line,
    );

  let running: Promise<Drained> | null = null;
  let next: Promise<Drained> | null = null;
  const begin = (): Promise<Drained> => {
    const run = runOnce().finally(() => {
      if (running === run) running = null;
    });
    running = run;
    return run;
  };

  return {
    uid,
    outbox,
    told,
    drain() {
      if (running === null) return begin();
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = null;
          return begin();
        });
      return next;
    },
    close() {
      unlisten();
      waiting.clear();
    },
  };
}
