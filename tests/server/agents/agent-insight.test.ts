/**
 * Agents over time on a real database: lines that end in the agents' own results, limits as the
 * guards see them, Pro alone for Pro.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import { resultsAt, stepFor, type TradedFill } from '../../../server/agents/agent-series.ts';
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

describe('its arithmetic', () => {
  it('keeps a span within 120 points at the finest step that allows it', () => {
    expect(stepFor(9 * 3_600_000).ms).toBe(300_000);
    expect(stepFor(4 * 86_400_000).ms).toBe(3_600_000);
    expect(stepFor(100 * 86_400_000).ms).toBe(86_400_000);
    expect(stepFor(10_000 * 86_400_000).ms).toBe(7 * 86_400_000);
  });

  it('adds what was realised to what is held at the price of the time, fees inside the cost', () => {
    const buy: TradedFill = {
      agentId: 'a',
      pair: 'BTC/USDT',
      side: 'buy',
      quantity: 2,
      price: 100,
      cost: 201,
      realized: 0,
      at: 10,
    };
    const sell: TradedFill = {
      ...buy,
      side: 'sell',
      quantity: 1,
      price: 120,
      cost: 100.5,
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
