/**
 * Every sum the server tells of an account adds up to the last digit: days, agents, pairs, today;
 * and its curve is dense near now.
 */
import { sql } from 'drizzle-orm';
import fc from '../../support/property.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RANGES, rangeStart } from '../../../contract/chart-ranges.ts';
import { formatFixed, parseFixed, subtract, sum, type Fixed } from '../../../contract/money.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import type { Database } from '../../../server/db/database.ts';
import { dailyOf } from '../../../server/portfolio/read-analytics.ts';
import { benchmarkOf, readHeldPrices } from '../../../server/portfolio/benchmark.ts';
import type { HeldSpans } from '../../../server/portfolio/trade-results.ts';
import { TapeMarket } from '../../support/tape-market.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let floor: Floor;
const UID = 'adding';

/** The coin beside a curve, as analytics has it. */
async function readBenchmark(
  market: TapeMarket,
  quote: string,
  curve: readonly (readonly [number, string])[],
): Promise<ReturnType<typeof benchmarkOf>> {
  const [first, last] = [curve[0]?.[0] ?? 0, curve.at(-1)?.[0] ?? 0];
  const prices = await readHeldPrices(market, quote, first, last);
  return typeof prices === 'function' ? benchmarkOf(quote, curve, prices) : null;
}

const total = (list: readonly (string | null | undefined)[]): Fixed =>
  sum(list.map((text) => parseFixed(text ?? '0')));

beforeAll(async () => {
  database = await openTestDatabase();
  floor = await openFloor({ candles: 4_000, sourceId: 'sums' }, database);
  await floor.join(UID);
  const made = [];
  for (const name of ['Harbour', 'Ebb'])
    made.push((await floor.call(UID, 'createAgent', { body: { ...AGGRESSIVE, name } })).agent);
  const scheduler = floor.scheduler();
  await scheduler.open();
  // Four looks a day for a week: entries, exits and stops on many days.
  for (let look = 0; look < 28; look += 1) {
    floor.market.step(71);
    await floor.run(scheduler, 1);
  }
  // One agent is gone; its trades are not.
  await floor.call(UID, 'liquidateAgent', { params: { id: made[1]?.id ?? '' } });
  await floor.call(UID, 'deleteAgent', { params: { id: made[1]?.id ?? '' } });
  await floor.run(scheduler, 1);
  await scheduler.settled();
}, 120_000);
afterAll(async () => {
  await database.close();
});

