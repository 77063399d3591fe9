/**
 * The daily rebuild of every ledger, a few accounts at a time, by one server of several. Reports
 * and never repairs.
 */
import { eq, sql } from 'drizzle-orm';
import type { WallClock } from '../clock.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { meta } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { countAlarms, writeAlarms } from './alarms.ts';
import { ACCOUNTS_AT_ONCE, accountsAfter, checkAccounts, strays } from './check-ledgers.ts';

const KEY = 'books-check';
const DAY_MS = 24 * 60 * 60_000;
/**
 * A check that has said nothing for so long was left by a server that is gone; another goes on
 * where it was.
 */
const LEFT_AFTER_MS = 15 * 60_000;
/** As if long ago: whoever asks next goes on with a check that was left. */
const LEFT = 0;
/** Between two pages: the trading goes first. */
const PAUSE_MS = 50;

interface Progress {
  startedAt: number;
  saidAt: number;
  finishedAt: number | null;
  after: string | null;
  accounts: number;
  wrong: number;
}
type Deps = { database: Database; clock: WallClock; log: Log };

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

async function readProgress(db: Db): Promise<Progress | null> {
  const [row] = await db.select().from(meta).where(eq(meta.key, KEY));
  return row === undefined ? null : (row.value as Progress);
}

/**
 * Takes the check where it is due, for this server alone; null where it is not, or another has it.
 */
async function claim(tx: Tx, now: number, force: boolean): Promise<Progress | null> {
  // One at a time, also the very first time, when there is no row to lock.
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtext(${KEY}))`);
  const known = await readProgress(tx.db);
  const left = known !== null && known.finishedAt === null && now - known.saidAt > LEFT_AFTER_MS;
  const due = known === null || (known.finishedAt !== null && now - known.startedAt >= DAY_MS);
  if (!force && !due && !left) return null;
  const mine =
    left && !force
      ? { ...known, saidAt: now }
      : { startedAt: now, saidAt: now, finishedAt: null, after: null, accounts: 0, wrong: 0 };
  await write(tx, mine);
  return mine;
}

const write = async (tx: Tx, value: Progress): Promise<void> => {
  await tx.db
    .insert(meta)
    .values({ key: KEY, value })
    .onConflictDoUpdate({ target: meta.key, set: { value } });
};

/** One snapshot for all that a page reads, so that a trade beside it is in all of it or in none. */
async function readPage(database: Database, after: string | null, atOnce: number) {
  return database.transaction(async (tx) => {
    await tx.db.execute(sql`set transaction isolation level repeatable read, read only`);
    const ids = await accountsAfter(tx.db, after, atOnce);
    return { ids, checked: await checkAccounts(tx.db, ids) };
  });
}

/**
 * Runs once a day, on whichever server asks first. A difference is logged as an error and kept as
 * an alarm that blocks entries; it is not repaired. Returns whether it ran to its end: where the
 * process `isEnding`, it is left after a page and goes on from there.
 */
export async function runLedgerCheck(
  { database, clock, log }: Deps,
  {
    force = false,
    atOnce = ACCOUNTS_AT_ONCE,
    isEnding = () => false,
  }: { force?: boolean; atOnce?: number; isEnding?: () => boolean } = {},
): Promise<boolean> {
  if (isEnding()) return false;
  const mine = await database.transaction((tx) => claim(tx, clock.now(), force));
  if (mine === null) return false;
  for (let progress = mine; progress.finishedAt === null;) {
    const readAt = clock.now();
    const { ids, checked } = await readPage(database, progress.after, atOnce);
    const now = clock.now();
    const done = ids.length < atOnce;
    const leaves = !done && isEnding();
    const wrong = checked.filter(({ differences }) => differences.length > 0);
    const next: Progress = {
      ...progress,
      saidAt: leaves ? LEFT : now,
      finishedAt: done ? now : null,
      after: ids.at(-1) ?? progress.after,
      accounts: progress.accounts + ids.length,
      wrong: progress.wrong + wrong.length,
    };
    const { raised, cleared } = await database.transaction(async (tx) => {
      await write(tx, next);
      return writeAlarms(tx, checked, readAt);
    });
    for (const { accountId, differences } of wrong) {
      log.error(
        {
          account: accountId,
          differences: differences.slice(0, 10),
          count: differences.length,
          new: raised.some((one) => one.accountId === accountId),
        },
        'The ledger of an account does not add up: no new positions until it does',
      );
    }
    for (const account of cleared)
      log.info({ account }, 'The ledger of an account adds up again: new positions are allowed');
    progress = next;
    if (leaves) return false;
    if (!done) await pause(PAUSE_MS);
  }
  const lost = await strays(database.db);
  if (lost.length > 0)
    log.error({ problems: lost }, 'The ledger has rows that belong to no account');
  return true;
}

export interface LedgerHealth {
  inDoubt: number;
  finishedAt: number | null;
  accounts: number;
}

/** The figures of the metrics. */
export async function readLedgerHealth(db: Db): Promise<LedgerHealth> {
  const progress = await readProgress(db);
  return {
    inDoubt: await countAlarms(db),
    finishedAt: progress?.finishedAt ?? null,
    accounts: progress?.accounts ?? 0,
  };
}
