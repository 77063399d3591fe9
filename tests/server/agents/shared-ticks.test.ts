/**
 * One tick and several processes: one book of prices, what is late, what was missed, clocks that
 * differ; nothing twice.
 */
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import type { Database, Db } from '../../../server/db/database.ts';
import { agents, decisions, fills, positions, ticks } from '../../../server/db/schema.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { STEP_MS } from '../../support/tape-market.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let db: Db;
/** Two processes with a market each, on one database. */
let floor: Floor;
let other: Floor;
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
  uid = `sharer${(tape += 1)}`;
  floor = await openFloor({ candles: 300, sourceId: `shared${tape}` }, database);
  other = await openFloor({ candles: 300, sourceId: `shared${tape}` }, database);
  await floor.join(uid);
});

const make = async (count: number): Promise<string[]> => {
  const made: string[] = [];
  for (let i = 0; i < count; i += 1)
    made.push(
      (await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE, max_position_size: 100 } }))
        .agent.id,
    );
  return made;
};
const record = () =>
  db
    .select({ at: ticks.closeMarketMs, state: ticks.state, agents: ticks.agents })
    .from(ticks)
    .where(eq(ticks.source, floor.market.source.id))
    .orderBy(ticks.closeMarketMs);
const looksOf = async (agentId: string) =>
  new Set(
    (
      await db
        .select({ at: decisions.atMarketMs })
        .from(decisions)
        .where(eq(decisions.agentId, agentId))
    ).map(({ at }) => at),
  ).size;

/** The database, used by one batch at a time; after the n-th transaction something happens. */
function after(n: number, what: () => void): Database {
  let done = 0;
  return {
    ...database,
    kind: 'pglite',
    transaction: async (work) => {
      const result = await database.transaction(work);
      done += 1;
      if (done === n) what();
      return result;
    },
  };
}

const closingAfter = (n: number): Database =>
  after(n, () => {
    floor.market.step();
  });

describe('a tick that is not finished before the next closes', () => {
  it('leaves who is left to the newer one, where they come first; it is said, and nobody looks twice', async () => {
    const made = await make(12);
    const said: string[] = [];
    floor.deps.log.warn = (fields, message) => {
      said.push(`${message} ${JSON.stringify(fields)}`);
    };
    // Beginning it is one transaction, the first five agents the second.
    const scheduler = floor.scheduler(closingAfter(2), 5);
    await scheduler.open();
    floor.market.step();
    const first = Math.floor(floor.market.now() / STEP_MS) * STEP_MS;
    expect(await scheduler.runOnce()).toMatchObject({ tick: first, agents: 5, late: 0 });
    const ran = (
      await db
        .select()
        .from(agents)
        .where(and(eq(agents.uid, uid), eq(agents.lastRunMarketMs, first)))
    ).map(({ id }) => id);
    // Until they have looked, the screen says of the others when they should have.
    expect(
      (await floor.call(uid, 'agents')).agents
        .filter(({ id }) => !ran.includes(id))
        .map(({ nextRunAt }) => nextRunAt),
    ).toEqual(Array(7).fill(first));
    expect(await scheduler.runOnce()).toMatchObject({ tick: first + STEP_MS, agents: 12, late: 7 });
    expect(await record()).toEqual([
      { at: first, state: 'unfinished', agents: 5 },
      { at: first + STEP_MS, state: 'done', agents: 12 },
    ]);
    expect(said.filter((line) => line.startsWith('A tick was not finished'))).toEqual([
      expect.stringContaining('"agents":5,"left":7'),
    ]);
    for (const id of made) expect(await looksOf(id)).toBe(ran.includes(id) ? 2 : 1);
    expect((await checkLedger(db)).problems).toEqual([]);
  });

  it('begins with those who have waited longest', async () => {
    await make(12);
    const one = floor.scheduler(closingAfter(2), 5);
    await one.open();
    floor.market.step();
    await one.runOnce();
    const waiting = new Set(
      (await db.select().from(agents).where(eq(agents.uid, uid)))
        .filter(({ lastRunMarketMs }) => lastRunMarketMs === null)
        .map(({ id }) => id),
    );
    const two = floor.scheduler(closingAfter(2), 7);
    await two.open();
    expect(await two.runOnce()).toMatchObject({ agents: 7, late: 7 });
    for (const id of waiting) expect(await looksOf(id)).toBe(1);
  });
});

