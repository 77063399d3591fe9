/** Exits while the account cannot be compared with its exchange: what protects stays until they can go. */
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { divide, parseFixed, toNumber } from '../../../contract/money.ts';
import type { Database, Tx } from '../../../server/db/database.ts';
import { positions } from '../../../server/db/schema.ts';
import { liveConnections, liveExits } from '../../../server/db/schema-live.ts';
import { askExit } from '../../../server/live/ask-exit.ts';
import { lockBooks } from '../../../server/live/live-accounts.ts';
import { expectBooksEqual, filledSales, restingStops } from '../../support/live/live-findings.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
/** Lets go of what a test that failed still holds back. */
const releases: (() => void)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0)) release();
  await world?.close();
  world = null;
});

/** An agent that holds something, with a stop at the exchange where stops rest there. */
async function holding(restingStopsToo = true): Promise<LiveWorld> {
  const one = await openLiveWorld();
  world = one;
  await one.floor.database.db
    .update(liveConnections)
    .set({ abilities: { replaysIds: false, restingStops: restingStopsToo } })
    .where(eq(liveConnections.id, one.connection.id));
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await settle(one, 20);
  expect((await account(one)).positions).toHaveLength(1);
  expect(restingStops(one)).toHaveLength(restingStopsToo ? 1 : 0);
  return one;
}

/** One list fails from now on, and the next comparison closes the gate. Everything else works. */
async function closeGate(one: LiveWorld): Promise<void> {
  one.interfere((act) => (act === 'balances' ? 'fail' : null));
  await one.desk.run(one.connection.id)?.reconcile();
  expect(one.desk.run(one.connection.id)?.gate.kind).toBe('closed');
}

async function openGate(one: LiveWorld): Promise<void> {
  one.interfere(null);
  await settle(one, 30);
  expect(one.desk.run(one.connection.id)?.gate.kind).toBe('open');
}

describe('while the gate is closed', () => {
  it('a position that is to be sold keeps its stop, which goes with the sale (F89)', async () => {
    const one = await holding();
    const stops = restingStops(one);
    await closeGate(one);
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await settle(one, 45);
    expect(restingStops(one)).toEqual(stops);
    await openGate(one);
    expect(restingStops(one)).toEqual([]);
    expect(filledSales(one).map(({ accepted }) => accepted.type)).toEqual(['limit']);
    expect((await account(one)).positions).toEqual([]);
    await expectBooksEqual(one);
  }, 240_000);

  it('the stops of an account whose live trading is ended are cancelled all the same (F89)', async () => {
    const one = await holding();
    await closeGate(one);
    await one.floor.call(PERSON, 'endLiveTrading', { params: { id: one.connection.id } });
    await settle(one, 20);
    expect(restingStops(one)).toEqual([]);
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('closed');
  }, 240_000);

  it('the sale of a part whose order expires unsent is planned again, and goes once (F89)', async () => {
    const one = await holding(false);
    await closeGate(one);
    const { database } = one.floor;
    const [held] = await database.db.select().from(positions);
    if (held?.agentId === undefined) throw new Error('Nothing is held');
    const { agentId, pair: symbol } = held;
    const third = divide(parseFixed(held.quantity), parseFixed('3'), 'down');
    await database.transaction(async (tx) => {
      await lockBooks(tx, one.connection, [agentId]);
      await askExit(tx, one.deps, one.desk, {
        connectionId: one.connection.id,
        agentId,
        symbol,
        reason: 'signal_down',
        quantity: third,
        tickId: 'part',
      });
    });
    await settle(one, 45);
    expect(filledSales(one)).toEqual([]);
    await openGate(one);
    const [sold, ...more] = filledSales(one);
    expect(more).toEqual([]);
    expect(sold?.accepted.type).toBe('limit');
    const [left] = (await account(one)).positions;
    expect(parseFixed(left?.quantity ?? '0')).toBe(
      parseFixed(held.quantity) - (sold?.filled ?? 0n),
    );
    expect(await database.db.select().from(liveExits)).toEqual([]);
    await expectBooksEqual(one);
  }, 240_000);
});

/** What keeps a question to the signer until it is let go. */
function heldBack(): { held: Promise<null>; release: () => void } {
  let resolve: (value: null) => void = () => undefined;
  const held = new Promise<null>((done) => {
    resolve = done;
  });
  const release = (): void => {
    resolve(null);
  };
  releases.push(release);
  return { held, release };
}