describe('an account of a week', () => {
  it('has realised results, so that there is something to add up', async () => {
    const { results = [], realized } = await floor.call(UID, 'portfolio');
    expect(results.length).toBe(2);
    expect(
      results.flatMap(({ pairs }) => pairs).reduce((all, { sells }) => all + sells, 0),
    ).toBeGreaterThan(3);
    expect(realized).not.toBe('0');
  });

  it('is the sum of its agents, of its pairs and of its fills, a deleted agent among them (R7-24, R7-26)', async () => {
    const {
      realized,
      unrealized,
      fees,
      results = [],
      positions,
    } = await floor.call(UID, 'portfolio');
    const rows = results.flatMap(({ pairs }) => pairs);
    expect(formatFixed(total(rows.map((row) => row.realized)))).toBe(realized);
    expect(formatFixed(total(rows.map((row) => row.fees)))).toBe(fees);
    expect(formatFixed(total(positions.map((row) => row.unrealized)))).toBe(unrealized);
    const { perAgent, perPair, traded } = await floor.call(UID, 'analytics');
    for (const side of [perAgent, perPair]) {
      expect(formatFixed(total(side.map((row) => row.realized)))).toBe(realized);
      expect(formatFixed(total(side.map((row) => row.unrealized)))).toBe(unrealized);
      expect(formatFixed(total(side.map((row) => row.fees)))).toBe(fees);
    }
    const { fills, total: count } = await floor.call(UID, 'history', { query: { limit: 1_000 } });
    expect(fills.length).toBe(count);
    expect(rows.reduce((all, { trades }) => all + trades, 0)).toBe(count);
    expect(formatFixed(total(fills.map((fill) => fill.realized)))).toBe(realized);
    expect(formatFixed(total(fills.map((fill) => fill.fee)))).toBe(fees);
    expect(formatFixed(total(fills.map((fill) => fill.notional)))).toBe(traded);
    for (const fill of fills.filter((one) => one.side === 'sell')) {
      expect(
        formatFixed(
          subtract(
            subtract(parseFixed(fill.notional), parseFixed(fill.fee)),
            parseFixed(fill.costBasis ?? '0'),
          ),
        ),
      ).toBe(fill.realized);
    }
  });

  it('tells each agent’s gaining sales and gains beside its result, as its fills and its own page have them (R7-19)', async () => {
    const { results = [] } = await floor.call(UID, 'portfolio');
    const { fills } = await floor.call(UID, 'history', { query: { limit: 1_000 } });
    const gaining = (agentId: string, pair: string) =>
      fills.filter(
        (one) =>
          one.agentId === agentId && one.pair === pair && parseFixed(one.realized ?? '0') > 0n,
      );
    for (const { agentId, pairs } of results) {
      for (const { pair, wins, won } of pairs)
        expect([wins, won]).toEqual([
          gaining(agentId, pair).length,
          formatFixed(total(gaining(agentId, pair).map((fill) => fill.realized))),
        ]);
    }
    const [kept] = results.filter(({ agentName }) => agentName === 'Harbour');
    const page = await floor.call(UID, 'agentPerformance', { params: { id: kept?.agentId ?? '' } });
    const countOf = (of: 'trades' | 'wins'): number =>
      (kept?.pairs ?? []).reduce((all, one) => all + (one[of] ?? 0), 0);
    expect([page.trades, page.wins, page.agent.realized]).toEqual([
      countOf('trades'),
      countOf('wins'),
      formatFixed(total((kept?.pairs ?? []).map((one) => one.realized))),
    ]);
  });

  it('is the sum of its days, the last of which is the change of today in the header (R7-24, R7-26)', async () => {
    const portfolio = await floor.call(UID, 'portfolio');
    const { daily = [], days } = await floor.call(UID, 'analytics');
    expect(days).toBe(daily.length);
    expect(days).toBeGreaterThan(6);
    daily.forEach((day, index) => {
      expect(formatFixed(total([day.realized, day.unrealizedChange]))).toBe(
        formatFixed(subtract(parseFixed(day.closing), parseFixed(day.opening))),
      );
      if (index > 0) expect(day.opening).toBe(daily[index - 1]?.closing);
    });
    expect(daily[0]?.opening).toBe(portfolio.deposits);
    expect(formatFixed(total(daily.map((day) => day.realized)))).toBe(portfolio.realized);
    expect(formatFixed(total(daily.map((day) => day.unrealizedChange)))).toBe(portfolio.unrealized);
    expect(formatFixed(total(daily.map((day) => day.fees)))).toBe(portfolio.fees);
    const { today } = portfolio;
    expect(today?.openingAt).toBeDefined();
    expect(daily.at(-1)).toEqual(today);
    expect(portfolio.dayChange).toBe(
      formatFixed(total([today?.realized, today?.unrealizedChange])),
    );
  });

  it('says by hour what was closed then', async () => {
    const { perHour = [], sells } = await floor.call(UID, 'analytics');
    expect(perHour.reduce((all, hour) => all + hour.sells, 0)).toBe(sells);
    expect(formatFixed(total(perHour.map((hour) => hour.realized)))).toBe(
      (await floor.call(UID, 'portfolio')).realized,
    );
  });

  it('stands beside bitcoin bought and held from its first moment', async () => {
    const { benchmark, equity, metrics } = await floor.call(UID, 'analytics');
    const btc = floor.market.tape.get('BTC/USDT') ?? [];
    const priceAt = (at: number): number =>
      [...btc].reverse().find((candle) => candle.time + 300_000 <= at)?.close ?? Number.NaN;
    const since = equity[0]?.[0] ?? 0;
    expect(benchmark).toMatchObject({ pair: 'BTC/USDT', since });
    expect(benchmark?.price).toBeCloseTo(priceAt(since), 8);
    expect(benchmark?.totalReturn).toBeCloseTo(priceAt(floor.market.now()) / priceAt(since) - 1, 9);
    expect(benchmark?.points.length).toBe(equity.length + 1);
    expect(benchmark?.points[0]?.[1]).toBe('10000.00');
    expect(metrics.totalReturn).not.toBeNull();
    const bare = new TapeMarket({ pairs: ['ETH/USDT'] });
    expect(await readBenchmark(bare, 'USDT', equity)).toBeNull();
    expect(
      await readBenchmark(floor.market, 'USDT', [
        [0, '10000'],
        [DAY_MS, '10000'],
      ]),
    ).toBeNull();
  });

  it('is at the prices of its marks’ own hours, also where they are weeks old', async () => {
    const btc = floor.market.tape.get('BTC/USDT') ?? [];
    const now = floor.market.now();
    const begun = Math.ceil((now - 31 * DAY_MS) / (6 * HOUR_MS)) * 6 * HOUR_MS;
    const curve: [number, string][] = [];
    for (let at = begun; at <= now; at += 6 * HOUR_MS) curve.push([at, '10000']);
    const closes = new Map(btc.map((candle) => [candle.time + 300_000, candle.close]));
    const found = await readBenchmark(floor.market, 'USDT', curve);
    expect(found?.points).toHaveLength(curve.length);
    for (const [at, worth] of found?.points ?? [])
      expect(Number(worth)).toBeCloseTo((10_000 * closes.get(at)!) / closes.get(begun)!, 1);
  });

  it.each([
    ['a few hours', 3 * HOUR_MS],
    ['days', 3 * DAY_MS],
    ['weeks', 20 * DAY_MS],
  ])(
    'is compared from the first known price on where the source begins %s after it',
    async (_, hole) => {
      const btc = floor.market.tape.get('BTC/USDT') ?? [];
      const begun = (btc[0]?.time ?? 0) + 300_000;
      const first = begun - hole;
      const curve: [number, string][] = [
        [first, '10000'],
        [first + 600_000, '10050'],
      ];
      for (let at = begun + 7 * 60_000; at <= begun + 5 * DAY_MS; at += 12 * HOUR_MS)
        curve.push([at, '10200']);
      const found = await readBenchmark(floor.market, 'USDT', curve);
      const since = found?.since ?? 0;
      const [, worth] = curve.find(([at]) => at === since) ?? [];
      expect(since).toBeGreaterThanOrEqual(begun);
      expect(since).toBeLessThanOrEqual(begun + DAY_MS);
      // It begins with what the account was worth then: both lines start at one place.
      expect(found?.points[0]).toEqual([since, Number(worth).toFixed(2)]);
      expect(found?.points.length).toBe(curve.filter(([at]) => at >= since).length);
      const known = btc
        .filter((candle) => candle.time + 300_000 <= since)
        .map((candle) => candle.close);
      expect(known).toContain(found?.price);
    },
  );

  it('is told in pages, each older than the one before, and only of its own book (R7-25)', async () => {
    const all = (await floor.call(UID, 'history', { query: { limit: 1_000 } })).fills;
    const first = await floor.call(UID, 'history', { query: { limit: 3 } });
    const second = await floor.call(UID, 'history', {
      query: { limit: 1_000, before: first.fills.at(-1)?.id ?? '' },
    });
    expect([...first.fills, ...second.fills]).toEqual(all);
    expect(first).toMatchObject({ total: all.length, book: 1, quote: 'USDT' });
    // To count them at each page costs a walk over all of them.
    expect([second.book, second.total]).toEqual([1, undefined]);
    await floor.join('another');
    for (const [of, before] of [
      ['another', all[0]?.id ?? ''],
      [UID, 'no id at all'],
    ] as const)
      await expect(floor.call(of, 'history', { query: { before } })).rejects.toMatchObject({
        code: 'not_found',
      });
  });

  it('is measured as deep as the plan goes: the server keeps the rest to itself (R6-02, R6-04, R7-26)', async () => {
    const deep = await floor.call(UID, 'analytics');
    expect(deep).toMatchObject({ depth: 'read' });
    expect(deep.perPair.length).toBeGreaterThan(0);
    await floor.join('looker', null);
    const seen = await floor.call('looker', 'analytics');
    expect(seen).toMatchObject({ depth: 'view', perAgent: [], perPair: [], perHour: [] });
    expect(
      Object.entries(seen.metrics)
        .filter(([, value]) => value !== null)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['maxDrawdown', 'totalReturn']);
  });
});

