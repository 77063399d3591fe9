/** A person's events: numbered in the transaction that causes them, told after its commit; refuses gaps. */
import { eq, sql } from 'drizzle-orm';
import type { StreamEvent } from '../../contract/stream.ts';
import type { WallClock } from '../clock.ts';
import type { Tx } from '../db/database.ts';
import { events, users } from '../db/schema.ts';

type Unnumbered<E> = E extends { sequence: number } ? Omit<E, 'sequence'> : never;
/** Events that are stored and numbered; `hello`, `heartbeat`, `ticks` and marks are not. */
export type DomainEvent = Unnumbered<Exclude<StreamEvent, { type: 'hello' | 'heartbeat' }>>;

/** Tells the streams of this process that a person has new events. */
export class EventBell {
  private readonly listeners = new Map<string, Set<() => void>>();

  listen(uid: string, listener: () => void): () => void {
    const set = this.listeners.get(uid) ?? new Set();
    set.add(listener);
    this.listeners.set(uid, set);
    return () => {
      set.delete(listener);
      if (set.size === 0) this.listeners.delete(uid);
    };
  }

  ring(uid: string): void {
    for (const listener of this.listeners.get(uid) ?? []) listener();
  }
}

export class EventLog {
  constructor(private readonly bell: EventBell, private readonly clock: WallClock) {}

  /** Appends events in order and rings after commit. Returns the last sequence number. */
  async append(tx: Tx, uid: string, list: readonly DomainEvent[]): Promise<number> {
    if (list.length === 0) return 0;
    const [row] = await tx.db.update(users).set({ sequence: sql`${users.sequence} + ${list.length}` })
      .where(eq(users.uid, uid)).returning({ sequence: users.sequence });
    if (row === undefined) throw new Error('No such user');
    const first = row.sequence - list.length + 1;
    await tx.db.insert(events).values(list.map((event, index) => ({
      uid, sequence: first + index, createdAt: this.clock.now(), payload: { ...event, sequence: first + index },
    })));
    tx.afterCommit(() => { this.bell.ring(uid); });
    return row.sequence;
  }
}
