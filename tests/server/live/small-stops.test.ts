/** Positions that are worth enough for an order at their stop, and too little somewhat below it. */
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import {
  basisPoints,
  ceilToStep,
  formatFixed,
  multiply,
  parseFixed,
  toNumber,
  type Fixed,
} from '../../../contract/money.ts';
import { agents, positions } from '../../../server/db/schema.ts';
import { liveExits, liveOrders } from '../../../server/db/schema-live.ts';
import { LiveDesk } from '../../../server/live/live-desk.ts';
import { restingStops } from '../../support/live/live-findings.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';
import { refuseSales } from '../../support/live/refuse-sales.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const bps = (price: Fixed, share: string): Fixed => basisPoints(price, parseFixed(share), 'down');

const soldTypes = ({ standIn }: LiveWorld): string[] =>
  standIn.journal
    .orders({ by: 'api' })
    .filter(({ accepted, filled }) => accepted.side === 'sell' && filled > 0n)
    .map(({ accepted }) => accepted.type);

const told = async (one: LiveWorld) =>
  (await account(one)).alarms
    .filter(({ kind }) => kind !== 'daily_loss')
    .map(({ kind, detail }) => ({ kind, detail }));

const orderCount = async ({ floor }: LiveWorld) =>
  (await floor.database.db.select().from(liveOrders)).length;

/** Without what the fee in the coin leaves, which is too little for an order. */
const left = async (one: LiveWorld) =>
  (await account(one)).positions.filter(({ value }) => Number(value) >= 1);

const exits = ({ floor }: LiveWorld) => floor.database.db.select().from(liveExits);

interface Holding {
  /** What happens as the stop is about to be placed. */
  beforeStop?: (one: LiveWorld, stop: number) => Promise<void>;
  /** How much of the coins the person takes out of the account before. */
  taken?: string;
}

/**
 * Held by a stopped agent, with a stop whose limit the least worth of an order puts at 97.5 % of it.
 * `quantity`: what that stop sells.
 */
async function holding({ beforeStop = async () => undefined, taken }: Holding = {}): Promise<{
  one: LiveWorld;
  stop: number;
  quantity: Fixed;
}> {
  const one = await openLiveWorld({
    dialect: 'binance',
    // The person's own coins would be what is taken.
    ...(taken === undefined ? {} : { balances: { USDT: '2000' } }),
  });
  world = one;
  const { db } = one.floor.database;
  await one.look();
  const agentId = await one.startAgent();
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await db.update(agents).set({ status: 'stopped' }).where(eq(agents.id, agentId));
  await settle(one, 20);
  if (taken !== undefined) {
    one.standIn.person.cancelStops('main');
    one.standIn.person.withdrawShare('main', 'BTC', parseFixed(taken));
    // Until a comparison has found it, and the rest has a stop of its size.
    await settle(one, 400, 10);
  }
  const [resting] = restingStops(one);
  if (resting?.quantity == null || resting.stop === null) throw new Error('No stop rests');
  const { quantity } = resting;
  const stopPrice = ceilToStep(bps(resting.stop, '9990'), parseFixed('0.01'));
  const minNotional = multiply(quantity, bps(stopPrice, '9750'), 'up');
  one.standIn.core.changeRules(one.pair, { minNotional });
  // Server and signer read the rules every ten minutes.
  await settle(one, 700, 50);
  const stop = toNumber(stopPrice);
  let isDone = false;
  one.interfere((_act, ask) => {
    if (ask.act !== 'place' || ask.intent.type !== 'stop' || isDone) return null;
    isDone = true;
    return beforeStop(one, stop).then(() => null);
  });
  await db.update(positions).set({ stopPrice: formatFixed(stopPrice) });
  await settle(one, 200, 10);
  return { one, stop, quantity };
}

async function fallBeforeStop(one: LiveWorld, price: number): Promise<void> {
  one.standIn.setPrice(one.pair, price.toFixed(2));
  one.floor.market.say(one.pair, price);
  // The signer keeps a book for two seconds.
  await one.advance(3_000);
}

async function fallTo(one: LiveWorld, price: number): Promise<void> {
  one.standIn.setPrice(one.pair, price.toFixed(2));
  one.floor.market.say(one.pair, price);
  await one.desk.settled();
}

const toldSmall = async (one: LiveWorld) =>
  (await told(one)).filter(({ kind }) => kind === 'too_small_to_sell');

