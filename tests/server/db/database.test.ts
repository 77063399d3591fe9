/** The database port on both of its bodies: migrations, savepoints, after-commit work, retry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq, getTableName, is, sql, type SQL } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database, Tx } from '../../../server/db/database.ts';
import { isBadValue, isUnavailable } from '../../../server/db/faults.ts';
import { MIGRATIONS, openPglite } from '../../../server/db/pglite.ts';
import type { Lane } from '../../../server/db/lanes.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { forgetOld } from '../../../server/retention.ts';
import * as schema from '../../../server/db/schema.ts';
import * as plans from '../../../server/db/schema-plans.ts';
import * as support from '../../../server/db/schema-support.ts';
import * as alerts from '../../../server/db/schema-alerts.ts';
import * as live from '../../../server/db/schema-live.ts';
import * as wallet from '../../../server/db/schema-wallet.ts';
import { silentLog } from '../../support/app.ts';
import { postgresBinaries, startPostgres, type TestPostgres } from '../../support/postgres.ts';

let cluster: TestPostgres | null = null;
let url = '';

const bodies: [string, () => Promise<Database>][] = [['PGlite', () => openPglite(null)]];
if (postgresBinaries() !== null)
  bodies.push(['PostgreSQL', () => openPostgres(url, { poolMax: 5, log: silentLog })]);

beforeAll(async () => {
  cluster = await startPostgres();
  if (cluster !== null) url = cluster.fresh('port');
}, 120_000);
afterAll(() => {
  cluster?.stop();
});

async function countOf(database: Database, query: SQL): Promise<number | undefined> {
  const result: unknown = await database.db.execute(query);
  return (result as { rows: { count: number }[] }).rows[0]?.count;
}

const { events, meta, receipts } = schema;
const deadlock = () =>
  new Error('Failed query', {
    cause: Object.assign(new Error('deadlock detected'), { code: '40P01' }),
  });

describe.each(bodies)('a database on %s', (_name, open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  }, 60_000);
  afterAll(async () => {
    await database.close();
  });

  const valueOf = async (key: string): Promise<unknown> =>
    (await database.db.select().from(meta).where(eq(meta.key, key)))[0]?.value;

  it('finds the orders of an account by an index', async () => {
    expect(
      await countOf(
        database,
        sql`select count(*)::int as count from pg_indexes
            where tablename = 'orders' and indexdef like '%(account_id)'`,
      ),
    ).toBe(1);
  });

  it('has every table of the schema', async () => {
    const named = new Set(
      Object.values({ ...schema, ...plans, ...support, ...wallet, ...alerts, ...live }).flatMap(
        (one) => (is(one, PgTable) ? [getTableName(one)] : []),
      ),
    );
    const result: unknown = await database.db.execute(
      sql`select table_name from information_schema.tables where table_schema = 'public'`,
    );
    expect(
      (result as { rows: { table_name: string }[] }).rows
        .map(({ table_name: name }) => name)
        .sort(),
    ).toEqual([...named].sort());
  });

  it('tells after the commit, in order, and tells nothing of what was rolled back', async () => {
    const told: string[] = [];
    await database.transaction(async (tx) => {
      tx.afterCommit(() => told.push('first'));
      await tx.savepoint(async (inner) => {
        inner.afterCommit(() => told.push('second'));
      });
      await tx
        .savepoint(async (inner) => {
          inner.afterCommit(() => told.push('never'));
          throw new Error('undone');
        })
        .catch(() => undefined);
      expect(told).toEqual([]);
    });
    expect(told).toEqual(['first', 'second']);
    await expect(
      database.transaction(async (tx) => {
        tx.afterCommit(() => told.push('never'));
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(told).toEqual(['first', 'second']);
  });

  it('takes nothing more from work that outlives its transaction (F77)', async () => {
    let goOn: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let late: Promise<unknown> = Promise.resolve();
    await database
      .transaction((tx) => {
        late = ended.then(() => tx.db.insert(meta).values({ key: 'late', value: 1 }));
        late.catch(() => undefined);
        return Promise.reject(new Error('the other half failed'));
      })
      .catch(() => undefined);
    await database
      .transaction(async () => {
        goOn();
        await late.catch(() => undefined);
        throw new Error('undone');
      })
      .catch(() => undefined);
    goOn();
    await expect(late).rejects.toThrow();
    expect(await valueOf('late')).toBeUndefined();
  });

  it('hands on why a commit failed, and takes the connection back', async () => {
    await database.db.execute(
      sql`create table checked_late (id int primary key deferrable initially deferred)`,
    );
    const twice = database.transaction(async (tx) => {
      await tx.db.execute(sql`insert into checked_late values (1), (1)`);
    });
    const error = (await twice.catch((cause: unknown) => cause)) as Error & { code?: string };
    // drizzle wraps what PostgreSQL says.
    expect(error.code === undefined ? error.cause : error).toMatchObject({ code: '23505' });
    expect(await countOf(database, sql`select count(*)::int as count from checked_late`)).toBe(0);
    await database.db.execute(sql`drop table checked_late`);
  });

  it('undoes a savepoint alone', async () => {
    await database.transaction(async (tx) => {
      await tx.db.insert(meta).values({ key: 'outer', value: 1 });
      await expect(
        tx.savepoint(async (inner) => {
          await inner.db.insert(meta).values({ key: 'inner', value: 1 });
          await inner.db.insert(meta).values({ key: 'outer', value: 2 });
        }),
      ).rejects.toThrow();
    });
    expect(await valueOf('outer')).toBe(1);
    expect(await valueOf('inner')).toBeUndefined();
  });

  it('tries a deadlocked transaction again, three times at most, and tells once (F39)', async () => {
    const told: number[] = [];
    let runs = 0;
    await database.transaction(async (tx) => {
      runs += 1;
      tx.afterCommit(() => told.push(runs));
      await tx.db.insert(meta).values({ key: 'retried', value: runs });
      if (runs < 3) throw deadlock();
    });
    expect([runs, told, await valueOf('retried')]).toEqual([3, [3], 3]);
    runs = 0;
    await expect(
      database.transaction(async () => {
        runs += 1;
        throw deadlock();
      }),
    ).rejects.toThrow('Failed query');
    expect(runs).toBe(3);
  });

  it('does not try anything else again', async () => {
    let runs = 0;
    await expect(
      database.transaction(async (tx) => {
        runs += 1;
        await tx.db.execute(sql`select 1/0`);
      }),
    ).rejects.toThrow();
    expect(runs).toBe(1);
  });

  it('keeps receipts 30 days and events one', async () => {
    const day = 86_400_000;
    const now = 1_800_000_000_000;
    const receipt = (id: string, createdAt: number) => ({
      uid: 'u',
      commandId: id,
      bodyHash: 'h',
      status: 200,
      reply: {},
      createdAt,
    });
    await database.db
      .insert(receipts)
      .values([
        receipt('00000000-0000-4000-8000-000000000001', now - 31 * day),
        receipt('00000000-0000-4000-8000-000000000002', now - 29 * day),
      ]);
    await database.db.insert(events).values([
      { uid: 'u', sequence: 1, payload: {}, createdAt: now - 2 * day },
      { uid: 'u', sequence: 2, payload: {}, createdAt: now - day / 2 },
    ]);
    await forgetOld(database, { now: () => now });
    expect((await database.db.select().from(receipts)).map((row) => row.commandId)).toEqual([
      '00000000-0000-4000-8000-000000000002',
    ]);
    expect((await database.db.select().from(events)).map((row) => row.sequence)).toEqual([2]);
  });
});

describe.skipIf(postgresBinaries() === null)('a PostgreSQL of one’s own', () => {
  it('is migrated once when two servers start on it at the same time', async () => {
    const fresh = cluster?.fresh('twice') ?? '';
    const both = await Promise.all([
      openPostgres(fresh, { poolMax: 2, log: silentLog }),
      openPostgres(fresh, { poolMax: 2, log: silentLog }),
    ]);
    const { entries } = JSON.parse(
      readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8'),
    ) as { entries: unknown[] };
    expect(
      await countOf(both[0], sql`select count(*)::int as count from drizzle.__drizzle_migrations`),
    ).toBe(entries.length);
    await Promise.all(both.map((database) => database.close()));
  });

  it('resolves a real deadlock between two transactions (F39)', async () => {
    const fresh = cluster?.fresh('deadlock') ?? '';
    const database = await openPostgres(fresh, { poolMax: 4, log: silentLog });
    await database.db.insert(meta).values([
      { key: 'a', value: 0 },
      { key: 'b', value: 0 },
    ]);
    let met = 0;
    let meet: () => void = () => undefined;
    const bothHold = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const swap = (first: string, second: string) =>
      database.transaction(async (tx) => {
        await tx.db
          .update(meta)
          .set({ value: sql`(${meta.value}::int + 1)::text::jsonb` })
          .where(eq(meta.key, first));
        met += 1;
        if (met === 2) meet();
        await bothHold;
        await tx.db
          .update(meta)
          .set({ value: sql`(${meta.value}::int + 1)::text::jsonb` })
          .where(eq(meta.key, second));
      });
    await Promise.all([swap('a', 'b'), swap('b', 'a')]);
    expect((await database.db.select().from(meta)).map((row) => row.value)).toEqual([2, 2]);
    expect(met).toBeGreaterThan(2);
    await database.close();
  });

  it('has a connection for a stop while commands of one person wait for each other (R7-17)', async () => {
    const fresh = cluster?.fresh('stops') ?? '';
    const database = await openPostgres(fresh, { poolMax: 10, log: silentLog });
    onTestFinished(() => database.close());
    await database.db.insert(meta).values({ key: 'row', value: 0 });
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const lockRow = (lane: Lane, until?: Promise<void>): Promise<void> =>
      database.on(lane).transaction(async (tx) => {
        await tx.db.select().from(meta).where(eq(meta.key, 'row')).for('update');
        await until;
      });
    const first = lockRow('work', held);
    const behind = Array.from({ length: 20 }, () => lockRow('command'));
    await expect
      .poll(() =>
        countOf(database, sql`select count(*)::int as count from pg_locks where not granted`),
      )
      .toBe(2);
    const stop = () => database.on('stop').transaction((tx) => tx.db.select().from(meta));
    expect(await stop()).toHaveLength(1);
    letGo();
    await Promise.all([first, ...behind]);
    // One that waits for a row holds up no other either, where a command's connection is free.
    let letGoAgain: () => void = () => undefined;
    const waiting = lockRow(
      'stop',
      new Promise<void>((resolve) => {
        letGoAgain = resolve;
      }),
    );
    expect(await stop()).toHaveLength(1);
    letGoAgain();
    await waiting;
  });

  it('keeps the connection of a stop open, and opens it again when it dies (R7-17)', async () => {
    const fresh = cluster?.fresh('kept') ?? '';
    const database = await openPostgres(fresh, { poolMax: 10, log: silentLog });
    onTestFinished(() => database.close());
    /** The connections to this database but for the one that asks. */
    const others = async (): Promise<number[]> => {
      const result: unknown = await database.db.execute(
        sql`select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
      return (result as { rows: { pid: number }[] }).rows.map(({ pid }) => pid);
    };
    await expect.poll(others).toHaveLength(1);
    const [kept] = await others();
    const pidOf = async (tx: Tx): Promise<number | undefined> => {
      const result: unknown = await tx.db.execute(sql`select pg_backend_pid() as pid`);
      return (result as { rows: { pid: number }[] }).rows[0]?.pid;
    };
    // After its use it may stand idle for longer than the driver lets others.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      expect(await database.on('stop').transaction(pidOf)).toBe(kept);
      vi.advanceTimersByTime(60_000);
    } finally {
      vi.useRealTimers();
    }
    expect(await others()).toEqual([kept]);
    await database.db.execute(sql`select pg_terminate_backend(${kept}::int)`);
    await expect
      .poll(async () => (await others()).filter((pid) => pid !== kept), { timeout: 5_000 })
      .toHaveLength(1);
  });

  it('keeps no connection for stops and commands where none are ever asked for', async () => {
    const fresh = cluster?.fresh('whole') ?? '';
    const database = await openPostgres(fresh, { poolMax: 4, log: silentLog, split: false });
    onTestFinished(() => database.close());
    let inside = 0;
    let meet: () => void = () => undefined;
    const allIn = new Promise<void>((resolve) => {
      meet = resolve;
    });
    await Promise.all(
      Array.from({ length: 4 }, () =>
        database.transaction(async (tx) => {
          await tx.db.select().from(meta);
          inside += 1;
          if (inside === 4) meet();
          await allIn;
        }),
      ),
    );
    expect(inside).toBe(4);
  });

  it('says unavailable when it is gone, and recovers by itself', async () => {
    const fresh = cluster?.fresh('gone') ?? '';
    const database = await openPostgres(fresh, { poolMax: 2, log: silentLog });
    await database.db.select().from(meta);
    cluster?.kill9();
    // A killed postmaster leaves its children a moment in which they still answer.
    const attempt = (): Promise<unknown> =>
      database
        .transaction((tx) => tx.db.select().from(meta))
        .then(
          () => null,
          (thrown: unknown) => thrown,
        );
    await expect.poll(async () => isUnavailable(await attempt()), { timeout: 20_000 }).toBe(true);
    await cluster?.restart();
    expect(await database.transaction((tx) => tx.db.select().from(meta))).toEqual([]);
    await database.close();
  }, 60_000);
});

describe('faults of a database', () => {
  it('are told apart by their codes, however deep they lie', () => {
    const coded = (code: string) =>
      new Error('x', { cause: new Error('y', { cause: Object.assign(new Error('z'), { code }) }) });
    expect(
      ['08006', '57P01', '53300', '53100', 'ECONNREFUSED'].map((code) =>
        isUnavailable(coded(code)),
      ),
    ).toEqual([true, true, true, true, true]);
    expect([
      isUnavailable(coded('23505')),
      isUnavailable('text'),
      isBadValue(coded('22P02')),
      isBadValue(coded('23505')),
    ]).toEqual([false, false, true, false]);
  });
});
