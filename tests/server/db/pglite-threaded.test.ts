/** PGlite in a thread of its own: the same answers, errors and transactions as in the caller's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../../server/db/database.ts';
import { isBadValue } from '../../../server/db/faults.ts';
import { openPglite } from '../../../server/db/pglite.ts';
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
