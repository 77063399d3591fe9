/**
 * The daily rebuild: every kind of row that is tampered with is found, named with its amount, and
 * keeps its account from opening more.
 */
import { eq, sql, type SQL } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../server/db/database.ts';
import { accountAlarms, agents, balances, meta, positions } from '../../../server/db/schema.ts';
import { writeAlarms } from '../../../server/portfolio/alarms.ts';
import { runLedgerCheck, readLedgerHealth } from '../../../server/portfolio/ledger-check.ts';
import {
  checkLedger,
  type AccountCheck,
  type LedgerCheck,
} from '../../../server/portfolio/check-ledgers.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let floor: Floor;
let account: string;
const UID = 'checked';
const OTHER = 'left alone';

beforeAll(async () => {
  database = await openTestDatabase();
  floor = await openFloor({ candles: 3_000, sourceId: 'checked' }, database);
  for (const uid of [UID, OTHER]) {
    await floor.join(uid);
    await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE, name: uid } });
  }
  const scheduler = floor.scheduler();
  await scheduler.open();
  // Until it has sold as well, and holds something.
  const ready = async (): Promise<boolean> => {
    const { fills } = await floor.call(UID, 'history', { query: { limit: 1_000 } });
    return (
      fills.filter(({ side }) => side === 'sell').length > 1 &&
      (await floor.call(UID, 'portfolio')).positions.length > 0
    );
  };
  for (let look = 0; look < 40 && !(look > 5 && (await ready())); look += 1) {
    floor.market.step(71);
    await floor.run(scheduler, 1);
  }
  await scheduler.stop();
  account = (await floor.call(UID, 'portfolio')).accountId;
}, 120_000);
afterAll(async () => {
  await database.close();
});

/** What the check says where this was done to the books, and undone again. */
async function afterwards(...statements: SQL[]): Promise<LedgerCheck> {
  return database
    .transaction(async (tx) => {
      for (const statement of statements) {
        const { affectedRows, rowCount } = (await tx.db.execute(statement)) as {
          affectedRows?: number;
          rowCount?: number;
        };
        if ((affectedRows ?? rowCount ?? 0) === 0) throw new Error('Nothing was tampered with');
      }
      throw Object.assign(new Error('undo'), { found: await checkLedger(tx.db) });
    })
    .catch((error: unknown) => {
      if (error instanceof Error && 'found' in error) return error.found as LedgerCheck;
      throw error;
    });
}

const mine = sql`account_id = (select id from accounts where uid = ${UID})`;
const aBuy = sql`(select id from fills where ${mine} and side = 'buy' order by filled_market_ms, id limit 1)`;
const aSale = sql`(select id from fills where ${mine} and side = 'sell' order by filled_market_ms, id limit 1)`;
/** A second fill like the one there is, under another id and tick. */
const DOUBLED = sql`insert into fills select (jsonb_populate_record(fills, jsonb_build_object('id', 'ffffffff-ffff-4fff-8fff-ffffffffffff', 'tick_id', 'again'))).* from fills where id = ${aBuy}`;
const BOOKED_AGAIN = [
  DOUBLED,
  sql`insert into ledger (transaction_id, account_id, bucket, asset, amount, cause, fill_id, at_market_ms)
    select 'ffffffff-ffff-4fff-8fff-ffffffffffff', account_id, bucket, asset, amount, cause, 'ffffffff-ffff-4fff-8fff-ffffffffffff', at_market_ms from ledger where fill_id = ${aBuy}`,
  sql`update balances set amount = balances.amount + more.amount from (select account_id, bucket, asset, sum(amount) as amount from ledger where fill_id = ${aBuy} group by 1, 2, 3) more
    where balances.account_id = more.account_id and balances.bucket = more.bucket and balances.asset = more.asset`,
];

