/**
 * Sales of many stops in one transaction: the same rows as one by one, and one that is refused
 * fails alone.
 */
import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatFixed, parseFixed, toNumber } from '../../../contract/money.ts';
import { StopWatch } from '../../../server/agents/stop-watch.ts';
import type { Database } from '../../../server/db/database.ts';
import { orderedId } from '../../../server/db/ordered-id.ts';
import {
  accounts,
  agents,
  balances,
  events,
  fills,
  ledger,
  orders,
  positions,
} from '../../../server/db/schema.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { PaperVenue } from '../../../server/venues/paper.ts';
import fc from '../../support/property.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

const PAIRS = AGGRESSIVE.trading_pairs;
const PROFILES = ['Conservative', 'Moderate', 'Aggressive'] as const;

interface Plan {
  /** Of each person's agents, which profile they have: it sets the stop. */
  people: readonly (readonly number[])[];
  ticks: number;
  /** Prices that come one after the other before anything is sold: pair, part of the last price. */
  falls: readonly (readonly [number, number])[];
  /** A person whose account ends while its positions are watched. */
  leaves: boolean;
}

const anyPlan: fc.Arbitrary<Plan> = fc.record({
  people: fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 3 }), {
    minLength: 2,
    maxLength: 4,
  }),
  ticks: fc.integer({ min: 1, max: 3 }),
  falls: fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: PAIRS.length - 1 }),
      fc.double({ min: 0.8, max: 0.99, noNaN: true }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
  leaves: fc.boolean(),
});

let database: Database;
let worlds = 0;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await database.close();
});

interface World {
  floor: Floor;
  watch: StopWatch;
  prefix: string;
}

/** People with open positions, and a watch over them that sells so many at a time. */
async function worldOf({ people, ticks }: Plan, batch: number): Promise<World> {
  const world = (worlds += 1);
  const prefix = `w${world}-`;
  const floor = await openFloor({ candles: 20, sourceId: `sales${world}` }, database);
  for (const [person, profiles] of people.entries()) {
    const uid = `${prefix}${person}`;
    await floor.join(uid);
    for (const [n, profile] of profiles.entries()) {
      const { agent } = await floor.call(uid, 'createAgent', {
        body: {
          ...AGGRESSIVE,
          name: `Agent ${person} ${n}`,
          max_position_size: 200 + 50 * n,
          risk_profile: PROFILES[profile] ?? 'Aggressive',
        },
      });
      // A tick takes agents by their ids: in the same order in every world.
      const id = `00000000-0000-4000-8000-${String(world * 100 + person * 10 + n).padStart(12, '0')}`;
      await database.db.update(agents).set({ id }).where(eq(agents.id, agent.id));
    }
  }
  const scheduler = floor.scheduler();
  await scheduler.open();
  await floor.run(scheduler, ticks);
  await scheduler.stop();
  const watch = new StopWatch(floor.deps, new PaperVenue(floor.market), batch);
  await watch.load();
  floor.market.onQuote((quote) => {
    watch.onQuote(quote);
  });
  return { floor, watch, prefix };
}

async function crash({ floor, watch, prefix }: World, { falls, leaves }: Plan): Promise<void> {
  if (leaves) await floor.call(`${prefix}0`, 'resetPaper');
  for (const [pair, part] of falls) {
    const name = PAIRS[pair] ?? PAIRS[0];
    const last = toNumber(floor.market.quote(name)?.last ?? parseFixed('0'));
    floor.market.say(name, last * part);
  }
  await watch.settled();
}

type Row = Record<string, unknown>;
const without = (row: Row, ...keys: string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key)));

/** Sales of one moment are remembered in the order in which they were carried out. */
const exitsOf = (memory: unknown): Row => {
  const { exits = [], ...rest } = memory as { exits?: Row[] } & Row;
  return { rest, exits: exits.map((exit) => JSON.stringify(exit)).toSorted() };
};

