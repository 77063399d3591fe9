/** The line of an account's value, where some of its coins have no price here. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { externalMovements } from '../../../server/db/schema-live.ts';
import { account, openLiveWorld, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld({ balances: { USD: '5000', BNB: '100' } });
}, 60_000);
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

/** A difference is booked once it has stayed the same for three minutes; then a point is marked. */
async function compared(): Promise<void> {
  for (let looks = 0; looks < 15; looks += 1) {
    await world.advance(60_000);
    // An exchange's market runs on the wall clock.
    world.floor.market.sleep(world.floor.clock.at - world.floor.market.now());
    await world.look();
  }
}

describe('a coin that no pair here has a price of', () => {
  it('is left out of the line, which begins all the same', async () => {
    await compared();
    const { equityCurve, curveWithout, unpriced } = await account(world);
    expect(unpriced).toEqual(['BNB']);
    expect(curveWithout).toEqual(['BNB']);
    expect(equityCurve.length).toBeGreaterThan(1);
    expect(new Set(equityCurve.map(([, value]) => value))).toEqual(new Set(['5000']));
  }, 60_000);

  it('makes no flow while it is left out, nor a step where it leaves', async () => {
    await compared();
    world.standIn.person.deposit('main', 'BNB', '50');
    await compared();
    expect((await account(world)).flows).toEqual([]);
    const [last] = (await account(world)).equityCurve.slice(-1);
    world.standIn.person.withdraw('main', 'BNB', '150');
    await compared();
    const { equityCurve, curveWithout, unpriced } = await account(world);
    expect(unpriced).toEqual([]);
    expect(curveWithout).toEqual([]);
    // Points of the account without it are of another measure.
    expect(equityCurve[0]?.[0]).toBeGreaterThan(last?.[0] ?? Infinity);
  }, 60_000);
});

it('names no change over a trade by hand of a coin that it leaves out', async () => {
  await compared();
  const { db } = world.floor.database;
  const trade = { symbol: 'BNB/USD', side: 'buy', quantity: '1', price: '600' };
  const of = { connectionId: world.connection.id, accountId: world.connection.accountId };
  const row = { ...of, kind: 'hand_trade', trade, bookedAt: world.floor.clock.at };
  const atMs = world.floor.market.now();
  await db.insert(externalMovements).values({ ...row, id: randomUUID(), atMs });
  const other = { ...trade, symbol: 'BTC/USD' };
  await db.insert(externalMovements).values({ ...row, id: randomUUID(), atMs, trade: other });
  expect((await account(world)).flows).toEqual([[atMs, null]]);
}, 60_000);

it('waits for the price of a coin that has one here, and does not fall meanwhile', async () => {
  await compared();
  world.standIn.person.deposit('main', 'BTC', '0.1');
  await compared();
  const before = (await account(world)).equityCurve;
  expect(Number(before.at(-1)?.[1])).toBeGreaterThan(5_000);
  vi.spyOn(world.floor.market, 'quote').mockReturnValue(null);
  await compared();
  const { equityCurve, unpriced } = await account(world);
  expect(unpriced).toEqual(['BNB', 'BTC']);
  expect(equityCurve.at(-1)).toEqual(before.at(-1));
}, 60_000);
