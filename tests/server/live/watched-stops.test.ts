/** Stop losses of live positions: at the exchange where they rest, and watched where they do not. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseFixed, toNumber, ZERO } from '../../../contract/money.ts';
import type { LiveExchange } from '../../../contract/signer.ts';
import { positions } from '../../../server/db/schema.ts';
import { liveConnections } from '../../../server/db/schema-live.ts';
import { LiveDesk } from '../../../server/live/live-desk.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
import { restingStops } from '../../support/live/live-findings.ts';
import { account, type LiveWorld, openLiveWorld, settle } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

async function holding(
  prepare: (one: LiveWorld) => Promise<void>,
  dialect: LiveExchange = 'kraken',
): Promise<LiveWorld> {
  const one = await openLiveWorld({ dialect });
  world = one;
  await prepare(one);
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await one.look();
  return one;
}

/** An exchange at which no stop can rest. */
async function withoutRestingStops({ floor, connection }: LiveWorld): Promise<void> {
  await floor.database.db
    .update(liveConnections)
    .set({ abilities: { replaysIds: false, restingStops: false } })
    .where(eq(liveConnections.id, connection.id));
}

/** The exchange falls below the stop as it is about to be placed; what it fell to, and how many were tried. */
async function reachedBeforePlaced(): Promise<{ one: LiveWorld; price: number; tried: string[] }> {
  const one = await openLiveWorld();
  world = one;
  const tried: string[] = [];
  let price = 0;
  one.interfere((_act, ask) => {
    if (ask.act !== 'place' || ask.intent.type !== 'stop') return null;
    tried.push(ask.intent.clientOrderId);
    if (price > 0) return null;
    price = toNumber(ask.intent.stopPrice ?? ZERO) * 0.99;
    one.standIn.setPrice(one.pair, price.toFixed(1));
    // The signer keeps a book for two seconds.
    return one.advance(3_000).then(() => null);
  });
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await one.look();
  expect(tried).toHaveLength(1);
  expect(restingStops(one)).toEqual([]);
  expect((await account(one)).positions).toHaveLength(1);
  return { one, price, tried };
}

/** Both markets fall to just below the stop. */
async function fall(one: LiveWorld): Promise<void> {
  const [position] = (await account(one)).positions;
  const price = toNumber(parseFixed(position?.stopPrice ?? '0')) * 0.998;
  one.standIn.setPrice(one.pair, price.toFixed(1));
  one.floor.market.say(one.pair, price);
}

async function expectSoldOnce(one: LiveWorld, type: 'stop-limit' | 'limit'): Promise<void> {
  expect((await account(one)).positions).toEqual([]);
  const sold = one.standIn.journal
    .orders({ by: 'api' })
    .filter(({ accepted, filled }) => accepted.side === 'sell' && filled > 0n);
  expect(sold.map(({ accepted }) => accepted.type)).toEqual([type]);
  for (const [coin, [ledger, exchange]] of Object.entries(await one.books()))
    expect([coin, ledger]).toEqual([coin, exchange]);
  expect(await one.problems()).toEqual([]);
}