describe('while the account is compared with its exchange', () => {
  it.each(['closed_orders', 'open_orders', 'state'])(
    'a sale that another process planned leaves while %s is waited for (F94)',
    async (list) => {
      const one = await holding();
      const { held, release } = heldBack();
      let isAsked = false;
      one.interfere((act) => {
        if (act !== list) return null;
        isAsked = true;
        return held;
      });
      await one.advance(180_000);
      one.desk.start();
      await expect.poll(() => isAsked, { timeout: 20_000 }).toBe(true);
      const [position] = (await account(one)).positions;
      // Of this call the desk hears nothing: it finds the wish in the database.
      await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
      await expect.poll(() => filledSales(one).length, { timeout: 20_000 }).toBe(1);
      await expect
        .poll(async () => (await account(one)).positions.length, { timeout: 20_000 })
        .toBe(0);
      one.interfere(null);
      release();
      await one.desk.stop();
      one.restart();
      await settle(one, 20);
      expect(one.desk.run(one.connection.id)?.gate.kind).toBe('open');
      expect(restingStops(one)).toEqual([]);
      expect(filledSales(one).map(({ accepted }) => accepted.type)).toEqual(['limit']);
      await expectBooksEqual(one);
    },
    240_000,
  );

  it.each(['look_up', 'place', 'cancel'])(
    'an answer to %s that takes long holds up no other order (F94)',
    async (slow) => {
      const one = await openLiveWorld();
      world = one;
      await one.look();
      await one.startAgent();
      await one.startAgent();
      await one.tickUntil(async () => (await account(one)).orders.length > 1);
      await settle(one, 20);
      const [first, second] = (await account(one)).positions;
      expect(restingStops(one)).toHaveLength(2);
      const { held, release } = heldBack();
      let asked = 0;
      one.interfere((act) => {
        if (act !== slow) return null;
        asked += 1;
        return asked === 1 ? held : null;
      });
      one.desk.start();
      await one.floor.call(PERSON, 'closeLivePosition', { params: { id: first?.id ?? '' } });
      await expect.poll(() => asked, { timeout: 20_000 }).toBe(1);
      await one.floor.call(PERSON, 'closeLivePosition', { params: { id: second?.id ?? '' } });
      await expect.poll(() => filledSales(one).length, { timeout: 20_000 }).toBe(1);
      await expect
        .poll(async () => (await account(one)).positions.map(({ id }) => id), { timeout: 20_000 })
        .toEqual([first?.id]);
      expect(asked).toBeGreaterThan(1);
      release();
      await expect
        .poll(async () => (await account(one)).positions.length, { timeout: 20_000 })
        .toBe(0);
      await one.desk.stop();
      expect(restingStops(one)).toEqual([]);
      expect(filledSales(one).map(({ accepted }) => accepted.type)).toEqual(['limit', 'limit']);
      await expectBooksEqual(one);
    },
    240_000,
  );

  it('a sale that is booked after balances were read leaves no doubt for longer than seconds (F94)', async () => {
    const one = await holding();
    const { held: after, release } = heldBack();
    let isRead = false;
    one.interfere((act) => {
      if (act !== 'balances') return null;
      isRead = true;
      return { after };
    });
    await one.advance(180_000);
    const looked = one.desk.runAll();
    await expect.poll(() => isRead, { timeout: 20_000 }).toBe(true);
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    one.desk.poke(one.connection.id);
    await expect
      .poll(async () => (await account(one)).positions.length, { timeout: 20_000 })
      .toBe(0);
    one.interfere(null);
    release();
    await looked;
    const run = one.desk.run(one.connection.id);
    const doubts = (): string[] =>
      run?.gate.kind === 'open' ? [...run.gate.doubtfulAssets] : ['closed'];
    expect(doubts()).toEqual([one.quote]);
    await settle(one, 2);
    expect(doubts()).toEqual([]);
    await expectBooksEqual(one);
  }, 240_000);

  it('slow work is not asked for once more by each regular look, and ends (F94)', async () => {
    const one = await holding();
    await closeGate(one);
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    const run = one.desk.run(one.connection.id);
    if (run === null) throw new Error('The account is not at work');
    const { held, release } = heldBack();
    // Each pass over the account plans the sale that waits, in one transaction.
    const { database } = one.deps;
    let passes = 0;
    one.deps.database = Object.assign(Object.create(database) as Database, {
      transaction: async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
        passes += 1;
        await held;
        return database.transaction(work);
      },
    });
    const looks = [run.runRegularly(), run.runRegularly(), run.runRegularly()];
    release();
    await Promise.all(looks);
    expect(passes).toBe(1);
    await Promise.all([run.run(), run.run()]);
    expect(passes).toBe(3);
  }, 240_000);

  it('look-ups that hang leave nothing waiting behind, neither looks nor a stop (F94)', async () => {
    const one = await openLiveWorld();
    world = one;
    await one.look();
    await one.startAgent();
    await one.startAgent();
    await one.tickUntil(async () => (await account(one)).orders.length > 1);
    await settle(one, 20);
    const run = one.desk.run(one.connection.id);
    const waiting = [heldBack(), heldBack()];
    let asked = 0;
    let sent = 0;
    one.interfere((act) => {
      if (act === 'place' || act === 'cancel') sent += 1;
      if (act !== 'look_up') return null;
      asked += 1;
      return waiting[asked % 2]?.held ?? null;
    });
    const positionsNow = (await account(one)).positions;
    for (const { id } of positionsNow)
      await one.floor.call(PERSON, 'closeLivePosition', { params: { id } });
    let open = 0;
    for (let looks = 0; looks < 60; looks += 1) {
      await one.advance(1_000);
      open += 1;
      void run?.runRegularly().finally(() => {
        open -= 1;
      });
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
    expect(asked).toBeGreaterThan(1);
    expect(open).toBeLessThan(5);
    one.desk.poke(one.connection.id);
    const begunAt = performance.now();
    await one.desk.stop();
    expect(performance.now() - begunAt).toBeLessThan(15_000);
    const before = sent;
    expect(before).toBeGreaterThan(0);
    for (const { release } of waiting) release();
    await expect.poll(() => run?.isAsking === false && open === 0, { timeout: 20_000 }).toBe(true);
    // The ends of both stops were heard, and their positions are left to the next process.
    expect(sent).toBe(before);
  }, 240_000);

  it('a gate that is closed meanwhile stays closed until the next comparison (F94)', async () => {
    const one = await holding();
    const run = one.desk.run(one.connection.id);
    const { held, release } = heldBack();
    one.interfere((act) => (act === 'balances' ? held : null));
    const compared = run?.reconcile();
    run?.close();
    release();
    await compared;
    expect(run?.gate.kind).toBe('closed');
    one.interfere(null);
    await one.look();
    expect(run?.gate.kind).toBe('open');
  }, 240_000);

  it('lists that take longer than a comparison holds open the gate all the same (F94)', async () => {
    const one = await holding();
    const run = one.desk.run(one.connection.id);
    if (run === null) throw new Error('The account is not at work');
    const looks: Promise<void>[] = [];
    let isSlow = true;
    one.interfere(async (act) => {
      if (act !== 'balances' || !isSlow) return null;
      isSlow = false;
      // A minute at a time: the process is awake.
      for (let minutes = 0; minutes < 5; minutes += 1) {
        await one.advance(60_000);
        looks.push(run.runRegularly());
      }
      return null;
    });
    await run.reconcile();
    const { held, release } = heldBack();
    one.interfere((act) => (act === 'closed_orders' ? held : null));
    looks.push(run.runRegularly());
    expect(run.gate.kind).toBe('open');
    release();
    // Each waits for what it has begun itself.
    await Promise.all(looks);
  }, 240_000);

  it('what was read before the process slept opens no gate after it (F94)', async () => {
    const one = await holding();
    const run = one.desk.run(one.connection.id);
    const { held: after, release } = heldBack();
    let isRead = false;
    one.interfere((act) => {
      if (act !== 'balances' || isRead) return null;
      isRead = true;
      return { after };
    });
    await one.advance(180_000);
    const looked = run?.run();
    await expect.poll(() => isRead, { timeout: 20_000 }).toBe(true);
    await one.advance(300_000);
    const compared = run?.reconcile();
    release();
    await looked;
    expect(run?.gate.kind).toBe('closed');
    await compared;
    await settle(one, 20);
    expect(run?.gate.kind).toBe('open');
    await expectBooksEqual(one);
  }, 240_000);

  it('a list that fails between the end of a stop and its sale holds the sale back no more (F89)', async () => {
    const one = await holding();
    const run = one.desk.run(one.connection.id);
    const { held, release } = heldBack();
    one.interfere((act) =>
      act === 'closed_orders' ? held : act === 'balances' || act === 'look_up' ? 'fail' : null,
    );
    await one.advance(180_000);
    const looked = run?.run();
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    one.desk.poke(one.connection.id);
    await expect.poll(() => restingStops(one).length, { timeout: 20_000 }).toBe(0);
    release();
    await looked;
    expect(run?.gate.kind).toBe('closed');
    one.interfere((act) => (act === 'balances' ? 'fail' : null));
    await settle(one, 45);
    expect(run?.gate.kind).toBe('closed');
    expect(filledSales(one).map(({ accepted }) => accepted.type)).toEqual(['limit']);
    await openGate(one);
    expect((await account(one)).positions).toEqual([]);
    await expectBooksEqual(one);
  }, 240_000);
});

