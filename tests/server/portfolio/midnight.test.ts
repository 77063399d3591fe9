/**
 * The trades of midnight stand in the day that the mark of midnight closes, and no trade is counted
 * on two days, also of an account that rests for days.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatFixed, parseFixed, sum, toNumber } from '../../../contract/money.ts';
import type { Fill } from '../../../contract/trading.ts';
import { growthRate } from '../../../engine/accounting/performance-metrics.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import type { Scheduler } from '../../../server/agents/scheduler.ts';
import type { Database } from '../../../server/db/database.ts';
import { STEP_MS } from '../../support/tape-market.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

const STEPS_A_DAY = DAY_MS / STEP_MS;
const PAIR = 'BTC/USDT';
let database: Database;
let floor: Floor;
let scheduler: Scheduler;
let uid = '';
let made = 0;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  made += 1;
  uid = `midnight${made}`;
  // It begins at 18:00: until midnight prices rise.
  floor = await openFloor({ candles: 4_000, sourceId: uid, warmUpDays: 35.75 }, database);
  await floor.join(uid);
  scheduler = floor.scheduler();
  await scheduler.open();
  await floor.run(scheduler, 1);
});

const portfolio = () => floor.call(uid, 'portfolio');
const lastClose = (): number => Math.floor(floor.market.now() / STEP_MS) * STEP_MS;

const realizedOf = (fills: readonly Pick<Fill, 'realized'>[]): string =>
  formatFixed(sum(fills.map(({ realized }) => parseFixed(realized ?? '0'))));

/** Every day, after a look at whether they add up to all there is. */
async function days() {
  const { daily = [], trades } = await floor.call(uid, 'analytics');
  const { fees, realized, today } = await portfolio();
  const total = (of: 'fees' | 'realized') =>
    formatFixed(sum(daily.map((day) => parseFixed(day[of]))));
  expect(today?.openingAt ?? 0).toBeLessThanOrEqual(today?.start ?? Number.NaN);
  expect(daily.at(-1)).toEqual(today);
  // Its valuations say which trades are a day's.
  const { fills } = await floor.call(uid, 'history', { query: { limit: 1_000 } });
  for (const { start, openingAt = start, closingAt = Infinity, ...day } of daily) {
    const mine = fills.filter(({ decidedAt }) => decidedAt > openingAt && decidedAt <= closingAt);
    expect({ trades: mine.length, realized: realizedOf(mine) }).toEqual({
      trades: day.trades,
      realized: day.realized,
    });
  }
  expect(daily.reduce((all, day) => all + day.trades, 0)).toBe(trades);
  expect([total('realized'), total('fees')]).toEqual([realized, fees]);
  return daily;
}
const dayOf = async (start: number) => (await days()).find((day) => day.start === start);

/** Makes an agent that buys at the next close. */
async function makeAgent(): Promise<string> {
  const body = { ...AGGRESSIVE, trading_pairs: [PAIR] };
  return (await floor.call(uid, 'createAgent', { body })).agent.id;
}

/** Runs every close until the next one is so many before midnight; which midnight that is. */
async function runUntil(closesBefore: number): Promise<number> {
  const midnight = (Math.floor(lastClose() / DAY_MS) + 1) * DAY_MS;
  await floor.run(scheduler, (midnight - lastClose()) / STEP_MS - 1 - closesBefore);
  return midnight;
}

/**
 * Three days without a trade: none has one, and none has a result; each is known, and counts to the
 * age of the account.
 */
async function rest(): Promise<void> {
  for (let passed = 0; passed < 3; passed += 1) {
    floor.market.step(STEPS_A_DAY - (lastClose() % DAY_MS) / STEP_MS);
    await floor.run(scheduler, 2);
    const nothing = { trades: 0, realized: '0', fees: '0', unrealizedChange: '0' };
    expect((await portfolio()).today).toMatchObject(nothing);
    await days();
  }
  const daily = await days();
  const [begun, ended] = [daily[0]?.start ?? 0, daily.at(-1)?.start ?? 0];
  expect(daily.slice(-3).map(({ start }) => ended - start)).toEqual([2 * DAY_MS, DAY_MS, 0]);
  expect((await floor.call(uid, 'analytics')).days).toBe((ended - begun) / DAY_MS + 1);
}

describe('a day that begins while nothing is valued', () => {
  it('says when its opening was valued: days before, where the server was off', async () => {
    await makeAgent();
    const midnight = await runUntil(0);
    const before = lastClose();
    floor.market.step(2 * STEPS_A_DAY);
    const { today } = await portfolio();
    expect(today).toMatchObject({ start: midnight + DAY_MS, openingAt: before });
  });
});