const TAMPERED: [string, SQL[], RegExp][] = [
  [
    'the quantity of a position',
    [
      sql`update positions set quantity = quantity + 0.000000000001 where ${mine} and closed_market_ms is null`,
    ],
    /quantity of .* is .* and should be .* \(0\.000000000001\)/,
  ],
  [
    'the cost of a position',
    [sql`update positions set cost = cost - 1 where ${mine} and closed_market_ms is null`],
    /cost of .* should be .* USDT \(-1\)/,
  ],
  [
    'a position that is gone',
    [sql`delete from positions where ${mine} and closed_market_ms is null`],
    /quantity of .* is 0 and should be/,
  ],
  [
    'a closed position that holds something',
    [sql`update positions set quantity = 1 where ${mine} and closed_market_ms is not null`],
    /closed position still holds 1/,
  ],
  [
    'a stop that is gone',
    [sql`update positions set stop_price = null where ${mine} and closed_market_ms is null`],
    /open position has no stop/,
  ],
  [
    'a cash entry',
    [
      sql`update ledger set amount = amount + 5 where ${mine} and bucket = 'cash' and fill_id = ${aBuy}`,
    ],
    /in the ledger under cash is .* and should be .* USDT \(5\)/,
  ],
  [
    'a fee entry',
    [
      sql`update ledger set amount = amount + 0.01 where ${mine} and bucket = 'fees' and fill_id = ${aBuy}`,
    ],
    /under fees .* \(0\.01\)/,
  ],
  [
    'an entry that is gone',
    [
      sql`delete from ledger where ${mine} and bucket = 'venue' and asset = 'USDT' and fill_id = ${aBuy}`,
    ],
    /sums to .* USDT, not to zero/,
  ],
  [
    'an entry that is there twice',
    [
      sql`insert into ledger (transaction_id, account_id, bucket, asset, amount, cause, fill_id, at_market_ms) select transaction_id, account_id, bucket, asset, amount, cause, fill_id, at_market_ms from ledger where bucket = 'cash' and fill_id = ${aBuy}`,
    ],
    /under cash/,
  ],
  [
    'all entries of a fill',
    [sql`delete from ledger where fill_id = ${aBuy}`],
    /in the ledger under cash is 0 and should be/,
  ],
  [
    'the balance of cash',
    [sql`update balances set amount = amount + 100 where ${mine} and bucket = 'cash'`],
    /cash is .* and should be .* USDT \(100\)/,
  ],
  [
    'a balance that is gone',
    [sql`delete from balances where ${mine} and bucket = 'fees'`],
    /ledger adds up to: fees is 0/,
  ],
  [
    'a fill that is gone',
    [sql`delete from fills where id = ${aBuy}`],
    /of fill .*, which is missing/,
  ],
  ['a fill that is there twice', [DOUBLED], /has 2 fills/],
  [
    'a fill that is there twice, booked as well',
    BOOKED_AGAIN,
    /quantity of .* is .* and should be/,
  ],
  [
    'the quantity of a fill',
    [sql`update fills set quantity = quantity * 2 where id = ${aBuy}`],
    /its amount is .*, not/,
  ],
  [
    'the price of a fill',
    [sql`update fills set price = price * 0.9 where id = ${aBuy}`],
    /its amount is .*, not/,
  ],
  ['the fee of a fill', [sql`update fills set fee = 0 where id = ${aBuy}`], /its fee is 0, not/],
  [
    'the side of a fill',
    [sql`update fills set side = 'sell' where id = ${aBuy}`],
    /what it sells is .*, not 0/,
  ],
  [
    'what a sale realised',
    [sql`update fills set realized = realized + 1 where id = ${aSale}`],
    /what it realised is .*, not/,
  ],
  [
    'what a sale had cost',
    [sql`update fills set cost_basis = cost_basis + 1 where id = ${aSale}`],
    /what was sold had cost is .*, not/,
  ],
  [
    'an order that is gone',
    [sql`delete from orders where id = (select order_id from fills where id = ${aBuy})`],
    /fill of order .*, which is missing/,
  ],
  [
    'an order for less than was filled',
    [
      sql`update orders set quantity = quantity / 2 where id = (select order_id from fills where id = ${aBuy})`,
    ],
    /order .* has 1 fill of/,
  ],
  [
    'a deposit that nobody made, booked on both sides',
    [
      sql`insert into ledger (transaction_id, account_id, bucket, asset, amount, cause, at_market_ms) select '00000000-0000-4000-8000-000000000002', id, bucket, 'USDT', amount, 'deposit', 0 from accounts, (values ('cash', 500), ('external', -500)) made(bucket, amount) where uid = ${UID}`,
      sql`update balances set amount = amount + (case bucket when 'cash' then 500 else -500 end) where ${mine} and bucket in ('cash', 'external')`,
    ],
    /the deposit is 10500 and should be 10000 USDT \(500\)/,
  ],
];

