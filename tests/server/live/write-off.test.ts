/** Coins that the person sold or took out by hand, written off by the agents that held them. */
import { randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { LiveTaxLots } from '../../../contract/live.ts';
import { add, formatFixed, multiply, parseFixed, subtract } from '../../../contract/money.ts';
import { NOT_A_REQUEST } from '../../../contract/signer.ts';
import { agents, ledger, positions } from '../../../server/db/schema.ts';
import { liveExits, liveOrders, liveWriteOffs } from '../../../server/db/schema-live.ts';
import { SignerTooOld } from '../../../server/live/signer-client.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
import { account, openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

const MINUTE_MS = 60_000;
let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

/** Minutes with a reading each: a difference counts once it has stayed the same. */
async function minutes(one: LiveWorld, many: number): Promise<void> {
  for (let looks = 0; looks < many; looks += 1) {
    await one.advance(MINUTE_MS);
    one.floor.market.sleep(one.floor.clock.at - one.floor.market.now());
    await one.look();
  }
}

async function buy(one: LiveWorld, agentId: string, budget: number): Promise<void> {
  await decideTrade(one.deps, one.desk, {
    connectionId: one.connection.id,
    agentId,
    symbol: one.pair,
    budget,
    tickId: `buy ${agentId}`,
  });
  await one.look();
}

/** Agents hold all the coin there is, and nothing of it was made just now. */
async function holding(budgets: readonly number[] = [60]): Promise<LiveWorld> {
  const one = await openLiveWorld({ balances: { USD: '2000' } });
  world = one;
  await one.look();
  for (const budget of budgets) await buy(one, await one.startAgent(), budget);
  await minutes(one, 5);
  expect((await account(one)).positions).toHaveLength(budgets.length);
  return one;
}

const takeOut = (one: LiveWorld, share: string): string => {
  one.standIn.person.cancelStops('main');
  return formatFixed(one.standIn.person.withdrawShare('main', 'BTC', parseFixed(share)));
};
const sellByHand = (one: LiveWorld, share: string): void => {
  one.standIn.person.cancelStops('main');
  one.standIn.person.sellShare('main', one.pair, parseFixed(share));
};

const holdersOf = async (one: LiveWorld) => (await account(one)).missing?.[0]?.holders ?? [];
const writeOff = (
  one: LiveWorld,
  id: string,
  body: { quantity: string; held: string },
  commandId: string = randomUUID(),
) => one.floor.call(PERSON, 'writeOffPosition', { params: { id }, body, key: commandId });

/** The signer takes one question of an account in three seconds. */
const pause = (one: LiveWorld) => one.advance(3_000);

/** All that may be written off of the n-th holder. */
async function writeOffAll(one: LiveWorld, index = 0) {
  const holder = (await holdersOf(one))[index];
  const { positionId = '', most = '', held = '' } = holder ?? {};
  return writeOff(one, positionId, { quantity: most, held });
}

async function expectSound(one: LiveWorld): Promise<void> {
  for (const [coin, [ledgerSays, exchange]] of Object.entries(await one.books()))
    expect([coin, ledgerSays]).toEqual([coin, exchange]);
  expect(await one.problems()).toEqual([]);
}

const stateOf = async ({ client, connection }: LiveWorld) => {
  const state = await client.ask({ act: 'state', connectionId: connection.id });
  if (state.kind !== 'read') throw new Error(state.kind);
  return state.value;
};

describe('a position whose coins the person took out', () => {
  it('is closed at cost, with no result, and account and ledger still agree', async () => {
    const one = await holding();
    const taken = takeOut(one, '1');
    await minutes(one, 8);
    const before = await account(one);
    expect(before.missing).toMatchObject([{ asset: 'BTC', amount: taken }]);
    const [position] = before.positions;
    expect(before.missing?.[0]?.holders).toMatchObject([
      { positionId: position?.id, held: position?.quantity, most: taken },
    ]);
    const { writeOff: written } = await writeOffAll(one);
    expect(written).toMatchObject({ quantity: taken, cost: position?.cost, symbol: one.pair });
    const after = await account(one);
    expect(after).toMatchObject({ positions: [], missing: [], realized: before.realized });
    expect(after.writeOffs).toEqual([written]);
    await expectSound(one);
    await minutes(one, 5);
    expect((await account(one)).missing).toEqual([]);
    await expectSound(one);
    const entries = await one.floor.database.db
      .select()
      .from(ledger)
      .where(eq(ledger.cause, 'written_off'));
    const buckets = new Set(entries.map(({ bucket }) => bucket.split(':')[0]));
    expect(buckets).toEqual(new Set(['cash', 'holding']));
  }, 60_000);

  it('is given up in part where a part was sold, and its stop guards the rest', async () => {
    const one = await holding();
    sellByHand(one, '0.5');
    await minutes(one, 3);
    const before = (await account(one)).positions[0];
    const { writeOff: written } = await writeOffAll(one);
    const after = await account(one);
    const [position] = after.positions;
    const sum = (a?: string, b?: string) =>
      formatFixed(add(parseFixed(a ?? '0'), parseFixed(b ?? '0')));
    expect(sum(position?.quantity, written.quantity)).toBe(before?.quantity);
    expect(sum(position?.cost, written.cost)).toBe(before?.cost);
    expect(position?.stopPrice).toBe(before?.stopPrice);
    await minutes(one, 3);
    expect(await holdersOf(one)).toEqual([]);
    await expectSound(one);
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await minutes(one, 3);
    await expectSound(one);
  }, 60_000);

  it('is no more to be sold, and the agent remembers that it left', async () => {
    const one = await holding();
    takeOut(one, '1');
    await minutes(one, 8);
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await minutes(one, 2);
    const { db } = one.floor.database;
    expect(await db.select().from(liveExits)).toHaveLength(1);
    await writeOffAll(one);
    expect(await db.select().from(liveExits)).toEqual([]);
    const [agent] = await db
      .select()
      .from(agents)
      .where(eq(agents.id, position?.agentId ?? ''));
    expect(agent?.memory).toMatchObject({ exits: [{ pair: one.pair, stop: false }] });
  }, 60_000);

  it('makes neither a loss nor a gain for the limits of its agent', async () => {
    const one = await holding();
    const riskOf = async () => (await one.floor.call(PERSON, 'agentInsight')).pro?.risk[0];
    await one.tick();
    sellByHand(one, '1');
    await minutes(one, 3);
    await one.tick();
    await writeOffAll(one);
    for (let ticks = 0; ticks < 2; ticks += 1) {
      const risk = await riskOf();
      expect(risk?.drawdown).toBeLessThan(0.002);
      expect(risk?.dayLoss).toBeLessThan(0.002);
      // Two thousand dollars, whatever they are in.
      expect(Math.abs(Number(risk?.peak) - 2_000)).toBeLessThan(5);
      await one.tick();
    }
  }, 60_000);

  it('leaves lots as given over at their cost', async () => {
    const one = await holding();
    takeOut(one, '1');
    await minutes(one, 8);
    const { writeOff: written } = await writeOffAll(one);
    const report = LiveTaxLots.parse(
      await one.floor.call(PERSON, 'liveTaxLots', {
        params: { id: one.connection.id },
        query: { held: 'yes' },
      }),
    );
    expect(report.rows).toMatchObject([
      { reason: 'written_off', proceeds: null, gain: null, basis: written.cost },
    ]);
    expect(report).toMatchObject({
      sums: { lots: 0, gain: '0' },
      held: [],
      realized: '0',
      total: 1,
    });
  }, 60_000);
});

describe('what is written off', () => {
  it('is written off once of two agents that hold the coin', async () => {
    const one = await holding([60, 60]);
    const taken = takeOut(one, '0.5');
    await minutes(one, 8);
    const holders = await holdersOf(one);
    expect(holders).toHaveLength(2);
    const answers = await Promise.allSettled(
      holders.map(({ positionId, most, held }) =>
        writeOff(one, positionId, { quantity: most, held }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const rows = await one.floor.database.db.select().from(liveWriteOffs);
    expect(rows.map(({ quantity }) => formatFixed(parseFixed(quantity)))).toEqual([taken]);
    await minutes(one, 5);
    expect((await account(one)).missing).toEqual([]);
    await expectSound(one);
  }, 60_000);

  it('is shared by two agents where each gives up a part of it', async () => {
    const one = await holding([60, 60]);
    const taken = parseFixed(takeOut(one, '0.5'));
    await minutes(one, 8);
    const half = multiply(taken, parseFixed('0.5'), 'down');
    const [first, second] = await holdersOf(one);
    for (const [holder, part] of [
      [first, half],
      [second, subtract(taken, half)],
    ] as const) {
      await writeOff(one, holder?.positionId ?? '', {
        quantity: formatFixed(part),
        held: holder?.held ?? '',
      });
      await pause(one);
    }
    expect((await account(one)).missing).toEqual([]);
    await minutes(one, 5);
    expect((await account(one)).missing).toEqual([]);
    await expectSound(one);
  }, 60_000);

  it('is the same when it is asked for again, by the same command or by another', async () => {
    const one = await holding();
    takeOut(one, '0.5');
    await minutes(one, 8);
    const [holder] = await holdersOf(one);
    const body = { quantity: holder?.most ?? '', held: holder?.held ?? '' };
    const id = randomUUID();
    const first = await writeOff(one, holder?.positionId ?? '', body, id);
    expect(await writeOff(one, holder?.positionId ?? '', body, id)).toEqual(first);
    await expect(writeOff(one, holder?.positionId ?? '', body)).rejects.toMatchObject({
      code: 'write_off_refused',
    });
    expect(await one.floor.database.db.select().from(liveWriteOffs)).toHaveLength(1);
  }, 60_000);
});

describe('a write-off is refused', () => {
  const held = async (one: LiveWorld) => (await account(one)).positions[0]?.quantity ?? '';
  const idOf = async (one: LiveWorld) => (await account(one)).positions[0]?.id ?? '';

  it('where the account has the coins', async () => {
    const one = await holding();
    const quantity = await held(one);
    await expect(
      writeOff(one, await idOf(one), { quantity, held: quantity }),
    ).rejects.toMatchObject({
      code: 'write_off_refused',
      message: 'The account has all the BTC that agents hold. Nothing was written off.',
    });
    await expectSound(one);
  }, 60_000);

  it('of more than is missing, and of another position than was shown', async () => {
    const one = await holding();
    takeOut(one, '0.5');
    await minutes(one, 8);
    const [holder] = await holdersOf(one);
    const { positionId = '', most = '', held: shown = '' } = holder ?? {};
    for (const body of [
      { quantity: shown, held: shown },
      { quantity: most, held: most },
    ])
      await expect(writeOff(one, positionId, body)).rejects.toMatchObject({
        code: 'write_off_refused',
      });
    expect(await one.floor.database.db.select().from(liveWriteOffs)).toEqual([]);
  }, 60_000);

  it('while an order may still sell them', async () => {
    const one = await holding();
    one.standIn.person.cancelStops('main');
    one.standIn.person.withdrawShare('main', 'BTC', parseFixed('0.5'));
    await minutes(one, 8);
    const [holder] = await holdersOf(one);
    const { db } = one.floor.database;
    const [order] = (await account(one)).orders.filter(({ state }) => state === 'open');
    expect(order?.type).toBe('stop');
    // As if the rest of the position were on sale too, and nobody had heard of its end.
    await db
      .update(liveOrders)
      .set({ quantity: holder?.held ?? '' })
      .where(eq(liveOrders.clientOrderId, order?.clientOrderId ?? ''));
    await expect(
      writeOff(one, holder?.positionId ?? '', {
        quantity: holder?.most ?? '',
        held: holder?.held ?? '',
      }),
    ).rejects.toMatchObject({ code: 'live_orders_open' });
    expect((await holdersOf(one))[0]?.most).toBe('0');
  }, 60_000);

  it('by a process that has not compared the account since its start', async () => {
    const one = await holding();
    takeOut(one, '1');
    await minutes(one, 8);
    one.restart();
    await expect(writeOffAll(one)).rejects.toMatchObject({
      code: 'write_off_refused',
      message:
        'This account is being compared with the exchange. Try again in some minutes. Nothing was written off.',
    });
    await one.look();
    await one.look();
    await writeOffAll(one);
    await expectSound(one);
  }, 60_000);

  it('while the signer cannot be asked, or is older than the question', async () => {
    const one = await holding();
    takeOut(one, '1');
    await minutes(one, 8);
    one.interfere((act) => (act === 'write_off' ? 'fail' : null));
    await expect(writeOffAll(one)).rejects.toMatchObject({ code: 'write_off_refused' });
    await pause(one);
    one.interfere((act) => {
      if (act === 'write_off') throw new SignerTooOld(NOT_A_REQUEST);
      return null;
    });
    await expect(writeOffAll(one)).rejects.toMatchObject({
      message: 'The signer of this server must be updated first. Nothing was written off.',
    });
    one.interfere(null);
    await pause(one);
    await writeOffAll(one);
  }, 60_000);

  it('of a position that is closed', async () => {
    const one = await holding();
    takeOut(one, '1');
    await minutes(one, 8);
    const [holder] = await holdersOf(one);
    await writeOffAll(one);
    const body = { quantity: holder?.most ?? '', held: holder?.held ?? '' };
    await expect(writeOff(one, holder?.positionId ?? '', body)).rejects.toMatchObject({
      code: 'position_closed',
    });
  }, 60_000);
});

describe('the signer', () => {
  /** Questions about write-offs that reached the signer. */
  function questionsTo(one: LiveWorld): { count: number } {
    const asked = { count: 0 };
    one.interfere((act) => {
      if (act === 'write_off') asked.count += 1;
      return null;
    });
    return asked;
  }

  it('is not asked about what the server knows may not be written off', async () => {
    const one = await holding();
    const asked = questionsTo(one);
    const [position] = (await account(one)).positions;
    const { id = '', quantity = '' } = position ?? {};
    await expect(writeOff(one, id, { quantity, held: quantity })).rejects.toMatchObject({
      code: 'write_off_refused',
    });
    takeOut(one, '0.5');
    await minutes(one, 8);
    const [holder] = await holdersOf(one);
    for (const body of [
      { quantity, held: quantity },
      { quantity: holder?.most ?? '', held: holder?.most ?? '' },
    ])
      await expect(writeOff(one, id, body)).rejects.toMatchObject({ code: 'write_off_refused' });
    expect(asked.count).toBe(0);
    await writeOffAll(one);
    expect(asked.count).toBe(1);
  }, 60_000);

  it('is asked once at a time of an account, and again after a pause', async () => {
    const one = await holding();
    takeOut(one, '1');
    await minutes(one, 8);
    let count = 0;
    one.interfere((act) => {
      if (act !== 'write_off') return null;
      count += 1;
      return 'fail';
    });
    const answers = await Promise.allSettled([1, 2, 3].map(() => writeOffAll(one)));
    const reasons = answers.map((answer) =>
      answer.status === 'rejected' ? (answer.reason as { code: string }).code : '',
    );
    expect(reasons.toSorted()).toEqual(['rate_limited', 'rate_limited', 'write_off_refused']);
    await expect(writeOffAll(one)).rejects.toMatchObject({
      code: 'rate_limited',
      more: { retryAfterMs: 3_000 },
    });
    expect(count).toBe(1);
    one.interfere(null);
    await pause(one);
    await writeOffAll(one);
  }, 60_000);

  it('counts them as money in the market until it is told, and then no more', async () => {
    const one = await holding();
    takeOut(one, '1');
    await minutes(one, 8);
    expect((await stateOf(one)).exposure > 0n).toBe(true);
    const { lossToday } = await stateOf(one);
    one.interfere((act, ask) =>
      act === 'write_off' && ask.act === 'write_off' && ask.isAsked !== true ? 'fail' : null,
    );
    await writeOffAll(one);
    await minutes(one, 2);
    expect((await stateOf(one)).exposure > 0n).toBe(true);
    const { db } = one.floor.database;
    const untold = () => db.select().from(liveWriteOffs).where(isNull(liveWriteOffs.signerToldAt));
    expect(await untold()).toHaveLength(1);
    one.interfere(null);
    one.restart();
    await minutes(one, 3);
    expect(await untold()).toEqual([]);
    expect(await stateOf(one)).toMatchObject({ exposure: 0n, lossToday });
    const [agent] = await db.select().from(agents).where(isNull(agents.deletedAt));
    await buy(one, agent?.id ?? '', 70);
    const open = and(eq(positions.agentId, agent?.id ?? ''), isNull(positions.closedMarketMs));
    await minutes(one, 1);
    expect(await db.$count(positions, open)).toBe(1);
    await expectSound(one);
  }, 60_000);
});
