/**
 * A server that starts while its exchange does not answer: nobody is run, marked or halted at
 * prices that are not there, and nothing is lost by the wait.
 */
import { and, eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import { readMemory } from '../../../engine/execution/agent-memory.ts';
import type { Scheduler } from '../../../server/agents/scheduler.ts';
import type { Database, Db } from '../../../server/db/database.ts';
import { agents, decisions, equityPoints, fills } from '../../../server/db/schema.ts';
import { STEP_MS } from '../../support/tape-market.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let db: Db;
let floor: Floor;
let tape = 0;
let uid = '';

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  uid = `waiter${(tape += 1)}`;
  floor = await openFloor({ candles: 300, sourceId: `unnamed${tape}` }, database);
  await floor.join(uid);
});

afterEach(() => {
  vi.useRealTimers();
});

const make = async (pairs: readonly string[], more: object = {}): Promise<string> =>
  (
    await floor.call(uid, 'createAgent', {
      body: { ...AGGRESSIVE, trading_pairs: [...pairs], ...more },
    })
  ).agent.id;
const rowOf = async (id: string) => {
  const [row] = await db.select().from(agents).where(eq(agents.id, id));
  if (row === undefined) throw new Error('No such agent');
  return { ...row, memory: readMemory(row.memory as Record<string, unknown>) };
};
const tickNow = (): number => Math.floor(floor.market.now() / STEP_MS) * STEP_MS;
const reasonsOf = async (id: string, at = tickNow()) =>
  Object.fromEntries(
    (
      await db
        .select()
        .from(decisions)
        .where(and(eq(decisions.agentId, id), eq(decisions.atMarketMs, at)))
    ).map(({ pair, reason }) => [pair, reason]),
  );
const marks = async (): Promise<Map<number, number>> => {
  const { accountId } = await floor.call(uid, 'portfolio');
  const rows = await db.select().from(equityPoints).where(eq(equityPoints.accountId, accountId));
  return new Map(rows.map(({ atMarketMs, equity }) => [atMarketMs, toNumber(parseFixed(equity))]));
};
const worth = async (): Promise<number> =>
  toNumber(parseFixed((await floor.call(uid, 'portfolio')).equity));
/** Its price is so many times what it is, from now on. */
function lift(pair: string, times: number): void {
  const { market } = floor;
  for (const candle of market.tape.get(pair) ?? []) {
    if (candle.time < tickNow()) continue;
    for (const key of ['open', 'high', 'low', 'close'] as const) candle[key] *= times;
  }
}
const sayAll = (pairs: readonly string[] = AGGRESSIVE.trading_pairs): void => {
  for (const pair of pairs) {
    const candle = floor.market.tape.get(pair)?.find(({ time }) => time === tickNow());
    floor.market.say(pair, candle?.open ?? 0);
  }
};
/** What happens once so many transactions are committed. */
let ending: () => void = () => undefined;
function endingAfter(count: number): Database {
  let done = 0;
  return {
    ...database,
    kind: 'pglite',
    transaction: async (work) => {
      const result = await database.transaction(work);
      done += 1;
      if (done === count) ending();
      return result;
    },
  };
}
async function restart(scheduler: Scheduler): Promise<Scheduler> {
  await scheduler.stop();
  const next = floor.scheduler();
  await next.open();
  return next;
}

describe('an exchange that has not named its pairs', () => {
  it('has no tick: nobody is run, marked or halted, and the newest close is run once it has (F100)', async () => {
    const id = await make(AGGRESSIVE.trading_pairs);
    let scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    for (const pair of AGGRESSIVE.trading_pairs) lift(pair, 3);
    await floor.run(scheduler, 2);
    const [high, before] = [await worth(), await rowOf(id)];
    const marked = (await marks()).size;
    floor.market.unname();
    scheduler = await restart(scheduler);
    for (let close = 0; close < 3; close += 1) {
      floor.market.step();
      expect(await scheduler.runOnce()).toMatchObject({ tick: null });
    }
    expect((await marks()).size).toBe(marked);
    expect(await rowOf(id)).toEqual(before);
    floor.market.name();
    sayAll();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1, late: 1, skipped: 2 });
    expect((await marks()).get(tickNow())).toBeCloseTo(await worth(), 6);
    expect(await worth()).toBeGreaterThan(high * 0.95);
    expect(await rowOf(id)).toMatchObject({ status: 'running', hold: null });
    expect(floor.errors).toEqual([]);
  });

  it('is waited for until its first prices are there, also long after the close (F100)', async () => {
    const id = await make(AGGRESSIVE.trading_pairs);
    floor.market.unname();
    const scheduler = floor.scheduler();
    await scheduler.open();
    floor.market.step();
    floor.market.sleep(STEP_MS / 2);
    expect(await scheduler.runOnce()).toMatchObject({ tick: null });
    floor.market.name();
    const run = scheduler.runOnce();
    setTimeout(() => {
      sayAll();
    }, 200);
    expect(await run).toMatchObject({ agents: 1 });
    expect(Object.values(await reasonsOf(id))).not.toContain('no_price');
    expect((await db.select().from(fills).where(eq(fills.agentId, id))).length).toBeGreaterThan(0);
  });

  it('takes no rebalance moment from an agent (F100)', async () => {
    const id = await make(['BTC/USDT'], { trading_frequency: 'weekly' });
    let scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    const last = tickNow() - 8 * 24 * 12 * STEP_MS;
    const { memory } = await rowOf(id);
    await db
      .update(agents)
      .set({
        memory: { lastLook: last, stakes: memory.strategyHoldings, exits: [], owed: ['BTC/USDT'] },
      })
      .where(eq(agents.id, id));
    floor.market.unname();
    scheduler = await restart(scheduler);
    floor.market.step();
    await scheduler.runOnce();
    expect((await rowOf(id)).memory).toMatchObject({ lastEvaluation: last, owed: ['BTC/USDT'] });
    floor.market.name();
    sayAll();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1 });
    expect((await reasonsOf(id))['BTC/USDT']).toBe('entered');
  });
});