describe('the rebuild of a book', () => {
  it('finds nothing where nothing was done, in every account', async () => {
    const check = await checkLedger(database.db);
    expect(check).toMatchObject({ ok: true, problems: [] });
    expect(check.accounts.find(({ accountId }) => accountId === account)).toMatchObject({
      differences: [],
      open: true,
      deposits: '10000',
    });
    const [row] = await rowsOf<{ buys: number; sales: number }>(
      database.db,
      sql`select count(*) filter (where side = 'buy')::int as buys, count(*) filter (where side = 'sell')::int as sales from fills where ${mine}`,
    );
    expect(row?.buys).toBeGreaterThan(1);
    expect(row?.sales).toBeGreaterThan(1);
  });

  it.each(TAMPERED)('finds %s, in that account and no other', async (_name, statements, says) => {
    const { ok, accounts } = await afterwards(...statements);
    expect(ok).toBe(false);
    expect(
      accounts
        .filter(({ differences }) => differences.length > 0)
        .map(({ accountId }) => accountId),
    ).toEqual([account]);
    expect(accounts.find(({ accountId }) => accountId === account)?.differences.join('\n')).toMatch(
      says,
    );
  });

  it('finds rows of an account that is not there', async () => {
    const { problems } = await afterwards(
      sql`insert into balances values ('00000000-0000-4000-8000-000000000009', 'cash', 'USDT', 1)`,
    );
    expect(problems).toEqual([
      'Balances of an account that is not there: 00000000-0000-4000-8000-000000000009',
    ]);
  });
});