describe('the curve', () => {
  it('has every mark of the last day, the last of each hour of the week, of each quarter of a day of the month, some before, and the first of all', async () => {
    await floor.join('longtime');
    const { accountId } = await floor.call('longtime', 'portfolio');
    const now = floor.market.now();
    const from = Math.floor(now / 300_000) * 300_000 - 400 * DAY_MS;
    await database.transaction(async (tx) => {
      await tx.db.execute(sql`delete from equity_points where account_id = ${accountId}`);
      await tx.db.execute(sql`insert into equity_points (account_id, at_market_ms, equity)
        select ${accountId}::uuid, at, 10000 + (at / 300000) % 1000 from generate_series(${from}::bigint, ${now}::bigint, 1200000::bigint) as at`);
      await tx.db.execute(sql`insert into equity_points (account_id, at_market_ms, equity)
        select ${accountId}::uuid, at, 10000 + (at / 300000) % 1000 from generate_series(${from + 398 * DAY_MS}::bigint, ${now}::bigint, 300000::bigint) as at on conflict do nothing`);
    });
    const { equityCurve: curve } = await floor.call('longtime', 'portfolio');
    expect(curve.length).toBeLessThanOrEqual(600);
    expect(curve[0]?.[0]).toBe(from);
    expect(curve.at(-1)?.[0]).toBe(from + 400 * DAY_MS);
    expect(curve.map(([at]) => at)).toEqual(curve.map(([at]) => at).sort((a, b) => a - b));
    const gaps = (after: number, before: number): number[] => {
      const times = curve.map(([at]) => at).filter((at) => at > now - after && at <= now - before);
      return times.slice(1).map((at, index) => at - (times[index] ?? 0));
    };
    expect(new Set(gaps(DAY_MS, 0))).toEqual(new Set([300_000]));
    // One of them longer, where marks of 20 minutes give way to marks of 5.
    expect(gaps(7 * DAY_MS, DAY_MS + HOUR_MS).filter((gap) => gap !== HOUR_MS)).toEqual([
      75 * 60_000,
    ]);
    expect(new Set(gaps(31 * DAY_MS, 7 * DAY_MS + 6 * HOUR_MS))).toEqual(new Set([6 * HOUR_MS]));
    expect(Math.max(...gaps(398 * DAY_MS, 32 * DAY_MS))).toBeLessThanOrEqual(7 * DAY_MS);
    for (const [at, equity] of curve)
      expect(equity).toBe(String(10_000 + ((at / 300_000) % 1_000)));
  });
});

