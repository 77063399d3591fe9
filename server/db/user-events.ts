/**
 * A user's events: numbered without gaps in the transaction that causes them, published after its
 * commit.
 */
import { asc, eq, inArray, sql } from 'drizzle-orm';
import type { StreamEvent } from '../../contract/stream.ts';
import type { WallClock } from '../clock.ts';
import type { Tx, PubSub } from './database.ts';
import { insertRows, updateRows } from './bulk.ts';
import { events, users } from './schema.ts';

type Unnumbered<E> = E extends { sequence: number } ? Omit<E, 'sequence'> : never;
/** Events that are stored and numbered; `hello`, `heartbeat`, `ticks` and marks are not. */
export type DomainEvent = Unnumbered<Exclude<StreamEvent, { type: 'hello' | 'heartbeat' }>>;

/**
 * What processes tell each other besides who has new events: a trading account that was closed, a
 * person whose sign-ins were ended, and what was spent of a rate limit.
 */
export type WordKind = 'closed' | 'ended' | 'spent';
/** No user id contains a space, so a word that begins with a kind and a space names no person. */
const WORD = /^(closed|ended|spent) (.*)$/;

/** Tells this process who has new events, and what other processes say. */
export class EventNotifier {
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly wordListeners = new Map<WordKind, Set<(text: string) => void>>();
  private readonly closedListeners = new Set<(accountIds: readonly string[]) => void>();

  /** A word from another process on the database; `null`: words may have been missed. */
  receive(word: string | null): void {
    if (word === null) {
      this.notifyAll();
      return;
    }
    const [, kind, text = ''] = WORD.exec(word) ?? [];
    if (kind === undefined) this.notify(word);
    else if (kind === 'closed') this.notifyClosed([text]);
    else for (const listener of this.wordListeners.get(kind as WordKind) ?? []) listener(text);
  }

  /** Words of this kind from any process on the database, this one among them. */
  listenWord(kind: Exclude<WordKind, 'closed'>, listener: (text: string) => void): void {
    const set = this.wordListeners.get(kind) ?? new Set();
    this.wordListeners.set(kind, set.add(listener));
  }

  listenClosed(listener: (accountIds: readonly string[]) => void): () => void {
    this.closedListeners.add(listener);
    return () => {
      this.closedListeners.delete(listener);
    };
  }

  notifyClosed(accountIds: readonly string[]): void {
    for (const listener of this.closedListeners) listener(accountIds);
  }

  listen(uid: string, listener: () => void): () => void {
    const set = this.listeners.get(uid) ?? new Set();
    set.add(listener);
    this.listeners.set(uid, set);
    return () => {
      set.delete(listener);
      if (set.size === 0) this.listeners.delete(uid);
    };
  }

  notify(uid: string): void {
    for (const listener of this.listeners.get(uid) ?? []) listener();
  }

  /** Where it is not known who has news. */
  notifyAll(): void {
    for (const uid of [...this.listeners.keys()]) this.notify(uid);
  }
}

export class EventLog {
  /** `pubsub`: tells the other processes on the database, and so their streams. */
  constructor(
    private readonly notifier: EventNotifier,
    private readonly clock: WallClock,
    private readonly pubsub: PubSub | null = null,
  ) {}

  /** Appends events in order and notifies after commit. Returns the last sequence number. */
  async append(tx: Tx, uid: string, list: readonly DomainEvent[]): Promise<number> {
    if (list.length === 0) return 0;
    const [row] = await tx.db
      .update(users)
      .set({ sequence: sql`${users.sequence} + ${list.length}` })
      .where(eq(users.uid, uid))
      .returning({ sequence: users.sequence });
    if (row === undefined) throw new Error('No such user');
    const first = row.sequence - list.length + 1;
    await tx.db.insert(events).values(
      list.map((event, index) => ({
        uid,
        sequence: first + index,
        createdAt: this.clock.now(),
        payload: { ...event, sequence: first + index },
      })),
    );
    await this.pubsub?.publish(tx.db, [uid]);
    tx.afterCommit(() => {
      this.notifier.notify(uid);
    });
    return row.sequence;
  }

  /** Tells every process, after the commit, that these trading accounts were closed or deleted. */
  async accountsClosed(tx: Tx, accountIds: readonly string[]): Promise<void> {
    if (accountIds.length === 0) return;
    await this.pubsub?.publish(
      tx.db,
      accountIds.map((id) => `${'closed' satisfies WordKind} ${id}`),
    );
    tx.afterCommit(() => {
      this.notifier.notifyClosed(accountIds);
    });
  }

  onAccountsClosed(listener: (accountIds: readonly string[]) => void): () => void {
    return this.notifier.listenClosed(listener);
  }

  /**
   * Events of many people in three statements. Their rows are locked in the order of their ids, so
   * that two such calls never cross.
   */
  async appendAll(tx: Tx, byPerson: ReadonlyMap<string, readonly DomainEvent[]>): Promise<void> {
    const told = [...byPerson].filter(([, list]) => list.length > 0);
    if (told.length === 0) return;
    const rows = await tx.db
      .select({ uid: users.uid, sequence: users.sequence })
      .from(users)
      .where(
        inArray(
          users.uid,
          told.map(([uid]) => uid),
        ),
      )
      .orderBy(asc(users.uid))
      .for('update');
    const before = new Map(rows.map((row) => [row.uid, row.sequence]));
    const grown = told.map(([uid, list]) => {
      const sequence = before.get(uid);
      if (sequence === undefined) throw new Error('No such user');
      return { uid, sequence: sequence + list.length };
    });
    await updateRows(tx.db, users, 'uid', grown);
    const createdAt = this.clock.now();
    await insertRows(
      tx.db,
      events,
      told.flatMap(([uid, list]) =>
        list.map((event, index) => {
          const sequence = (before.get(uid) ?? 0) + index + 1;
          return { uid, sequence, payload: { ...event, sequence }, createdAt };
        }),
      ),
    );
    await this.pubsub?.publish(
      tx.db,
      told.map(([uid]) => uid),
    );
    tx.afterCommit(() => {
      for (const [uid] of told) this.notifier.notify(uid);
    });
  }
}
