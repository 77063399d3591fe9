/**
 * Lots for a tax return: they add up to the portfolio, page by page as at once, at one moment, of
 * the owner's books alone.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatFixed, parseFixed, subtract, sum, type Fixed } from '../../../contract/money.ts';
import { TaxLots } from '../../../contract/tax.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import type { Database } from '../../../server/db/database.ts';
import { TaxLotReader } from '../../../server/portfolio/tax-lots.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

/** Trades of the long book; the issue asks for 100,000. */
const FILLS = Number(process.env.TAX_FILLS ?? 6_000);
let database: Database;
let floor: Floor;
const UID = 'taxed';
const total = (list: readonly (string | null)[]): Fixed =>
  sum(list.map((text) => parseFixed(text ?? '0')));
/** `all.gain` + Σ (averageCost − basis). */
const meets = ({ all, held }: TaxLots): string =>
  formatFixed(
    total([
      all.gain,
      ...held.map((one) =>
        formatFixed(subtract(parseFixed(one.averageCost), parseFixed(one.basis))),
      ),
    ]),
  );

beforeAll(async () => {
  database = await openTestDatabase();
  floor = await openFloor({ candles: 3_000, sourceId: 'tax' }, database);
  await floor.join(UID);
  await floor.join('somebody else');
  const made = [];
  for (const name of ['Harbour', 'Ebb'])
    made.push((await floor.call(UID, 'createAgent', { body: { ...AGGRESSIVE, name } })).agent);
  const scheduler = floor.scheduler();
  await scheduler.open();
  for (let look = 0; look < 20; look += 1) {
    floor.market.step(71);
    await floor.run(scheduler, 1);
  }
  // Whoever bought second of what both hold goes: its sale takes what the other bought.
  const { rows } = await floor.call(UID, 'taxLots', { query: { held: 'yes' } });
  const second =
    made.find(({ name }) => name !== rows.find((row) => row.disposedAt === null)?.acquiredBy)?.id ??
    '';
  await floor.call(UID, 'liquidateAgent', { params: { id: second } });
  await floor.call(UID, 'deleteAgent', { params: { id: second } });
  await scheduler.stop();
}, 120_000);
afterAll(async () => {
  await database.close();
});

