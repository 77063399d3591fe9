/** The dependencies of agents, scheduler and portfolio. */
import type { BatchEntitlement } from './billing/entitlement.ts';
import type { WallClock } from './clock.ts';
import type { Database } from './db/database.ts';
import type { EventLog } from './db/user-events.ts';
import type { LivePort } from './live/live-deps.ts';
import type { Log } from './log.ts';
import type { Market } from './market/market-source.ts';

export interface TradingDeps {
  database: Database;
  market: Market;
  events: EventLog;
  clock: WallClock;
  log: Log;
  entitlement: BatchEntitlement;
  /** Absent where this process does not trade live. */
  live?: LivePort;
}
