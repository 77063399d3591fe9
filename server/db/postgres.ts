/** PostgreSQL by address, with a pool and a time limit for connections, locks and migrations. */
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { isUnavailable } from './faults.ts';
import { sharesOf, type Lane } from './lanes.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { onOwnConnection } from './own-connection.ts';
import { openPubSub } from './postgres-pubsub.ts';
import * as schema from './schema.ts';
import { transact } from './transact.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * The server ends a statement at its own limit. A host that has vanished ends nothing, and TCP
 * waits a quarter of an hour for it: no answer by now means that the connection is dead.
 */
const ANSWER_LIMIT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** Finds an idle connection to a host that has vanished; the system's own default is two hours. */
const KEEP_ALIVE_AFTER_MS = 10_000;
const START_PATIENCE_MS = 20_000;
const START_PAUSE_MS = 500;
/** Between two tries to have a kept connection again. */
const REOPEN_PAUSE_MS = 1_000;

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

/** A database that is just starting gets twenty seconds. */
async function connected(pool: pg.Pool): Promise<pg.PoolClient> {
  for (let waited = 0; ; waited += START_PAUSE_MS) {
    try {
      return await pool.connect();
    } catch (error) {
      if (waited >= START_PATIENCE_MS || !isUnavailable(error)) throw error;
      await pause(START_PAUSE_MS);
    }
  }
}

/**
 * Before all else, on connections of its own: a migration, and the wait for others, take their time.
 */
async function prepare(url: string, name: string, migrates: boolean, log: Log): Promise<void> {
  const pool = openPool(connectionTo(url, name, 0), 2, log);
  try {
    const client = await connected(pool);
    try {
      if (migrates) await migratePostgres(client, pool, log);
    } finally {
      // The session's lock and settings end with the connection.
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

interface PostgresOptions {
  poolMax: number;
  log: Log;
  /** 0 is for commands whose statements may take as long as they need. */
  answerLimitMs?: number;
  /** Whether some connections are for stops and commands alone; not where there are none of those. */
  split?: boolean;
  /** What the database calls its connections. */
  name?: string;
  /** `false`: the schema stays as it is, and may be of another version. */
  migrates?: boolean;
}

const isFree = (pool: pg.Pool): boolean =>
  pool.waitingCount === 0 && (pool.idleCount > 0 || pool.totalCount < pool.options.max);

/** `answerLimitMs` of 0 is no limit. */
const connectionTo = (url: string, name: string, answerLimitMs: number): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: answerLimitMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  // Named where the address gives no other: a migration says whom it waits for.
  fallback_application_name: name,
});

/** `kept`: how many connections stay open although nobody uses them. */
function openPool(to: pg.ClientConfig, max: number, log: Log, kept = 0): pg.Pool {
  // A connection whose answer is late is still busy. The pool closes it after an error of its own
  // `query`, and `onOwnConnection` gives it back as broken.
  const pool = new pg.Pool({
    ...to,
    max,
    min: kept,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
  });
  // A connection that dies is replaced at the next use. The pool hears idle ones only, and unheard
  // this event would end the process: so every connection is listened to for all its life, in a
  // transaction too.
  const lost = (error: Error): void => {
    log.warn({ reason: error.message }, 'a database connection was lost');
  };
  pool.on('error', lost);
  pool.on('connect', (client) => {
    client.on('error', lost);
  });
  return pool;
}

/**
 * Opens a pool's connections and opens those again that are lost, until it ends: whoever needs one
 * waits for no name server, and for nothing else that stands before a new connection.
 */
function holdOpen(pool: pg.Pool, kept: number): void {
  const fill = async (): Promise<void> => {
    if (pool.ending || pool.totalCount >= kept) return;
    try {
      (await pool.connect()).release();
    } catch {
      setTimeout(() => void fill(), REOPEN_PAUSE_MS).unref();
    }
  };
  pool.on('remove', () => void fill());
  for (let n = 0; n < kept; n += 1) void fill();
}

/** Brings it to the newest schema first, unless told not to. */
export async function openPostgres(
  url: string,
  {
    poolMax,
    log,
    answerLimitMs = ANSWER_LIMIT_MS,
    split = true,
    name = 'tradewind',
    migrates = true,
  }: PostgresOptions,
): Promise<Database> {
  await prepare(url, name, migrates, log);
  const { stop, command } = split ? sharesOf(poolMax) : { stop: 0, command: 0 };
  const to = connectionTo(url, name, answerLimitMs);
  const open = (max: number, kept = 0): pg.Pool => openPool(to, max, log, kept);
  const pool = open(poolMax - stop - command);
  const commands = command === 0 ? pool : open(command);
  const stops = stop === 0 ? pool : open(stop, stop);
  if (stops !== pool) holdOpen(stops, stop);
  const close = async (): Promise<void> => {
    await Promise.all([...new Set([pool, commands, stops])].map((one) => one.end()));
  };
  const pubsub = await openPubSub(pool, to, log);
  const over = (own: pg.Pool, free = (): pg.Pool => own): Database => ({
    kind: 'postgres',
    db: drizzle(own, { schema }),
    pubsub,
    onReturn: () => () => undefined,
    transaction: (work) => transact((attempt) => onOwnConnection(free(), attempt), work),
    on: (lane) => byLane[lane],
    close,
  });
  const forAll = over(pool);
  const byLane: Readonly<Record<Lane, Database>> = {
    // A stop that waits for an agent's row holds up no other while a command's connection is free.
    stop: over(stops, () => (!isFree(stops) && isFree(commands) ? commands : stops)),
    command: over(commands),
    work: forAll,
    read: forAll,
  };
  return forAll;
}