/** All that a sale writes, in words that do not depend on made ids. */
async function written({ floor, prefix }: World): Promise<Row> {
  const { db } = floor.database;
  const source = floor.market.source.id;
  const books = await db.select().from(accounts).where(eq(accounts.source, source));
  const named = new Map<string, string>();
  for (const { id, uid, book } of books) named.set(id, `${uid.slice(prefix.length)} ${book}`);
  const all = await db.select().from(agents).where(eq(agents.source, source));
  for (const { id, name } of all) named.set(id, name);
  const mine = <R extends { accountId: string }>(rows: R[]): R[] =>
    rows.filter(({ accountId }) => named.has(accountId));
  const held = mine(await db.select().from(positions).orderBy(asc(positions.openedMarketMs)));
  for (const { id, agentId, pair, openedMarketMs } of held)
    named.set(id, `${named.get(agentId) ?? ''} ${pair} ${openedMarketMs}`);
  // Ids, and the market's name, which is each world's own.
  const told = (value: unknown): string =>
    JSON.stringify(value)
      .replaceAll(source, 'source')
      .replaceAll(
        /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        (id) => named.get(id) ?? 'id',
      );
  const sorted = (rows: readonly Row[]): string[] => rows.map(told).toSorted();
  const said: Row = {};
  for (const { uid } of books) {
    const list = (
      await db.select().from(events).where(eq(events.uid, uid)).orderBy(asc(events.sequence))
    ).map(({ payload }) => payload as { type: string; agent?: { id: string } } & Row);
    const last = new Map<string, string>();
    for (const event of list)
      if (event.type === 'agent.changed')
        last.set(event.agent?.id ?? '', told(without(event, 'sequence')));
    said[uid.slice(prefix.length)] = {
      sales: sorted(
        list
          .filter(({ type }) => type === 'fill.recorded')
          .map((event) => without(event, 'sequence')),
      ),
      agents: [...last.values()].toSorted(),
      // Whoever reads the portfolio at the last word has every sale.
      changedLast:
        list.findLastIndex(({ type }) => type === 'portfolio.changed') >
        list.findLastIndex(({ type }) => type === 'fill.recorded'),
    };
  }
  return {
    agents: sorted(all.map(({ name, status, memory }) => ({ name, status, ...exitsOf(memory) }))),
    orders: sorted(mine(await db.select().from(orders))),
    fills: sorted(mine(await db.select().from(fills))),
    ledger: sorted(
      mine(await db.select().from(ledger)).map((row) => without(row, 'id', 'transactionId')),
    ),
    balances: sorted(mine(await db.select().from(balances))),
    positions: sorted(held),
    events: said,
  };
}

const PLAIN: Plan = {
  people: [[2, 2], [2, 2, 2], [2]],
  ticks: 1,
  falls: [[0, 0.8]],
  leaves: false,
};
const openOf = ({ floor }: World, pair: string = PAIRS[0]) =>
  floor.database.db
    .select({ position: positions })
    .from(positions)
    .innerJoin(accounts, eq(accounts.id, positions.accountId))
    .where(
      and(
        eq(accounts.source, floor.market.source.id),
        eq(positions.pair, pair),
        isNull(positions.closedMarketMs),
      ),
    )
    .then((rows) => rows.map(({ position }) => position));

/** Three worlds for each case, and on PostgreSQL each write waits for its disk. */
const WORLDS_TIMEOUT_MS = 300_000;

