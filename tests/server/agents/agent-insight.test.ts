/**
 * Agents over time on a real database: lines that end in the agents' own results, limits as the
 * guards see them, Pro alone for Pro.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import {
  resultsAt,
  readSeriesPrices,
  seriesFrom,
  stepFor,
  tradesOf,
  type TradedStep,
} from '../../../server/agents/agent-series.ts';
import { distance } from '../../../server/agents/agent-insight.ts';
import type { Database } from '../../../server/db/database.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let floor: Floor;
let count = 0;
let uid = '';
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  uid = `watcher${(count += 1)}`;
  floor = await openFloor({ candles: 700, sourceId: `insight${count}` }, database);
});

async function trade(ticks: number): Promise<void> {
  const scheduler = floor.scheduler();
  await scheduler.open();
  await floor.run(scheduler, ticks);
}

describe('agents over time', () => {
  it('draws a line for who has traded, ending in the result that the list shows, and none for who has not', async () => {
    await floor.join(uid);
    const { agent } = await floor.call(uid, 'createAgent', { body: AGGRESSIVE });
    const { agent: idle } = await floor.call(uid, 'createAgent', {
      body: { ...AGGRESSIVE, name: 'Idle', enabled: false },
    });
    await trade(30);
    const { series, stepMs, asOf } = await floor.call(uid, 'agentInsight');
    const { agents } = await floor.call(uid, 'agents');
    const line = series.find((one) => one.agentId === agent.id)?.points ?? [];
    expect(line.length).toBeGreaterThan(20);
    expect(stepMs).toBe(300_000);
    expect(line.at(-1)).toEqual([asOf, Number(agents.find((one) => one.id === agent.id)?.total)]);
    expect(new Set(line.map(([, value]) => value)).size).toBeGreaterThan(5);
    // A close marks at the candle, the last point at the bid: half a spread apart and no more.
    const held = (await floor.call(uid, 'portfolio')).positionsValue;
    expect(Math.abs((line.at(-2)?.[1] ?? 0) - (line.at(-1)?.[1] ?? 0))).toBeLessThan(
      Number(held) * 0.005,
    );
    expect(series.find((one) => one.agentId === idle.id)?.points).toEqual([]);
  });

  it('gives limits and decisions to Pro alone (R6-05)', async () => {
    await floor.join(uid, 'standard');
    await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE, pool: 'all_pools' } });
    await trade(3);
    expect((await floor.call(uid, 'agentInsight')).pro).toBeNull();
    const other = `${uid}pro`;
    await floor.join(other, 'pro');
    const { agent } = await floor.call(other, 'createAgent', { body: AGGRESSIVE });
    await trade(3);
    const { pro } = await floor.call(other, 'agentInsight');
    expect(pro?.risk).toEqual([
      expect.objectContaining({ agentId: agent.id, dayLossLimit: 0.06, drawdownLimit: 0.3 }),
    ]);
    expect(pro?.risk[0]?.dayLoss).not.toBeNull();
    expect(pro?.decisions.length).toBeGreaterThan(0);
    expect(pro?.decisions.every((decision) => decision.agentId === agent.id)).toBe(true);
  });

  it('is empty for a person without agents, and never another person’s', async () => {
    await floor.join(uid);
    await floor.call(uid, 'createAgent', { body: AGGRESSIVE });
    const other = `${uid}other`;
    await floor.join(other);
    expect(await floor.call(other, 'agentInsight')).toMatchObject({
      series: [],
      stepMs: 0,
      pro: { risk: [], decisions: [] },
    });
  });
});

describe('many trades', () => {
  it('are read as the steps of the chart, which are those of every single trade', async () => {
    await floor.join(uid);
    const { agent } = await floor.call(uid, 'createAgent', { body: AGGRESSIVE });
    const { accountId } = await floor.call(uid, 'portfolio');
    const end = floor.market.now();
    const [count, apart] = [6_000, 60_000];
    const first = end - count * apart;
    // Two are bought and one is sold, in turns, of two pairs.
    await database.db.execute(sql`
      insert into fills (id, order_id, account_id, agent_id, pair, tick_id, side, quantity, price, notional, fee, fee_bps, slippage_bps, quote_bid, quote_ask, rule_version, realized, cost_basis, reason, decided_market_ms, filled_market_ms)
      select gen_random_uuid(), gen_random_uuid(), ${accountId}, ${agent.id}, case n % 2 when 0 then 'ETH/USDT' else 'BTC/USDT' end, 'made:' || n, case when n % 3 = 2 then 'sell' else 'buy' end, 0.5, price, price / 2, 0.1, 10, 0, price, price, 1,
        case when n % 3 = 2 then price / 2 - 0.1 - 50 end, case when n % 3 = 2 then 50 end, 'entered', at, at
      from (select n, ${first}::bigint + n * ${apart}::bigint as at, (100 + n % 7)::numeric as price from generate_series(0, ${count - 1}::int) n) made`);
    const traded = await tradesOf(database.db, [accountId], [agent.id], end);
    expect(traded.first).toBe(first);
    expect(traded.steps.length).toBeLessThanOrEqual(2 * 121);
    const single = Array.from({ length: count }, (_, n): TradedStep => {
      const [price, sold] = [100 + (n % 7), n % 3 === 2];
      return {
        agentId: agent.id,
        pair: n % 2 === 0 ? 'ETH/USDT' : 'BTC/USDT',
        quantity: sold ? -0.5 : 0.5,
        price,
        cost: sold ? -50 : price / 2 + 0.1,
        realized: sold ? price / 2 - 0.1 - 50 : 0,
        at: first + n * apart,
      };
    });
    const totals = new Map([[agent.id, 12]]);
    const drawn = async (steps: TradedStep[]) => {
      const made = { first, steps };
      const lines = await readSeriesPrices(floor.market, made);
      const [series] = seriesFrom(floor.market.now(), made, totals, lines);
      return series?.points.map(([at, value]) => [at, value.toFixed(4)]);
    };
    expect(await drawn(traded.steps)).toEqual(await drawn(single));
    // A chart that is drawn later has longer steps, made of the same.
    floor.market.step(600);
    expect(stepFor(floor.market.now() - first).ms).toBeGreaterThan(stepFor(end - first).ms);
    expect(await drawn(traded.steps)).toEqual(await drawn(single));
  });

  it('are held for one and the same share of the time on the page of an agent and in the list', async () => {
    await floor.join(uid);
    floor.market.step(200);
    const { agent } = await floor.call(uid, 'createAgent', { body: AGGRESSIVE });
    await trade(40);
    const { figures } = await floor.call(uid, 'agentInsight');
    const { metrics } = await floor.call(uid, 'agentPerformance', { params: { id: agent.id } });
    expect(figures?.[0]?.exposure).toBeGreaterThan(0.5);
    expect(metrics.exposure).toBe(figures?.[0]?.exposure);
  });
});

describe('its arithmetic', () => {
  it('keeps a span within 120 points at the finest step that allows it', () => {
    expect(stepFor(9 * 3_600_000).ms).toBe(300_000);
    expect(stepFor(4 * 86_400_000).ms).toBe(3_600_000);
    expect(stepFor(100 * 86_400_000).ms).toBe(86_400_000);
    expect(stepFor(10_000 * 86_400_000).ms).toBe(7 * 86_400_000);
  });

  it('adds what was realised to what is held at the price of the time, fees inside the cost', () => {
    const buy: TradedStep = {
      agentId: 'a',
      pair: 'BTC/USDT',
      quantity: 2,
      price: 100,
      cost: 201,
      realized: 0,
      at: 10,
    };
    const sell: TradedStep = {
      ...buy,
      quantity: -1,
      price: 120,
      cost: -100.5,
      realized: 18.5,
      at: 30,
    };
    const prices: Record<number, number> = { 10: 100, 20: 110, 30: 120, 40: 90 };
    expect(resultsAt([buy, sell], [0, 10, 20, 30, 40], (_, at) => prices[at] ?? null)).toEqual([
      [0, 0],
      [10, -1],
      [20, 19],
      [30, 38],
      [40, 8],
    ]);
    expect(resultsAt([buy], [20], () => null)).toEqual([[20, -1]]);
  });

  it('measures a limit from the guard’s own mark, and says null where there is none today', () => {
    const now = Date.UTC(2026, 0, 5, 12);
    const memory = { day: { start: Date.UTC(2026, 0, 5), equity: '10000' }, highWater: '10500' };
    const limits = { dayLossHalt: 0.04, drawdownHalt: 0.2 };
    expect(
      distance({ id: 'a', memory }, { equity: parseFixed('9800') }, now, limits),
    ).toMatchObject({
      dayLoss: 0.02,
      dayLossLimit: 0.04,
      drawdown: 700 / 10_500,
      peak: '10500',
    });
    expect(
      distance({ id: 'a', memory }, { equity: parseFixed('11000') }, now, limits),
    ).toMatchObject({
      dayLoss: 0,
      drawdown: 0,
    });
    expect(
      distance({ id: 'a', memory }, { equity: parseFixed('9800') }, now + 86_400_000, limits),
    ).toMatchObject({ dayLoss: null, dayStart: null });
  });
});