describe('a position at Binance of which half is there, too little for a sale', () => {
  it('keeps its stop below the limit, has no wish to be sold, and is told of once', async () => {
    const { one, stop, quantity } = await holding({ taken: '0.5' });
    const [resting] = restingStops(one);
    one.desk.start();
    await fallTo(one, stop * 0.96);
    await settle(one, 20, 1);
    await fallTo(one, stop * 0.88);
    await settle(one, 20, 1);
    const before = await orderCount(one);
    await settle(one, 240);
    expect(restingStops(one).map(({ id }) => id)).toEqual([resting?.id]);
    expect(await orderCount(one)).toBe(before);
    expect(await exits(one)).toEqual([]);
    expect(await toldSmall(one)).toEqual([
      {
        kind: 'too_small_to_sell',
        detail: { symbol: one.pair, quantity: formatFixed(quantity) },
      },
    ]);
  }, 120_000);

  it('of which the price falls before its stop rests is watched, told of once, and sold later', async () => {
    const { one, stop } = await holding({
      taken: '0.5',
      beforeStop: (two, price) => fallBeforeStop(two, price * 0.96),
    });
    one.desk.start();
    await settle(one, 60);
    const before = await orderCount(one);
    await settle(one, 240);
    expect(await orderCount(one)).toBe(before);
    expect(await exits(one)).toEqual([]);
    expect(await toldSmall(one)).toHaveLength(1);
    expect(one.desk.run(one.connection.id)?.watched).toMatchObject([{ why: 'too_small' }]);
    await fallTo(one, stop * 0.985);
    await settle(one, 20);
    expect(soldTypes(one)).toEqual(['limit']);
    expect(await one.problems()).toEqual([]);
  }, 120_000);
});

describe('a small position at Binance', () => {
  it('keeps its stop below the limit, is told of once, and is sold when the price is back', async () => {
    const { one, stop, quantity } = await holding();
    const [resting] = restingStops(one);
    expect(toNumber(resting?.limit ?? (0n as Fixed)) / stop).toBeCloseTo(0.975, 4);
    one.desk.start();
    await fallTo(one, stop * 0.96);
    await settle(one, 20, 1);
    await fallTo(one, stop * 0.88);
    await settle(one, 20, 1);
    const before = await orderCount(one);
    await settle(one, 240);
    expect(restingStops(one).map(({ id }) => id)).toEqual([resting?.id]);
    expect(await orderCount(one)).toBe(before);
    expect(await exits(one)).toEqual([]);
    expect(await told(one)).toEqual([
      {
        kind: 'too_small_to_sell',
        detail: { symbol: one.pair, quantity: formatFixed(quantity) },
      },
    ]);
    await fallTo(one, stop * 0.985);
    await settle(one, 20);
    expect(soldTypes(one)).toEqual(['stop-limit']);
    expect(await left(one)).toEqual([]);
    expect(await one.problems()).toEqual([]);
  }, 120_000);

  it('of which the price falls before its stop rests is tried no more, told of once, and sold later', async () => {
    const { one, stop } = await holding({
      beforeStop: (two, price) => fallBeforeStop(two, price * 0.88),
    });
    one.desk.start();
    await settle(one, 60);
    const before = await orderCount(one);
    await settle(one, 240);
    expect(await orderCount(one)).toBe(before);
    expect(restingStops(one)).toEqual([]);
    expect(await exits(one)).toEqual([]);
    expect((await told(one)).map(({ kind }) => kind)).toEqual(['too_small_to_sell']);
    expect(one.desk.run(one.connection.id)?.watched).toMatchObject([{ why: 'too_small' }]);
    await fallTo(one, stop * 0.985);
    await settle(one, 20);
    expect(soldTypes(one)).toEqual(['limit']);
    expect(await left(one)).toEqual([]);
    expect(await one.problems()).toEqual([]);
  }, 120_000);

  it('whose price falls further while a sale waits ends it, and is not tried again', async () => {
    const { one, stop } = await holding();
    one.desk.start();
    one.interfere((act) => {
      if (act !== 'cancel') return null;
      one.interfere(null);
      one.standIn.setPrice(one.pair, (stop * 0.95).toFixed(2));
      one.floor.market.say(one.pair, stop * 0.95);
      return null;
    });
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', {
      params: { id: position?.id ?? '' },
    });
    await settle(one, 60);
    const before = await orderCount(one);
    await settle(one, 240);
    expect(await orderCount(one)).toBe(before);
    expect((await told(one)).map(({ kind }) => kind)).toEqual(['too_small_to_sell']);
  }, 120_000);

  it('whose wish to be sold one server ends is watched by the others at once', async () => {
    const { one, stop } = await holding();
    const refused = refuseSales(one);
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', {
      params: { id: position?.id ?? '' },
    });
    await settle(one, 14, 2);
    expect(restingStops(one)).toEqual([]);
    const other = new LiveDesk(one.deps);
    await other.runAll();
    const watched = (desk: LiveDesk) => desk.run(one.connection.id)?.watched;
    expect(await exits(one)).toHaveLength(1);
    expect(watched(other)).toEqual([]);
    one.standIn.setPrice(one.pair, (stop * 0.95).toFixed(2));
    one.floor.market.say(one.pair, stop * 0.95);
    await settle(one, 12, 2);
    refused.stop();
    expect(await exits(one)).toEqual([]);
    expect(watched(one.desk)).toMatchObject([{ why: 'too_small' }]);
    await other.runAll();
    expect(watched(other)).toEqual(watched(one.desk));
    // And after a restart.
    const next = new LiveDesk(one.deps);
    await next.runAll();
    expect(watched(next)).toEqual(watched(one.desk));
  }, 120_000);
});
