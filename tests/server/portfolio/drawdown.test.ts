/** Falls of an account's equity: over every mark there was, also those that are thinned by now. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import { accountDrawdowns, equityPoints } from '../../../server/db/schema.ts';
import { keepFalls, withEquity } from '../../../server/portfolio/drawdown.ts';
import { parseFixed } from '../../../contract/money.ts';
import { keepTidy } from '../../../server/retention.ts';
import fc from '../../support/property.ts';
import { openFloor, type Floor } from '../../support/trading.ts';

const MARK_MS = 300_000;
let floor: Floor;
let people = 0;

beforeAll(async () => {
  floor = await openFloor({ candles: 2, warmUpDays: 0 });
}, 60_000);
afterAll(() => floor.close());

type Mark = readonly [at: number, equity: number];

/** A person whose account has these marks and no others. */
async function marked(marks: readonly Mark[]) {
  const uid = `fallen${(people += 1)}`;
  await floor.join(uid, null);
  const { accountId } = await floor.call(uid, 'portfolio');
  const add = (more: readonly Mark[]) =>
    floor.database.transaction((tx) =>
      tx.db.execute(sql`insert into equity_points (account_id, at_market_ms, equity)
        select ${accountId}::uuid, (mark->>0)::bigint, (mark->>1)::numeric
        from json_array_elements(${JSON.stringify(more)}::json) as mark`),
    );
  await floor.database.db.execute(sql`delete from equity_points where account_id = ${accountId}`);
  await add(marks);
  const drawdown = async () => (await floor.call(uid, 'portfolio')).drawdown;
  return { accountId, add, drawdown };
}

/** The same by looking at every mark in turn. */
function fallsOver(marks: readonly Mark[]) {
  let [peakAt, peak] = marks[0] ?? [0, 0];
  let [deepest, deepestAt] = [0, peakAt];
  for (const [at, equity] of marks) {
    if (equity > peak) [peakAt, peak] = [at, equity];
    const fall = (peak - equity) / peak;
    if (fall > deepest) [deepest, deepestAt] = [fall, at];
  }
  return { peak, peakAt, deepest, deepestAt };
}

describe('the drawdown of an account', () => {
  it('does not shrink as its peak grows old and is thinned away (R2-06)', async () => {
    const now = floor.market.now();
    const from = Math.ceil((now - 100 * DAY_MS) / DAY_MS) * DAY_MS;
    const peakAt = from + 3 * HOUR_MS + 7 * MARK_MS;
    const lowAt = from + 9 * HOUR_MS + 2 * MARK_MS;
    const marks: Mark[] = [];
    for (let at = from; at < from + 2 * DAY_MS; at += MARK_MS)
      marks.push([at, at === peakAt ? 12_000 : at === lowAt ? 9_000 : 10_000]);
    const { add, drawdown } = await marked(marks);
    // The account is worth its 10,000 in cash.
    const whole = { peak: '12000', peakAt, deepest: 0.25, deepestAt: lowAt };
    expect(await drawdown()).toEqual(whole);
    await keepTidy(floor.deps);
    expect(await floor.database.db.$count(equityPoints, eq(equityPoints.equity, '12000'))).toBe(0);
    expect(await drawdown()).toEqual(whole);
    await add([[now - HOUR_MS, 8_400]]);
    const deeper = { ...whole, deepest: 0.3, deepestAt: now - HOUR_MS };
    expect(await drawdown()).toEqual(deeper);
    await keepTidy(floor.deps);
    await keepTidy(floor.deps);
    expect(await drawdown()).toEqual(deeper);
  }, 60_000);

  it('is that of all marks, wherever what is kept of them ends (property)', async () => {
    const { accountId, add, drawdown } = await marked([]);
    const now = floor.market.now();
    const equities = fc.array(fc.integer({ min: 9_000, max: 11_000 }), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(equities, fc.array(fc.nat(20), { maxLength: 3 }), async (list, cuts) => {
        const marks = list.map((equity, index): Mark => [
          now - (list.length - index) * MARK_MS,
          equity,
        ]);
        await floor.database.db.execute(
          sql`delete from equity_points where account_id = ${accountId}`,
        );
        await floor.database.db.execute(
          sql`delete from account_drawdowns where account_id = ${accountId}`,
        );
        let kept = 0;
        for (const cut of [...cuts, list.length].sort((a, b) => a - b)) {
          await add(marks.slice(kept, cut));
          kept = Math.max(kept, cut);
          if (kept < list.length)
            await floor.database.transaction((tx) => keepFalls(tx, [accountId]));
        }
        // And the cash that there is now.
        const { deepest, peak, ...moments } = fallsOver([...marks, [now, 10_000]]);
        const found = await drawdown();
        expect(found).toMatchObject({ ...moments, peak: String(peak) });
        expect(found?.deepest).toBeCloseTo(deepest, 12);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it('goes with its account, also where a server that does not know it deleted that', async () => {
    const { accountId, add } = await marked([[1, 10_000]]);
    await floor.database.transaction((tx) => keepFalls(tx, [accountId]));
    const stray = '00000000-0000-4000-8000-00000000000f';
    await floor.database.db.execute(sql`
      insert into account_drawdowns select ${stray}::uuid, to_market_ms, peak, peak_market_ms, deepest, deepest_market_ms
      from account_drawdowns where account_id = ${accountId}`);
    await add([[2, 9_000]]);
    await keepTidy(floor.deps);
    const left = await floor.database.db.select().from(accountDrawdowns);
    expect(left.map((one) => one.accountId)).toContain(accountId);
    expect(left.map((one) => one.accountId)).not.toContain(stray);
  });

  it('has what the account is worth now', () => {
    const falls = { peak: '100', peakAt: 1, deepest: 0.1, deepestAt: 2 };
    const at = (equity: string) => withEquity(falls, parseFixed(equity), 9);
    expect(at('95')).toEqual(falls);
    expect(at('101')).toEqual({ ...falls, peak: '101', peakAt: 9 });
    expect(at('80')).toMatchObject({ peak: '100', deepestAt: 9 });
    expect(at('80')?.deepest).toBeCloseTo(0.2, 12);
    expect(withEquity(null, parseFixed('1'), 9)).toBeNull();
  });
});
