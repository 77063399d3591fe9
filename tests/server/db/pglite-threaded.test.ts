/** PGlite in a thread of its own: the same answers, errors and transactions as in the caller's. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../../server/db/database.ts';
import { isBadValue, isUnavailable } from '../../../server/db/faults.ts';
import { ThreadedPglite } from '../../../server/db/pglite-threaded.ts';
import { openPglite, pgliteOver, SILENT } from '../../../server/db/pglite.ts';
import { receipts, users } from '../../../server/db/schema.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { layEmptyDatabase } from '../../support/empty-database.ts';

let folder = '';
let database: Database;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-thread-'));
  await layEmptyDatabase(folder);
  database = await openPglite(folder);
}, 60_000);
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const person = (uid: string) => ({ uid, email: null, createdAt: 5, settings: { a: [1, 'b'] } });

describe('PGlite in its thread', () => {
  it('keeps what is committed, types and all, also when it is opened again', async () => {
    await database.transaction(({ db }) => db.insert(users).values(person('kept')));
    await database.close();
    database = await openPglite(folder);
    const [row] = await database.db.select().from(users).where(eq(users.uid, 'kept'));
    expect(row).toMatchObject({
      uid: 'kept',
      createdAt: 5,
      settings: { a: [1, 'b'] },
      email: null,
    });
  });

  it('undoes a transaction that throws, and hands on the very error', async () => {
    const mine = new Error('mine');
    await expect(
      database.transaction(async ({ db }) => {
        await db.insert(users).values(person('undone'));
        throw mine;
      }),
    ).rejects.toBe(mine);
    expect(await database.db.$count(users, eq(users.uid, 'undone'))).toBe(0);
  });

  it('undoes what a savepoint did and goes on', async () => {
    await database.transaction(async (tx) => {
      await tx
        .savepoint(async ({ db }) => {
          await db.insert(users).values(person('inner'));
          throw new Error('inner');
        })
        .catch(() => undefined);
      await tx.db.insert(users).values(person('outer'));
    });
    expect(await database.db.$count(users, sql`uid in ('inner', 'outer')`)).toBe(1);
  });

  it("keeps the code of PostgreSQL's errors, by which faults are told apart", async () => {
    const error: unknown = await database.db
      .select()
      .from(receipts)
      .where(sql`command_id = 'no uuid'`)
      .catch((one: unknown) => one);
    expect((error as Error).cause).toMatchObject({ code: '22P02' });
    expect(isBadValue(error)).toBe(true);
    const again: unknown = await database.db
      .insert(users)
      .values(person('kept'))
      .catch((one: unknown) => one);
    expect((again as Error).cause).toMatchObject({ code: '23505' });
  });

  it('leaves the event loop to others during a long query', async () => {
    let turns = 0;
    let over = false;
    const query = rowsOf<{ n: number }>(
      database.db,
      sql`select count(*)::int as n from generate_series(1, 1500000)`,
    ).finally(() => {
      over = true;
    });
    while (!over) {
      await new Promise(setImmediate);
      turns += 1;
    }
    expect(await query).toEqual([{ n: 1_500_000 }]);
    expect(turns).toBeGreaterThan(50);
  });
});

describe('PGlite whose thread ends', () => {
  let own = '';
  let client: ThreadedPglite;
  let restarted: Database;

  beforeAll(async () => {
    own = mkdtempSync(join(tmpdir(), 'tradewind-thread-'));
    await layEmptyDatabase(own);
    const dataDir = join(own, 'pglite');
    client = await ThreadedPglite.open({ dataDir, folder: dataDir }, SILENT);
    restarted = pgliteOver(client);
  }, 60_000);
  afterAll(async () => {
    await restarted.close();
    rmSync(own, { recursive: true, force: true });
  });

  const thread = (): Worker => (client as unknown as { worker: Worker }).worker;
  /** Ends the thread and waits until another one has taken its place. */
  async function restart(): Promise<void> {
    const back = new Promise<void>((resolve) => {
      const forget = client.onReturn(() => {
        forget();
        resolve();
      });
    });
    await thread().terminate();
    await back;
  }
  const faultOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'It was taken',
      (error: unknown) => error,
    );
  const count = (...uids: string[]): Promise<number> =>
    restarted.db.$count(users, inArray(users.uid, uids));

  it('takes nothing of the rest of a transaction that another thread began (F85)', async () => {
    const queried = await faultOf(
      restarted.transaction(async ({ db }) => {
        await db.insert(users).values(person('before'));
        await restart();
        await db.insert(users).values(person('after'));
      }),
    );
    expect(isUnavailable(queried)).toBe(true);
    expect(await count('before', 'after')).toBe(0);
  });

  it('commits no transaction that another thread began, whose work is told nothing (F85)', async () => {
    const committed = await faultOf(
      restarted.transaction(async (tx) => {
        tx.afterCommit(() => {
          throw new Error('It was not committed');
        });
        await tx.db.insert(users).values(person('lost'));
        await restart();
      }),
    );
    expect(isUnavailable(committed)).toBe(true);
    expect(await count('lost')).toBe(0);
  });

  it('hands on the reason of a transaction that gives up after the restart (F85)', async () => {
    const mine = new Error('mine');
    const given = await faultOf(
      restarted.transaction(async ({ db }) => {
        await db.insert(users).values(person('given up'));
        await restart();
        await db
          .insert(users)
          .values(person('anyway'))
          .catch(() => undefined);
        throw mine;
      }),
    );
    expect(given).toBe(mine);
    expect(await count('given up', 'anyway')).toBe(0);
  });

  it('is unavailable, and nothing else, until it is back (F85)', async () => {
    const back = restart();
    const faults: unknown[] = [];
    let answered = false;
    while (!answered) {
      const fault = await faultOf(restarted.db.execute(sql`select 1`));
      answered = fault === 'It was taken';
      if (!answered) faults.push(fault);
      await new Promise(setImmediate);
    }
    await back;
    expect(faults.filter((fault) => !isUnavailable(fault))).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
  });

  it('has one thread in its place, also where the first one ends before it is open (F85)', async () => {
    let returns = 0;
    const forget = client.onReturn(() => {
      returns += 1;
    });
    const first = thread();
    await first.terminate();
    // None, then the next.
    const next = (): Worker | null => (thread() === first ? null : thread());
    while (next() === null) await new Promise(setImmediate);
    await next()?.terminate();
    while ((await faultOf(restarted.db.execute(sql`select 1`))) !== 'It was taken')
      await new Promise(setImmediate);
    forget();
    expect(returns).toBe(1);
  });

  it('says so where a transaction is to end that it did not begin (F85)', async () => {
    const told = once(thread(), 'message');
    thread().postMessage({ id: -1, ask: { act: 'end', commit: true } });
    expect(await told).toMatchObject([{ id: -1, fault: { fields: { code: '57P02' } } }]);
  });

  it('takes nothing more from work that outlives its transaction (F77)', async () => {
    let late: Promise<unknown> = Promise.resolve();
    let begun = (): void => undefined;
    const goOn = new Promise<void>((resolve) => {
      begun = resolve;
    });
    await restarted.transaction(async ({ db }) => {
      await db.insert(users).values(person('in time'));
      late = faultOf(goOn.then(() => db.insert(users).values(person('late'))));
    });
    await faultOf(
      restarted.transaction(async ({ db }) => {
        begun();
        await late;
        await db.insert(users).values(person('another'));
      }),
    );
    expect(await late).toBeInstanceOf(Error);
    expect(await count('in time', 'late', 'another')).toBe(2);
  });
});