describe('the growth of a year', () => {
  it('counts the days that have passed, today as far as it has gone', async () => {
    floor = await openFloor({ candles: 14_000, sourceId: `${uid}-long` }, database);
    uid = `${uid}-long`;
    await floor.join(uid);
    scheduler = floor.scheduler();
    await scheduler.open();
    await makeAgent();
    await floor.run(scheduler, 20);
    for (let day = 0; day < 32; day += 1) {
      floor.market.step(STEPS_A_DAY - 2);
      await floor.run(scheduler, 2);
    }
    await floor.run(scheduler, 6);
    const { metrics, asOf } = await floor.call(uid, 'analytics');
    const { equityCurve, equity } = await portfolio();
    const [begunAt, begun] = equityCurve[0] ?? [asOf, '0'];
    const days = (asOf - begunAt) / DAY_MS;
    expect(days).toBeCloseTo(32 + 26 / STEPS_A_DAY, 1);
    expect(equity).not.toBe(begun);
    expect(metrics.cagr).toBeCloseTo(
      growthRate(Number(begun), Number(equity), days) ?? Number.NaN,
      6,
    );
  }, 60_000);
});

describe('the trades of midnight', () => {
  it('stand, with what they cost, in the day that ends there (R7-24, R7-26)', async () => {
    const midnight = await runUntil(0);
    const id = await makeAgent();
    expect(await floor.run(scheduler, 1)).toBe(1);
    const ended = await dayOf(midnight - DAY_MS);
    expect(ended).toMatchObject({ trades: 1, realized: '0' });
    expect(toNumber(parseFixed(ended?.fees ?? '0'))).toBeGreaterThan(0);
    expect(toNumber(parseFixed(ended?.unrealizedChange ?? '0'))).toBeLessThan(0);
    const today = { start: midnight, trades: 0, fees: '0', unrealizedChange: '0' };
    expect((await portfolio()).today).toMatchObject(today);
    await floor.run(scheduler, 3);
    await floor.call(uid, 'liquidateAgent', { params: { id } });
    const sold = (await portfolio()).today;
    expect(sold?.realized).not.toBe('0');
    await floor.run(scheduler, 1);
    await rest();
    expect(await dayOf(midnight)).toMatchObject({ trades: sold?.trades, realized: sold?.realized });
    expect(await dayOf(midnight - DAY_MS)).toEqual(ended);
  });

  it('are counted once where a stop sells between midnight and its mark, and the account rests then', async () => {
    const id = await makeAgent();
    const midnight = await runUntil(0);
    await floor.call(uid, 'stopAgent', { params: { id }, body: {} });
    const bought = (await dayOf(midnight - DAY_MS))?.trades ?? 0;
    const [held] = (await portfolio()).positions;
    floor.market.step();
    floor.market.sleep(2_000);
    floor.market.say(PAIR, toNumber(parseFixed(held?.stopPrice ?? '0')) * 0.99);
    await scheduler.settled();
    expect((await portfolio()).positions).toEqual([]);
    await scheduler.runOnce();
    await floor.run(scheduler, 1);
    expect(await dayOf(midnight)).toMatchObject({ trades: 1 });
    await rest();
    expect(await dayOf(midnight)).toMatchObject({ trades: 1 });
    expect(await dayOf(midnight - DAY_MS)).toMatchObject({ trades: bought });
  });

  it('of a stop that was missed stand in the day whose mark first has them', async () => {
    await makeAgent();
    const midnight = await runUntil(1);
    await scheduler.stop();
    const { trades: bought } = (await dayOf(midnight - DAY_MS)) ?? {};
    const [held] = (await portfolio()).positions;
    const stop = toNumber(parseFixed(held?.stopPrice ?? '0'));
    floor.market.bend(PAIR, midnight - STEP_MS, { low: stop * 0.99 });
    floor.market.sleep(8 * 3_600_000);
    floor.market.say(PAIR, stop * 1.1);
    scheduler = floor.scheduler();
    await scheduler.open();
    await scheduler.settled();
    expect((await portfolio()).positions).toEqual([]);
    expect(await dayOf(midnight - DAY_MS)).toMatchObject({ realized: '0', trades: bought });
    const missed = await dayOf(midnight);
    expect(missed?.trades).toBe(1);
    expect(toNumber(parseFixed(missed?.realized ?? '0'))).toBeLessThan(0);
  });

  it('of a stop that was missed days ago stand in the day that shows its loss', async () => {
    const id = await makeAgent();
    const midnight = await runUntil(1);
    await floor.call(uid, 'stopAgent', { params: { id }, body: {} });
    await scheduler.stop();
    const [held] = (await portfolio()).positions;
    const stop = toNumber(parseFixed(held?.stopPrice ?? '0'));
    floor.market.bend(PAIR, midnight + DAY_MS / 2, { low: stop * 0.99 });
    floor.market.sleep(2 * DAY_MS + 8 * 3_600_000);
    floor.market.say(PAIR, stop * 1.1);
    scheduler = floor.scheduler();
    await scheduler.open();
    await scheduler.settled();
    const { positions, today } = await portfolio();
    expect(positions).toEqual([]);
    expect(today).toMatchObject({ start: midnight + 2 * DAY_MS, trades: 1 });
    expect(toNumber(parseFixed(today?.realized ?? '0'))).toBeLessThan(0);
    // The sale is dated days before the day in whose result it is; its valuations lie around it.
    const { fills } = await floor.call(uid, 'history');
    const sold = fills.find(({ side }) => side === 'sell')?.decidedAt ?? 0;
    expect(sold).toBeLessThan(midnight + DAY_MS);
    expect(today?.openingAt).toBeLessThan(sold);
    await days();
    await floor.run(scheduler, 1);
    await rest();
  });
});
