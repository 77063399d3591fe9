/**
 * A process that runs due agents and watches stop losses next to others on one PostgreSQL. It
 * serves no HTTP.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AlertWatch } from './alerts/alert-watch.ts';
import { Scheduler } from './agents/scheduler.ts';
import { DatabaseEntitlement } from './billing/entitlement.ts';
import { systemClock } from './clock.ts';
import { ConfigError, type Config } from './config.ts';
import { openPostgres } from './db/postgres.ts';
import { EventNotifier, EventLog } from './db/user-events.ts';
import { openLiveDesk } from './live/live-desk.ts';
import type { Log } from './log.ts';
import { clockStore } from './market-clock.ts';
import { openMarket } from './market/open-market.ts';
import { failToStart, runProcess, type Disposables } from './process.ts';

async function work(config: Config, log: Log, disposables: Disposables): Promise<void> {
  if (config.databaseUrl === null)
    throw new ConfigError(
      'DATABASE_URL',
      "a worker shares the server's PostgreSQL; PGlite is for one process",
    );
  const clock = systemClock;
  const { source, replaySpeed, replayStart, seed, exchangeBaseUrl } = config.market;
  // No person asks a worker for anything: every connection is for its own work.
  const database = await openPostgres(config.databaseUrl, {
    poolMax: config.databasePoolMax,
    log,
    split: false,
  });
  disposables.add('database', () => database.close());
  const market = await openMarket({
    source,
    dataDir: resolve(config.dataDir),
    follows: true,
    replaySpeed,
    replayStart,
    clockStore: clockStore(Promise.resolve(database)),
    log,
    ...(seed === null ? {} : { seed }),
    ...(exchangeBaseUrl === null ? {} : { exchangeBaseUrl }),
  }).catch((error: unknown) => {
    throw new ConfigError('MARKET_SOURCE', error instanceof Error ? error.message : String(error));
  });
  disposables.add('market', () => market.stop());
  await market.start();
  const notifier = new EventNotifier();
  const events = new EventLog(notifier, clock, database.pubsub);
  if (database.pubsub !== null)
    disposables.add(
      'wire',
      await database.pubsub.subscribe((word) => {
        notifier.receive(word);
      }),
    );
  const live = openLiveDesk(config.signer, { database, market, events, clock, log });
  const entitlement = new DatabaseEntitlement(database, clock);
  const scheduler = new Scheduler(
    {
      ...{ database, market, events, clock, log, entitlement },
      ...(live === null ? {} : { live: live.desk }),
    },
    config.agentBatch,
  );
  disposables.add('scheduler', () => scheduler.stop());
  await scheduler.start();
  const alerts = new AlertWatch({ database, market, events, clock, log });
  disposables.add('alerts', () => alerts.stop());
  await alerts.start();
  if (live !== null) {
    disposables.add('live', () => live.stop());
    live.desk.start();
  }
  log.info(
    { market: market.source.id, label: market.source.label, watched: scheduler.protectedPositions },
    'working',
  );
  process.stdout.write(`Tradewind worker ready on ${market.source.id}\n`);
}

/** Runs until a signal ends it, after the batch it holds. */
export const runWorker = (): Promise<void> => runProcess(work);

if (process.argv[1] === fileURLToPath(import.meta.url)) runWorker().catch(failToStart);
