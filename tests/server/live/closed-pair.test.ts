/** A pair that takes cancellations and no orders: what guards a position stays until it can be sold. */
import { afterEach, describe, expect, it } from 'vitest';
import { divide, floorToStep, parseFixed, sum, type Fixed } from '../../../contract/money.ts';
import { LiveExchange } from '../../../contract/signer.ts';
import { positions } from '../../../server/db/schema.ts';
import { liveConnections } from '../../../server/db/schema-live.ts';
import { askExit } from '../../../server/live/ask-exit.ts';
import { lockBooks } from '../../../server/live/live-accounts.ts';
import { loadLiveAccounts } from '../../../server/live/live-batch.ts';
import { publishLive } from '../../../server/live/live-news.ts';
import { expectBooksEqual, filledSales, restingStops } from '../../support/live/live-findings.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const rejections = ({ standIn }: LiveWorld) =>
  standIn.journal.of('rejected').map(({ reason }) => reason);

const told = async (one: LiveWorld): Promise<string[]> =>
  (await account(one)).alarms.map(({ kind }) => kind);

const guarded = (one: LiveWorld) => sum(restingStops(one).map(({ quantity }) => quantity));

/** As much of what is held as an order can sell. */
async function sellable(one: LiveWorld): Promise<Fixed> {
  const [position] = (await account(one)).positions;
  const step = one.desk.rules(one.connection.exchange, one.pair)?.quantityStep;
  if (step === undefined) throw new Error('The rules are not known');
  return floorToStep(parseFixed(position?.quantity ?? '0'), step);
}

async function holding(dialect: LiveExchange): Promise<LiveWorld> {
  const one = await openLiveWorld({ dialect });
  world = one;
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  // What was asked about the pair meanwhile is old by then.
  await settle(one, 60);
  expect(guarded(one)).toBe(await sellable(one));
  return one;
}

async function closePosition(one: LiveWorld): Promise<void> {
  const [position] = (await account(one)).positions;
  await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
}

/** Asks for the sale of a third, as an agent does; how much that is. */
async function sellThird(one: LiveWorld): Promise<Fixed> {
  const [held] = await one.deps.database.db.select().from(positions);
  if (held?.agentId === undefined) throw new Error('Nothing is held');
  const { agentId, pair: symbol } = held;
  const quantity = divide(parseFixed(held.quantity), parseFixed('3'), 'down');
  await one.deps.database.transaction(async (tx) => {
    await lockBooks(tx, one.connection, [agentId]);
    const ids = { connectionId: one.connection.id, agentId, symbol };
    const why = { reason: 'signal_down', tickId: 'third' };
    await askExit(tx, one.deps, one.desk, { ...ids, ...why, quantity });
    await publishLive(tx, one.deps, one.connection, true);
  });
  await one.desk.settled();
  return quantity;
}

const STATUS = {
  pair: {
    close: ({ standIn, pair }: LiveWorld) => {
      standIn.core.changeRules(pair, { status: 'cancel-only' });
    },
    open: ({ standIn, pair }: LiveWorld) => {
      standIn.core.changeRules(pair, { status: 'online' });
    },
  },
  exchange: {
    close: ({ standIn }: LiveWorld) => {
      standIn.core.isCancelOnly = true;
    },
    open: ({ standIn }: LiveWorld) => {
      standIn.core.isCancelOnly = false;
    },
  },
};

/** Why nothing may be bought where so many orders an hour may leave. */
async function entriesOff(one: LiveWorld, maxOrdersPerHour: number): Promise<string | null> {
  const { database } = one.deps;
  await database.db.update(liveConnections).set({ maxOrdersPerHour });
  const states = await database.transaction((tx) =>
    loadLiveAccounts(tx, one.deps, [one.connection.id]),
  );
  return states.get(one.connection.id)?.entriesOff(one.desk) ?? null;
}

