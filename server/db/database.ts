/**
 * The database port: one handle, one kind of transaction. Inside a transaction, query only its own
 * handle.
 */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Lane } from './lanes.ts';
import type * as schema from './schema.ts';

export type Db = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface Tx {
  readonly db: Db;
  /** Runs once the transaction is durably committed; never when it rolled back. Must not throw. */
  afterCommit(work: () => void): void;
  /**
   * A savepoint: when `work` throws, only its own writes are undone, and the error is handed on.
   */
  savepoint<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * How processes on one database hear of each other's commits at once. A message may be lost: a
 * subscriber also polls now and then.
 */
export interface PubSub {
  /** Within a transaction: sent to all processes, this one too, once it is committed. */
  publish(db: Db, names: readonly string[]): Promise<void>;
  /** `null`: messages may have been missed. Returns the function that unsubscribes. */
  subscribe(listener: (name: string | null) => void): Promise<() => Promise<void>>;
}

export interface Database {
  readonly kind: 'pglite' | 'postgres';
  /** For reads outside a transaction. */
  readonly db: Db;
  /** READ COMMITTED, with at most three tries on deadlock or serialization failure. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same database for those who go before or after others; itself is the lane `work`. */
  on(lane: Lane): Database;
  /** Null where there is but one process, or the database cannot notify. */
  readonly pubsub: PubSub | null;
  /**
   * Told when the database was lost and is there again, in one process: whether the transactions
   * under way took effect is not known then. Of PostgreSQL nothing is told: its processes read
   * afresh by themselves, every second.
   */
  onReturn(listener: () => void): () => void;
  close(): Promise<void>;
}
