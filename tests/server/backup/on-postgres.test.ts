/**
 * Backups of a PostgreSQL that trades meanwhile, restored into another and into a PGlite: each is
 * one moment, to the last row.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { beginProof, keepResult } from '../../../scripts/proof/result.ts';
import { liftSwitch } from '../../../server/agents/trading-halts.ts';
import { restoreBackup } from '../../../server/backup/restore-backup.ts';
import type { Database } from '../../../server/db/database.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { silentLog } from '../../support/app.ts';
import { backupOf, reading, rowsByTable } from '../../support/backup-lines.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import {
  postgresBinaries,
  startPostgres,
  WITHOUT_SYNC,
  type TestPostgres,
} from '../../support/postgres.ts';
import { AGGRESSIVE, openFloor } from '../../support/trading.ts';

const PEOPLE = 6;
const TICKS = 12;
const NOW = Date.UTC(2026, 0, 6);

let cluster: TestPostgres | null = null;
let made = 0;
const opened: Database[] = [];
async function fresh(): Promise<Database> {
  const url = cluster?.fresh(`backup${(made += 1)}`) ?? '';
  const database = await openPostgres(url, { poolMax: 4, log: silentLog });
  opened.push(database);
  return database;
}
const fillsIn = async (database: Database): Promise<number> =>
  (await rowsOf<{ n: number }>(database.db, sql`select count(*)::int as n from fills`))[0]?.n ?? -1;

describe.skipIf(postgresBinaries() === null)('a backup of PostgreSQL', () => {
  beforeAll(async () => {
    cluster = await startPostgres(WITHOUT_SYNC);
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    cluster?.stop();
  });

  it('taken while agents trade is one moment, and trading goes on from it once it is let', async () => {
    beginProof('backup');
    const source = await fresh();
    const floor = await openFloor({ candles: 40 }, source);
    for (let person = 0; person < PEOPLE; person += 1) {
      await floor.join(`p${person}`);
      for (let n = 0; n < 3; n += 1)
        await floor.call(`p${person}`, 'createAgent', {
          body: { ...AGGRESSIVE, max_position_size: 300 },
        });
    }
    const scheduler = floor.scheduler();
    await scheduler.open();
    // Trades that commit after balances were read, and before fills and ledger are.
    let during = 0;
    const backups = [
      await backupOf(source, async (table) => {
        for (let tick = 0; table === 'fills' && during === 0 && tick < TICKS; tick += 1)
          during = await floor.run(scheduler, 1);
      }),
    ];
    expect(during).toBeGreaterThan(0);
    let trading = true;
    const traded = floor.run(scheduler, TICKS).finally(() => {
      trading = false;
    });
    while (trading) backups.push(await backupOf(source));
    await traded;
    expect(backups.length).toBeGreaterThan(1);
    await scheduler.stop();

    const restored: Database[] = [];
    const moments: number[] = [];
    let compared = 0;
    for (const lines of [backups[0] ?? [], backups.at(-1) ?? []]) {
      const target = await fresh();
      await restoreBackup(target, reading(lines), NOW);
      expect(rowsByTable(await backupOf(target))).toEqual(rowsByTable(lines));
      compared += 1;
      expect((await checkLedger(target.db)).problems).toEqual([]);
      moments.push(await fillsIn(target));
      restored.push(target);
    }
    expect(moments[0]).toBeLessThan(moments[1] ?? 0);

    const other = await openEmptyDatabase();
    await restoreBackup(other, reading(backups.at(-1) ?? []), NOW);
    expect(rowsByTable(await backupOf(other))).toEqual(rowsByTable(backups.at(-1) ?? []));
    compared += 1;
    await other.close();

    const [early] = restored;
    if (early === undefined) throw new Error('nothing was restored');
    const again = await openFloor({ candles: 40 }, early);
    const buys = async (): Promise<number> =>
      (
        await rowsOf<{ n: number }>(
          early.db,
          sql`select count(*)::int as n from fills where side = 'buy'`,
        )
      )[0]?.n ?? -1;
    const before = await buys();
    const next = again.scheduler();
    await next.open();
    await again.run(next, TICKS);
    const boughtHalted = (await buys()) - before;
    expect(boughtHalted).toBe(0);
    await early.transaction((tx) =>
      liftSwitch(tx, { scope: 'platform', target: '', reason: '', by: 'test' }, NOW),
    );
    await again.run(next, TICKS);
    await next.stop();
    expect(await buys()).toBeGreaterThan(before);
    expect((await checkLedger(early.db)).problems).toEqual([]);
    keepResult({
      part: 'backup',
      ok: true,
      command: 'npm run test:backup',
      figures: {
        'backups taken while agents traded': backups.length,
        'restored and compared row by row': compared,
        'rows of the last one': Object.values(rowsByTable(backups.at(-1) ?? [])).flat().length,
        'fills in the first and the last': moments.join(', '),
        'bought before the halt was lifted': boughtHalted,
      },
    });
  });
});
