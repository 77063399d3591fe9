/** Stops that turn into limit orders at the exchange: beyond their limit the server cancels them and sells. */
import { eq, sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import { LiveExchange } from '../../../contract/signer.ts';
import { agents } from '../../../server/db/schema.ts';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { restingStops } from '../../support/live/live-findings.ts';
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

const soldTypes = ({ standIn }: LiveWorld): string[] =>
  standIn.journal
    .orders({ by: 'api' })
    .filter(({ accepted, filled }) => accepted.side === 'sell' && filled > 0n)
    .map(({ accepted }) => accepted.type);

/** A position whose agent is stopped: nothing judges it any more but its stop. */
async function holding(
  dialect: LiveExchange = 'coinbase',
): Promise<{ one: LiveWorld; stop: number }> {
  const one = await openLiveWorld({ dialect });
  world = one;
  await one.look();
  const agentId = await one.startAgent();
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  await settle(one, 20);
  await one.floor.database.db
    .update(agents)
    .set({ status: 'stopped' })
    .where(eq(agents.id, agentId));
  const [position] = (await account(one)).positions;
  expect(restingStops(one).length).toBeGreaterThan(0);
  one.desk.start();
  return { one, stop: toNumber(parseFixed(position?.stopPrice ?? '0')) };
}

/** Both markets are at a share of the stop. */
async function fallTo(one: LiveWorld, price: number): Promise<void> {
  one.standIn.setPrice(one.pair, price.toFixed(2));
  one.floor.market.say(one.pair, price);
  await one.desk.settled();
}

describe.each(LiveExchange.options)('a stop with a limit at %s', (dialect) => {
  it('that the price falls through at once is cancelled, and its position sold at the market', async () => {
    const { one, stop } = await holding(dialect);
    await fallTo(one, stop * 0.85);
    // The exchange has triggered it, and nobody bids as much as its limit.
    expect(restingStops(one).length).toBeGreaterThan(0);
    expect(soldTypes(one)).toEqual([]);
    await settle(one, 40);
    expect(restingStops(one)).toEqual([]);
    // What a fee in the coin leaves is too little for an order.
    const left = (await account(one)).positions.filter(({ value }) => Number(value) >= 1);
    expect(left).toEqual([]);
    expect(new Set(soldTypes(one))).toEqual(new Set(['limit']));
    for (const [coin, [ledger, exchange]] of Object.entries(await one.books()))
      expect([coin, ledger]).toEqual([coin, exchange]);
    expect(await one.problems()).toEqual([]);
  }, 60_000);
});

describe('a stop with a limit', () => {
  it('is left alone above its limit, and below it for less than some seconds', async () => {
    const { one, stop } = await holding();
    const stops = restingStops(one).map(({ id }) => id);
    await fallTo(one, stop * 1.01);
    await settle(one, 20);
    expect(restingStops(one).map(({ id }) => id)).toEqual(stops);
    // Prices of the server alone: a moment below, and back.
    one.floor.market.say(one.pair, stop * 0.9);
    await one.desk.settled();
    await settle(one, 3, 1);
    one.floor.market.say(one.pair, stop * 1.01);
    await one.desk.settled();
    await settle(one, 20, 1);
    one.floor.market.say(one.pair, stop * 0.9);
    await one.desk.settled();
    await settle(one, 3, 1);
    expect(restingStops(one).map(({ id }) => id)).toEqual(stops);
    expect(soldTypes(one)).toEqual([]);
  }, 60_000);

  it('that fills within its limit is booked, and nothing is sold twice', async () => {
    const { one, stop } = await holding();
    await fallTo(one, stop * 0.98);
    await settle(one, 40);
    expect(new Set(soldTypes(one))).toEqual(new Set(['stop-limit']));
    expect((await account(one)).positions).toEqual([]);
  }, 60_000);

  it('beyond which the signer refuses the sale is told of once, and sold when it may be', async () => {
    const { one, stop } = await holding();
    const told = async () =>
      (await account(one)).alarms.filter(({ kind }) => kind === 'sale_refused');
    // Nobody bids near the asks, so that no sale would be signed.
    one.standIn.setSpread('3000');
    await fallTo(one, stop * 1.01);
    await settle(one, 20);
    expect(await told()).toEqual([]);
    await fallTo(one, stop * 0.9);
    await settle(one, 60);
    expect(restingStops(one).length).toBeGreaterThan(0);
    expect(soldTypes(one)).toEqual([]);
    expect(await told()).toMatchObject([
      { detail: { symbol: one.pair, side: 'sell', code: 'price_collar', hasStop: true } },
    ]);
    one.standIn.setSpread('4');
    await settle(one, 40);
    expect((await account(one)).positions).toEqual([]);
    expect(await told()).toHaveLength(1);
    expect(await one.problems()).toEqual([]);
  }, 60_000);

  it('that has sold already is no reason to tell of a sale that the signer refuses', async () => {
    const { one, stop } = await holding('kraken');
    let lookUps = 0;
    one.interfere((act) => {
      if (act === 'look_up') lookUps += 1;
      // The lists do not show it in time.
      return act === 'open_orders' || act === 'closed_orders' ? 'fail' : null;
    });
    one.standIn.setPrice(one.pair, (stop * 0.97).toFixed(1));
    expect(new Set(soldTypes(one))).toEqual(new Set(['stop-limit']));
    one.standIn.setSpread('3000');
    await fallTo(one, stop * 0.85);
    await settle(one, 40, 1);
    expect((await account(one)).alarms.map(({ kind }) => kind)).not.toContain('sale_refused');
    expect((await account(one)).positions).toEqual([]);
    expect(lookUps).toBeGreaterThan(0);
    expect(await one.problems()).toEqual([]);
  }, 60_000);

  it('is not what an older stop is that the exchange shows without one', async () => {
    const { one, stop } = await holding('kraken');
    for (const order of restingStops(one)) Object.assign(order, { type: 'stop', limit: null });
    await one.floor.database.db
      .update(liveOrders)
      .set({ seen: sql`seen - 'limitPrice'` })
      .where(eq(liveOrders.type, 'stop'));
    await settle(one, 20);
    const stops = (await account(one)).orders.filter(({ state }) => state === 'open');
    expect(new Set(stops.map(({ limitPrice }) => limitPrice))).toEqual(new Set([null]));
    expect(one.desk.run(one.connection.id)?.watched).toEqual([]);
    one.standIn.setSpread('3000');
    one.floor.market.say(one.pair, stop * 0.85);
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await settle(one, 20, 1);
    expect((await account(one)).alarms.map(({ kind }) => kind)).not.toContain('sale_refused');
  }, 60_000);

  it('that still guards is no reason to tell of a sale that the signer refuses', async () => {
    const { one, stop } = await holding();
    one.standIn.setSpread('3000');
    await fallTo(one, stop * 1.02);
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await settle(one, 40);
    expect((await account(one)).alarms.filter(({ kind }) => kind === 'sale_refused')).toEqual([]);
  }, 60_000);
});
