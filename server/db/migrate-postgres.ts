/** Brings a PostgreSQL to the newest schema while others work on it, whom it must not hold up. */
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { buildIndexes } from './build-indexes.ts';
import { isLockedOut, isRetryable } from './faults.ts';
import { MIGRATIONS } from './pglite.ts';

/** Any number, the same in every server of this product: who holds it migrates, the others wait. */
const MIGRATION_LOCK = 727_001;
/**
 * While a migration waits for a table, every later statement on that table waits behind it, stops
 * and stop losses too. So it waits for no longer than this, and makes room.
 */
const LOCK_TIMEOUT_MS = 2_000;
/** After a try: those who queued behind it go first. */
const PAUSE_MS = 5_000;
/** A backup reads for an hour and longer, and holds what it has read until its end. */
const PATIENCE_MS = 2 * 60 * 60_000;
const LOOK_MS = 500;
const SAY_AGAIN_MS = 60_000;

/** A transaction that keeps the migration from a lock. */
interface Holder {
  /** As `pg_locks` has it: the same for as long as the transaction is open. */
  transaction: string;
  pid: number;
  name: string | null;
  since: Date | null;
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

/** A function that does `say` at its first call and then once a minute. */
function nowAndThen(say: () => void): () => void {
  let next = -Infinity;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + SAY_AGAIN_MS;
    say();
  };
}

/** Asks again and again: a statement that waits would be a transaction for others to wait for. */
async function takeTurn(client: pg.PoolClient, log: Log): Promise<void> {
  const say = nowAndThen(() => {
    log.warn({}, 'another process brings the database up to date, and this one waits for it');
  });
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>(
      'select pg_try_advisory_lock($1) as mine',
      [MIGRATION_LOCK],
    );
    if (rows[0]?.mine === true) return;
    say();
    await pause(LOOK_MS);
  }
}

async function holdersBefore(beside: pg.Pool, pid: number): Promise<Holder[]> {
  const { rows } = await beside.query<Holder>(
    `select distinct l.virtualtransaction as transaction, l.pid,
       a.application_name as name, a.xact_start as since
     from pg_locks l left join pg_stat_activity a on a.pid = l.pid
     where l.pid = any(pg_blocking_pids($1))`,
    [pid],
  );
  return rows;
}

async function areOpen(beside: pg.Pool, holders: readonly Holder[]): Promise<boolean> {
  const { rowCount } = await beside.query(
    'select 1 from pg_locks where virtualtransaction = any($1) limit 1',
    [holders.map(({ transaction }) => transaction)],
  );
  return rowCount !== 0;
}

/**
 * Null once `work` is done; where it did not get a lock, who was seen to have it. `waits` is told
 * whom it waits for where that takes longer than a lock may.
 */
async function attempt(
  work: () => Promise<void>,
  holders: () => Promise<Holder[]>,
  waits: (holders: Holder[]) => void,
): Promise<Holder[] | null> {
  let seen: Holder[] = [];
  let freeAt = performance.now();
  const timer = setInterval(() => {
    // Who cannot be asked for, as on a database without these views, is not named.
    holders().then(
      (now) => {
        if (now.length > 0) seen = now;
        else freeAt = performance.now();
        if (performance.now() - freeAt > LOCK_TIMEOUT_MS) waits(now);
      },
      () => undefined,
    );
  }, LOOK_MS);
  try {
    await work();
    return null;
  } catch (error) {
    if (!isLockedOut(error) && !isRetryable(error)) throw error;
    return seen;
  } finally {
    clearInterval(timer);
  }
}

function sayer(log: Log): (holders: readonly Holder[]) => void {
  let waitsFor: object[] = [];
  const say = nowAndThen(() => {
    log.warn({ waitsFor }, 'the database is brought up to date once these transactions have ended');
  });
  return (holders) => {
    waitsFor = holders.map(({ pid, name, since }) => ({ process: pid, name, since }));
    say();
  };
}

/**
 * Runs in `client`, for good or not at all, and waits for its turn and for locks. `beside`: where it
 * sees meanwhile who has them. Settings and the turn are left with the connection: close it.
 * @throws where others have not let go of a table by the end of `patienceMs`
 */
export async function migratePostgres(
  client: pg.PoolClient,
  beside: pg.Pool,
  log: Log,
  { folder = MIGRATIONS, patienceMs = PATIENCE_MS } = {},
): Promise<void> {
  await client.query('set statement_timeout = 0');
  await takeTurn(client, log);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  const giveUpAt = performance.now() + patienceMs;
  const say = sayer(log);
  const bringUp = async (): Promise<void> => {
    // Nobody waits behind it, so it may wait for as long as there is patience. 0 would be for ever.
    const left = Math.max(1, Math.ceil(giveUpAt - performance.now()));
    await client.query(`set lock_timeout = ${left}`);
    await buildIndexes(client, folder, log);
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await migrate(drizzle(client), { migrationsFolder: folder });
  };
  for (;;) {
    const held = await attempt(bringUp, () => holdersBefore(beside, pid), say);
    if (held === null) return;
    say(held);
    await pause(PAUSE_MS);
    while (performance.now() < giveUpAt && (await areOpen(beside, held))) {
      say(held);
      await pause(LOOK_MS);
    }
    if (performance.now() >= giveUpAt)
      throw new Error(
        `The database could not be brought up to date: others have held its tables for ${Math.round(patienceMs / 60_000)} minutes. The log names them.`,
      );
  }
}