describe('the daily check', () => {
  const deps = () => floor.deps;
  const look = async (): Promise<void> => {
    const scheduler = floor.scheduler();
    await scheduler.open();
    floor.market.step(71);
    await floor.run(scheduler, 1);
    await scheduler.stop();
  };
  const sayings = async (uid: string): Promise<string[]> => {
    const [agent] = await database.db.select().from(agents).where(eq(agents.uid, uid));
    const { decisions } = await floor.call(uid, 'agentPerformance', {
      params: { id: agent?.id ?? '' },
    });
    return decisions.filter(({ at }) => at === decisions[0]?.at).map(({ text }) => text);
  };

  it('runs once a day, by one of those who ask, a page at a time, and goes on where a server that died left it', async () => {
    expect(
      (
        await Promise.all([
          runLedgerCheck(deps(), { atOnce: 1 }),
          runLedgerCheck(deps(), { atOnce: 1 }),
        ])
      ).filter((ran) => ran),
    ).toHaveLength(1);
    expect(await readLedgerHealth(database.db)).toEqual({
      inDoubt: 0,
      finishedAt: floor.clock.now(),
      accounts: 2,
    });
    expect(await runLedgerCheck(deps())).toBe(false);
    floor.clock.at += 24 * 3_600_000;
    const [first = ''] = [
      ...(await checkLedger(database.db)).accounts.map(({ accountId }) => accountId),
    ].sort();
    const dead = {
      startedAt: floor.clock.at,
      saidAt: floor.clock.at,
      finishedAt: null,
      after: first,
      accounts: 1,
      wrong: 0,
    };
    await database.db.update(meta).set({ value: dead }).where(eq(meta.key, 'books-check'));
    expect(await runLedgerCheck(deps())).toBe(false);
    floor.clock.at += 16 * 60_000;
    expect(await runLedgerCheck(deps())).toBe(true);
    expect((await readLedgerHealth(database.db)).accounts).toBe(2);
  });

  it('is left after a page where the process ends, and goes on at once at the next start', async () => {
    floor.clock.at += 24 * 3_600_000;
    const startedAt = floor.clock.at;
    expect(await runLedgerCheck(deps(), { isEnding: () => true })).toBe(false);
    const asked = { count: 0 };
    const isEnding = (): boolean => (asked.count += 1) > 1;
    expect(await runLedgerCheck(deps(), { atOnce: 1, isEnding })).toBe(false);
    expect(await readLedgerHealth(database.db)).toMatchObject({ finishedAt: null, accounts: 1 });
    floor.clock.at += 60_000;
    expect(await runLedgerCheck(deps())).toBe(true);
    expect(await readLedgerHealth(database.db)).toEqual({
      inDoubt: 0,
      finishedAt: startedAt + 60_000,
      accounts: 2,
    });
  });

  it('and the tidying before it are not finished by a server that ends', async () => {
    floor.clock.at += 24 * 3_600_000;
    const before = await readLedgerHealth(database.db);
    let begun: () => void = () => undefined;
    const tidying = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let end: () => void = () => undefined;
    const ends = new Promise<void>((resolve) => {
      end = resolve;
    });
    const held: Database = {
      ...database,
      async transaction(work) {
        begun();
        await ends;
        return database.transaction(work);
      },
    };
    // It is in place at the newest tick, so that all it does is tidy.
    const scheduler = floor.scheduler(held);
    const now = performance.now.bind(performance);
    const hourLater = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
    try {
      await scheduler.start();
      await tidying;
      const stopped = scheduler.stop();
      end();
      await stopped;
    } finally {
      hourLater.mockRestore();
    }
    expect(await readLedgerHealth(database.db)).toEqual(before);
    expect(await runLedgerCheck(deps())).toBe(true);
  });

  it('does not lift an alarm by a check that read the books before it was raised', async () => {
    const wrong = {
      accountId: account,
      differences: ['cash is 1 and should be 2 USDT (-1)'],
    } as AccountCheck;
    const right = { ...wrong, differences: [] } as AccountCheck;
    const write = (one: AccountCheck, readAt: number) =>
      database.transaction((tx) => writeAlarms(tx, [one], readAt));
    expect((await write(wrong, 2_000)).raised).toHaveLength(1);
    expect((await write(right, 1_999)).cleared).toEqual([]);
    expect(await database.db.select().from(accountAlarms)).toMatchObject([
      { accountId: account, checkedAt: 2_000 },
    ]);
    await write(wrong, 1_500);
    expect((await write(right, 1_600)).cleared).toEqual([]);
    expect((await write(right, 2_001)).cleared).toEqual([account]);
  });

  it('raises an alarm with account and amount, blocks entries with the reason while exits run, and lifts it when the books are right', async () => {
    await database.db
      .update(balances)
      .set({ amount: sql`amount + 100` })
      .where(sql`${mine} and bucket = 'cash'`);
    await runLedgerCheck(deps(), { force: true });
    const said = floor.errors.filter((text) =>
      text.startsWith('The ledger of an account does not add up'),
    );
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(account);
    expect(said[0]).toMatch(/cash is .* \(100\)/);
    expect((await readLedgerHealth(database.db)).inDoubt).toBe(1);
    expect((await floor.call(UID, 'portfolio')).inDoubtSince).toBe(floor.clock.now());
    expect((await floor.call(OTHER, 'portfolio')).inDoubtSince).toBeNull();
    const since = floor.market.now();
    // Whoever holds something may still get out of it.
    const [held] = await database.db
      .select()
      .from(positions)
      .where(sql`${mine} and closed_market_ms is null`);
    expect(
      await floor.call(UID, 'closePosition', { params: { id: held?.id ?? '' } }),
    ).toMatchObject({ fill: { side: 'sell' } });
    let blocked: string[] = [];
    for (let tick = 0; tick < 40 && blocked.length === 0; tick += 1) {
      await look();
      blocked = (await sayings(UID)).filter((text) =>
        text.includes('the ledger of this account does not add up'),
      );
    }
    expect(blocked).not.toEqual([]);
    const { fills } = await floor.call(UID, 'history', { query: { limit: 1_000 } });
    expect(fills.filter(({ side, filledAt }) => side === 'buy' && filledAt > since)).toEqual([]);
    expect((await sayings(OTHER)).join()).not.toContain('do not add up');

    await database.db
      .update(balances)
      .set({ amount: sql`amount - 100` })
      .where(sql`${mine} and bucket = 'cash'`);
    await runLedgerCheck(deps(), { force: true });
    expect(await database.db.select().from(accountAlarms)).toEqual([]);
    expect((await floor.call(UID, 'portfolio')).inDoubtSince).toBeNull();
    await look();
    expect((await sayings(UID)).join()).not.toContain('do not add up');
  }, 60_000);
});