describe('the lots of an account', () => {
  it('are what the contract says, and meet what the portfolio calls realised to the last digit', async () => {
    const found = TaxLots.parse(await floor.call(UID, 'taxLots', { query: { held: 'yes' } }));
    const { realized, positions } = await floor.call(UID, 'portfolio');
    expect(found.sums.lots).toBeGreaterThan(3);
    expect(found.held.length).toBeGreaterThan(0);
    expect([found.paper, found.realized, meets(found)]).toEqual([true, realized, realized]);
    expect(formatFixed(total(found.held.map((one) => one.averageCost)))).toBe(
      formatFixed(total(positions.map((one) => one.cost))),
    );
    expect(formatFixed(total(found.held.map((one) => one.quantity)))).toBe(
      formatFixed(total(positions.map((one) => one.quantity))),
    );
    const sold = found.rows.filter((row) => row.disposedAt !== null);
    expect(formatFixed(total(sold.map((row) => row.gain)))).toBe(found.sums.gain);
    for (const row of sold)
      expect(formatFixed(subtract(parseFixed(row.proceeds ?? ''), parseFixed(row.basis)))).toBe(
        row.gain,
      );
    expect(found.rows.length).toBe(found.total);
  });

  it('take the oldest purchase of the account, whichever agent made it, and name both', async () => {
    const { rows } = await floor.call(UID, 'taxLots', {});
    expect(new Set(rows.map((row) => row.acquiredBy))).toEqual(new Set(['Harbour', 'Ebb']));
    expect(rows.some((row) => row.acquiredBy !== row.disposedBy)).toBe(true);
    for (const pair of new Set(rows.map((row) => row.pair))) {
      const bought = rows.filter((row) => row.pair === pair).map((row) => row.acquiredAt);
      expect(bought).toEqual([...bought].sort((a, b) => a - b));
    }
  });

  it('come in pages that together are the whole, and stay of their first moment while trades go on', async () => {
    const reader = new TaxLotReader(floor.deps);
    const whole = await reader.read(UID, { held: 'yes' });
    const rows = [];
    const scheduler = floor.scheduler();
    await scheduler.open();
    for (let after: number | null = 0; after !== null;) {
      const page: TaxLots = await new TaxLotReader(floor.deps).read(
        UID,
        { held: 'yes', after, through: whole.through },
        2,
      );
      rows.push(...page.rows);
      expect([page.sums, page.realized, page.total]).toEqual([
        whole.sums,
        whole.realized,
        whole.total,
      ]);
      after = page.next;
      if (rows.length === 2)
        for (let look = 0; look < 6; look += 1) {
          floor.market.step(71);
          await floor.run(scheduler, 1);
        }
    }
    await scheduler.stop();
    expect(rows).toEqual(whole.rows);
    expect((await reader.read(UID, {})).through).toBeGreaterThan(whole.through);
  });

  it('are divided by the UTC year of the sale', async () => {
    const all = await floor.call(UID, 'taxLots', {});
    const year = all.years[0] ?? 0;
    const one = await floor.call(UID, 'taxLots', { query: { year } });
    expect(one.all).toEqual(all.sums);
    expect(one.rows.every((row) => new Date(row.disposedAt ?? 0).getUTCFullYear() === year)).toBe(
      true,
    );
    expect((await floor.call(UID, 'taxLots', { query: { year: year - 5 } })).sums).toEqual({
      lots: 0,
      proceeds: '0',
      basis: '0',
      gain: '0',
      fees: '0',
    });
  });

  it("are of the owner's accounts alone", async () => {
    expect((await floor.call('somebody else', 'taxLots', {})).total).toBe(0);
    await expect(
      floor.call('somebody else', 'taxLots', { query: { book: 7 } }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the pages of one moment', () => {
  /** A reader, and how often it asked the database for anything but the account. */
  function counted(keptMs?: number) {
    let asked = 0;
    const db = new Proxy(database.db, {
      get(target, key) {
        if (key === 'execute') asked += 1;
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const reader = new TaxLotReader(
      {
        market: floor.market,
        database: Object.create(database, { db: { value: db } }) as Database,
      },
      keptMs,
    );
    return { reader, asked: () => asked };
  }

  it('share what they add up to, which is worked out once', async () => {
    const { reader, asked } = counted();
    const first = await reader.read(UID, { held: 'yes' }, 2);
    const before = asked();
    const second = await reader.read(UID, { held: 'yes', after: 2, through: first.through }, 2);
    expect(second.rows).not.toEqual(first.rows);
    expect(second.all).toBe(first.all);
    expect(second.held).toBe(first.held);
    expect(second.years).toBe(first.years);
    expect(asked()).toBe(before);
  });

  it('stay worked out from page to page, however long the file takes, and go when nobody asks', async () => {
    const { reader, asked } = counted(1_500);
    const { through } = await reader.read(UID, {}, 2);
    const before = asked();
    for (let page = 0; page < 6; page += 1) {
      await sleep(400);
      await reader.read(UID, { after: page, through }, 2);
    }
    expect(asked()).toBe(before);
    await sleep(2_500);
    await reader.read(UID, { after: 0, through }, 2);
    expect(asked()).toBeGreaterThan(before);
  });
});

describe(`a book of ${FILLS} trades`, () => {
  it('is read in pages, meets the portfolio, and a sale dated back before its purchase does not break it', async () => {
    const uid = 'long book';
    await floor.join(uid);
    const { accountId } = await floor.call(uid, 'portfolio');
    const agent = randomUUID();
    const at = floor.market.now() - 400 * DAY_MS;
    // Two are bought and one is sold, in turns, at exact prices; every hundredth sale is dated back
    // a day.
    await database.db.execute(sql`
      with made as (
        select n, gen_random_uuid() as id, case when n % 3 = 2 then 'sell' else 'buy' end as side, ${at}::bigint + n * 1000 - (case when n % 300 = 2 then 86400000 else 0 end) as filled, (100 + n % 7)::numeric as price
        from generate_series(0, ${FILLS - 1}::int) n
      ), filled as (
        insert into fills (id, order_id, account_id, agent_id, pair, tick_id, side, quantity, price, notional, fee, fee_bps, slippage_bps, quote_bid, quote_ask, rule_version, realized, cost_basis, reason, decided_market_ms, filled_market_ms)
        select id, id, ${accountId}, ${agent}, 'ETH/USDT', 'made:' || n, side, 1, price, price, 0.1, 10, 0, price, price, 1, case side when 'sell' then price - 0.1 - 50 end, case side when 'sell' then 50 end, 'entered', filled, filled from made
      )
      insert into ledger (transaction_id, account_id, bucket, asset, amount, cause, fill_id, at_market_ms)
      select id, ${accountId}, 'holding:' || ${agent}::text || ':ETH/USDT', 'ETH', case side when 'sell' then -1 else 1 end, 'fill', id, filled from made order by n`);
    const reader = new TaxLotReader(floor.deps);
    const begun = performance.now();
    const first = await reader.read(uid, {});
    const readMs = performance.now() - begun;
    let rows = first.rows.length;
    for (let { next } = first; next !== null;) {
      const page = await reader.read(uid, { after: next, through: first.through });
      rows += page.rows.length;
      next = page.next;
    }
    if (process.env.TAX_FILLS !== undefined)
      console.log(
        `${FILLS} trades: first page ${readMs.toFixed(0)} ms, all ${(performance.now() - begun).toFixed(0)} ms`,
      );
    expect([first.through, rows, first.sums.lots]).toEqual([FILLS, FILLS / 3, FILLS / 3]);
    expect(meets(first)).toBe(first.realized);
  }, 120_000);
});
