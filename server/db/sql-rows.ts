/**
 * Rows of a query written as SQL, for what the query builder has no words for; refuses to check
 * their shape (the query says it).
 */
import type { SQL } from 'drizzle-orm';
import type { Db } from './database.ts';

export async function rowsOf<T>(db: Db, query: SQL): Promise<T[]> {
  const answer: unknown = await db.execute(query);
  return (answer as { rows: T[] }).rows;
}
