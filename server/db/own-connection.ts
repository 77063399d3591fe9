/** A pool's connection for one transaction, which takes no query once that has ended. */
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Db } from './database.ts';
import { isUnanswered, isUnavailable } from './faults.ts';

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown }).text);

/**
 * Work may outlive its transaction, as where one of two things that run side by side fails. What it
 * asks for then must not run by itself, nor in the transaction of whoever has the connection next.
 */
function untilEnd(client: pg.PoolClient): pg.PoolClient {
  let hasEnded = false;
  let unanswered: Error | null = null;
  const query = async (...args: unknown[]): Promise<unknown> => {
    const text = textOf(args[0]);
    // A connection that owes an answer would have a rollback wait behind it, for as long again.
    if (unanswered !== null) throw unanswered;
    // A commit that fails is rolled back, and its error is the one that counts.
    if (hasEnded && text !== 'rollback') throw new Error('The transaction of this query has ended');
    hasEnded ||= text === 'commit' || text === 'rollback';
    try {
      return await (client.query as (...all: unknown[]) => Promise<unknown>).apply(client, args);
    } catch (error) {
      if (isUnanswered(error)) unanswered = error;
      throw error;
    }
  };
  // drizzle asks it for nothing but `query`.
  return { query } as unknown as pg.PoolClient;
}

/**
 * One transaction on a connection of its own.
 *
 * The driver's own transaction on a pool keeps a connection for ever when its `begin` fails, as it
 * does after the database died: so the connection is taken and given back here, and thrown away
 * after any fault of the database.
 */
export async function onOwnConnection<T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    // Without the schema, which is for relational queries: it would be worked out for each anew.
    return await (drizzle(untilEnd(client)) as unknown as Db).transaction(work);
  } catch (error) {
    broken = isUnavailable(error);
    throw error;
  } finally {
    client.release(broken);
  }
}