/** Both markets fall to just below the stop. */
async function fall(one: LiveWorld): Promise<void> {
  const [position] = (await account(one)).positions;
  const price = toNumber(parseFixed(position?.stopPrice ?? '0')) * 0.998;
  one.standIn.setPrice(one.pair, price.toFixed(1));
  one.floor.market.say(one.pair, price);
}

const gateOf = (one: LiveWorld) => one.desk.run(one.connection.id)?.gate.kind;

describe('a stop that ends at the exchange just before the gate closes', () => {
  it('has a successor there, and one alone, where the comparison that closes it shows its end (F89)', async () => {
    const one = await holding();
    expect(one.standIn.core.expireStops('main')).toBe(1);
    await closeGate(one);
    await settle(one, 30);
    expect(gateOf(one)).toBe('closed');
    expect(restingStops(one)).toHaveLength(1);
    await openGate(one);
    expect(restingStops(one)).toHaveLength(1);
    expect((await account(one)).positions).toHaveLength(1);
    await expectBooksEqual(one);
  }, 60_000);

  it.each(['closed_orders', 'trades'])(
    'has a successor where it ends after the gate has closed over %s (F89)',
    async (list) => {
      const one = await holding();
      one.interfere((act) => (act === list ? 'fail' : null));
      await one.desk.run(one.connection.id)?.reconcile();
      expect(gateOf(one)).toBe('closed');
      expect(one.standIn.core.expireStops('main')).toBe(1);
      await settle(one, 30);
      expect(gateOf(one)).toBe('closed');
      expect(restingStops(one)).toHaveLength(1);
      await openGate(one);
      expect(restingStops(one)).toHaveLength(1);
      await expectBooksEqual(one);
    },
    60_000,
  );

  it('has a successor where its end was seen before, and the successor had not left (F89)', async () => {
    const one = await holding();
    const { held, release } = heldBack();
    one.interfere((act) => (act === 'hello' ? held : null));
    expect(one.standIn.core.expireStops('main')).toBe(1);
    await one.advance(10_000);
    const looked = one.look();
    await expect
      .poll(async () => (await account(one)).orders[0]?.state, { timeout: 20_000 })
      .toBe('planned');
    const closed = closeGate(one);
    await closed;
    release();
    await looked;
    await settle(one, 10);
    expect(gateOf(one)).toBe('closed');
    expect(restingStops(one)).toHaveLength(1);
    await openGate(one);
    expect(restingStops(one)).toHaveLength(1);
    await expectBooksEqual(one);
  }, 60_000);

  it('that the person took away is watched, and its position sold at its price (F89)', async () => {
    const one = await holding();
    expect(one.standIn.person.cancelStops('main')).toBe(1);
    await closeGate(one);
    one.desk.start();
    await fall(one);
    await one.desk.settled();
    await settle(one, 30);
    expect(gateOf(one)).toBe('closed');
    expect(filledSales(one).map(({ accepted }) => accepted.type)).toEqual(['limit']);
    await openGate(one);
    expect((await account(one)).positions).toEqual([]);
    await expectBooksEqual(one);
  }, 60_000);

  it('has none while nothing may leave at all, or the last comparison is old (F89)', async () => {
    const one = await holding();
    const run = one.desk.run(one.connection.id);
    run?.close();
    expect(one.standIn.core.expireStops('main')).toBe(1);
    await closeGate(one);
    await settle(one, 30);
    expect(restingStops(one)).toEqual([]);
    await openGate(one);
    expect(restingStops(one)).toHaveLength(1);
    expect(one.standIn.core.expireStops('main')).toBe(1);
    one.interfere((act) => (/orders|look_up|balances/.test(act) ? 'fail' : null));
    // The process is awake, and cannot compare for longer than a comparison holds.
    for (let waited = 0; waited < 245; waited += 35) {
      await one.advance(35_000);
      if (waited > 200) one.interfere((act) => (act === 'balances' ? 'fail' : null));
      await one.look();
    }
    expect(restingStops(one)).toEqual([]);
    await openGate(one);
    expect(restingStops(one)).toHaveLength(1);
    await expectBooksEqual(one);
  }, 60_000);
});
