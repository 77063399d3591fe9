/** What a sale of all leaves at the exchange, too little for any order, and goes to the person. */
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LiveTaxLots } from '../../../contract/live.ts';
import { formatFixed, parseFixed, ZERO } from '../../../contract/money.ts';
import { agents, ledger, positions } from '../../../server/db/schema.ts';
import {
  externalMovements,
  liveConnections,
  liveExits,
  liveMarks,
  liveOrders,
  liveWriteOffs,
} from '../../../server/db/schema-live.ts';
import { isWellKnown } from '../../../server/live/dust-doubts.ts';
import { lockBooks } from '../../../server/live/live-accounts.ts';
import { planPair } from '../../../server/live/pair-plan.ts';
import { uuidOf } from '../../../server/live/order-rows.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
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
  vi.restoreAllMocks();
  await world?.close();
  world = null;
});

async function buy(one: LiveWorld, agentId: string, budget = 60): Promise<void> {
  await decideTrade(one.deps, one.desk, {
    connectionId: one.connection.id,
    agentId,
    symbol: one.pair,
    budget,
    tickId: `buy ${one.floor.clock.at}`,
  });
  await settle(one, 20);
}

/** At Binance the fee of a purchase is taken in the coin, so what is held is no whole step. */
async function holding(): Promise<{ one: LiveWorld; agentId: string }> {
  const one = await openLiveWorld({ dialect: 'binance', balances: { USDT: '10000' } });
  world = one;
  await one.look();
  const agentId = await one.startAgent();
  await buy(one, agentId);
  expect((await account(one)).positions).toHaveLength(1);
  expect(restingStops(one)).toHaveLength(1);
  return { one, agentId };
}

const stopAndSell = (one: LiveWorld, id: string) =>
  one.floor.call(PERSON, 'liquidateAgent', { params: { id } });
const held = async (one: LiveWorld) => (await account(one)).positions;
const left = async (one: LiveWorld) => (await account(one)).writeOffs ?? [];
const rows = ({ floor }: LiveWorld) => floor.database.db.select().from(liveWriteOffs);
const alarms = async (one: LiveWorld) => (await account(one)).alarms.map(({ kind }) => kind);

const stateOf = async ({ client, connection }: LiveWorld) => {
  const state = await client.ask({ act: 'state', connectionId: connection.id });
  if (state.kind !== 'read') throw new Error(state.kind);
  return state.value;
};

/** Deposits and withdrawals that were booked since the account was connected. */
const outside = async ({ floor }: LiveWorld) =>
  (await floor.database.db.select().from(externalMovements)).filter(
    ({ kind }) => kind !== 'opening',
  );

