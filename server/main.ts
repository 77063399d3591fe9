/** The server's beginning and end: opens the parts, serves, and on a signal finishes what it holds; refuses to start half. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eq, sql } from 'drizzle-orm';
import { systemClock } from './clock.ts';
import { compose } from './compose.ts';
import { CONFIG_EXIT, ConfigError, readConfig, type Config } from './config.ts';
import type { Database } from './db/database.ts';
import { FOLDER_IN_USE_EXIT, FolderInUse, lockFolder } from './db/folder-lock.ts';
import { openPglite } from './db/pglite.ts';
import { openPostgres } from './db/postgres.ts';
import { retentionRounds } from './db/retention.ts';
import { marketClocks } from './db/schema.ts';
import { openIdentity } from './identity/open-identity.ts';
import type { Log } from './log.ts';
import { openOperatorSocket } from './support/operator-socket.ts';
import { openMarket } from './market/open-market.ts';
import { pinoLog } from './pino-log.ts';

/** What is held must be done by then; after that the process ends anyway. */
const SHUTDOWN_LIMIT_MS = 20_000;
const PROBE_TIMEOUT_MS = 2_000;

/** Things to undo, last opened first. */
class Opened {
  private readonly closers: { name: string; close: () => Promise<void> | void }[] = [];

  add(name: string, close: () => Promise<void> | void): void {
    this.closers.unshift({ name, close });
  }

  async closeAll(log: Log): Promise<void> {
    for (const { name, close } of this.closers.splice(0)) {
      try {
        await close();
      } catch (error) {
        log.error({ part: name, reason: String(error) }, 'a part did not close well');
      }
    }
  }
}

const clockStore = (database: Promise<Database>) => ({
  async load(source: string): Promise<number | null> {
    const [row] = await (await database).db.select().from(marketClocks).where(eq(marketClocks.source, source));
    return row?.nowMarketMs ?? null;
  },
  async save(source: string, nowMarketMs: number): Promise<void> {
    await (await database).db.insert(marketClocks).values({ source, nowMarketMs })
      .onConflictDoUpdate({ target: marketClocks.source, set: { nowMarketMs } });
  },
});

async function databaseState(database: Database): Promise<string> {
  const late = new Promise<never>((_resolve, reject) => { setTimeout(reject, PROBE_TIMEOUT_MS, new Error('late')).unref(); });
  return Promise.race([database.db.execute(sql`select 1`).then(() => 'ready'), late]).catch(() => 'unavailable');
}

async function serve(config: Config, log: Log, opened: Opened, built: Promise<void>): Promise<void> {
  const clock = systemClock;
  const dataDir = resolve(config.dataDir);
  const release = lockFolder(dataDir);
  opened.add('folder', release);

  // The slow parts start side by side; each is closed again if another fails.
  const opening = config.databaseUrl === null ? openPglite(dataDir) : openPostgres(config.databaseUrl, { poolMax: config.databasePoolMax, log });
  const identifying = openIdentity({ ...config, dataDir }, clock, log);
  const marketing = openMarket({
    source: config.market.source, dataDir, replaySpeed: config.market.replaySpeed, replayStart: config.market.replayStart,
    clockStore: clockStore(opening), log,
    ...(config.market.seed === null ? {} : { seed: config.market.seed }),
    ...(config.market.exchangeBaseUrl === null ? {} : { exchangeBaseUrl: config.market.exchangeBaseUrl }),
  }).then(async (market) => {
    // An exchange must be asked for its pairs, which takes its time; the others would only run on while nobody listens.
    if (market.source.kind === 'exchange') await market.start();
    return market;
  });
  const settled = await Promise.allSettled([opening, identifying, marketing, built]);
  const [databaseResult, identityResult, marketResult] = settled;
  if (databaseResult.status === 'fulfilled') opened.add('database', () => databaseResult.value.close());
  if (identityResult.status === 'fulfilled') opened.add('identity', () => identityResult.value.stop());
  if (marketResult.status === 'fulfilled') opened.add('market', () => marketResult.value.stop());
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  const [database, identity, market] = [await opening, await identifying, await marketing];

  let serving = false;
  const { app, scheduler, push, rewards, deletions, reconciliation } = await compose({
    config, database, market, clock, log, verifier: identity.verifier, administration: identity.administration, extend: identity.extend, bare: identity.bare,
    readiness: async () => ({ database: await databaseState(database), server: serving ? 'ready' : 'starting' }),
  });
  opened.add('scheduler', () => scheduler.stop());
  if (market.source.kind !== 'exchange') await market.start();
  await scheduler.start();
  const rounds = { retention: retentionRounds(database, clock, log), rewards: rewards.rounds, deletions: deletions.rounds, reconciliation: reconciliation.rounds };
  for (const [name, part] of Object.entries({ push, ...rounds })) {
    opened.add(name, () => part.stop());
    part.start();
  }
  opened.add('operator', await openOperatorSocket(dataDir, database, clock, log));
  opened.add('http', () => app.close());
  await app.listen({ port: config.port, host: config.host });
  serving = true;
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  log.info({ database: database.kind, market: market.source.id, label: market.source.label, identity: config.identity.kind, port }, 'serving');
  process.stdout.write(`Tradewind ready on http://localhost:${port}\n`);
}

/** Runs until a signal ends it. `built` resolves when the app's files are in place; the other parts open meanwhile. */
export async function runServer(built: Promise<void> = Promise.resolve()): Promise<void> {
  const config = readConfig(process.env);
  const log = pinoLog(config.logLevel);
  const opened = new Opened();
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    setTimeout(() => { log.error({}, 'shutdown took too long'); process.exit(1); }, SHUTDOWN_LIMIT_MS).unref();
    await opened.closeAll(log);
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => { log.info({ signal }, 'shutting down'); void end(0); });
  }
  process.on('unhandledRejection', (reason) => { log.error({ stack: reason instanceof Error ? reason.stack : String(reason) }, 'unhandled rejection'); });
  try {
    await serve(config, log, opened, built);
  } catch (error) {
    await opened.closeAll(log);
    throw error;
  }
}

/** The sentence on standard error, and the exit code that says which kind of failure it was. */
export function failToStart(error: unknown): never {
  const expected = error instanceof ConfigError || error instanceof FolderInUse;
  const text = error instanceof Error ? (expected ? error.message : error.stack ?? error.message) : String(error);
  process.stderr.write(`Tradewind could not start. ${text}\n`);
  process.exit(error instanceof FolderInUse ? FOLDER_IN_USE_EXIT : error instanceof ConfigError ? CONFIG_EXIT : 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runServer().catch(failToStart);
