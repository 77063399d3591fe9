/** The time of a replayed market, kept in the database for all processes. It never goes back. */
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
