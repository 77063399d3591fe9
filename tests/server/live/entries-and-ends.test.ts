/** What an agent remembers of entries that did not fill, and what ends with a stop or a plan. */
import { desc, eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StreamEvent } from '../../../contract/stream.ts';
import { readMemory } from '../../../engine/execution/agent-memory.ts';
import { agents, decisions, events } from '../../../server/db/schema.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { liveAlarms, liveOrders } from '../../../server/db/schema-live.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
}, 60_000);
afterEach(async () => {
  await world.close();
});

const db = () => world.floor.database.db;
const orders = () => db().select().from(liveOrders).orderBy(liveOrders.plannedAt);
const account = () =>
  world.floor.call(PERSON, 'liveAccount', { params: { id: world.connection.id } });
const holdings = async (id: string) => {
  const [row] = await db().select().from(agents).where(eq(agents.id, id));
  return readMemory(row?.memory as Record<string, unknown>).strategyHoldings;
};
const decidedLast = async (id: string): Promise<string | undefined> => {
  const [row] = await db()
    .select()
    .from(decisions)
    .where(eq(decisions.agentId, id))
    .orderBy(desc(decisions.atMarketMs))
    .limit(1);
  return row?.reason;
};
const startedAtSigner = async (): Promise<readonly string[]> => {
  const state = await world.client.ask({ act: 'state', connectionId: world.connection.id });
  return state.kind === 'read' ? state.value.agentsStarted : [];
};
const told = async () =>
  (await db().select().from(events).where(eq(events.uid, PERSON)).orderBy(events.sequence)).map(
    ({ payload }) => StreamEvent.parse(payload),
  );

const closeMarket = () => {
  world.standIn.faults.strike({ name: 'cancel-only', forMs: 60_000 });
};

/** Until the agent's first order was planned; it has not left. */
async function untilPlanned(): Promise<string> {
  const id = await world.startAgent();
  await world.tickUntil(async () => (await orders()).length > 0);
  return id;
}

