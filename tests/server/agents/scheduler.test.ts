/**
 * The scheduler on a made tape and a real database: what is decided is filled, written at once, and
 * never twice.
 */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { add, formatFixed, parseFixed, sum, toNumber } from '../../../contract/money.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import type { Database, Db, Tx } from '../../../server/db/database.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import {
  agents,
  decisions,
  equityPoints,
  events,
  fills,
  ledger,
  orders,
  positions,
  ticks,
  users,
} from '../../../server/db/schema.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { defaultSettings } from '../../../server/users/user-settings.ts';
import { STEP_MS } from '../../support/tape-market.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let db: Db;
let floor: Floor;
let tape = 0;
const uidOf = (name: string) => `${name}${tape}`;

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  tape += 1;
  floor = await openFloor({ candles: 700, sourceId: `tape${tape}` }, database);
});

const agentOf = async (uid: string, more: object = {}) =>
  (await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE, ...more } })).agent;
const fillsOf = (agentId: string) => db.select().from(fills).where(eq(fills.agentId, agentId));
const rowOf = async (id: string) => (await db.select().from(agents).where(eq(agents.id, id)))[0];

/** The database with a connection that breaks at the n-th write of a transaction (0: never). */
function breaking(at: number): { database: Database; writes: () => number } {
  let writes = 0;
  const lost = () => Object.assign(new Error('Connection terminated'), { code: '08006' });
  const watch = (inner: Db): Db =>
    new Proxy(inner, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (key !== 'insert' && key !== 'update' && key !== 'execute')
          return typeof value === 'function'
            ? (value as (...args: unknown[]) => unknown).bind(target)
            : value;
        return (...args: unknown[]) => {
          writes += 1;
          if (writes === at) throw lost();
          return (value as (...rest: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  const scoped = (tx: Tx): Tx => ({
    ...tx,
    db: watch(tx.db),
    afterCommit: (work) => {
      tx.afterCommit(work);
    },
    savepoint: (work) => tx.savepoint((inner) => work(scoped(inner))),
  });
  // One batch at a time: beside another, what one leaves undone the other would do at once.
  return {
    database: {
      ...database,
      kind: 'pglite',
      transaction: (work) => database.transaction((tx) => work(scoped(tx))),
    },
    writes: () => writes,
  };
}

describe('a tick', () => {
  it('decides every pair on the closed candle, fills at the first quote after it and tells it (R1-02)', async () => {
    const uid = uidOf('ann');
    await floor.join(uid);
    const agent = await agentOf(uid);
    const scheduler = floor.scheduler();
    await scheduler.open();
    expect(await floor.run(scheduler, 5)).toBeGreaterThan(0);
    const made = await fillsOf(agent.id);
    for (const fill of made) {
      expect(fill.filledMarketMs).toBeGreaterThanOrEqual(fill.decidedMarketMs);
      expect(fill.filledMarketMs - fill.decidedMarketMs).toBeLessThan(STEP_MS);
      expect(parseFixed(fill.price) >= parseFixed(fill.quoteAsk)).toBe(fill.side === 'buy');
    }
    expect((await db.select().from(decisions).where(eq(decisions.agentId, agent.id))).length).toBe(
      5 * 3,
    );
    const told = (await db.select().from(events).where(eq(events.uid, uid))).map(
      (event) => (event.payload as { type: string }).type,
    );
    expect(told.filter((type) => type === 'fill.recorded').length).toBe(made.length);
    expect((await rowOf(agent.id))?.nextDueMarketMs).toBe(
      Math.floor(floor.market.now() / STEP_MS) * STEP_MS + STEP_MS,
    );
    const ran = await db.select().from(ticks).where(eq(ticks.source, floor.market.source.id));
    expect(ran.map((tick) => [tick.state, tick.agents])).toEqual(Array(5).fill(['done', 1]));
    expect((await db.select().from(equityPoints)).length).toBeGreaterThanOrEqual(6);
    expect((await checkLedger(db)).problems).toEqual([]);
    expect(floor.errors).toEqual([]);
  });

  it('skips a pair whose quote does not come, with the reason, and trades the others', async () => {
    const uid = uidOf('bob');
    await floor.join(uid);
    const agent = await agentOf(uid);
    const scheduler = floor.scheduler();
    await scheduler.open();
    floor.market.step(1, ['ETH/USDT']);
    floor.market.sleep(61_000);
    await scheduler.runOnce();
    const decided = await db.select().from(decisions).where(eq(decisions.agentId, agent.id));
    expect(decided.find((decision) => decision.pair === 'ETH/USDT')).toMatchObject({
      action: 'skip',
      reason: 'no_price',
    });
    expect((await fillsOf(agent.id)).map((fill) => fill.pair)).not.toContain('ETH/USDT');
  });

  it('leaves nothing behind when the connection breaks between any two writes, and does it all the next time', async () => {
    const uid = uidOf('cat');
    await floor.join(uid);
    const agent = await agentOf(uid);
    const countAll = async () =>
      (
        await rowsOf<{ n: string }>(
          db,
          sql`select (select count(*) from decisions where agent_id = ${agent.id})
      + (select count(*) from orders where agent_id = ${agent.id}) + (select count(*) from fills where agent_id = ${agent.id})
      + (select count(*) from ledger) + (select count(*) from positions) + (select count(*) from events) + (select count(*) from ticks where state = 'done') as n`,
        )
      )[0]?.n;
    floor.market.step();
    const before = await countAll();
    let reached = 0;
    for (let at = 1; at < 60; at += 1) {
      const broken = breaking(at);
      const scheduler = floor.scheduler(broken.database);
      await scheduler.open();
      const failed = await scheduler.runOnce().then(
        () => null,
        (error: unknown) => error,
      );
      await scheduler.stop();
      if (failed === null) {
        reached = at;
        break;
      }
      expect(await countAll(), `write ${at}`).toBe(before);
    }
    // Every write of the tick was broken once before it got through.
    expect(reached).toBeGreaterThan(8);
    expect((await fillsOf(agent.id)).length).toBeGreaterThan(0);
    expect((await rowOf(agent.id))?.status).toBe('running');
    expect((await checkLedger(db)).problems).toEqual([]);
  });

  it('is not doubled by a second scheduler, nor by the same one again (F43)', async () => {
    const uid = uidOf('dan');
    await floor.join(uid);
    const made = [await agentOf(uid), await agentOf(uid)];
    const [one, two] = [floor.scheduler(), floor.scheduler()];
    await one.open();
    await two.open();
    for (let i = 0; i < 4; i += 1) {
      floor.market.step();
      await Promise.all([one.runOnce(), two.runOnce()]);
      await one.runOnce();
    }
    for (const agent of made) {
      expect(
        (await db.select().from(decisions).where(eq(decisions.agentId, agent.id))).length,
      ).toBe(4 * 3);
      const held = await db.select().from(positions).where(eq(positions.agentId, agent.id));
      expect(new Set(held.map((position) => position.pair)).size).toBe(held.length);
    }
    // Even where an agent's due time is wound back, its decisions of the tick stand.
    const before = (await db.select().from(orders)).length;
    await db.update(agents).set({ nextDueMarketMs: 0 }).where(eq(agents.uid, uid));
    const three = floor.scheduler();
    await db.delete(ticks).where(eq(ticks.source, floor.market.source.id));
    await three.open();
    expect(await three.runOnce()).toMatchObject({ agents: 2, trades: 0, faults: 0 });
    expect((await db.select().from(orders)).length).toBe(before);
  });

  it('faults the agent that fails, and nobody else', async () => {
    const uid = uidOf('eve');
    await floor.join(uid);
    const [good, bad] = [await agentOf(uid), await agentOf(uid)];
    await db.update(agents).set({ riskProfile: 'Reckless' }).where(eq(agents.id, bad.id));
    const scheduler = floor.scheduler();
    await scheduler.open();
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 2, faults: 1 });
    expect(await rowOf(bad.id)).toMatchObject({
      status: 'faulted',
      enabled: true,
      nextDueMarketMs: null,
      hold: { code: 'fault', until: null },
    });
    expect(await rowOf(good.id)).toMatchObject({ status: 'running' });
    expect((await fillsOf(good.id)).length).toBeGreaterThan(0);
    expect(await fillsOf(bad.id)).toEqual([]);
    const told = (await db.select().from(events).where(eq(events.uid, uid))).map(
      ({ payload }) => payload as { agent?: { id: string; status: string } },
    );
    expect(told.some(({ agent }) => agent?.id === bad.id && agent.status === 'faulted')).toBe(true);
  });

  it('records a very long downtime as its newest ticks and one row that counts the rest', async () => {
    const first = floor.scheduler();
    await first.open();
    await floor.run(first, 1);
    await first.stop();
    floor.market.sleep(10_050 * STEP_MS);
    const second = floor.scheduler();
    await second.open();
    expect(await second.runOnce()).toMatchObject({ skipped: 10_049 });
    const recorded = await db
      .select()
      .from(ticks)
      .where(eq(ticks.source, floor.market.source.id))
      .orderBy(ticks.closeMarketMs);
    expect(recorded.length).toBe(1 + 1 + 10_000 + 1);
    expect(recorded[1]).toMatchObject({ state: 'skipped_before', agents: 49 });
    expect(recorded.at(-1)).toMatchObject({ state: 'done' });
  });

  it('acts on the newest after downtime and records the older ones as skipped', async () => {
    const uid = uidOf('fay');
    await floor.join(uid);
    const agent = await agentOf(uid);
    const first = floor.scheduler();
    await first.open();
    await floor.run(first, 1);
    await first.stop();
    floor.market.sleep(20 * STEP_MS);
    floor.market.step();
    const second = floor.scheduler();
    await second.open();
    expect(await second.runOnce()).toMatchObject({ agents: 1, skipped: 20 });
    const recorded = await db.select().from(ticks).where(eq(ticks.source, floor.market.source.id));
    expect(recorded.filter((tick) => tick.state === 'skipped').length).toBe(20);
    expect(recorded.filter((tick) => tick.state === 'done').length).toBe(2);
    expect((await db.select().from(decisions).where(eq(decisions.agentId, agent.id))).length).toBe(
      2 * 3,
    );
  });
});

describe('what a person is shown of it', () => {
  it("is an agent's fills, results and reasons, as its trades have them (R7-19)", async () => {
    const uid = uidOf('pam');
    await floor.join(uid);
    const [agent, other] = [await agentOf(uid), await agentOf(uid)];
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 3);
    await floor.call(uid, 'liquidateAgent', { params: { id: agent.id } });
    const shown = await floor.call(uid, 'agentPerformance', { params: { id: agent.id } });
    const mine = await fillsOf(agent.id);
    const sales = mine
      .filter((fill) => fill.side === 'sell')
      .map((fill) => parseFixed(fill.realized ?? '0'));
    expect(sales.length).toBeGreaterThan(0);
    expect(new Set(shown.fills.map((fill) => fill.id))).toEqual(
      new Set(mine.map((fill) => fill.id)),
    );
    expect(shown).toMatchObject({
      trades: mine.length,
      wins: sales.filter((result) => result > 0n).length,
      positions: [],
      agent: { id: agent.id, status: 'stopped' },
    });
    expect(shown.agent.realized).toBe(formatFixed(sum(sales)));
    expect(shown.metrics.winRate).toBeCloseTo(shown.wins / sales.length, 9);
    expect(shown.metrics.expectancy).toBeCloseTo(toNumber(sum(sales)) / sales.length, 6);
    expect(shown.decisions.length).toBe(3 * 3);
    expect(
      shown.decisions.every((decision) => decision.agentId === agent.id && decision.text !== ''),
    ).toBe(true);
    const held = await floor.call(uid, 'agentPerformance', { params: { id: other.id } });
    expect(held.positions.length).toBe(held.agent.openPositions);
    expect(held.positions.length).toBeGreaterThan(0);
  });

  it('is a summary that is its agents added up (R7-20)', async () => {
    const uid = uidOf('sue');
    await floor.join(uid);
    const made = [await agentOf(uid), await agentOf(uid), await agentOf(uid, { enabled: false })];
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 3);
    await floor.call(uid, 'liquidateAgent', { params: { id: made[0]?.id ?? '' } });
    const { agents: list } = await floor.call(uid, 'agents');
    const summary = await floor.call(uid, 'agentSummary');
    const added = (key: 'realized' | 'unrealized' | 'fees' | 'total') =>
      formatFixed(sum(list.map((agent) => parseFixed(agent[key]))));
    expect(summary).toMatchObject({
      total: 3,
      running: 1,
      stopped: 2,
      halted: 0,
      faulted: 0,
      cap: 25,
      quote: 'USDT',
    });
    expect(summary).toMatchObject({
      realized: added('realized'),
      unrealized: added('unrealized'),
      fees: added('fees'),
      totalProfit: added('total'),
    });
    expect(parseFixed(summary.fees) > 0n).toBe(true);
    expect(summary.openPositions).toBe((await floor.call(uid, 'portfolio')).positions.length);
    expect(formatFixed(add(parseFixed(summary.realized), parseFixed(summary.unrealized)))).toBe(
      summary.totalProfit,
    );
  });
});