describe.each(LiveExchange.options)('at %s', (dialect) => {
  it.each(['pair', 'exchange'] as const)(
    'a position keeps its stop while its %s takes no orders, and is sold once it does (F89)',
    async (what) => {
      const one = await holding(dialect);
      const stops = restingStops(one);
      STATUS[what].close(one);
      await closePosition(one);
      await settle(one, 60);
      expect(restingStops(one)).toEqual(stops);
      expect(rejections(one)).toEqual([]);
      expect(await told(one)).toEqual(['sale_waits_for_pair']);
      expect((await account(one)).alarms[0]?.detail).toMatchObject({ hasStop: true });
      expect((await account(one)).exits).toHaveLength(1);
      // A process that knows nothing of this keeps it too.
      one.restart();
      await settle(one, 60);
      expect(restingStops(one)).toEqual(stops);
      STATUS[what].open(one);
      await settle(one, 30);
      expect(restingStops(one)).toEqual([]);
      expect(filledSales(one).map(({ accepted }) => accepted.type)).toEqual(['limit']);
      expect(await sellable(one)).toBe(0n);
      expect(await told(one)).toEqual(['sale_waits_for_pair']);
      await expectBooksEqual(one);
    },
    60_000,
  );

  it('a position keeps its stop where the question whether its pair takes orders fails (F89)', async () => {
    const one = await holding(dialect);
    const stops = restingStops(one);
    STATUS.exchange.close(one);
    let failures = 2;
    one.interfere((_, ask) => {
      if (ask.act !== 'pair_rules' || ask.isNow !== true || failures === 0) return null;
      failures -= 1;
      return 'fail';
    });
    await closePosition(one);
    await settle(one, 40, 1);
    expect(failures).toBe(0);
    expect(restingStops(one)).toEqual(stops);
    expect(rejections(one)).toEqual([]);
    STATUS.exchange.open(one);
    await settle(one, 30);
    expect(await sellable(one)).toBe(0n);
    await expectBooksEqual(one);
  }, 60_000);

  it('a pair that is called closed by an old list is not told of, and sold', async () => {
    const one = await holding(dialect);
    STATUS.pair.close(one);
    await settle(one, 21 * 60, 30);
    STATUS.pair.open(one);
    await settle(one, 30);
    await closePosition(one);
    await settle(one, 30);
    expect(await sellable(one)).toBe(0n);
    expect(await told(one)).toEqual([]);
    await expectBooksEqual(one);
  }, 90_000);

  it('a position whose part is to be sold keeps its whole stop meanwhile (F89)', async () => {
    const one = await holding(dialect);
    const stops = restingStops(one);
    STATUS.pair.close(one);
    const third = await sellThird(one);
    await settle(one, 60);
    expect(restingStops(one)).toEqual(stops);
    expect(rejections(one)).toEqual([]);
    STATUS.pair.open(one);
    await settle(one, 60);
    const [sold, ...more] = filledSales(one);
    expect(more).toEqual([]);
    expect(sold?.filled).toBeLessThanOrEqual(third);
    expect(guarded(one)).toBe(await sellable(one));
    await expectBooksEqual(one);
  }, 60_000);

  it('a stop that has made way when the pair closes rests again for what is not sold (F89)', async () => {
    const one = await holding(dialect);
    one.interfere((act) => {
      // The stop is gone, and the sale has not left.
      if (act === 'place') STATUS.exchange.close(one);
      return null;
    });
    await sellThird(one);
    await settle(one, 20);
    let lists = 0;
    one.interfere((_, ask) => {
      if (ask.act === 'pair_rules' && ask.isNow !== true) lists += 1;
      return null;
    });
    expect(guarded(one)).toBeLessThan(await sellable(one));
    expect(rejections(one)).not.toEqual([]);
    await settle(one, 60);
    expect(await told(one)).toEqual(['sale_waits_for_pair']);
    expect(one.desk.run(one.connection.id)?.watched).toMatchObject([{ why: 'pair_not_trading' }]);
    // What is asked of an exchange that takes nothing is asked seldom.
    expect(rejections(one).length).toBeLessThanOrEqual(4);
    // Its lists were not wrong.
    expect(lists).toBe(0);
    STATUS.exchange.open(one);
    await settle(one, 30);
    expect(filledSales(one)).toHaveLength(1);
    expect(guarded(one)).toBe(await sellable(one));
    await expectBooksEqual(one);
  }, 60_000);

  it('a sale that no stop guards is tried ever more seldom, and forbids no purchase', async () => {
    const one = await holding(dialect);
    one.interfere((act) => {
      if (act === 'place') STATUS.exchange.close(one);
      return null;
    });
    await closePosition(one);
    await settle(one, 20);
    one.interfere(null);
    await settle(one, 45 * 60, 15);
    expect((await account(one)).alarms).toMatchObject([
      { kind: 'sale_waits_for_pair', detail: { hasStop: false } },
    ]);
    expect(rejections(one).length).toBeGreaterThan(3);
    expect(rejections(one).length).toBeLessThanOrEqual(7);
    const bought = one.standIn.journal
      .orders({ by: 'api' })
      .filter(({ accepted }) => accepted.side === 'buy').length;
    expect(await entriesOff(one, bought + 1)).toBeNull();
    expect(await entriesOff(one, bought)).toMatch(/as many orders this hour/);
    STATUS.exchange.open(one);
    await settle(one, 30);
    expect(await sellable(one)).toBe(0n);
    await expectBooksEqual(one);
  }, 90_000);

  it.each(['is said to trade', 'nothing is answered of'])(
    'a stop rejected time and again in a pair that %s is told, and watched',
    async (what) => {
      const one = await holding(dialect);
      one.interfere((act, ask) => {
        if (ask.act === 'pair_rules' && ask.isNow === true)
          return what === 'is said to trade' ? null : 'fail';
        if (act !== 'place' || ask.act !== 'place' || ask.intent.type !== 'stop') return null;
        STATUS.exchange.close(one);
        return {
          get after() {
            STATUS.exchange.open(one);
            return Promise.resolve(null);
          },
        };
      });
      await sellThird(one);
      // The exchange's word that the pair trades may be some seconds ahead of its orders.
      for (let tries = 0; tries < 20 && rejections(one).length < 8; tries += 1)
        await settle(one, 5);
      expect(rejections(one).length).toBeGreaterThanOrEqual(8);
      expect(await told(one)).toEqual([]);
      await settle(one, 150);
      expect(await told(one)).toEqual(['stop_rejected']);
      const tried = rejections(one).length;
      await settle(one, 90);
      expect(rejections(one)).toHaveLength(tried);
      // The one that rests is watched beyond its limit, where an exchange's stops have one.
      const watched = one.desk.run(one.connection.id)?.watched ?? [];
      expect(watched.filter(({ why }) => why !== 'beyond_limit')).toMatchObject([
        { why: 'rejected' },
      ]);
    },
    60_000,
  );

  it('live trading that is ended takes its stops back from a pair that takes no orders (F89)', async () => {
    const one = await holding(dialect);
    STATUS.pair.close(one);
    await closePosition(one);
    await settle(one, 20);
    expect(restingStops(one)).not.toEqual([]);
    await one.floor.call(PERSON, 'endLiveTrading', { params: { id: one.connection.id } });
    await settle(one, 20);
    expect(restingStops(one)).toEqual([]);
  }, 60_000);
});
