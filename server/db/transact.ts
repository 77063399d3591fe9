/** One transaction with its savepoints, after-commit work and retry, for any drizzle driver. */
import { retrying } from '../../contract/retry.ts';
import type { Db, Tx } from './database.ts';
import { isRetryable } from './faults.ts';

const TRIES = 3;
const PAUSE_MS = 15;

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

function scoped(db: Db, committed: (() => void)[]): Tx {
  return {
    db,
    afterCommit(work) {
      committed.push(work);
    },
    async savepoint<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const inner: (() => void)[] = [];
      const result = await db.transaction((nested) => work(scoped(nested, inner)));
      committed.push(...inner);
      return result;
    },
  };
}

/** One transaction, as the driver makes it. */
type Attempt = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/**
 * Runs `work` in a READ COMMITTED transaction; deadlocks and serialization failures are tried at
 * most three times in all.
 */
export function transact<T>(attempt: Attempt, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retrying(
    async () => {
      const committed: (() => void)[] = [];
      const result = await attempt((inner) => work(scoped(inner, committed)));
      for (const after of committed) after();
      return result;
    },
    (error, failures) =>
      failures >= TRIES || !isRetryable(error) ? null : PAUSE_MS * failures * (1 + Math.random()),
    pause,
  );
}
