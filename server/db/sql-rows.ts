/** Typed rows of queries written as SQL. Their shape is not checked. */
import type { SQL } from 'drizzle-orm';
import type { Db } from './database.ts';

export async function rowsOf<T>(db: Db, query: SQL): Promise<T[]> {
  const answer: unknown = await db.execute(query);
  return (answer as { rows: T[] }).rows;
}