describe('the dust of a sale of all', () => {
  it('goes to the person, and the agent can be deleted', async () => {
    const { one, agentId } = await holding();
    const [before] = await held(one);
    await stopAndSell(one, agentId);
    await settle(one, 60);
    expect(await held(one)).toEqual([]);
    const [sale] = filledSales(one);
    const [dust] = await left(one);
    expect(await left(one)).toHaveLength(1);
    expect(dust).toMatchObject({ agentId, symbol: one.pair, why: 'dust' });
    expect(parseFixed(dust?.quantity ?? '0') > ZERO).toBe(true);
    expect(parseFixed(dust?.quantity ?? '0') + (sale?.filled ?? ZERO)).toBe(
      parseFixed(before?.quantity ?? '0'),
    );
    await one.floor.call(PERSON, 'deleteAgent', { params: { id: agentId } });
    await expectBooksEqual(one);
  }, 120_000);

  it('stays in the account: no deposit, no missing coins, no alarm, and no money in the market', async () => {
    const { one, agentId } = await holding();
    await stopAndSell(one, agentId);
    await settle(one, 900, 30);
    expect(await held(one)).toEqual([]);
    expect(await outside(one)).toEqual([]);
    expect((await account(one)).missing).toEqual([]);
    expect(await alarms(one)).toEqual([]);
    const entries = await one.floor.database.db
      .select()
      .from(ledger)
      .where(eq(ledger.cause, 'dust_left'));
    expect(new Set(entries.map(({ bucket }) => bucket.split(':')[0]))).toEqual(
      new Set(['cash', 'holding']),
    );
    expect((await rows(one)).map(({ signerToldAt }) => signerToldAt !== null)).toEqual([true]);
    expect((await stateOf(one)).exposure).toBe(ZERO);
    await expectBooksEqual(one);
  }, 120_000);

  it('has no result, and is given over at its cost for taxes', async () => {
    const { one, agentId } = await holding();
    await stopAndSell(one, agentId);
    await settle(one, 60);
    const [dust] = await left(one);
    const report = LiveTaxLots.parse(
      await one.floor.call(PERSON, 'liveTaxLots', {
        params: { id: one.connection.id },
        query: { held: 'yes' },
      }),
    );
    expect(report.held).toEqual([]);
    expect(report.rows).toContainEqual(
      expect.objectContaining({
        reason: 'dust_left',
        proceeds: null,
        gain: null,
        basis: dust?.cost,
        quantity: dust?.quantity,
      }),
    );
    expect(report.realized).toBe((await account(one)).realized);
  }, 120_000);

  it('of a stop at the exchange goes to the person, and the agent buys anew', async () => {
    const { one, agentId } = await holding();
    const [resting] = restingStops(one);
    const price = Number(formatFixed(resting?.stop ?? ZERO)) * 0.999;
    one.floor.market.say(one.pair, price);
    one.standIn.setPrice(one.pair, price.toFixed(2));
    await settle(one, 120);
    expect(filledSales(one)).toHaveLength(1);
    expect(await held(one)).toEqual([]);
    expect(await left(one)).toHaveLength(1);
    const [agent] = await one.floor.database.db.select().from(agents).where(eq(agents.id, agentId));
    // Its own stop, once: what was left adds no second way out.
    expect(agent?.memory).toMatchObject({ exits: [{ pair: one.pair, stop: true }] });
    await buy(one, agentId);
    const [again] = await held(one);
    expect(again?.quantity).not.toBe(undefined);
    const opened = await one.floor.database.db.select().from(positions);
    expect(opened).toHaveLength(2);
    await settle(one, 600, 30);
    await expectBooksEqual(one);
  }, 120_000);

  it('waits for no pair that takes no orders once it is left', async () => {
    const { one, agentId } = await holding();
    const quote = vi.spyOn(one.floor.market, 'quote').mockReturnValue(null);
    await stopAndSell(one, agentId);
    await settle(one, 60);
    const rules = one.desk.rules('binance', one.pair);
    if (rules === null) throw new Error('There are no rules');
    const plan = () =>
      one.floor.database.transaction(async (tx) => {
        await lockBooks(tx, one.connection, 'all');
        return planPair(tx, one.deps, one.connection, one.pair, { ...rules, status: 'halted' });
      });
    expect((await plan()).waiting).toHaveLength(1);
    quote.mockRestore();
    expect((await plan()).waiting).toEqual([]);
    expect(await held(one)).toEqual([]);
  }, 120_000);

  it('of a sale from before this rule goes to the person too', async () => {
    const { one, agentId } = await holding();
    const quote = vi.spyOn(one.floor.market, 'quote').mockReturnValue(null);
    await stopAndSell(one, agentId);
    await settle(one, 60);
    // As it was left before: closed wish, open position.
    await one.floor.database.db.delete(liveExits);
    expect(await held(one)).toHaveLength(1);
    quote.mockRestore();
    await settle(one, 240, 30);
    expect(await held(one)).toEqual([]);
    await one.floor.call(PERSON, 'deleteAgent', { params: { id: agentId } });
  }, 120_000);

  it('of a sale that the strategy decided goes too, and adds no way out to what it remembers', async () => {
    const { one, agentId } = await holding();
    const memoryOf = async () =>
      (await one.floor.database.db.select().from(agents).where(eq(agents.id, agentId)))[0]?.memory;
    const before = await memoryOf();
    // A decision to trade what is held is to sell all of it.
    await buy(one, agentId);
    await settle(one, 60);
    expect(filledSales(one)).toHaveLength(1);
    expect(await held(one)).toEqual([]);
    expect(await left(one)).toHaveLength(1);
    expect(await memoryOf()).toEqual(before);
    await expectBooksEqual(one);
  }, 120_000);

  it('is left once, whatever is planned after it, and of this agent alone', async () => {
    const { one, agentId } = await holding();
    const other = await one.startAgent();
    await buy(one, other);
    const [mine, theirs] = await held(one);
    expect([mine?.agentId, theirs?.agentId]).toEqual([agentId, other]);
    await stopAndSell(one, agentId);
    await settle(one, 60);
    one.restart();
    await settle(one, 240, 30);
    expect((await rows(one)).map((row) => row.agentId)).toEqual([agentId]);
    expect(await held(one)).toMatchObject([
      { agentId: other, quantity: theirs?.quantity, cost: theirs?.cost },
    ]);
    await expectBooksEqual(one);
  }, 120_000);

  it('makes neither a loss nor a gain for the limits of agents, nor for the value of the account', async () => {
    const { one, agentId } = await holding();
    await one.tick();
    const { value: before } = await account(one);
    await stopAndSell(one, agentId);
    await settle(one, 60);
    expect(await left(one)).toHaveLength(1);
    const { value: after } = await account(one);
    // The sale itself costs its fee, spread and what the price did.
    expect(Math.abs(Number(after) - Number(before))).toBeLessThan(1);
    const [{ worth, cost } = { worth: '0', cost: '0' }] = await rows(one);
    expect(Math.abs(Number(worth) - Number(cost))).toBeLessThan(0.01);
    expect(Number((await account(one)).realized)).toBeGreaterThan(-1);
  }, 120_000);
});