describe('a stop loss', () => {
  it.each(['kraken', 'coinbase'] as const)(
    'that is one request too many at %s is placed again, and nobody is told',
    async (dialect) => {
      const one = await holding(async () => undefined, dialect);
      await settle(one, 20);
      expect(restingStops(one)).toHaveLength(1);
      one.standIn.faults.add({ name: 'rate-limited', when: { call: 'place', nth: 1 } });
      expect(one.standIn.core.expireStops('main')).toBe(1);
      await settle(one, 90);
      expect(one.standIn.journal.of('fault').map(({ name }) => name)).toContain('rate-limited');
      expect(restingStops(one)).toHaveLength(1);
      expect((await account(one)).alarms.map(({ kind }) => kind)).not.toContain('stop_rejected');
    },
    120_000,
  );

  it('that rests is filled by the exchange, and booked from there', async () => {
    const one = await holding(async () => undefined);
    await fall(one);
    await settle(one, 40);
    await expectSoldOnce(one, 'stop-limit');
  }, 60_000);

  it('is watched by the server where none can rest, and sold once', async () => {
    const one = await holding(withoutRestingStops);
    one.desk.start();
    await fall(one);
    await one.desk.settled();
    await settle(one, 40);
    await expectSoldOnce(one, 'limit');
  }, 60_000);

  it('that is reached before it is placed is not placed, and sold by the watch within seconds', async () => {
    const { one, price, tried } = await reachedBeforePlaced();
    one.desk.start();
    one.floor.market.say(one.pair, price);
    await one.desk.settled();
    await settle(one, 5, 1);
    await expectSoldOnce(one, 'limit');
    expect(tried).toHaveLength(1);
  }, 60_000);

  it('that only the exchange has reached is sold by its word, once that lasts', async () => {
    const { one, tried } = await reachedBeforePlaced();
    await settle(one, 15, 1);
    expect((await account(one)).positions).toHaveLength(1);
    await settle(one, 20, 1);
    expect(tried).toHaveLength(3);
    await expectSoldOnce(one, 'limit');
  }, 60_000);

  it('that only the exchange has reached for a moment is placed after it', async () => {
    const { one, price } = await reachedBeforePlaced();
    one.standIn.setPrice(one.pair, (price * 1.05).toFixed(1));
    await settle(one, 20, 1);
    expect(restingStops(one)).toHaveLength(1);
    expect((await account(one)).positions).toHaveLength(1);
    expect((await account(one)).alarms).toEqual([]);
  }, 60_000);

  it('of a position that another server has sold and bought again is judged by its own price', async () => {
    const one = await holding(withoutRestingStops);
    const { db } = one.deps.database;
    const [held] = await db.select().from(positions);
    const before = toNumber(parseFixed(held?.stopPrice ?? '0'));
    const lower = before * 0.9;
    // As the other one leaves it: of that this process hears with its next comparison.
    await db.update(positions).set({ stopPrice: lower.toFixed(2) });
    one.desk.start();
    one.floor.market.say(one.pair, before * 0.99);
    await one.desk.settled();
    await settle(one, 40);
    expect((await account(one)).positions).toHaveLength(1);
    one.standIn.setPrice(one.pair, (lower * 0.99).toFixed(1));
    one.floor.market.say(one.pair, lower * 0.99);
    await one.desk.settled();
    await settle(one, 40);
    await expectSoldOnce(one, 'limit');
  }, 60_000);

  it('that is hit while the database fails is sold once it works, wherever the price goes', async () => {
    const one = await holding(withoutRestingStops);
    const run = one.desk.run(one.connection.id);
    const before = one.floor.market.quote(one.pair);
    await fall(one);
    const hit = one.floor.market.quote(one.pair);
    if (run === null || before === null || hit === null) throw new Error('Nothing to watch');
    const failing = vi.spyOn(one.deps.database, 'transaction').mockRejectedValue(new Error('Gone'));
    await Promise.allSettled([run.onQuote(hit)]);
    expect(failing).toHaveBeenCalledOnce();
    await Promise.allSettled([run.run()]);
    failing.mockRestore();
    expect(run.watched).toMatchObject([{ why: 'not_supported' }]);
    one.standIn.setPrice(one.pair, toNumber(before.last).toFixed(1));
    one.floor.market.say(one.pair, toNumber(before.last));
    await settle(one, 10);
    await expectSoldOnce(one, 'limit');
  }, 60_000);

  it.each([
    ['was sold and bought again, a little higher', 1.01, true],
    ['was sold and bought again at the same price', 1, true],
    ['has a higher stop by then', 1.01, false],
  ])(
    'that was hit while the database failed sells nothing where the position %s',
    async (_, share, isAnother) => {
      const one = await holding(withoutRestingStops);
      const run = one.desk.run(one.connection.id);
      const before = one.floor.market.quote(one.pair);
      const { db } = one.deps.database;
      const [held] = await db.select().from(positions);
      await fall(one);
      const hit = one.floor.market.quote(one.pair);
      if (run === null || before === null || hit === null || held?.stopPrice == null)
        throw new Error('Nothing to watch');
      const failing = vi
        .spyOn(one.deps.database, 'transaction')
        .mockRejectedValue(new Error('Gone'));
      await Promise.allSettled([run.onQuote(hit)]);
      failing.mockRestore();
      one.standIn.setPrice(one.pair, toNumber(before.last).toFixed(1));
      one.floor.market.say(one.pair, toNumber(before.last));
      // As another server leaves it.
      const stopPrice = (toNumber(parseFixed(held.stopPrice)) * share).toFixed(8);
      const id = isAnother ? randomUUID() : held.id;
      await db.update(positions).set({ id, stopPrice }).where(eq(positions.id, held.id));
      await settle(one, 20);
      expect((await account(one)).positions).toHaveLength(1);
      expect(run.watched).toMatchObject([{ why: 'not_supported', positionId: id }]);
      // Its own stop counts.
      await fall(one);
      one.desk.start();
      await fall(one);
      await one.desk.settled();
      await settle(one, 40);
      await expectSoldOnce(one, 'limit');
    },
    60_000,
  );

  it('that another server has come to watch is watched by all within seconds, and sold once it is gone', async () => {
    const one = await openLiveWorld();
    world = one;
    await withoutRestingStops(one);
    await one.look();
    const agentId = await one.startAgent();
    await one.look();
    // Compares while nothing is held, and not again for minutes.
    const other = new LiveDesk(one.deps);
    await other.runAll();
    await decideTrade(one.deps, one.desk, {
      connectionId: one.connection.id,
      agentId,
      symbol: one.pair,
      budget: 60,
      tickId: 'purchase',
    });
    await settle(one, 10);
    const stops = (desk: LiveDesk) =>
      desk.run(one.connection.id)?.watched.map(({ stopPrice }) => stopPrice);
    expect(stops(one.desk)).toHaveLength(1);
    await one.advance(2_000);
    other.start();
    try {
      await expect.poll(() => stops(other), { timeout: 20_000 }).toEqual(stops(one.desk));
      // The first one was killed: nobody else looks.
      await fall(one);
      await expect
        .poll(async () => (await account(one)).positions.length, { timeout: 20_000 })
        .toBe(0);
    } finally {
      await other.stop();
    }
    await expectSoldOnce(one, 'limit');
  }, 60_000);

  it('that another server has placed at the exchange is watched below its limit alone', async () => {
    const one = await holding(withoutRestingStops);
    const other = new LiveDesk(one.deps);
    await other.runAll();
    const watched = () => other.run(one.connection.id)?.watched;
    expect(watched()).toMatchObject([{ why: 'not_supported' }]);
    await one.floor.database.db
      .update(liveConnections)
      .set({ abilities: { replaysIds: false, restingStops: true } })
      .where(eq(liveConnections.id, one.connection.id));
    one.restart();
    await settle(one, 20);
    expect(restingStops(one)).not.toEqual([]);
    await other.runAll();
    expect(watched()).toMatchObject([{ why: 'beyond_limit' }]);
  }, 60_000);

  it('sells down to the collar where the book holds less, and the rest as bids come back (F93)', async () => {
    const one = await holding(withoutRestingStops);
    one.standIn.setDepth('2.5');
    // The signer keeps a book for two seconds.
    await one.advance(3_000);
    one.desk.start();
    await fall(one);
    await one.desk.settled();
    for (let round = 0; round < 4; round += 1) await settle(one, 40);
    expect((await account(one)).positions).toEqual([]);
    const sales = one.standIn.journal
      .orders({ by: 'api' })
      .filter(({ accepted }) => accepted.side === 'sell');
    expect(sales.length).toBeGreaterThan(1);
    const [first] = sales;
    expect(first?.accepted).toMatchObject({ type: 'limit' });
    expect(first?.filled).toBeGreaterThan(0n);
    expect(first?.filled).toBeLessThan(first?.accepted.quantity ?? 0n);
    for (const [coin, [ledger, exchange]] of Object.entries(await one.books()))
      expect([coin, ledger]).toEqual([coin, exchange]);
    expect(await one.problems()).toEqual([]);
  }, 60_000);

  it('that the person takes away is told, and watched instead (F72)', async () => {
    const one = await holding(async () => undefined);
    expect(one.standIn.person.cancelStops('main')).toBe(1);
    await settle(one, 40);
    const shown = await account(one);
    expect(shown.alarms.map(({ kind }) => kind)).toEqual(['cancelled_at_exchange']);
    expect(one.desk.run(one.connection.id)?.watched).toMatchObject([
      { why: 'cancelled_at_exchange' },
    ]);
  }, 60_000);

  it('that the person takes away has no successor, but the next position’s stop rests again', async () => {
    const one = await holding(async () => undefined);
    const [held] = await one.deps.database.db.select().from(positions);
    if (held === undefined) throw new Error('Nothing is held');
    const trade = async (tickId: string): Promise<void> => {
      const { id: connectionId } = one.connection;
      const { agentId } = held;
      await decideTrade(one.deps, one.desk, {
        connectionId,
        agentId,
        symbol: one.pair,
        budget: 60,
        tickId,
      });
      await settle(one, 40);
    };
    await trade('first sale');
    await trade('first purchase');
    one.standIn.person.cancelStops('main');
    await settle(one, 40);
    expect(restingStops(one)).toEqual([]);
    await trade('second sale');
    // Of the same size and at the same price as what was taken away.
    await trade('second purchase');
    expect((await account(one)).positions).toHaveLength(1);
    expect(restingStops(one)).toHaveLength(1);
  }, 60_000);
});