describe('an agent’s memory', () => {
  it('makes up a rebalance moment at which an order of the pair was under way', async () => {
    const { scheduler, pair } = world;
    await world.look();
    const id = await world.startAgent();
    await world.tickUntil(async () => (await orders()).length > 0);
    const owed = async () => {
      const [row] = await db().select().from(agents).where(eq(agents.id, id));
      return readMemory(row?.memory as Record<string, unknown>).owed;
    };
    const [row] = await db().select().from(agents).where(eq(agents.id, id));
    const memory = {
      ...(row?.memory as object),
      lastLook: world.floor.market.now() - 2 * 86_400_000,
    };
    await db().update(agents).set({ tradingFrequency: 'daily', memory }).where(eq(agents.id, id));
    // Nobody has looked after the order yet.
    await world.tick();
    await scheduler.settled();
    expect(await owed()).toEqual([pair]);
    await world.look();
    await world.tick();
    expect(await owed()).toEqual([]);
    expect(await decidedLast(id)).not.toBe('not_now');
  });

  it('has no entry before it fills, and has it then', async () => {
    const id = await untilPlanned();
    expect(await orders()).toMatchObject([{ state: 'planned', side: 'buy' }]);
    expect(await holdings(id)).toEqual({});
    await world.look();
    expect((await orders())[0]).toMatchObject({ state: 'filled' });
    expect(Object.keys(await holdings(id))).toEqual([world.pair]);
  }, 60_000);

  it('never has an entry that the exchange turned down', async () => {
    const id = await untilPlanned();
    world.standIn.faults.strike({ name: 'cancel-only', forMs: 60_000 });
    await world.look();
    expect((await orders())[0]).toMatchObject({ state: 'rejected' });
    expect(await holdings(id)).toEqual({});
    const { positions } = await account();
    expect(positions).toEqual([]);
  }, 60_000);

  it.each([
    ['is rejected', async () => closeMarket()],
    ['expires before it leaves', () => world.advance(31_000)],
  ])(
    'owes its pair a purchase that %s, and tries it after ever longer waits',
    async (_, fail) => {
      const id = await untilPlanned();
      const [first] = await orders();
      await db().update(agents).set({ tradingFrequency: 'daily' }).where(eq(agents.id, id));
      const memory = async () => {
        const [row] = await db().select().from(agents).where(eq(agents.id, id));
        return readMemory(row?.memory as Record<string, unknown>);
      };
      await fail();
      await world.look();
      expect(['rejected', 'expired']).toContain((await orders())[0]?.state);
      const decided = first?.decidedMarketMs ?? 0;
      const from = decided + 20 * 60_000;
      expect(await memory()).toMatchObject({
        owed: [world.pair],
        owedFrom: { [world.pair]: from },
      });
      for (let tick = 1; tick < 4; tick += 1) {
        await world.tick();
        expect(await decidedLast(id)).toBe('not_now');
        await world.look();
      }
      await world.tick();
      expect(await decidedLast(id)).toBe('entered');
      expect(await memory()).toMatchObject({ owed: [], owedFrom: {} });
      closeMarket();
      await world.look();
      expect((await orders()).map(({ state }) => state)).not.toContain('filled');
      expect((await memory()).owedFrom).toEqual({ [world.pair]: from + 60 * 60_000 });
    },
    60_000,
  );

  it('owes nothing of a purchase that the person took back', async () => {
    const id = await untilPlanned();
    await db().update(agents).set({ tradingFrequency: 'daily' }).where(eq(agents.id, id));
    await world.floor.call(PERSON, 'setLiveLimits', {
      params: { id: world.connection.id },
      body: { entriesAllowed: false },
    });
    await world.look();
    expect((await orders())[0]).toMatchObject({ state: 'cancelled' });
    const [row] = await db().select().from(agents).where(eq(agents.id, id));
    expect(readMemory(row?.memory as Record<string, unknown>).owed).toEqual([]);
  }, 60_000);

  it('never has an entry that is too small for the exchange', async () => {
    await world.floor.call(PERSON, 'setLiveLimits', {
      params: { id: world.connection.id },
      body: { limits: { maxOrder: '2', maxExposure: '500', maxDailyLoss: '25' } },
    });
    world.connection.maxOrder = '2';
    const id = await world.startAgent();
    await world.tickUntil(async () => {
      const { decisions } = await world.floor.call(PERSON, 'agentPerformance', { params: { id } });
      return decisions.some(({ text }) => text.startsWith('No order:'));
    });
    expect(await orders()).toEqual([]);
    expect(await holdings(id)).toEqual({});
  }, 60_000);
});

describe('a stop', () => {
  it('ends the agent at the signer, which buys nothing for it any more', async () => {
    const id = await world.startAgent();
    await world.look();
    expect(await startedAtSigner()).toEqual([id]);
    await world.floor.call(PERSON, 'stopAgent', { params: { id }, body: {} });
    await world.look();
    expect(await startedAtSigner()).toEqual([]);
    // A start that follows is not undone by a late word of the stop.
    const again = await world.startAgent();
    await world.look();
    await world.advance(60_000);
    await world.look();
    expect(await startedAtSigner()).toEqual([again]);
  }, 60_000);

  it('that a killed process did not tell is told by the next', async () => {
    const id = await world.startAgent();
    await world.look();
    await world.floor.call(PERSON, 'stopAgent', { params: { id }, body: {} });
    world.restart();
    expect(await startedAtSigner()).toEqual([id]);
    await world.look();
    expect(await startedAtSigner()).toEqual([]);
  }, 60_000);

  it('by an edit takes purchases back like any other', async () => {
    const id = await untilPlanned();
    await world.floor.call(PERSON, 'updateAgent', {
      params: { id },
      body: {
        risk_profile: 'Aggressive',
        max_position_size: 5_000,
        execution_interval: '5-minute',
        enabled: false,
      },
    });
    expect(await orders()).toMatchObject([{ state: 'cancelled' }]);
    await world.look();
    expect(world.standIn.journal.orders({ by: 'api' })).toEqual([]);
  }, 60_000);
});

