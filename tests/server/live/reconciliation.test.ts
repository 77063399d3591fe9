/** The three exchanges: fills booked once, and what the person does at the exchange meanwhile. */
import { eq, sql } from 'drizzle-orm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LiveExchange } from '../../../contract/signer.ts';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { expectBooksEqual } from '../../support/live/live-findings.ts';
import { account, type LiveWorld, openLiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const TABLES = [
  'ledger',
  'balances',
  'positions',
  'fills',
  'venue_fills',
  'external_movements',
  'live_orders',
  'live_order_events',
  'live_alarms',
  'events',
];

/** Every row of what money and orders are in. */
async function contents({ floor }: LiveWorld): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of TABLES)
    found[name] = (
      await rowsOf<{ row: string }>(
        floor.database.db,
        sql`select to_jsonb(t)::text as row from ${sql.identifier(name)} t`,
      )
    )
      .map(({ row }) => row)
      .sort();
  return found;
}

async function wait(one: LiveWorld, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 20_000) {
    await one.advance(20_000);
    await one.look();
  }
}

describe.each(LiveExchange.options)('at %s', (dialect) => {
  it('a fill is booked once, and its replay three times changes no row (F70)', async () => {
    world = await openLiveWorld({ dialect });
    await world.look();
    await world.startAgent();
    const one = world;
    await one.tickUntil(async () => (await account(one)).orders.length > 0);
    await one.look();
    await wait(one, 120_000);
    const shown = await account(one);
    expect(shown.positions).toHaveLength(1);
    expect(shown.orders.map(({ state }) => state)).toContain('filled');
    await expectBooksEqual(one);
    const before = await contents(one);
    const run = one.desk.run(one.connection.id);
    for (let i = 0; i < 3; i += 1) {
      // Kraken counts requests by the clock.
      await one.advance(1_000);
      await run?.reconcile();
    }
    const after = await contents(one);
    for (const name of TABLES) expect([name, after[name]]).toEqual([name, before[name]]);
  }, 90_000);

  it('a trade by hand, a deposit and a withdrawal are booked as outside movements (F72)', async () => {
    world = await openLiveWorld({ dialect });
    await world.look();
    const { standIn, pair, quote } = world;
    await world.advance(1_000);
    standIn.person.trade({ account: 'main', symbol: pair, side: 'sell', quantity: '0.01' });
    await wait(world, 200_000);
    await expectBooksEqual(world);
    standIn.person.deposit('main', quote, '123.45');
    standIn.person.withdraw('main', 'BTC', '0.02');
    await wait(world, 620_000);
    await expectBooksEqual(world);
    const { external, positions } = await account(world);
    const kinds = external.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'opening').sort()).toEqual([
      'deposit',
      'hand_trade',
      'withdrawal',
    ]);
    expect(positions).toEqual([]);
  }, 90_000);

  it('a purchase by an amount of money is booked, and orders go on leaving (F88)', async () => {
    world = await openLiveWorld({ dialect });
    await world.look();
    await world.advance(1_000);
    expect(world.standIn.person.buyFor('main', world.pair, '41.17')).toMatchObject({
      kind: 'accepted',
    });
    await wait(world, 620_000);
    await expectBooksEqual(world);
    const { external, connection } = await account(world);
    expect(connection.waitsFor).toEqual([]);
    // Money finer than an exchange writes is in the books, and no deposit that anybody made.
    expect(new Set(external.map(({ kind }) => kind))).toEqual(new Set(['opening', 'hand_trade']));
  }, 90_000);

  it('a trade that was made before the account was first read is in its opening alone (F72)', async () => {
    world = await openLiveWorld({ dialect });
    const { standIn, pair } = world;
    standIn.person.trade({ account: 'main', symbol: pair, side: 'sell', quantity: '0.01' });
    await world.advance(45_000);
    for (let readings = 0; readings < 4; readings += 1) {
      await world.look();
      await expectBooksEqual(world);
      await world.advance(190_000);
    }
    const kinds = new Set((await account(world)).external.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['opening']));
  }, 240_000);

  it('a stop that rests for long makes no list longer, and its end is found by its id (F72)', async () => {
    world = await openLiveWorld({ dialect });
    const one = world;
    await one.look();
    await one.startAgent();
    await one.tickUntil(async () => (await account(one)).orders.length > 0);
    await wait(one, 40_000);
    const restedFromMs = one.floor.deps.clock.now();
    for (let readings = 0; readings < 6; readings += 1) {
      await one.advance(190_000);
      await one.look();
    }
    const asked = vi.spyOn(one.deps.signer, 'ask');
    one.standIn.person.cancelStops('main');
    await one.advance(1_000);
    await one.desk.run(one.connection.id)?.reconcile();
    const since = asked.mock.calls.flatMap(([ask]) =>
      ask.act === 'trades' || ask.act === 'closed_orders' ? ask.sinceMs : [],
    );
    expect(since).toHaveLength(2);
    expect(Math.min(...since)).toBeGreaterThan(restedFromMs);
    const { alarms } = await account(one);
    expect(alarms.map(({ kind }) => kind)).toEqual(['cancelled_at_exchange']);
    await expectBooksEqual(one);
  }, 240_000);

  it('a stop that rested for long and filled between readings is booked with the next (F70)', async () => {
    world = await openLiveWorld({ dialect });
    const one = world;
    await one.look();
    await one.startAgent();
    await one.tickUntil(async () => (await account(one)).orders.length > 0);
    await wait(one, 40_000);
    for (let readings = 0; readings < 4; readings += 1) {
      await one.advance(190_000);
      await one.look();
    }
    const [position] = (await account(one)).positions;
    const stop = Number(position?.stopPrice ?? '0');
    one.standIn.setPrice(one.pair, (stop * 0.998).toFixed(1));
    await one.advance(1_000);
    await one.desk.run(one.connection.id)?.reconcile();
    const stops = await one.floor.database.db
      .select({ state: liveOrders.state })
      .from(liveOrders)
      .where(eq(liveOrders.type, 'stop'));
    expect(stops).toEqual([{ state: 'filled' }]);
    await expectBooksEqual(one);
  }, 240_000);
});