describe('a held pair that has had no price since the start', () => {
  /** Longer than a tick waits for first prices. */
  const WAIT_MS = 21_000;
  /** An agent holds BTC, worth ten times what it cost, and is not to change that. */
  async function holdDear(): Promise<{ id: string; scheduler: Scheduler }> {
    const id = await make(['BTC/USDT']);
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    await db.update(agents).set({ tradingFrequency: 'weekly' }).where(eq(agents.id, id));
    lift('BTC/USDT', 10);
    await floor.run(scheduler, 1);
    return { id, scheduler };
  }

  it('leaves the account unmarked and halts nobody; purchases wait and are made up (F100)', async () => {
    const { id, scheduler } = await holdDear();
    const [high, before] = [await worth(), await rowOf(id)];
    expect(high).toBeGreaterThan(14_000);
    const buyer = await make(['SOL/USDT']);
    floor.market.step(1, ['BTC/USDT']);
    floor.market.unquote('BTC/USDT');
    vi.useFakeTimers({ toFake: ['performance'] });
    const run = scheduler.runOnce();
    setTimeout(() => vi.advanceTimersByTime(WAIT_MS), 100);
    expect(await run).toMatchObject({ agents: 2, trades: 0 });
    expect((await marks()).has(tickNow())).toBe(false);
    const after = await rowOf(id);
    expect(after).toMatchObject({ status: 'running', hold: null });
    expect(after.memory).toMatchObject({
      highWater: before.memory.highWater,
      day: before.memory.day,
      owed: [],
    });
    expect(await reasonsOf(buyer)).toEqual({ 'SOL/USDT': 'no_price' });
    await floor.run(scheduler, 1);
    expect(await reasonsOf(buyer)).toEqual({ 'SOL/USDT': 'entered' });
    expect((await marks()).get(tickNow())).toBeCloseTo(await worth(), 6);
    expect(await rowOf(id)).toMatchObject({ status: 'running', hold: null });
    expect(floor.errors).toEqual([]);
  });

  it('is waited for before the tick begins, also where nobody who is due lists it (F100)', async () => {
    const { id, scheduler } = await holdDear();
    await floor.call(uid, 'stopAgent', { params: { id } });
    const buyer = await make(['SOL/USDT']);
    floor.market.step(1, ['BTC/USDT']);
    floor.market.unquote('BTC/USDT');
    const run = scheduler.runOnce();
    setTimeout(() => {
      sayAll(['BTC/USDT']);
    }, 200);
    expect(await run).toMatchObject({ agents: 1 });
    expect(await reasonsOf(buyer)).toEqual({ 'SOL/USDT': 'entered' });
    expect((await marks()).get(tickNow())).toBeCloseTo(await worth(), 6);
  });

  it("is worth what the tick's own prices say where another process has begun it (F100)", async () => {
    const { id } = await holdDear();
    const other = await openFloor({ candles: 300, sourceId: `unnamed${tape}` }, database);
    other.market.sleep(floor.market.now() - other.market.now());
    // The first begins the tick and ends before it has run anybody.
    const first = floor.scheduler(endingAfter(1));
    await first.open();
    ending = () => void first.stop();
    floor.market.step();
    other.market.step();
    other.market.unquote('BTC/USDT');
    expect(await first.runOnce()).toMatchObject({ agents: 0 });
    const second = other.scheduler();
    await second.open();
    expect(await second.runOnce()).toMatchObject({ agents: 1 });
    expect((await marks()).get(tickNow())).toBeCloseTo(await worth(), 6);
    expect(await rowOf(id)).toMatchObject({ status: 'running', hold: null });
  });
});
