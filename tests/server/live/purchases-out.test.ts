/** Selling what an agent holds while a purchase of it is out: what that brings is sold as well. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveExits, liveOrders } from '../../../server/db/schema-live.ts';
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

const orders = () =>
  world.floor.database.db.select().from(liveOrders).orderBy(liveOrders.plannedAt);
const exits = () => world.floor.database.db.select().from(liveExits);
const filled = (side: 'buy' | 'sell') =>
  world.standIn.journal
    .orders({ by: 'api' })
    .filter((one) => one.accepted.side === side && one.filled > 0n);

async function buy(tickId: string): Promise<void> {
  await decideTrade(world.deps, world.desk, {
    connectionId: world.connection.id,
    agentId,
    symbol: world.pair,
    budget: 60,
    tickId,
    isIncrease: true,
  });
}

/** A purchase that the exchange fills, and nobody here hears of yet. */
async function buyUnheard(tickId: string): Promise<void> {
  world.standIn.faults.add({ name: 'drop-response', when: { call: 'place', nth: 1 } });
  await buy(tickId);
  const bought = (await orders()).find((one) => one.tickId === tickId)?.clientOrderId;
  world.interfere((_, ask) =>
    ask.act === 'look_up' && ask.order.clientOrderId === bought ? 'fail' : null,
  );
  await world.look();
  expect(await stateOf(tickId)).toBe('unknown');
}

const stateOf = async (tickId: string) =>
  (await orders()).find((one) => one.tickId === tickId)?.state;

async function expectAllSold(): Promise<void> {
  expect((await account(world)).positions).toEqual([]);
  expect(await exits()).toEqual([]);
  const [bought, sold] = [filled('buy'), filled('sell')].map((list) =>
    list.reduce((total, one) => total + one.filled, 0n),
  );
  expect(sold).toBe(bought);
  for (const [coin, [ledger, exchange]] of Object.entries(await world.books()))
    expect([coin, ledger]).toEqual([coin, exchange]);
  expect(await world.problems()).toEqual([]);
}

const stopAndSell = () => world.floor.call(PERSON, 'liquidateAgent', { params: { id: agentId } });

describe('stop and sell', () => {
  it('sells what a first purchase brings whose outcome is unknown', async () => {
    await buyUnheard('first');
    const { unsold } = await stopAndSell();
    expect(unsold).toEqual([
      {
        pair: world.pair,
        message:
          'A purchase is out and is being cancelled. What it brings is sold. If it turns up after it was taken for ended, its stop loss guards it and you are told.',
      },
    ]);
    await settle(world, 20);
    expect(await exits()).toHaveLength(1);
    world.interfere(null);
    await settle(world, 120);
    expect(filled('buy')).toHaveLength(1);
    await expectAllSold();
  }, 60_000);

  it('sells what an increase brings that is found after the position is gone', async () => {
    await buy('first');
    await settle(world, 20);
    expect((await account(world)).positions).toHaveLength(1);
    await buyUnheard('increase');
    const { unsold } = await stopAndSell();
    expect(unsold).toHaveLength(1);
    await settle(world, 20);
    expect((await account(world)).positions).toEqual([]);
    expect(await stateOf('increase')).toBe('unknown');
    world.interfere(null);
    await settle(world, 120);
    expect(filled('buy')).toHaveLength(2);
    await expectAllSold();
  }, 60_000);

  it('ends where no purchase takes effect', async () => {
    world.standIn.faults.add({
      name: 'drop-response',
      effect: 'none',
      when: { call: 'place', nth: 1 },
    });
    await buy('first');
    await world.look();
    await stopAndSell();
    await settle(world, 300, 10);
    expect(await stateOf('first')).toBe('expired');
    expect(filled('buy')).toEqual([]);
    await expectAllSold();
  }, 60_000);

  it('sells nothing of a purchase that was given up before and turns up: its stop guards it', async () => {
    world.standIn.faults.add({ name: 'drop-response', when: { call: 'place', nth: 1 } });
    const lists = ['look_up', 'open_orders', 'closed_orders', 'trades', 'balances'];
    world.interfere((act) => (lists.includes(act) ? 'fail' : null));
    await buy('first');
    await settle(world, 320, 20);
    const id = (await orders())[0]?.clientOrderId ?? '';
    await world.floor.call(PERSON, 'giveUpOrder', { params: { id } });
    expect((await stopAndSell()).unsold).toEqual([]);
    world.interfere(null);
    await settle(world, 200, 10);
    const shown = await account(world);
    expect(shown.positions).toMatchObject([{ stopPrice: expect.any(String) as string }]);
    expect(shown.alarms.map(({ kind }) => kind)).toContain('found_after_end');
    expect(filled('sell')).toEqual([]);
    const stops = world.standIn.core.ordersOf('main').filter(({ stop }) => stop !== null);
    expect(stops.filter(({ state }) => state === 'open')).toHaveLength(1);
  }, 60_000);

  it('asks for nothing where a purchase has not left', async () => {
    await buy('first');
    const { unsold } = await stopAndSell();
    expect(unsold).toEqual([]);
    expect(await exits()).toEqual([]);
    await settle(world, 20);
    expect(world.standIn.journal.orders({ by: 'api' })).toEqual([]);
  }, 60_000);
});

it('a position that is closed by hand takes an increase with it that is found later', async () => {
  await buy('first');
  await settle(world, 20);
  const [position] = (await account(world)).positions;
  await buyUnheard('increase');
  await world.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
  await settle(world, 20);
  expect((await account(world)).positions).toEqual([]);
  expect(await stateOf('increase')).toBe('unknown');
  world.interfere(null);
  await settle(world, 120);
  expect(filled('buy')).toHaveLength(2);
  await expectAllSold();
}, 60_000);