describe('the signer', () => {
  it('that refuses dust is told of it ever less often, and takes it in the end', async () => {
    const { one, agentId } = await holding();
    const { signer } = one.deps;
    let told = 0;
    one.deps.signer = {
      ask: async (ask) => {
        if (ask.act !== 'write_off') return signer.ask(ask);
        told += 1;
        return { kind: 'refused', code: 'busy' } as never;
      },
    };
    await stopAndSell(one, agentId);
    await settle(one, 30 * 60, 30);
    expect(told).toBeGreaterThanOrEqual(10);
    expect(told).toBeLessThanOrEqual(15);
    one.deps.signer = signer;
    await settle(one, 40 * 60, 60);
    expect((await rows(one)).map(({ signerToldAt }) => signerToldAt !== null)).toEqual([true]);
  }, 120_000);

  it('of another version is told of no dust', async () => {
    const { one, agentId } = await holding();
    const { signer } = one.deps;
    let told = 0;
    one.deps.signer = {
      ask: (ask) => {
        if (ask.act === 'write_off') told += 1;
        return signer.ask(ask);
      },
      otherVersion: () => 'older',
    };
    await stopAndSell(one, agentId);
    await settle(one, 300, 30);
    expect(await left(one)).toHaveLength(1);
    expect(told).toBe(0);
    one.deps.signer = signer;
    await settle(one, 120, 30);
    expect((await rows(one)).map(({ signerToldAt }) => signerToldAt !== null)).toEqual([true]);
  }, 120_000);
});

describe('a write-off that leaves dust of a position that is to be sold', () => {
  it.each([1, 2, 3])(
    'leaves it to the person in the same moment, and the signer learns of both (%i)',
    async () => {
      const { one, agentId } = await holding();
      await settle(one, 300, 60);
      const { person } = one.standIn;
      person.cancelStops('main');
      person.withdraw('main', 'BTC', '0.0008');
      await settle(one, 30);
      await stopAndSell(one, agentId);
      await settle(one, 600, 60);
      const holder = (await account(one)).missing?.[0]?.holders[0];
      await one.floor.call(PERSON, 'writeOffPosition', {
        params: { id: holder?.positionId ?? '' },
        body: { quantity: holder?.most ?? '', held: holder?.held ?? '' },
      });
      expect(await held(one)).toEqual([]);
      const written = await rows(one);
      expect(new Set(written.map(({ cause }) => cause))).toEqual(
        new Set(['written_off', 'dust_left']),
      );
      expect(new Set(written.map(({ bookedAt }) => bookedAt)).size).toBe(1);
      await settle(one, 600, 60);
      expect((await rows(one)).filter(({ signerToldAt }) => signerToldAt === null)).toEqual([]);
      expect((await stateOf(one)).exposure).toBe(ZERO);
      await expectBooksEqual(one);
    },
    120_000,
  );
});

/** No list brings up an order that was held to be over a week ago. */
async function expectLeftOnceForgotten(one: LiveWorld, clientOrderId: string): Promise<void> {
  await one.floor.database.db
    .update(liveOrders)
    .set({ changedAt: one.floor.clock.at - 8 * 24 * 3_600_000 })
    .where(eq(liveOrders.clientOrderId, clientOrderId));
  await settle(one, 240, 30);
  expect(await held(one)).toEqual([]);
  await expectBooksEqual(one);
}

