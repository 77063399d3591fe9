/**
 * Trading with every real part but the market: PGlite in memory, people with plans, handlers as
 * HTTP calls them.
 */
import { randomUUID } from 'node:crypto';
import {
  CALLS,
  type CallBody,
  type CallName,
  type CallParams,
  type CallQuery,
  type CallReply,
} from '../../contract/calls.ts';
import type { Tier } from '../../contract/permission.ts';
import { alertHandlers } from '../../server/alerts/alert-handlers.ts';
import { agentHandlers } from '../../server/agents/agent-handlers.ts';
import { Scheduler } from '../../server/agents/scheduler.ts';
import type { TradingDeps } from '../../server/trading-deps.ts';
import { DatabaseEntitlement } from '../../server/billing/entitlement.ts';
import type { Database } from '../../server/db/database.ts';
import { openEmptyDatabase } from './empty-database.ts';
import { subscriptions } from '../../server/db/schema-plans.ts';
import { EventNotifier, EventLog } from '../../server/db/user-events.ts';
import type { SignerPort } from '../../server/live/live-deps.ts';
import { takeBackPurchases } from '../../server/live/brakes.ts';
import { liveHandlers } from '../../server/live/live-handlers.ts';
import type { Handlers } from '../../server/http/handlers.ts';
import { runOnce } from '../../server/http/command-receipts.ts';
import { openAccount } from '../../server/portfolio/open-account.ts';
import { portfolioHandlers } from '../../server/portfolio/portfolio-handlers.ts';
import { ensureUser } from '../../server/users/ensure-user.ts';
import { userHandlers } from '../../server/users/user-handlers.ts';
import { TapeMarket, type TapeOptions } from './tape-market.ts';
import { watchedDatabase } from './transaction-watch.ts';

/** Where people of a test open the app. */
export const PUBLIC_ORIGIN = 'http://localhost:8787';

class Clock {
  constructor(public at = Date.UTC(2026, 0, 5, 12)) {}
  now(): number {
    return this.at;
  }
}

export interface Floor {
  deps: TradingDeps;
  database: Database;
  market: TapeMarket;
  clock: Clock;
  errors: string[];
  /** Told of every alert that was set or deleted, after its commit. */
  alertsChanged: Set<(id: string) => void>;
  warnings: string[];
  /** A person with a plan (null: free) and an open account. */
  join(uid: string, tier?: Exclude<Tier, 'free' | 'trial'> | null, status?: string): Promise<void>;
  /** A call as HTTP makes it: with a fresh Idempotency-Key unless one is given. */
  call<N extends CallName>(
    uid: string,
    name: N,
    more?: { body?: CallBody<N>; params?: CallParams<N>; query?: CallQuery<N>; key?: string },
  ): Promise<CallReply<N>>;
  /** Calls about live trading are answered from now on. */
  withLive(signer: SignerPort): void;
  scheduler(database?: Database, batch?: number): Scheduler;
  /** One close after another, each run to its end with the stops it set off. */
  run(scheduler: Scheduler, ticks: number): Promise<number>;
  close(): Promise<void>;
}

export async function openFloor(options: TapeOptions = {}, database?: Database): Promise<Floor> {
  const db = watchedDatabase(database ?? (await openEmptyDatabase()));
  const clock = new Clock();
  const market = new TapeMarket(options);
  const errors: string[] = [];
  const warnings: string[] = [];
  const quiet = (): void => undefined;
  const into =
    (list: string[]) =>
    (fields: Record<string, unknown>, message: string): void => {
      list.push(`${message} ${JSON.stringify(fields)}`);
    };
  const log = { debug: quiet, info: quiet, warn: into(warnings), error: into(errors) };
  const deps: TradingDeps = {
    database: db,
    market,
    clock,
    log,
    events: new EventLog(new EventNotifier(), clock, db.pubsub),
    entitlement: new DatabaseEntitlement(db, clock),
  };
  const alertsChanged = new Set<(id: string) => void>();
  const changed = (id: string): void => {
    for (const hear of alertsChanged) hear(id);
  };
  const handlers: Partial<Handlers> = {
    ...agentHandlers(deps),
    ...portfolioHandlers(deps),
    ...alertHandlers({ ...deps, changed }),
    ...userHandlers({
      ...deps,
      takeBackPurchases: (tx, uid) => takeBackPurchases(tx, deps, deps.live ?? null, uid),
    }),
  };
  const withLive = (port: SignerPort): void => {
    Object.assign(handlers, liveHandlers(deps, port, PUBLIC_ORIGIN));
  };
  return {
    deps,
    database: db,
    market,
    clock,
    errors,
    warnings,
    alertsChanged,
    withLive,
    async join(uid, tier = 'pro-max', status = 'active') {
      await db.transaction(async (tx) => {
        await ensureUser(tx, { uid, email: `${uid}@example.com` }, clock);
        await openAccount(tx, uid, market, clock);
        if (tier !== null)
          await tx.db
            .insert(subscriptions)
            .values({ uid, provider: 'test', status, tier, updatedAt: clock.now() });
      });
    },
    async call(uid, name, more = {}) {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`No handler of ${name}`);
      const commandId = more.key ?? randomUUID();
      const once = (effect: Parameters<typeof runOnce>[4]) =>
        runOnce(
          db,
          clock,
          { uid, commandId, bodyHash: JSON.stringify([name, more.params, more.body]) },
          (reply) => reply as object,
          effect,
        );
      const context = {
        caller: { uid, email: null },
        commandId,
        params: more.params ?? {},
        query: CALLS[name].query.parse(more.query ?? {}),
        body: CALLS[name].body.parse(more.body ?? {}),
        once,
      };
      return (await (handler as (context: unknown) => Promise<unknown>)(context)) as never;
    },
    scheduler: (other, batch) =>
      new Scheduler(
        other === undefined
          ? deps
          : { ...deps, database: other, entitlement: new DatabaseEntitlement(other, clock) },
        batch,
      ),
    async run(scheduler, ticks) {
      let trades = 0;
      for (let i = 0; i < ticks; i += 1) {
        market.step();
        trades += (await scheduler.runOnce()).trades;
        await scheduler.settled();
      }
      return trades;
    },
    close: () => db.close(),
  };
}

export const AGGRESSIVE = {
  name: 'Momentum',
  trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
  risk_profile: 'Aggressive',
  max_position_size: 5_000,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'momentum_24h',
  trading_frequency: 'high',
} as const satisfies CallBody<'createAgent'>;
