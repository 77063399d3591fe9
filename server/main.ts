/** Starts the server: opens its parts, serves, and on a signal finishes its work. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { INTERVAL_MS } from '../contract/intervals.ts';
import { lastTick } from './agents/tick-run.ts';
import { systemClock } from './clock.ts';
import { compose, type Composed } from './compose.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { lockFolder } from './db/folder-lock.ts';
import { openPglite } from './db/pglite.ts';
import { openPostgres } from './db/postgres.ts';
import { retentionTask } from './retention.ts';
import type { EventNotifier } from './db/user-events.ts';
import { openIdentity, type RunningIdentity } from './identity/open-identity.ts';
import type { Log } from './log.ts';
import { PeriodicTask } from './periodic-task.ts';
import { openOperatorSocket } from './support/operator-socket.ts';
import { clockStore } from './market-clock.ts';
import { openMarket, type RunningMarket } from './market/open-market.ts';
import { failToStart, runProcess, type Disposables } from './process.ts';

const PROBE_TIMEOUT_MS = 2_000;
const LATE_LOOK_MS = 60_000;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Without agents of its own a server depends on workers, and says so when they do not come. */
async function sayLateness(
  database: Database,
  market: RunningMarket,
  log: Log,
  since: number,
): Promise<void> {
  const last = Math.max(since, (await lastTick(database, market)) ?? since);
  const lateMs = market.now() - last - 2 * INTERVAL_MS[market.baseInterval];
  if (lateMs > 0)
    log.error(
      { last, lateMs },
      'No worker runs the agents of this source: no agent trades and no stop loss is watched',
    );
}

async function databaseState(database: Database): Promise<string> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(reject, PROBE_TIMEOUT_MS, new Error('late')).unref();
  });
  return Promise.race([database.db.execute(sql`select 1`).then(() => 'ready'), late]).catch(
    () => 'unavailable',
  );
}

function openConfiguredMarket(
  { market: { source, replaySpeed, replayStart, seed, exchangeBaseUrl } }: Config,
  dataDir: string,
  database: Promise<Database>,
  log: Log,
): Promise<RunningMarket> {
  return openMarket({
    source,
    dataDir,
    replaySpeed,
    replayStart,
    clockStore: clockStore(database),
    log,
    ...(seed === null ? {} : { seed }),
    ...(exchangeBaseUrl === null ? {} : { exchangeBaseUrl }),
  }).then(async (market) => {
    // An exchange must be asked for its pairs, which takes its time; the others would only run on
    // while nobody listens.
    if (market.source.kind === 'exchange') await market.start();
    return market;
  });
}

interface Foundation {
  database: Database;
  identity: RunningIdentity;
  market: RunningMarket;
}

/** Opens the slow parts side by side; each is closed again if another fails. */
async function openFoundation(
  config: Config,
  dataDir: string,
  log: Log,
  disposables: Disposables,
  built: Promise<void>,
): Promise<Foundation> {
  const opening =
    config.databaseUrl === null
      ? openPglite(dataDir, log)
      : openPostgres(config.databaseUrl, { poolMax: config.databasePoolMax, log });
  const identifying = openIdentity({ ...config, dataDir }, systemClock, log);
  const marketing = openConfiguredMarket(config, dataDir, opening, log);
  const settled = await Promise.allSettled([opening, identifying, marketing, built]);
  const [database, identity, market] = settled;
  if (database.status === 'fulfilled') disposables.add('database', () => database.value.close());
  if (identity.status === 'fulfilled') disposables.add('identity', () => identity.value.stop());
  if (market.status === 'fulfilled') disposables.add('market', () => market.value.stop());
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  return { database: await opening, identity: await identifying, market: await marketing };
}

/** Notifies the streams of what other processes write, and after the database was away. */
async function connectNotifier(
  database: Database,
  notifier: EventNotifier,
  disposables: Disposables,
): Promise<void> {
  if (database.pubsub !== null)
    disposables.add(
      'wire',
      await database.pubsub.subscribe((word) => {
        notifier.receive(word);
      }),
    );
  disposables.add(
    'streams of a new database',
    database.onReturn(() => {
      notifier.notifyAll();
    }),
  );
}

/** Runs agents and alerts here, or watches that a worker runs them. */
async function startTrading(
  { config, database, market, log }: { config: Config; log: Log } & Foundation,
  { scheduler, alerts, live }: Composed,
  disposables: Disposables,
): Promise<void> {
  if (config.runAgents) {
    disposables.add('scheduler', () => scheduler.stop());
    await scheduler.start();
    disposables.add('alerts', () => alerts.stop());
    await alerts.start();
    if (live !== null) {
      disposables.add('live', () => live.stop());
      live.desk.start();
    }
    return;
  }
  const since = market.now();
  const lateness = new PeriodicTask(
    () => sayLateness(database, market, log, since),
    LATE_LOOK_MS,
    log,
    'the newest tick could not be read',
  );
  disposables.add('lateness', () => lateness.stop());
  lateness.start();
}

async function serve(
  config: Config,
  log: Log,
  disposables: Disposables,
  built: Promise<void>,
): Promise<void> {
  const clock = systemClock;
  const dataDir = resolve(config.dataDir);
  const release = lockFolder(dataDir);
  disposables.add('folder', release);
  const foundation = await openFoundation(config, dataDir, log, disposables, built);
  const { database, identity, market } = foundation;

  let state: 'starting' | 'ready' | 'stopping' = 'starting';
  const composed = await compose({
    config,
    database,
    market,
    clock,
    log,
    verifier: identity.verifier,
    administration: identity.administration,
    extend: identity.extend,
    bare: identity.bare,
    readiness: async () => ({
      database: await databaseState(database),
      server: state,
    }),
  });
  const { app, push, rewards, deletions, reconciliation } = composed;
  await connectNotifier(database, composed.notifier, disposables);
  if (market.source.kind !== 'exchange') await market.start();
  await startTrading({ config, log, ...foundation }, composed, disposables);
  const background = {
    push,
    retention: retentionTask(database, clock, log),
    rewards: rewards.task,
    deletions: deletions.task,
    reconciliation: reconciliation.task,
  };
  for (const [name, part] of Object.entries(background)) {
    disposables.add(name, () => part.stop());
    part.start();
  }
  disposables.add('operator', await openOperatorSocket(dataDir, database, clock, log));
  disposables.add('http', () => app.close());
  await app.listen({ port: config.port, host: config.host });
  // First of all at the end: whoever asks /readyz leaves while everything is still answered.
  disposables.add('drain', async () => {
    state = 'stopping';
    await pause(config.drainMs);
  });
  state = 'ready';
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  log.info(
    {
      database: database.kind,
      market: market.source.id,
      label: market.source.label,
      identity: config.identity.kind,
      port,
    },
    'serving',
  );
  process.stdout.write(`Tradewind ready on http://localhost:${port}\n`);
}

/**
 * Runs until a signal ends it. `built` resolves when the app's files are in place; the other parts
 * open meanwhile.
 */
export function runServer(built: Promise<void> = Promise.resolve()): Promise<void> {
  return runProcess((config, log, disposables) => serve(config, log, disposables, built));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runServer().catch(failToStart);
