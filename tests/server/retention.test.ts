/** Old marks of equity are thinned a few accounts at a time, to the same rows as all at once. */
import { asc, inArray, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../engine/execution/schedule.ts';
import { insertOf } from '../../server/db/bulk.ts';
import type { Database } from '../../server/db/database.ts';
import { equityPoints, ticks } from '../../server/db/schema.ts';
import { keepTidy } from '../../server/retention.ts';
import { openFloor, type Floor } from '../support/trading.ts';

const ACCOUNTS = 7;
const AT_ONCE = 3;
const MARK_MS = 20 * 60_000;
let floor: Floor;
let ids: string[];

/** Each account has marks every twenty minutes around both limits of age, and its own beginning. */
beforeEach(async () => {
  floor = await openFloor({ candles: 2, warmUpDays: 0 });
  ids = [];
  const now = floor.market.now();
  for (let index = 0; index < ACCOUNTS; index += 1) {
    await floor.join(`p${index}`, null);
    const { accountId } = await floor.call(`p${index}`, 'portfolio');
    ids.push(accountId);
    for (const days of [91, 8]) {
      const from = now - days * DAY_MS - index * 17 * 60_000;
      await floor.database.db
        .execute(sql`insert into equity_points (account_id, at_market_ms, equity)
        select ${accountId}::uuid, at, 10000 from generate_series(${from}::bigint, ${from + 2 * DAY_MS}::bigint, ${MARK_MS}::bigint) as at`);
    }
  }
}, 60_000);
afterEach(() => floor.close());

async function marks(): Promise<Map<string, number[]>> {
  const rows = await floor.database.db
    .select({ id: equityPoints.accountId, at: equityPoints.atMarketMs })
    .from(equityPoints)
    .where(inArray(equityPoints.accountId, ids))
    .orderBy(asc(equityPoints.atMarketMs));
  return new Map(ids.map((id) => [id, rows.filter((row) => row.id === id).map(({ at }) => at)]));
}

/** The first, and the last of each stretch among those before a moment. */
function thinned(times: readonly number[], before: number, lengthMs: number): number[] {
  const old = times.filter((at) => at < before);
  const lasts = new Map(old.map((at) => [Math.ceil(at / lengthMs), at]));
  return times.filter(
    (at) => at >= before || at === old[0] || at === lasts.get(Math.ceil(at / lengthMs)),
  );
}

it('several pages of accounts are thinned to the same marks as one', async () => {
  const now = floor.market.now();
  const before = await marks();
  const expected = new Map(
    [...before].map(([id, times]) => [
      id,
      thinned(thinned(times, now - 7 * DAY_MS, HOUR_MS), now - 90 * DAY_MS, DAY_MS),
    ]),
  );
  const rows = await floor.database.db.select().from(equityPoints);
  await keepTidy(floor.deps, AT_ONCE);
  expect(await marks()).toEqual(expected);
  await floor.database.db.delete(equityPoints);
  await floor.database.db.execute(insertOf(equityPoints, rows));
  await keepTidy(floor.deps, ACCOUNTS);
  expect(await marks()).toEqual(expected);
  await keepTidy(floor.deps);
  expect(await marks()).toEqual(expected);
});

it('no statement thins more accounts than a page has, and what is thinned stays where a later one fails', async () => {
  const { database } = floor;
  const touched: number[] = [];
  let fails = (): boolean => touched.filter((accounts) => accounts > 0).length === 4;
  const watched: Database = {
    ...database,
    async transaction(work) {
      if (fails()) throw new Error('The database is away');
      const before = await marks();
      const result = await database.transaction(work);
      const after = await marks();
      touched.push(ids.filter((id) => before.get(id)?.length !== after.get(id)?.length).length);
      return result;
    },
  };
  const deps = { ...floor.deps, database: watched };
  await keepTidy(deps, AT_ONCE);
  fails = () => false;
  await keepTidy(deps, AT_ONCE);
  // Hourly and daily, page by page; the first two pages once only.
  expect(touched.filter((accounts) => accounts > 0)).toEqual([3, 3, 3, 3, 1, 1]);
});

it.each([
  ['a week', 12],
  ['three months', 95],
])(
  'past days stay what they were once their marks are older than %s (R7-26)',
  async (_age, days) => {
    // Its plan shows every day there was.
    const uid = 'all-days';
    await floor.join(uid);
    const { accountId } = await floor.call(uid, 'portfolio');
    const from = Math.floor(floor.market.now() / DAY_MS - days) * DAY_MS;
    await floor.database.db.delete(equityPoints);
    await floor.database.db.execute(sql`insert into equity_points (account_id, at_market_ms, equity)
    select ${accountId}::uuid, at, 10000 + at / ${MARK_MS}::bigint % 997
    from generate_series(${from}::bigint, ${from + 4 * DAY_MS}::bigint, ${MARK_MS}::bigint) as at`);
    const past = async () =>
      (await floor.call(uid, 'analytics')).daily?.filter(({ start }) => start < from + 4 * DAY_MS);
    const before = await past();
    expect(before?.length).toBeGreaterThanOrEqual(4);
    await keepTidy(floor.deps);
    expect(await past()).toEqual(before);
  },
);

it('ends after the page it is at where the process ends, and goes on at the next start', async () => {
  const { database } = floor;
  const before = await marks();
  const thinnedAccounts = async (): Promise<number> => {
    const now = await marks();
    return ids.filter((id) => before.get(id)?.length !== now.get(id)?.length).length;
  };
  let ending = false;
  const watched: Database = {
    ...database,
    async transaction(work) {
      const result = await database.transaction(work);
      ending = (await thinnedAccounts()) > 0;
      return result;
    },
  };
  await keepTidy({ ...floor.deps, database: watched }, AT_ONCE, () => ending);
  expect(await thinnedAccounts()).toBe(AT_ONCE);
  await keepTidy(floor.deps, AT_ONCE);
  expect(await thinnedAccounts()).toBe(ACCOUNTS);
});

it('keeps the newest finished tick of a source that was left long ago', async () => {
  const { market, clock, database } = floor;
  const { id } = market.source;
  await database.db.insert(ticks).values(
    ['left', id].flatMap((source) =>
      [1, 2, 3].map((n) => ({
        source,
        interval: market.baseInterval,
        closeMarketMs: n,
        // The last was under way when the server ended.
        state: n === 3 ? 'running' : 'done',
        finishedAt: n === 3 ? null : clock.now() - 31 * DAY_MS,
      })),
    ),
  );
  await keepTidy(floor.deps);
  const kept = await database.db.select().from(ticks).orderBy(asc(ticks.closeMarketMs));
  for (const source of ['left', id])
    expect(
      kept.filter((tick) => tick.source === source).map(({ closeMarketMs }) => closeMarketMs),
    ).toEqual([2, 3]);
});
