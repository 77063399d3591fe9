/** After the end of live trading nothing is ordered. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

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

  async function giveUp(): Promise<void> {
    await settle(world, 320, 20);
    const [bought] = await orders();
    const id = bought?.clientOrderId ?? '';
    await world.floor.call(PERSON, 'giveUpOrder', { params: { id } });
    expect((await orders())[0]).toMatchObject({ state: 'cancelled' });
  }
});
