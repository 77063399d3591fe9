/**
 * Stops on every price: for running and stopped agents, before the scheduler, over missed candles,
 * and only once.
 */
import { and, eq, gte, isNull, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import { fillPrice, priceFromNumber, quoteAround } from '../../../engine/execution/fills.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import { makeSeries, volatilityAt, volumesAt } from '../../../engine/signals/candle-series.ts';
import { deleteRows } from '../../../server/users/account-rows.ts';
import type { Scheduler } from '../../../server/agents/scheduler.ts';
import type { Database, Db } from '../../../server/db/database.ts';
import { deletionsOf } from '../../support/deletions.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { agents, decisions, fills, positions, ticks } from '../../../server/db/schema.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { ruleFor, STEP_MS } from '../../support/tape-market.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let db: Db;
let floor: Floor;
let scheduler: Scheduler;
let agentId = '';
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
  uid = `stopper${(tape += 1)}`;
  floor = await openFloor({ candles: 300, sourceId: `stops${tape}` }, database);
  await floor.join(uid);
  agentId = (
    await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE, trading_pairs: ['BTC/USDT'] } })
  ).agent.id;
  scheduler = floor.scheduler();
  await scheduler.open();
  await floor.run(scheduler, 1);
});

const open = async () =>
  (
    await db
      .select()
      .from(positions)
      .where(and(eq(positions.agentId, agentId), isNull(positions.closedMarketMs)))
  )[0];
const stopOf = async (): Promise<number> => toNumber(parseFixed((await open())?.stopPrice ?? '0'));
const sells = () =>
  db
    .select()
    .from(fills)
    .where(and(eq(fills.agentId, agentId), eq(fills.side, 'sell')));

/** Three prices far below any stop, each with its sales. */
async function crash(stop: number): Promise<void> {
  for (const part of [0.9, 0.8, 0.7]) {
    floor.market.say('BTC/USDT', stop * part);
    await scheduler.settled();
  }
}

describe('a watched position whose account ends', () => {
  it('is dropped when the person deletes the account', async () => {
    const stop = await stopOf();
    expect(scheduler.protectedPositions).toBe(1);
    expect(await deletionsOf(floor).ask(uid)).toBe('done');
    await scheduler.settled();
    expect(scheduler.protectedPositions).toBe(0);
    await crash(stop);
    expect(floor.errors).toEqual([]);
  });

  it('is dropped when the person begins a new paper account', async () => {
    const stop = await stopOf();
    await floor.call(uid, 'resetPaper');
    await scheduler.settled();
    expect(scheduler.protectedPositions).toBe(0);
    await crash(stop);
    expect(await sells()).toEqual([]);
    expect(floor.errors).toEqual([]);
  });

  it('is dropped by its own stop where the word was lost, with one line in the log', async () => {
    const stop = await stopOf();
    await database.transaction((tx) => deleteRows(tx, uid));
    expect(scheduler.protectedPositions).toBe(1);
    await crash(stop);
    expect(scheduler.protectedPositions).toBe(0);
    expect(floor.errors).toEqual([]);
    expect(
      floor.warnings.filter((line) => line.startsWith('A position is no longer watched')),
    ).toHaveLength(1);
  });
});

