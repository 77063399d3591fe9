/** The migration by which stops are tried again that Binance turned down while they had no limit. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../../server/db/pglite.ts';
import { liveConnections, liveFailedStops } from '../../../server/db/schema-live.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import { addLiveAgents } from '../../support/live/live-agents.ts';
import { spokenMarket } from '../../support/tape-market.ts';

const CASES = [
  ['binance', 'rejected'],
  ['binance', 'cancelled_at_exchange'],
  ['kraken', 'rejected'],
] as const;

it('forgets those of Binance alone, and none that the person took away', async () => {
  const database = await openEmptyDatabase();
  const { db } = database;
  for (const [exchange, why] of CASES) {
    const [connectionId, agentId] = [randomUUID(), randomUUID()];
    await db.insert(liveConnections).values({
      ...{ id: connectionId, uid: 'person', accountId: randomUUID(), exchange, label: '' },
      ...{ state: 'open', abilities: {}, permissions: null, permissionsReadAt: 0 },
      ...{ maxOrder: '100', maxExposure: '500', maxDailyLoss: '25', maxOrdersPerHour: 30 },
      createdAt: 0,
    });
    const market = { source: spokenMarket(['BTC/USDT'], 'USDT').source, pairs: ['BTC/USDT'] };
    await addLiveAgents(db, { id: connectionId, uid: 'person' }, market, [agentId]);
    const stop = { symbol: 'BTC/USDT', quantity: '0.01', stopPrice: '60000', why, told: false };
    await db.insert(liveFailedStops).values({ agentId, ...stop });
  }
  await db.execute(sql.raw(readFileSync(join(MIGRATIONS, '0018_rejected_stops.sql'), 'utf8')));
  const left = await db.select().from(liveFailedStops);
  expect(left.map(({ why }) => why).sort()).toEqual(['cancelled_at_exchange', 'rejected']);
  await database.close();
});
