/**
 * Who waits for an exchange within a transaction is found by whatever test they do it in: on PGlite
 * everybody waits with them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '../../server/db/database.ts';

const within = new AsyncLocalStorage<true>();

/** The same database, whose transactions are known to what is called in them. */
export function watchedDatabase(database: Database): Database {
  return {
    ...database,
    transaction: (work) => database.transaction((tx) => within.run(true, () => work(tx))),
    on: (lane) => watchedDatabase(database.on(lane)),
  };
}

/** @throws Error where the caller is within a transaction of a watched database. */
export function refuseInTransaction(what: string): void {
  if (within.getStore() === true) throw new Error(`${what} is asked within a transaction`);
}