describe('a stop', () => {
  it('sells at the first price at or under it, once, and is remembered by the agent', async () => {
    const stop = await stopOf();
    expect(scheduler.protectedPositions).toBe(1);
    floor.market.say('BTC/USDT', stop * 1.01);
    await scheduler.settled();
    expect(await sells()).toEqual([]);
    floor.market.say('BTC/USDT', stop * 0.99);
    floor.market.say('BTC/USDT', stop * 0.98);
    await scheduler.settled();
    const [sale, ...more] = await sells();
    expect(more).toEqual([]);
    expect(sale).toMatchObject({ reason: 'stop_loss' });
    expect(sale?.tickId).toMatch(/^stop:/);
    expect(toNumber(parseFixed(sale?.price ?? '0'))).toBeLessThanOrEqual(stop * 0.99);
    const [agent] = await db.select().from(agents).where(eq(agents.id, agentId));
    expect((agent!.memory as { exits: unknown[] }).exits).toMatchObject([
      { pair: 'BTC/USDT', stop: true },
    ]);
    expect(scheduler.protectedPositions).toBe(0);
    expect((await checkLedger(db)).problems).toEqual([]);
  });

  it('that the database refuses is tried at every price, and said once', async () => {
    await scheduler.stop();
    let full = true;
    const refusing: Database = {
      ...database,
      transaction: (work) =>
        full ? Promise.reject(new Error('no room')) : database.transaction(work),
    };
    const other = floor.scheduler(refusing);
    const stop = await stopOf();
    await other.open();
    for (const part of [0.99, 0.98, 0.97]) {
      floor.market.say('BTC/USDT', stop * part);
      await other.settled();
    }
    expect(floor.errors).toEqual([expect.stringContaining('A stop loss could not be carried out')]);
    expect(other.protectedPositions).toBe(1);
    full = false;
    floor.market.say('BTC/USDT', stop * 0.96);
    await other.settled();
    expect((await sells()).length).toBe(1);
    await other.stop();
  });

  it('stays on guard for a stopped agent', async () => {
    const { agent } = await floor.call(uid, 'stopAgent', { params: { id: agentId }, body: {} });
    expect(agent).toMatchObject({ status: 'stopped', openPositions: 1 });
    floor.market.say('BTC/USDT', (await stopOf()) * 0.97);
    await scheduler.settled();
    expect((await sells()).length).toBe(1);
    expect((await floor.call(uid, 'agents')).agents[0]).toMatchObject({
      status: 'stopped',
      openPositions: 0,
    });
  });

  it('and the scheduler at the same price sell once between them', async () => {
    const stop = await stopOf();
    const tick = (Math.floor(floor.market.now() / STEP_MS) + 1) * STEP_MS;
    floor.market.bend('BTC/USDT', tick, { open: stop * 0.9, low: stop * 0.9 });
    floor.market.step();
    await Promise.all([scheduler.runOnce(), scheduler.settled()]);
    await scheduler.settled();
    expect((await sells()).length).toBe(1);
    expect(await open()).toBeUndefined();
    expect(floor.errors).toEqual([]);
  });

  it('is run over the candles of a time without prices while the server was up, and nothing is bought meanwhile', async () => {
    const stop = await stopOf();
    const bought = (await db.select().from(fills).where(eq(fills.agentId, agentId))).length;
    const tick = (Math.floor(floor.market.now() / STEP_MS) + 2) * STEP_MS;
    floor.market.bend('BTC/USDT', tick, {
      open: stop * 0.95,
      low: stop * 0.94,
      high: stop * 1.1,
      close: stop * 1.1,
    });
    for (let i = 0; i < 4; i += 1) {
      floor.market.step(1, ['BTC/USDT', 'ETH/USDT', 'SOL/USDT']);
      floor.market.sleep(61_000);
      await scheduler.runOnce();
    }
    expect((await db.select().from(fills).where(eq(fills.agentId, agentId))).length).toBe(bought);
    const waited = await db.select().from(decisions).where(eq(decisions.agentId, agentId));
    expect(waited.filter(({ reason }) => reason === 'no_price').length).toBe(4);
    // Back again, well over the stop: only the candle knows.
    floor.market.say('BTC/USDT', stop * 1.1);
    await scheduler.settled();
    expect(await sells()).toEqual([]);
    await scheduler.runOnce();
    expect(await sells()).toMatchObject([{ reason: 'stop_loss', filledMarketMs: tick }]);
    expect(await open()).toBeUndefined();
    expect((await checkLedger(db)).problems).toEqual([]);
  });

  it('is run over the candles that closed while the server was down, at the worse of gap and stop', async () => {
    await scheduler.stop();
    const stop = await stopOf();
    const tick = (Math.floor(floor.market.now() / STEP_MS) + 3) * STEP_MS;
    floor.market.bend('BTC/USDT', tick, {
      open: stop * 0.95,
      low: stop * 0.94,
      high: stop,
      close: stop,
    });
    // What is traded after it is not known to a sale at that moment.
    for (let after = 1; after < 8; after += 1)
      floor.market.bend('BTC/USDT', tick + after * STEP_MS, { volume: 5e7 });
    const held = await open();
    floor.market.sleep(10 * STEP_MS);
    // The price has recovered by now: only the candle knows.
    floor.market.say('BTC/USDT', stop * 1.1);
    const later = floor.scheduler();
    await later.open();
    await later.settled();
    const [sale] = await sells();
    expect(sale).toMatchObject({ reason: 'stop_loss', filledMarketMs: tick });
    expect(toNumber(parseFixed(sale?.price ?? '0'))).toBeLessThanOrEqual(stop * 0.95);
    const before = makeSeries(
      'BTC/USDT',
      await floor.market.history('BTC/USDT', 32 * DAY_MS, tick),
    );
    expect(parseFixed(sale?.price ?? '0')).toBe(
      fillPrice(
        'sell',
        parseFixed(held?.quantity ?? '0'),
        quoteAround(ruleFor('BTC/USDT'), tick, priceFromNumber(stop * 0.95)),
        {
          ...volumesAt(before, tick, STEP_MS),
          dailyVolatility: volatilityAt(before, tick)?.daily ?? null,
        },
      ),
    );
    expect((await checkLedger(db)).problems).toEqual([]);
  });

  it('found in a missed candle says nothing of what was bought while its market was read', async () => {
    await scheduler.stop();
    const stop = await stopOf();
    const tick = (Math.floor(floor.market.now() / STEP_MS) + 3) * STEP_MS;
    floor.market.bend('BTC/USDT', tick, { low: stop * 0.94, open: stop * 1.1, close: stop * 1.1 });
    floor.market.sleep(10 * STEP_MS);
    floor.market.say('BTC/USDT', stop * 1.1);
    const history = floor.market.history.bind(floor.market);
    let come = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      come = resolve;
    });
    let isAsked = false;
    floor.market.history = async (pair, lookbackMs, to) => {
      if (to === tick) {
        isAsked = true;
        await slow;
      }
      return history(pair, lookbackMs, to);
    };
    const later = floor.scheduler();
    const opening = later.open();
    await vi.waitFor(() => {
      expect(isAsked).toBe(true);
    });
    const grow = (by: string) =>
      db
        .update(positions)
        .set({ quantity: sql`quantity * ${by}::numeric` })
        .where(eq(positions.agentId, agentId));
    await grow('2');
    come();
    await opening;
    await later.settled();
    expect(await sells()).toEqual([]);
    expect(await open()).toBeDefined();
    await later.stop();
    await grow('0.5');
  });
});