it('keeps stops and exits when the plan ends, and buys nothing more', async () => {
  const id = await untilPlanned();
  await world.look();
  await world.look();
  const before = await account();
  expect(before.positions).toHaveLength(1);
  const [stop] = before.orders.filter(({ type, state }) => type === 'stop' && state === 'open');
  await db().update(subscriptions).set({ status: 'canceled', currentPeriodEnd: 1 });
  for (let tick = 0; tick < 3; tick += 1) {
    await world.tick();
    await world.look();
  }
  const { decisions } = await world.floor.call(PERSON, 'agentPerformance', { params: { id } });
  expect(decisions[0]?.text).toContain('your plan has ended');
  const bought = (await orders()).filter(({ side }) => side === 'buy');
  expect(bought).toHaveLength(1);
  const after = await account();
  expect(
    after.orders.find(({ clientOrderId }) => clientOrderId === stop?.clientOrderId),
  ).toMatchObject({ state: 'open' });
  // The price falls to the stop: it sells, plan or not.
  world.standIn.setPrice(world.pair, String(Number(stop?.stopPrice ?? '0') * 0.99));
  for (let i = 0; i < 4; i += 1) {
    await world.advance(10_000);
    await world.look();
  }
  expect((await account()).positions).toEqual([]);
}, 60_000);

describe('the stream', () => {
  it('tells each change of an order and of its account, after it was committed', async () => {
    await untilPlanned();
    await world.look();
    await world.look();
    const list = await told();
    const ofOrders = list.filter((event) => event.type === 'live_order');
    const [bought] = await orders();
    const states = ofOrders
      .filter(({ order }) => order.clientOrderId === bought?.clientOrderId)
      .map(({ order }) => order.state);
    expect(states[0]).toBe('sending');
    expect(states.at(-1)).toBe('filled');
    const stop = ofOrders.filter(({ order }) => order.type === 'stop').at(-1);
    expect(stop).toMatchObject({ order: { state: 'open', side: 'sell' } });
    const connections = list.filter((event) => event.type === 'live_connection');
    expect(connections.at(-1)).toMatchObject({
      connection: { id: world.connection.id, waitsFor: [], unknownOrders: 0 },
      raised: [],
    });
    // Numbered like all others, without a gap.
    const numbers = list.flatMap((event) => ('sequence' in event ? [event.sequence] : []));
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  }, 60_000);

  it('tells of an exchange that cannot be reached, once, and of a key that is refused', async () => {
    await world.look();
    world.standIn.faults.strike({ name: 'revoke-key' });
    for (let minute = 0; minute < 30; minute += 1) {
      await world.advance(60_000);
      await world.look();
    }
    const kinds = (await db().select().from(liveAlarms)).map(({ kind }) => kind);
    expect(kinds).toEqual(['key_refused']);
    const raised = (await told()).flatMap((event) =>
      event.type === 'live_connection' ? event.raised : [],
    );
    expect(raised).toMatchObject([{ kind: 'key_refused', detail: { faults: ['invalid_key'] } }]);
  }, 60_000);
});

it('shows what the agent holds and traded in its own account', async () => {
  const id = await untilPlanned();
  await world.look();
  const shown = await world.floor.call(PERSON, 'agentPerformance', { params: { id } });
  const { positions, orders: sent } = await account();
  expect(shown.positions).toMatchObject(
    positions.map(({ pair, quantity }) => ({ pair, quantity })),
  );
  expect(shown.positions).toHaveLength(1);
  expect(shown.fills.map(({ side, quantity }) => ({ side, quantity }))).toEqual([
    { side: 'buy', quantity: sent.find(({ side }) => side === 'buy')?.filled },
  ]);
  expect(shown.trades).toBe(1);
});

it('marks what the account is worth at each comparison', async () => {
  await world.look();
  await world.advance(200_000);
  await world.look();
  const { equityCurve, value, unpriced } = await account();
  expect(unpriced).toEqual([]);
  expect(equityCurve.length).toBeGreaterThanOrEqual(1);
  expect(Number(value)).toBeGreaterThan(10_000);
  // Half a bitcoin of the person's own at the bid, and their dollars: all of it is their account.
  const bid = Number(world.floor.market.quote(world.pair)?.bid ?? 0n) / 1e12;
  expect(Number(value)).toBeCloseTo(10_000 + 0.5 * bid, 4);
});
