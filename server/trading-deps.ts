/** What agents, scheduler and portfolio are given; refuses to make any of it. */
import type { BatchEntitlement } from './billing/entitlement.ts';
import type { WallClock } from './clock.ts';
import type { Database } from './db/database.ts';
import type { EventLog } from './db/user-events.ts';
import type { Log } from './log.ts';
import type { Market } from './market/market-source.ts';

export interface TradingDeps {
  database: Database;
  market: Market;
  events: EventLog;
  clock: WallClock;
  log: Log;
  entitlement: BatchEntitlement;
}