describe('a start', () => {
  /** Longer than the pause after candles that could not be read. */
  const PAUSE_MS = 6_000;
  const PAIRS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];
  let stop = 0;

  /** The server ends; after so long the price is back over the stop, and it dipped in this candle. */
  const endAndDip = async (awayMs: number): Promise<number> => {
    // Of the candle in which a position was opened, nobody knows what came first.
    await floor.run(scheduler, 1);
    await scheduler.stop();
    stop = await stopOf();
    floor.market.sleep(awayMs);
    const candle = Math.floor(floor.market.now() / STEP_MS) * STEP_MS;
    floor.market.bend('BTC/USDT', candle, { low: stop * 0.9 });
    return candle;
  };
  const reopen = async (): Promise<void> => {
    scheduler = floor.scheduler();
    await scheduler.open();
    await scheduler.settled();
  };
  const look = async (looks = 1): Promise<void> => {
    for (let i = 0; i < looks; i += 1) await scheduler.runOnce();
    await scheduler.settled();
  };
  /** Prices every minute, well over the stop, until a candle has closed: no silence, no gap. */
  const untilClose = async (): Promise<void> => {
    const close = (Math.floor(floor.market.now() / STEP_MS) + 1) * STEP_MS;
    for (;;) {
      for (const pair of PAIRS) floor.market.say(pair, pair === 'BTC/USDT' ? stop * 1.1 : 100);
      await look();
      if (floor.market.now() >= close) return;
      floor.market.sleep(60_000);
    }
  };
  const expectSoldOnce = async (filledMarketMs: number): Promise<void> => {
    expect(await sells()).toMatchObject([{ reason: 'stop_loss', filledMarketMs }]);
    expect((await checkLedger(db)).problems).toEqual([]);
    expect(floor.errors).toEqual([]);
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await scheduler.stop();
  });

  it.each([
    ['within the candle in which the server ended', 120_000],
    ['in a later candle', 10 * STEP_MS + 120_000],
  ])(
    'runs the stops over the candle it falls into, once that has closed: %s (F84)',
    async (_when, awayMs) => {
      const candle = await endAndDip(awayMs);
      await reopen();
      await look();
      expect(await sells()).toEqual([]);
      await untilClose();
      await expectSoldOnce(candle);
      await untilClose();
      await reopen();
      await untilClose();
      await expectSoldOnce(candle);
    },
  );

  it('runs them over the time until a pair has its first price, too (F84)', async () => {
    await endAndDip(0);
    floor.market.bend('BTC/USDT', Math.floor(floor.market.now() / STEP_MS) * STEP_MS, {
      low: stop * 1.01,
    });
    await reopen();
    floor.market.step(1, PAIRS);
    const silent = Math.floor(floor.market.now() / STEP_MS) * STEP_MS;
    floor.market.bend('BTC/USDT', silent, { low: stop * 0.9 });
    floor.market.sleep(STEP_MS / 2);
    await look();
    expect(await sells()).toEqual([]);
    await untilClose();
    await expectSoldOnce(silent);
  });

  it('succeeds where candles cannot be read, and asks for them again after a pause (F84)', async () => {
    const candle = await endAndDip(120_000);
    floor.market.step();
    floor.market.say('BTC/USDT', stop * 1.1);
    const candles = floor.market.candles.bind(floor.market);
    const history = floor.market.history.bind(floor.market);
    let asked = 0;
    floor.market.candles = async () => {
      asked += 1;
      throw new Error('503');
    };
    // What a tick decides on is another subject.
    floor.market.history = async (pair, lookbackMs, to) =>
      (floor.market.tape.get(pair) ?? []).filter(
        ({ time }) => time >= to - lookbackMs && time + STEP_MS <= to,
      );
    await reopen();
    expect(scheduler.protectedPositions).toBe(1);
    await look(5);
    expect(asked).toBe(1);
    expect(floor.warnings.filter((line) => line.includes('503'))).toHaveLength(1);
    floor.market.candles = candles;
    floor.market.history = history;
    vi.advanceTimersByTime(PAUSE_MS);
    await look();
    await expectSoldOnce(candle);
  });

  it('keeps to a stop that the database refuses, until it is carried out (F84)', async () => {
    const candle = await endAndDip(120_000);
    floor.market.step();
    floor.market.say('BTC/USDT', stop * 1.1);
    let full = true;
    scheduler = floor.scheduler({
      ...database,
      transaction: (work) =>
        full ? Promise.reject(new Error('no room')) : database.transaction(work),
    });
    await scheduler.open();
    expect(await sells()).toEqual([]);
    full = false;
    floor.errors.length = 0;
    vi.advanceTimersByTime(PAUSE_MS);
    await look(2);
    await expectSoldOnce(candle);
  });

  it('waits for an exchange that has not named its pairs (F84)', async () => {
    const candle = await endAndDip(120_000);
    floor.market.step();
    floor.market.say('BTC/USDT', stop * 1.1);
    const rules = floor.market.rules.bind(floor.market);
    floor.market.rules = () => null;
    await reopen();
    expect(await sells()).toEqual([]);
    floor.market.rules = rules;
    vi.advanceTimersByTime(PAUSE_MS);
    await look();
    await expectSoldOnce(candle);
  });

  it('runs no stop over candles from before it was raised (F84)', async () => {
    const small = { ...AGGRESSIVE, trading_pairs: ['BTC/USDT'], max_position_size: 300 };
    agentId = (await floor.call(uid, 'createAgent', { body: small })).agent.id;
    await floor.run(scheduler, 1);
    const before = await stopOf();
    const dip = (Math.floor(floor.market.now() / STEP_MS) + 4) * STEP_MS;
    await floor.run(scheduler, 40);
    await db.update(agents).set({ maxPositionSize: '3000' }).where(eq(agents.id, agentId));
    await floor.run(scheduler, 1);
    const bought = await db.select().from(fills).where(eq(fills.agentId, agentId));
    expect(bought.map(({ side }) => side)).toEqual(['buy', 'buy']);
    stop = await stopOf();
    expect(stop).toBeGreaterThan(before * 1.005);
    floor.market.bend('BTC/USDT', dip, { low: (before + stop) / 2 });
    await scheduler.stop();
    // Agents whose candles could not be read keep a tick open for hours.
    await db.update(ticks).set({ state: 'running' }).where(gte(ticks.closeMarketMs, dip));
    await reopen();
    await untilClose();
    expect(await sells()).toEqual([]);
    expect(await stopOf()).toBe(stop);
    // Afterwards it holds as ever.
    await scheduler.stop();
    const later = Math.floor(floor.market.now() / STEP_MS) * STEP_MS;
    floor.market.bend('BTC/USDT', later, { low: stop * 0.99 });
    await reopen();
    await untilClose();
    await expectSoldOnce(later);
  });

  it('runs hours where the source has no finer candles that far back (F84)', async () => {
    const hour = 12 * STEP_MS;
    const candle = await endAndDip(2 * hour);
    floor.market.sleep(4 * hour);
    floor.market.candlesKept = 24;
    await reopen();
    await untilClose();
    await expectSoldOnce(Math.floor(candle / hour) * hour);
  });

  it('looks again where the candle comes late (F84)', async () => {
    const candle = await endAndDip(120_000);
    await reopen();
    const candles = floor.market.candles.bind(floor.market);
    floor.market.candles = async (...asked) =>
      (await candles(...asked)).filter(({ time }) => time < candle);
    await untilClose();
    expect(await sells()).toEqual([]);
    floor.market.candles = candles;
    vi.advanceTimersByTime(PAUSE_MS);
    await look();
    await expectSoldOnce(candle);
  });
});