describe('dust stays with its agent', () => {
  it('while no price says that it is dust', async () => {
    const { one, agentId } = await holding();
    const quote = vi.spyOn(one.floor.market, 'quote').mockReturnValue(null);
    await stopAndSell(one, agentId);
    await settle(one, 60);
    expect(filledSales(one)).toHaveLength(1);
    expect(await held(one)).toHaveLength(1);
    expect(await left(one)).toEqual([]);
    quote.mockRestore();
    await settle(one, 240, 30);
    expect(await held(one)).toEqual([]);
    expect(await left(one)).toHaveLength(1);
    await expectBooksEqual(one);
  }, 120_000);

  it('while an order of it that was given up may have sold or bought more', async () => {
    const { one, agentId } = await holding();
    const { db } = one.floor.database;
    const quote = vi.spyOn(one.floor.market, 'quote').mockReturnValue(null);
    await stopAndSell(one, agentId);
    await settle(one, 60);
    const clientOrderId = 'a'.repeat(32);
    const [stop] = await db.select().from(liveOrders).where(eq(liveOrders.type, 'stop'));
    if (stop === undefined) throw new Error('There was no stop');
    const unseen = { seen: null, exchangeOrderId: null, sentAtMs: null };
    const lost = { clientOrderId, id: uuidOf(clientOrderId), ending: 'given_up', ...unseen };
    await db.insert(liveOrders).values({ ...stop, ...lost });
    quote.mockRestore();
    await settle(one, 240, 30);
    expect(await held(one)).toHaveLength(1);
    expect(await left(one)).toEqual([]);
    await expectLeftOnceForgotten(one, clientOrderId);
  }, 120_000);

  it('without a wish to sell it, which would keep the agent from the pair for a week', async () => {
    const { one, agentId } = await holding();
    const { db } = one.floor.database;
    const clientOrderId = 'b'.repeat(32);
    const [purchase] = await db.select().from(liveOrders).where(eq(liveOrders.side, 'buy'));
    if (purchase === undefined) throw new Error('There was no purchase');
    const unseen = { seen: null, exchangeOrderId: null, booked: '0', state: 'expired' };
    const lost = { clientOrderId, id: uuidOf(clientOrderId), ending: 'absent', ...unseen };
    await db.insert(liveOrders).values({ ...purchase, ...lost });
    // A decision to trade what is held is to sell all of it.
    await buy(one, agentId);
    await settle(one, 60);
    expect(filledSales(one)).toHaveLength(1);
    expect(await held(one)).toHaveLength(1);
    expect(await left(one)).toEqual([]);
    expect(await db.select().from(liveExits)).toEqual([]);
    await expectLeftOnceForgotten(one, clientOrderId);
  }, 120_000);

  it('while its coin is unexplained, its account not compared lately, or its key refused', async () => {
    const { one } = await holding();
    const { db } = one.floor.database;
    await settle(one, 200, 10);
    const isKnown = (asset = 'BTC', laterMs = 0) =>
      isWellKnown(db, one.connection, asset, one.floor.clock.at + laterMs);
    expect(await isKnown()).toBe(true);
    expect(await isKnown('BTC', 600_000)).toBe(false);
    expect(await isKnown('BTC', -3_600_000)).toBe(false);
    await db.update(liveMarks).set({ pending: { BTC: '{}' } });
    expect(await isKnown()).toBe(false);
    expect(await isKnown('ETH')).toBe(true);
    await db.update(liveMarks).set({ pending: {}, gateReasons: ['trades_unread'] });
    expect(await isKnown()).toBe(false);
    await db.update(liveMarks).set({ gateReasons: [] });
    expect(await isKnown()).toBe(true);
    await db.update(liveConnections).set({ keyFaults: ['invalid_key'] });
    expect(await isKnown()).toBe(false);
  }, 120_000);

  it('while coins are missing', async () => {
    const { one, agentId } = await holding();
    await one.floor.database.db.update(liveMarks).set({ missing: { BTC: '0.000001' } });
    // The comparison would find that nothing is missing.
    one.interfere((act) => (act === 'balances' ? 'fail' : null));
    await stopAndSell(one, agentId);
    await settle(one, 60);
    expect(filledSales(one)).toHaveLength(1);
    expect(await left(one)).toEqual([]);
    one.interfere(null);
    await settle(one, 240, 30);
    expect(await held(one)).toEqual([]);
    await expectBooksEqual(one);
  }, 120_000);

  it('where it was worth an order at its last trade and has only fallen', async () => {
    const { one, agentId } = await holding();
    one.standIn.person.cancelStops('main');
    await settle(one, 30);
    one.floor.market.say(one.pair, 4_000);
    one.standIn.setPrice(one.pair, '4000.00');
    await stopAndSell(one, agentId);
    await settle(one, 120);
    expect(filledSales(one)).toEqual([]);
    expect(await held(one)).toHaveLength(1);
    expect(await left(one)).toEqual([]);
    expect(await alarms(one)).toContain('too_small_to_sell');
  }, 120_000);
});