describe('the curve of most of a year', () => {
  it('has the last mark before the start of each range of the charts, and what came before stays out', async () => {
    await floor.join('ranged');
    const { accountId } = await floor.call('ranged', 'portfolio');
    const now = floor.market.now();
    const year = rangeStart('YTD', now);
    const from = Math.floor(now / 300_000) * 300_000 - 300 * DAY_MS;
    // Where only one of some days is kept: a loss of 500 two days before the year begins.
    expect(year).toBeLessThan(now - 31 * DAY_MS);
    await database.transaction(async (tx) => {
      await tx.db.execute(sql`delete from equity_points where account_id = ${accountId}`);
      await tx.db.execute(sql`insert into equity_points (account_id, at_market_ms, equity)
        select ${accountId}::uuid, at, case when at < ${year - 2 * DAY_MS}::bigint then 10000 else 9500 end
        from generate_series(${from}::bigint, ${now}::bigint, 1200000::bigint) as at`);
    });
    const { equityCurve: curve } = await floor.call('ranged', 'portfolio');
    for (const range of RANGES.filter((one) => one !== 'ALL')) {
      const start = rangeStart(range, now);
      const [at = 0, equity] = curve.findLast(([moment]) => moment <= start) ?? [];
      expect([range, start - at < (range === '1M' ? 6 * HOUR_MS : 1_200_000), equity]).toEqual([
        range,
        true,
        range === '3M' ? '10000' : '9500',
      ]);
    }
    expect(curve.map(([at]) => at)).toEqual(
      [...new Set(curve.map(([at]) => at))].sort((a, b) => a - b),
    );
  });
});

/**
 * The same by looking at every mark: the last of each stretch and before each range, and the first
 * of all.
 */
