/**
 * Where a replayed market stands, kept in the database for every process that tells it; refuses to
 * set it back.
 */
import { eq, sql } from 'drizzle-orm';
import type { Database } from './db/database.ts';
import { marketClocks } from './db/schema.ts';
import type { ClockStore } from './market/open-market.ts';

export const clockStore = (database: Promise<Database>): ClockStore => ({
  async load(source) {
    const [row] = await (
      await database
    ).db
      .select()
      .from(marketClocks)
      .where(eq(marketClocks.source, source));
    return row?.nowMarketMs ?? null;
  },
  async save(source, nowMarketMs) {
    const [row] = await (
      await database
    ).db
      .insert(marketClocks)
      .values({ source, nowMarketMs })
      .onConflictDoUpdate({
        target: marketClocks.source,
        set: { nowMarketMs: sql`greatest(${marketClocks.nowMarketMs}, ${nowMarketMs}::bigint)` },
      })
      .returning({ now: marketClocks.nowMarketMs });
    return row?.now ?? nowMarketMs;
  },
});
