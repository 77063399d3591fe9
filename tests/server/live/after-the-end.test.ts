/** After the end of live trading nothing is ordered, and an agent that starts again guards what it holds. */
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { add, divide, parseFixed, subtract, toNumber } from '../../../contract/money.ts';
import { positions } from '../../../server/db/schema.ts';
import { liveConnections, liveOrders } from '../../../server/db/schema-live.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

/** Of an aggressive agent. */
const STOP_SHARE = parseFixed('0.08');

let world: LiveWorld;
let agentId: string;
beforeEach(async () => {
  world = await openLiveWorld();
  await world.look();
  agentId = await world.startAgent();
  await world.look();
}, 60_000);
afterEach(async () => {
  world.interfere(null);
  await world.close();
});

const db = () => world.floor.database.db;
const orders = () => db().select().from(liveOrders).orderBy(liveOrders.plannedAt);
const resting = () =>
  world.standIn.core
    .ordersOf('main')
    .filter(({ state, stop }) => state === 'open' && stop !== null);
const sales = () =>
  world.standIn.journal.orders({ by: 'api' }).filter(({ accepted }) => accepted.side === 'sell');
const endLive = () =>
  world.floor.call(PERSON, 'endLiveTrading', { params: { id: world.connection.id } });

const buy = () =>
  decideTrade(world.deps, world.desk, {
    connectionId: world.connection.id,
    agentId,
    symbol: world.pair,
    budget: 60,
    tickId: 'purchase',
  });

async function expectBooksEqual(): Promise<void> {
  for (const [coin, [ledger, exchange]] of Object.entries(await world.books()))
    expect([coin, ledger]).toEqual([coin, exchange]);
  expect(await world.problems()).toEqual([]);
}

describe('a purchase that is found after the end of live trading', () => {
  it.each([
    ['was unknown then', 20],
    ['was given up then', 300],
  ])(
    'and %s gets no stop, and nothing is ordered',
    async (_, seconds) => {
      world.standIn.faults.add({ name: 'drop-response', when: { call: 'place', nth: 1 } });
      const isHidden = { now: true };
      const lists = ['look_up', 'open_orders', 'closed_orders', 'trades', 'balances'];
      world.interfere((act) => (isHidden.now && lists.includes(act) ? 'fail' : null));
      await buy();
      await world.look();
      expect((await orders())[0]).toMatchObject({ state: 'unknown' });
      if (seconds > 100) await giveUp();
      await endLive();
      await settle(world, 20);
      isHidden.now = false;
      await settle(world, 200, 10);
      const [held, ...more] = (await account(world)).positions;
      expect(more).toEqual([]);
      expect(held).toMatchObject({ pair: world.pair, stopPrice: null });
      expect(resting()).toEqual([]);
      expect(sales()).toEqual([]);
      await expectBooksEqual();
    },
    60_000,
  );

  it.each([
    ['was unknown then', 20, 1],
    ['was given up then', 300, 1],
    ['has fallen below its stop since', 20, 0.85],
  ])(
    'and after a later start of its agent has a stop or is sold, where it %s',
    async (_, seconds, share) => {
      world.standIn.faults.add({ name: 'drop-response', when: { call: 'place', nth: 1 } });
      const isHidden = { now: true };
      const lists = ['look_up', 'open_orders', 'closed_orders', 'trades', 'balances'];
      world.interfere((act) => (isHidden.now && lists.includes(act) ? 'fail' : null));
      await buy();
      await world.look();
      expect((await orders())[0]).toMatchObject({ state: 'unknown' });
      if (seconds > 100) await giveUp();
      await endLive();
      await settle(world, 20);
      await world.start(agentId);
      const price = toNumber(world.standIn.prices.mid(world.pair)) * share;
      if (share < 1) {
        world.standIn.setPrice(world.pair, price.toFixed(1));
        world.floor.market.say(world.pair, price);
      }
      isHidden.now = false;
      await settle(world, 200, 10);
      const held = (await account(world)).positions;
      if (share < 1) {
        expect(held).toEqual([]);
        expect(sales()).toHaveLength(1);
      } else {
        expect(held).toMatchObject([{ pair: world.pair, stopPrice: expect.any(String) as string }]);
        expect(resting()).toHaveLength(1);
        expect(sales().length - resting().length).toBe(0);
      }
      await expectBooksEqual();
    },
    60_000,
  );

  async function giveUp(): Promise<void> {
    await settle(world, 320, 20);
    const [bought] = await orders();
    const id = bought?.clientOrderId ?? '';
    await world.floor.call(PERSON, 'giveUpOrder', { params: { id } });
    expect((await orders())[0]).toMatchObject({ state: 'cancelled' });
  }
});

describe('an agent that starts again after the end of live trading', () => {
  beforeEach(async () => {
    await buy();
    await settle(world, 20);
    expect(resting()).toHaveLength(1);
    await endLive();
    await settle(world, 20);
    expect(resting()).toEqual([]);
    expect((await account(world)).positions).toMatchObject([{ stopPrice: null }]);
  }, 60_000);

  /** Where its stop belongs. */
  async function stopPrice() {
    const [held] = await db().select().from(positions).where(eq(positions.agentId, agentId));
    const average = divide(
      parseFixed(held?.cost ?? '0'),
      parseFixed(held?.quantity ?? '1'),
      'down',
    );
    const share = (average * STOP_SHARE) / parseFixed('1');
    return subtract(average, share as typeof average);
  }

  function fallTo(price: number): void {
    world.standIn.setPrice(world.pair, price.toFixed(1));
    world.floor.market.say(world.pair, price);
  }

  it('has a stop at the exchange again for what it holds', async () => {
    await world.start(agentId);
    await settle(world, 20);
    const [stop, ...more] = resting();
    expect(more).toEqual([]);
    const wanted = await stopPrice();
    expect(stop?.stop).toBeGreaterThanOrEqual(wanted);
    expect(stop?.stop).toBeLessThan(add(wanted, parseFixed('0.2')));
    fallTo(toNumber(wanted) * 0.99);
    await settle(world, 40);
    expect((await account(world)).positions).toEqual([]);
    await expectBooksEqual();
  }, 60_000);

  it('sells what is below its stop by then, once and within the collar', async () => {
    fallTo(toNumber(await stopPrice()) * 0.99);
    const before = sales().length;
    await world.start(agentId);
    await settle(world, 40);
    expect((await account(world)).positions).toEqual([]);
    const [sold, ...more] = sales().slice(before);
    expect(more).toEqual([]);
    expect(sold?.accepted.type).toBe('limit');
    await expectBooksEqual();
  }, 60_000);

  it('is watched over where no stop can rest', async () => {
    await db()
      .update(liveConnections)
      .set({ abilities: { replaysIds: false, restingStops: false } })
      .where(eq(liveConnections.id, world.connection.id));
    world.restart();
    await world.start(agentId);
    await settle(world, 20);
    expect(world.desk.run(world.connection.id)?.watched).toMatchObject([{ why: 'not_supported' }]);
    expect(resting()).toEqual([]);
  }, 60_000);
});