describe('two processes', () => {
  it('fill one tick at one book of prices, though the second heard others first', async () => {
    await make(12);
    // The first begins, runs one agent and ends; the second joins in the middle.
    const first = floor.scheduler(
      after(2, () => {
        void first.stop();
      }),
      1,
    );
    const second = other.scheduler();
    await first.open();
    await second.open();
    floor.market.step();
    other.market.step(1, AGGRESSIVE.trading_pairs);
    for (const pair of AGGRESSIVE.trading_pairs)
      other.market.say(pair, toNumber(floor.market.quote(pair)?.last ?? parseFixed('0')) * 1.01);
    expect(await first.runOnce()).toMatchObject({ agents: 1 });
    expect(await second.runOnce()).toMatchObject({ agents: 11 });
    const made = await db
      .select()
      .from(fills)
      .where(eq(fills.accountId, (await floor.call(uid, 'portfolio')).accountId));
    expect(made.length).toBeGreaterThan(6);
    for (const pair of AGGRESSIVE.trading_pairs)
      expect(
        new Set(
          made
            .filter((fill) => fill.pair === pair)
            .map((fill) => `${fill.quoteBid} ${fill.quoteAsk}`),
        ).size,
      ).toBeLessThan(2);
  });

  it('do not run a tick that somebody ahead of them has left behind', async () => {
    await make(2);
    const [ahead, behind] = [floor.scheduler(), other.scheduler()];
    await ahead.open();
    await behind.open();
    other.market.step();
    floor.market.step(2);
    expect(await ahead.runOnce()).toMatchObject({ agents: 2 });
    await db.update(agents).set({ nextDueMarketMs: 0 }).where(eq(agents.uid, uid));
    expect(await behind.runOnce()).toMatchObject({ agents: 0, trades: 0 });
    expect((await record()).map(({ state }) => state)).toEqual(['skipped', 'done']);
  });

  it('after a time without both: the newest tick once, the older ones recorded once, a stop in between carried out once', async () => {
    const [id = ''] = await make(1);
    const before = floor.scheduler();
    await before.open();
    await floor.run(before, 1);
    await before.stop();
    const held = await db
      .select()
      .from(positions)
      .where(and(eq(positions.agentId, id), eq(positions.pair, 'BTC/USDT')));
    const stop = toNumber(parseFixed(held[0]?.stopPrice ?? '0'));
    expect(stop).toBeGreaterThan(0);
    const dip = (Math.floor(floor.market.now() / STEP_MS) + 3) * STEP_MS;
    const later = floor.market.now() + 10 * STEP_MS;
    for (const { market } of [floor, other]) {
      market.bend('BTC/USDT', dip, { low: stop * 0.98 });
      market.sleep(later - market.now());
    }
    for (const { market } of [floor, other]) market.step();
    const schedulers = [floor.scheduler(), other.scheduler()];
    await Promise.all(schedulers.map((scheduler) => scheduler.open()));
    const reports = await Promise.all(schedulers.map((scheduler) => scheduler.runOnce()));
    expect(reports.map(({ agents: n }) => n).toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(reports.reduce((all, { skipped }) => all + skipped, 0)).toBe(10);
    expect((await record()).map(({ state }) => state)).toEqual([
      'done',
      ...(Array(10).fill('skipped') as string[]),
      'done',
    ]);
    const sales = await db
      .select()
      .from(fills)
      .where(and(eq(fills.agentId, id), eq(fills.pair, 'BTC/USDT'), eq(fills.side, 'sell')));
    expect(sales.map(({ reason }) => reason)).toEqual(['stop_loss']);
    expect([...floor.errors, ...other.errors]).toEqual([]);
  });
});
