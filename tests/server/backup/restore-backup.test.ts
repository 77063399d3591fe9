/** A backup put back into an empty database: all of it, halted, or nothing of it. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restoreBackup } from '../../../server/backup/restore-backup.ts';
import type { Database } from '../../../server/db/database.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { users } from '../../../server/db/schema.ts';
import { backupOf, reading, rowsByTable } from '../../support/backup-lines.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import fc from '../../support/property.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let floor: Floor;
let lines: string[] = [];
const NOW = Date.UTC(2026, 0, 6);
/** Text that a format may trip over. */
const ODD = 'Ünï\u2028\n "quoted" \\ {"id":1}';

beforeAll(async () => {
  floor = await openFloor({ candles: 20 });
  await floor.join('ann');
  await floor.call('ann', 'createAgent', { body: AGGRESSIVE });
  await floor.database.db.update(users).set({ email: ODD });
  const scheduler = floor.scheduler();
  await scheduler.open();
  await floor.run(scheduler, 3);
  await scheduler.stop();
  lines = await backupOf(floor.database);
});
afterAll(() => floor.close());

async function into<T>(work: (target: Database) => Promise<T>): Promise<T> {
  const target = await openEmptyDatabase();
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}
const countOf = async (database: Database, table: string): Promise<number> =>
  (
    await rowsOf<{ n: number }>(
      database.db,
      sql`select count(*)::int as n from ${sql.identifier(table)}`,
    )
  )[0]?.n ?? -1;

describe('a restored backup', () => {
  it('is the same data, row by row, and gives no number out twice', async () => {
    const found = await into(async (target) => {
      await restoreBackup(target, reading(lines), NOW);
      return backupOf(target);
    });
    const [before, after] = [rowsByTable(lines), rowsByTable(found)];
    expect(Object.values(before).flat().length).toBeGreaterThan(50);
    expect(before.fills?.length).toBeGreaterThan(0);
    expect(after).toEqual(before);
    expect(before.users?.[0]).toContain(JSON.stringify(ODD));
    const sequences = (all: string[]) =>
      (JSON.parse(all.at(-1) ?? '') as [string, { sequences: Record<string, string | null> }])[1]
        .sequences;
    expect(sequences(found)).toEqual({ ...sequences(lines), halts_id_seq: '1' });
  });

  it('halts all trading with a reason that names the moment', async () => {
    const halted = await into(async (target) => {
      await restoreBackup(target, reading(lines), NOW);
      return rowsOf<{ scope: string; act: string; reason: string }>(
        target.db,
        sql`select scope, act, reason from halts`,
      );
    });
    expect(halted).toMatchObject([{ scope: 'platform', act: 'halt' }]);
    expect(halted[0]?.reason).toContain('2026-01-05 00:00 UTC');
  });

  it('goes on with numbers above any that a device can have seen', async () => {
    const [seen] = await floor.database.db.select().from(users);
    const [next] = await into(async (target) => {
      await restoreBackup(target, reading(lines), NOW);
      return target.db.select().from(users);
    });
    expect(next?.sequence).toBe((seen?.sequence ?? 0) + 1_000_000);
    expect(next?.settingsVersion).toBe((seen?.settingsVersion ?? 0) + 1_000);
  });
});

describe('a backup that is not whole', () => {
  it('restores nothing wherever it is cut off or changed', async () => {
    await into(async (target) => {
      const refused = async (broken: string[]): Promise<void> => {
        await expect(restoreBackup(target, reading(broken), NOW)).rejects.toThrow(
          /damaged|cut off|no backup|has \d+\. Restore it/,
        );
        for (const table of ['users', 'ledger', 'fills', 'halts'])
          expect([table, await countOf(target, table)]).toEqual([table, 0]);
      };
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: lines.length - 1 }), fc.nat(), async (at, n) => {
          await refused(lines.slice(0, at));
          await refused([...lines.slice(0, at), ...lines.slice(at + 1)]);
          const line = lines[at] ?? '';
          const place = n % line.length;
          const other = line[place] === '7' ? '8' : '7';
          await refused(lines.with(at, line.slice(0, place) + other + line.slice(place + 1)));
        }),
        { numRuns: 4 },
      );
      await restoreBackup(target, reading(lines), NOW);
    });
  });

  it('is refused by a database that holds something, which stays as it is', async () => {
    await into(async (target) => {
      await restoreBackup(target, reading(lines), NOW);
      await expect(restoreBackup(target, reading(lines), NOW)).rejects.toThrow(/not empty/);
      expect(await countOf(target, 'users')).toBe(1);
    });
  });

  it('is refused by another version, which says how to go on', async () => {
    const [head = ''] = lines;
    const older = lines.with(0, head.replace(/"migrations":\["\w+",/, '"migrations":['));
    await into(async (target) => {
      await expect(restoreBackup(target, reading(older), NOW)).rejects.toThrow(
        /Restore it with the version that made it/,
      );
    });
  });

  it('is refused where its ledger does not balance', async () => {
    const twin = await openEmptyDatabase();
    try {
      await restoreBackup(twin, reading(lines), NOW);
      await twin.db.execute(sql`delete from halts`);
      await twin.db.execute(sql`update balances set amount = amount + 1`);
      const wrong = await backupOf(twin);
      await into(async (target) => {
        await expect(restoreBackup(target, reading(wrong), NOW)).rejects.toThrow(
          /does not balance/,
        );
        expect(await countOf(target, 'users')).toBe(0);
      });
    } finally {
      await twin.close();
    }
  });
});
