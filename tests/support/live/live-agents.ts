/** Rows of agents that trade an exchange account and run. */
import type { Db } from '../../../server/db/database.ts';
import { agents } from '../../../server/db/schema.ts';
import type { ConnectionRow } from '../../../server/live/live-accounts.ts';
import type { Market } from '../../../server/market/market-source.ts';

export async function addLiveAgents(
  db: Db,
  { id: connectionId, uid }: Pick<ConnectionRow, 'id' | 'uid'>,
  { source, pairs }: Pick<Market, 'source'> & { pairs: readonly string[] },
  ids: readonly string[],
): Promise<void> {
  await db.insert(agents).values(
    ids.map((id, index) => ({
      id,
      uid,
      source: source.id,
      connectionId,
      quote: source.quote,
      name: `Agent ${index}`,
      tradingPairs: [...pairs],
      pool: 'momentum_24h',
      riskProfile: 'Aggressive',
      maxPositionSize: '5000',
      executionInterval: '5-minute',
      tradingFrequency: 'high',
      enabled: true,
      status: 'running',
      createdAt: 0,
    })),
  );
}
