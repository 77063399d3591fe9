/** Pairs that agents hold, whether they list them or not. */
import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import { accounts, positions } from '../db/schema.ts';

/** Of one agent; none where it has no id yet. */
export async function pairsHeldBy(db: Db, agentId: string): Promise<string[]> {
  if (agentId === '') return [];
  const rows = await db
    .select({ pair: positions.pair })
    .from(positions)
    .where(and(eq(positions.agentId, agentId), isNull(positions.closedMarketMs)));
  return rows.map(({ pair }) => pair);
}

/** Of all agents at exchanges: their stops rest there, and no price here watches over them. */
export async function pairsHeldLive(db: Db): Promise<string[]> {
  const rows = await db
    .selectDistinct({ pair: positions.pair })
    .from(positions)
    .innerJoin(accounts, eq(accounts.id, positions.accountId))
    .where(
      and(
        isNotNull(accounts.connectionId),
        isNull(accounts.closedAt),
        isNull(positions.closedMarketMs),
      ),
    );
  return rows.map(({ pair }) => pair);
}