describe('kill switches and caps', () => {
  it('lets a lapsed plan open nothing and still sell', async () => {
    const uid = uidOf('lea');
    await floor.join(uid);
    const agent = await agentOf(uid);
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    const bought = (await fillsOf(agent.id)).length;
    expect(bought).toBeGreaterThan(0);
    await db.update(subscriptions).set({ status: 'canceled' }).where(eq(subscriptions.uid, uid));
    // The price at the next look is under every stop: the agent's own look sells, nothing is
    // bought.
    const tick = (Math.floor(floor.market.now() / STEP_MS) + 1) * STEP_MS;
    for (const pair of AGGRESSIVE.trading_pairs)
      floor.market.bend(pair, tick, {
        open: toNumber(floor.market.quote(pair)?.last ?? parseFixed('0')) * 0.8,
      });
    await floor.run(scheduler, 3);
    const after = await fillsOf(agent.id);
    expect(after.filter((fill) => fill.side === 'buy').length).toBe(bought);
    expect(after.filter((fill) => fill.side === 'sell').length).toBe(bought);
    const reasons = (
      await db.select().from(decisions).where(eq(decisions.agentId, agent.id))
    ).filter((decision) => decision.reason === 'entries_stopped');
    expect(reasons.length).toBeGreaterThan(0);
  });

  it('halts an agent whose day went badly, shows it, and lets it go on the next day', async () => {
    const uid = uidOf('max');
    await floor.join(uid);
    const agent = await agentOf(uid);
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    const row = await rowOf(agent.id);
    const memory = row?.memory as { day: { start: number } };
    // As if the day had begun with twice as much.
    await db
      .update(agents)
      .set({ memory: { ...memory, day: { ...memory.day, equity: '20000' } } })
      .where(eq(agents.id, agent.id));
    await floor.run(scheduler, 1);
    const halted = await rowOf(agent.id);
    expect(halted).toMatchObject({ status: 'halted', enabled: true, hold: { code: 'day_loss' } });
    expect(halted?.nextDueMarketMs).not.toBeNull();
    const buys = (await fillsOf(agent.id)).filter((fill) => fill.side === 'buy').length;
    await floor.run(scheduler, 2);
    expect((await fillsOf(agent.id)).filter((fill) => fill.side === 'buy').length).toBe(buys);
    floor.market.sleep(DAY_MS);
    await floor.run(scheduler, 1);
    expect(await rowOf(agent.id)).toMatchObject({ status: 'running', hold: null });
    const told = (
      await db.select().from(events).where(eq(events.uid, uid)).orderBy(events.sequence)
    ).flatMap(({ payload }) => (payload as { agent?: { status: string } }).agent?.status ?? []);
    expect(told.filter((status, index) => status !== told[index - 1])).toEqual([
      'running',
      'halted',
      'running',
    ]);
  });

  it('says of a halted agent what holds it now, not what held it first', async () => {
    const uid = uidOf('mia');
    await floor.join(uid);
    const agent = await agentOf(uid);
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    const remember = async (more: object): Promise<void> => {
      const row = await rowOf(agent.id);
      await db
        .update(agents)
        .set({ memory: { ...(row?.memory as object), ...more } })
        .where(eq(agents.id, agent.id));
    };
    const { day } = (await rowOf(agent.id))!.memory as { day: object };
    await remember({ day: { ...day, equity: '20000' } });
    await floor.run(scheduler, 1);
    expect(await rowOf(agent.id)).toMatchObject({ status: 'halted', hold: { code: 'day_loss' } });
    // The same account is then seen to be far under its peak as well: midnight will not set it
    // free.
    await remember({ highWater: '90000' });
    const told = () => db.select().from(events).where(eq(events.uid, uid)).orderBy(events.sequence);
    const before = (await told()).length;
    await floor.run(scheduler, 1);
    const held = await rowOf(agent.id);
    expect(held).toMatchObject({ status: 'halted', hold: { code: 'drawdown', until: null } });
    expect(
      (await told())
        .slice(before)
        .some(
          ({ payload }) =>
            (payload as { agent?: { hold?: { code: string } } }).agent?.hold?.code === 'drawdown',
        ),
    ).toBe(true);
    await floor.run(scheduler, 2);
    expect((await rowOf(agent.id))?.generation, 'the same hold is no change').toBe(
      held?.generation,
    );
  });

  const settingsOf = async (uid: string, more: object) => {
    await db
      .update(users)
      .set({ settings: { ...defaultSettings('Someone'), ...more } })
      .where(eq(users.uid, uid));
  };

  it.each([
    ['tradingEnabled', { tradingEnabled: false }],
    ['tradingMode', { tradingMode: 'paused' }],
  ])('opens nothing while %s says so', async (_name, more) => {
    const uid = uidOf('gus');
    await floor.join(uid);
    const agent = await agentOf(uid);
    await settingsOf(uid, more);
    const scheduler = floor.scheduler();
    await scheduler.open();
    expect(await floor.run(scheduler, 2)).toBe(0);
    const decided = await db.select().from(decisions).where(eq(decisions.agentId, agent.id));
    expect(new Set(decided.map(({ action, reason }) => `${action} ${reason}`))).toEqual(
      new Set(['skip entries_stopped']),
    );
    await settingsOf(uid, {});
    expect(await floor.run(scheduler, 2)).toBeGreaterThan(0);
  });

  it('caps every order at maxTradeAmount, and what an agent holds of a pair at max_position_size', async () => {
    const uid = uidOf('hal');
    await floor.join(uid);
    const agent = await agentOf(uid, { max_position_size: 120 });
    await settingsOf(uid, { maxTradeAmount: 50 });
    const scheduler = floor.scheduler();
    await scheduler.open();
    expect(await floor.run(scheduler, 6)).toBeGreaterThan(3);
    for (const fill of await fillsOf(agent.id))
      expect(parseFixed(fill.notional) <= parseFixed('50')).toBe(true);
    for (const held of await db.select().from(positions).where(eq(positions.agentId, agent.id)))
      expect(parseFixed(held.cost) <= parseFixed('125')).toBe(true);
  });

  it('never spends cash that another agent of the person has taken at the same tick', async () => {
    const uid = uidOf('ida');
    await floor.join(uid);
    for (let i = 0; i < 9; i += 1) await agentOf(uid);
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 3);
    const portfolio = await floor.call(uid, 'portfolio');
    expect(parseFixed(portfolio.cash) >= 0n).toBe(true);
    // So many agents want more than there is: the cash is all but gone.
    expect(parseFixed(portfolio.cash) < parseFixed('1500')).toBe(true);
    expect((await checkLedger(db)).problems).toEqual([]);
    expect((await db.select().from(ledger)).length).toBeGreaterThan(20);
  });
});