function lastOfEach(marks: readonly number[], now: number): number[] {
  const first = Math.min(...marks);
  const old = DAY_MS * Math.max(1, Math.ceil((now - first) / (66 * DAY_MS)));
  const stretchOf = (at: number): string => {
    if (at === first) return 'first';
    if (at > now - DAY_MS) return `each ${at}`;
    if (at > now - 7 * DAY_MS) return `hour ${Math.ceil(at / HOUR_MS)}`;
    if (at > now - 31 * DAY_MS) return `quarter ${Math.ceil(at / (6 * HOUR_MS))}`;
    return `old ${Math.ceil(at / old)}`;
  };
  const kept = new Map<string, number>();
  for (const at of [...marks].sort((a, b) => a - b)) {
    kept.set(stretchOf(at), at);
    for (const range of ['3M', 'YTD'] as const)
      if (at <= rangeStart(range, now)) kept.set(range, at);
  }
  return [...new Set(kept.values())].sort((a, b) => a - b);
}

describe('the marks that are picked', () => {
  it('are those of looking at every one, for curve and days, wherever they lie (property)', async () => {
    await floor.join('marked');
    const { accountId } = await floor.call('marked', 'portfolio');
    const now = floor.market.now();
    const ago = fc.oneof(
      fc.integer({ min: 0, max: 2 * DAY_MS }),
      fc.integer({ min: 0, max: 40 * DAY_MS }),
      fc.integer({ min: 0, max: 900 * DAY_MS }),
      // On the very edges, where one stretch ends and another begins.
      fc
        .tuple(fc.constantFrom(0, DAY_MS, 7 * DAY_MS, 31 * DAY_MS), fc.integer({ min: -1, max: 1 }))
        .map(([edge, by]) => Math.max(0, edge + by)),
      fc.integer({ min: 0, max: 800 }).map((days) => (now % DAY_MS) + days * DAY_MS),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(ago, { minLength: 1, maxLength: 60 }), async (list) => {
        const marks = list.map((back) => now - back);
        await database.transaction(async (tx) => {
          await tx.db.execute(sql`delete from equity_points where account_id = ${accountId}`);
          await tx.db.execute(sql`insert into equity_points (account_id, at_market_ms, equity)
            select ${accountId}::uuid, at::bigint, at::bigint % 1000000 from json_array_elements_text(${JSON.stringify(marks)}::json) as at`);
        });
        const { equityCurve } = await floor.call('marked', 'portfolio');
        expect(equityCurve).toEqual(
          lastOfEach(marks, now).map((at) => [at, String(at % 1_000_000)]),
        );
        const dayOf = (at: number): number => Math.ceil(at / DAY_MS) - 1;
        const closings = new Map<number, number>();
        for (const at of [...marks].sort((a, b) => a - b)) closings.set(dayOf(at), at % 1_000_000);
        const { daily } = await floor.call('marked', 'analytics');
        const begun = Math.floor(Math.min(...marks) / DAY_MS);
        for (const [day, worth] of closings)
          if (day > begun && day < dayOf(now))
            expect(daily?.find(({ start }) => start === day * DAY_MS)?.closing).toBe(String(worth));
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

describe('the curve of a young account', () => {
  it('begins with its deposit, however the first hour went on', async () => {
    await floor.join('newcomer');
    const { accountId } = await floor.call('newcomer', 'portfolio');
    const from = Math.floor(floor.market.now() / HOUR_MS) * HOUR_MS - 3 * DAY_MS + 600_000;
    await database.transaction(async (tx) => {
      await tx.db.execute(sql`delete from equity_points where account_id = ${accountId}`);
      await tx.db.execute(sql`insert into equity_points (account_id, at_market_ms, equity)
        select ${accountId}::uuid, at, case at when ${from}::bigint then 10000 else 9900 end from generate_series(${from}::bigint, ${floor.market.now()}::bigint, 300000::bigint) as at`);
    });
    const { equityCurve: curve } = await floor.call('newcomer', 'portfolio');
    expect(curve[0]).toEqual([from, '10000']);
    expect(curve[1]?.[0]).toBe(from + 50 * 60_000);
  });
});

describe('days', () => {
  it('end at what the account is worth now, also where a mark already stands in the day after', () => {
    const days = dailyOf(
      {
        first: [8 * DAY_MS, '100'],
        closings: [
          [9 * DAY_MS, '90'],
          [9 * DAY_MS + 1, '95'],
        ],
        fills: [],
      },
      [],
      { asOf: 9 * DAY_MS, equity: '97' },
    );
    expect(days.map(({ start, opening, closing }) => [start / DAY_MS, opening, closing])).toEqual([
      [8, '100', '90'],
      [9, '90', '97'],
    ]);
  });

  it('on which nothing was held are known without a mark: they end as they began', () => {
    const at = (day: number) => (day + 1) * DAY_MS;
    const shown = (days: ReturnType<typeof dailyOf>) =>
      days.map(({ start, opening, closing, trades }) => [start / DAY_MS, opening, closing, trades]);
    const fill = (day: number, realized: string) => ({ day, trades: 1, realized, fees: '0' });
    // Traded on two days, at rest for four, and traded again since.
    const [first, now] = [[0, '100'] as [number, string], { asOf: 7 * DAY_MS - 1, equity: '93' }];
    const marks: [number, string][] = [
      [at(0), '99'],
      [at(1), '95'],
    ];
    const [bought, sold] = [fill(0, '0'), fill(1, '-5')];
    const rest = { first, closings: marks, fills: [bought, sold, fill(6, '0')] };
    expect(
      shown(
        dailyOf(
          rest,
          [
            [DAY_MS / 2, at(1) + 2_000],
            [6 * DAY_MS + 1, null],
          ],
          now,
        ),
      ),
    ).toEqual([
      [0, '100', '99', 1],
      [1, '99', '95', 1],
      [2, '95', '95', 0],
      [3, '95', '95', 0],
      [4, '95', '95', 0],
      [5, '95', '95', 0],
      [6, '95', '93', 1],
    ]);
    // Held all the while and valued by nobody: nothing is known of the days between.
    expect(
      shown(dailyOf({ ...rest, fills: [bought] }, [[DAY_MS / 2, null]], now)).map(([day]) => day),
    ).toEqual([0, 1, 6]);
    // A stop that was missed on the third day and is in the mark of the last.
    expect(
      shown(dailyOf({ ...rest, fills: [bought, fill(3, '-5')] }, [[DAY_MS / 2, at(2) + 1]], now)),
    ).toEqual([
      [0, '100', '99', 1],
      [1, '99', '95', 0],
      [6, '95', '93', 1],
    ]);
  });

  it('add up to what was won or lost, whatever was marked and traded when', () => {
    const money = fc
      .integer({ min: -9_000_000, max: 90_000_000 })
      .map((cents) => formatFixed((BigInt(cents) * 10_000_000_003n) as Fixed));
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 * DAY_MS }),
        money,
        fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), money), { maxLength: 30 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), money), { maxLength: 30 }),
        fc.integer({ min: 0, max: 30 }),
        money,
        fc.array(fc.tuple(fc.nat(40 * DAY_MS), fc.option(fc.nat(9 * DAY_MS))), { maxLength: 5 }),
        (openedAt, deposit, marks, trades, age, equity, held) => {
          const begun = Math.floor(openedAt / DAY_MS);
          const closings = [
            ...new Map(
              marks.map(([day, text]) => [(begun + (day % (age + 1)) + 1) * DAY_MS, text] as const),
            ),
          ].sort(([a], [b]) => a - b);
          const fills = [
            ...new Map(
              trades.map(([day, realized]) => [
                begun + (day % (age + 1)),
                { day: begun + (day % (age + 1)), trades: 1, realized, fees: '0.5' },
              ]),
            ).values(),
          ];
          const asOf = openedAt + age * DAY_MS;
          const spans = held
            .map(([from, length]): HeldSpans['spans'][number] => [
              from,
              length === null ? null : from + length,
            ])
            .sort(([a], [b]) => a - b);
          const days = dailyOf({ first: [openedAt, deposit], closings, fills }, spans, {
            asOf: Math.max(asOf, openedAt + 1),
            equity,
          });
          expect(
            formatFixed(
              sum(days.map((day) => subtract(parseFixed(day.closing), parseFixed(day.opening)))),
            ),
          ).toBe(formatFixed(subtract(parseFixed(equity), parseFixed(deposit))));
          for (const day of days)
            expect(total([day.realized, day.unrealizedChange])).toBe(
              subtract(parseFixed(day.closing), parseFixed(day.opening)),
            );
          expect(total(days.map((day) => day.realized))).toBe(
            total(fills.map((fill) => fill.realized)),
          );
          expect(days.reduce((all, day) => all + day.trades, 0)).toBe(fills.length);
          expect(days.map((day) => day.start)).toEqual(
            [...new Set(days.map((day) => day.start))].sort((a, b) => a - b),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