describe('stops that are hit together', { timeout: WORLDS_TIMEOUT_MS }, () => {
  it('leave the rows and words that they leave one by one', async () => {
    let sold = 0;
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const single = await worldOf(plan, 1);
        const few = await worldOf(plan, 3);
        const many = await worldOf(plan, 250);
        for (const world of [single, few, many]) await crash(world, plan);
        const expected = await written(single);
        expect(await written(few)).toEqual(expected);
        expect(await written(many)).toEqual(expected);
        for (const { floor } of [single, few, many]) expect(floor.errors).toEqual([]);
        sold += (expected.fills as string[]).filter((line) => line.includes('stop_loss')).length;
      }),
      // A smaller case would take eighty times three worlds to find.
      { numRuns: 8, endOnFailure: true },
    );
    // Cases in which nothing is sold show nothing.
    expect(sold).toBeGreaterThan(8);
    expect((await checkLedger(database.db)).problems).toEqual([]);
  });

  it('are sold in one transaction', async () => {
    const world = await worldOf(PLAIN, 250);
    const before = await openOf(world);
    expect(before.length).toBe(6);
    let transactions = 0;
    const counting: Database = {
      ...database,
      transaction: (work) => {
        transactions += 1;
        return database.transaction(work);
      },
    };
    const watch = new StopWatch(
      { ...world.floor.deps, database: counting },
      new PaperVenue(world.floor.market),
    );
    await watch.load();
    const stop = Math.min(...before.map(({ stopPrice }) => Number(stopPrice)));
    const quote = world.floor.market.say(PAIRS[0], stop * 0.9);
    await world.watch.settled();
    watch.onQuote(quote);
    await watch.settled();
    // The first watch has sold them; the second has found that out of all of them at once.
    expect(transactions).toBe(1);
    expect(await openOf(world)).toEqual([]);
    expect(watch.watched).toBe(6 * (PAIRS.length - 1));
  });

  it('are sold but for the one that the database refuses, which is said once and tried again', async () => {
    const world = await worldOf(PLAIN, 250);
    const { floor, watch } = world;
    const held = await openOf(world);
    const [refused] = held;
    if (refused === undefined) throw new Error('Nothing is held');
    // Its sale has been written down already, says the database.
    const [order] = await database.db
      .select()
      .from(orders)
      .where(and(eq(orders.agentId, refused.agentId), eq(orders.pair, refused.pair)));
    const spoilt = {
      ...order,
      id: orderedId(),
      clientOrderId: `spoilt:${refused.id}`,
      tickId: `stop:${refused.id}`,
    } as typeof orders.$inferInsert;
    await database.db.insert(orders).values(spoilt);
    const price = Number(formatFixed(floor.market.quote(refused.pair)?.last ?? parseFixed('0')));
    for (const part of [0.8, 0.79, 0.78]) {
      floor.market.say(refused.pair, price * part);
      await watch.settled();
      expect((await openOf(world)).map(({ id }) => id)).toEqual([refused.id]);
    }
    expect(floor.errors).toEqual([
      expect.stringContaining(`A stop loss could not be carried out; every price retries`),
    ]);
    await database.db.delete(orders).where(eq(orders.id, spoilt.id));
    floor.market.say(refused.pair, price * 0.77);
    await watch.settled();
    expect(await openOf(world)).toEqual([]);
    const sales = await database.db
      .select()
      .from(fills)
      .where(and(eq(fills.agentId, refused.agentId), eq(fills.reason, 'stop_loss')));
    expect(sales.length).toBe(1);
    expect((await checkLedger(database.db)).problems).toEqual([]);
  });

  it('are sold but for the one that cannot be worked out', async () => {
    const world = await worldOf(PLAIN, 250);
    const { floor } = world;
    const held = await openOf(world);
    const venue = new PaperVenue(floor.market);
    const broken = held[2]?.id;
    const sell = venue.sell.bind(venue);
    venue.sell = (position, ...rest) => {
      if (position.id === broken) throw new RangeError('no such price');
      return sell(position, ...rest);
    };
    const watch = new StopWatch(floor.deps, venue);
    await watch.load();
    const price = Number(formatFixed(floor.market.quote(PAIRS[0])?.last ?? parseFixed('0')));
    // The world's own watch is not asked.
    const quote = { ...(floor.market.quote(PAIRS[0]) ?? {}), bid: parseFixed(String(price * 0.7)) };
    watch.onQuote(quote as Parameters<StopWatch['onQuote']>[0]);
    await watch.settled();
    expect((await openOf(world)).map(({ id }) => id)).toEqual([broken]);
    expect(floor.errors).toEqual([expect.stringContaining('no such price')]);
  });

  it('are sold at once although the candles of another pair do not come (F90)', async () => {
    const world = await worldOf(PLAIN, 250);
    const { floor } = world;
    const [hung, ready] = [PAIRS[0], PAIRS[1] ?? ''];
    const held = [await openOf(world, hung), await openOf(world, ready)];
    expect(held.map((list) => list.length > 0)).toEqual([true, true]);
    const venue = new PaperVenue(floor.market);
    const depth = venue.depth.bind(venue);
    let isHanging = true;
    const asked: string[] = [];
    venue.depth = (pair) => {
      asked.push(pair);
      return isHanging && pair === hung ? new Promise(() => undefined) : depth(pair);
    };
    const watch = new StopWatch(floor.deps, venue);
    await watch.load();
    const fallen = (pair: string) => {
      const quote = floor.market.quote(pair);
      const price = toNumber(quote?.last ?? parseFixed('0')) * 0.7;
      return { ...quote, bid: parseFixed(price.toFixed(6)) } as Parameters<StopWatch['onQuote']>[0];
    };
    watch.onQuote(fallen(hung));
    watch.onQuote(fallen(ready));
    await expect.poll(async () => (await openOf(world, ready)).length, { timeout: 20_000 }).toBe(0);
    expect((await openOf(world, hung)).length).toBe(held[0]?.length);
    // Given up after two seconds, and said once for each; the next price finds the candles there.
    await watch.settled();
    expect(floor.errors.length).toBe(held[0]?.length);
    isHanging = false;
    watch.onQuote(fallen(hung));
    await watch.settled();
    expect(await openOf(world, hung)).toEqual([]);
    expect(asked).toEqual([hung, ready, hung]);
  });

  it('are all tried again together once a database that was away is back', async () => {
    const world = await worldOf(PLAIN, 250);
    const { floor } = world;
    const held = await openOf(world);
    let away = true;
    let transactions = 0;
    const flaky: Database = {
      ...database,
      transaction: (work) => {
        if (away) return Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
        transactions += 1;
        return database.transaction(work);
      },
    };
    const watch = new StopWatch({ ...floor.deps, database: flaky }, new PaperVenue(floor.market));
    await watch.load();
    const fall = (part: number): void => {
      const quote = floor.market.quote(PAIRS[0]);
      if (quote === null) throw new Error('No price');
      const price = toNumber(quote.last) * part;
      watch.onQuote({ ...quote, bid: parseFixed(price.toFixed(6)) });
    };
    fall(0.8);
    await watch.settled();
    expect((await openOf(world)).length).toBe(held.length);
    expect(floor.errors.length).toBe(held.length);
    away = false;
    fall(0.79);
    await watch.settled();
    expect(transactions).toBe(1);
    expect(await openOf(world)).toEqual([]);
  });

  it.each([
    ['candles could not be read', 'depth'],
    ['the source did not offer the pair', 'sell'],
  ] as const)(
    'are sold at the price that hit them where %s then and the price is back above (F90)',
    async (_why, part) => {
      const world = await worldOf(PLAIN, 250);
      const { floor } = world;
      const held = await openOf(world);
      const venue = new PaperVenue(floor.market);
      const depth = venue.depth.bind(venue);
      const sell = venue.sell.bind(venue);
      let torn = true;
      if (part === 'depth')
        venue.depth = (pair) => (torn ? Promise.reject(new Error('No answer')) : depth(pair));
      else venue.sell = (...sale) => (torn ? null : sell(...sale));
      const watch = new StopWatch(floor.deps, venue);
      await watch.load();
      const now = floor.market.quote(PAIRS[0]);
      if (now === null) throw new Error('No price');
      const hit = parseFixed((toNumber(now.last) * 0.8).toFixed(6));
      watch.onQuote({ ...now, bid: hit });
      await watch.settled();
      expect((await openOf(world)).length).toBe(held.length);
      watch.onQuote({ ...now, at: now.at + 1_000 });
      await watch.settled();
      expect((await openOf(world)).length, 'still owed').toBe(held.length);
      torn = false;
      watch.onQuote({ ...now, at: now.at + 2_000 });
      await watch.settled();
      expect(await openOf(world)).toEqual([]);
      const sales = await database.db
        .select({ price: fills.price })
        .from(fills)
        .where(
          and(
            eq(fills.reason, 'stop_loss'),
            inArray(
              fills.agentId,
              held.map((one) => one.agentId),
            ),
          ),
        );
      expect(sales.length).toBe(held.length);
      for (const { price } of sales) expect(parseFixed(price)).toBeLessThanOrEqual(hit);
    },
  );
});
