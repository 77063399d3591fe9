/**
 * Candles that cannot be read at a tick: who needs them stays due and is tried again, the others
 * trade, and nobody waits for an exchange within a transaction.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Db } from '../../../server/db/database.ts';
import {
  agents,
  decisions,
  equityPoints,
  fills,
  positions,
  ticks,
} from '../../../server/db/schema.ts';
import { STEP_MS } from '../../support/tape-market.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

/** Longer than the pause after candles that could not be read. */
const PAUSE_MS = 6_000;

let database: Database;
let db: Db;
let floor: Floor;
let uid = '';
let tape = 0;
/** Pairs whose candles the exchange does not answer for, and what it was asked. */
let failing: Set<string>;
let asked: string[];

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  uid = `reader${(tape += 1)}`;
  floor = await openFloor({ candles: 300, sourceId: `unread${tape}` }, database);
  await floor.join(uid);
  failing = new Set();
  asked = [];
  const history = floor.market.history.bind(floor.market);
  floor.market.history = async (pair, lookbackMs, to) => {
    asked.push(pair);
    // As ccxt says it: without a code.
    if (failing.has(pair))
      throw Object.assign(new Error('GET candles: request timed out (10000 ms)'), {
        name: 'RequestTimeout',
      });
    return history(pair, lookbackMs, to);
  };
});
afterEach(() => {
  vi.useRealTimers();
});

const make = async (pair: string, more: object = {}): Promise<string> =>
  (
    await floor.call(uid, 'createAgent', {
      body: { ...AGGRESSIVE, trading_pairs: [pair], ...more },
    })
  ).agent.id;
const rowOf = async (id: string) => (await db.select().from(agents).where(eq(agents.id, id)))[0];
const looksOf = async (id: string) =>
  (await db.select().from(decisions).where(eq(decisions.agentId, id))).length;
const record = () =>
  db
    .select({ state: ticks.state, agents: ticks.agents })
    .from(ticks)
    .where(eq(ticks.source, floor.market.source.id))
    .orderBy(ticks.closeMarketMs);
const tickNow = (): number => Math.floor(floor.market.now() / STEP_MS) * STEP_MS;

/** The database, and how many transactions are open on it. */
function counting(): { database: Database; open: () => number } {
  let open = 0;
  return {
    database: {
      ...database,
      kind: 'pglite',
      transaction: async (work) => {
        open += 1;
        try {
          return await database.transaction(work);
        } finally {
          open -= 1;
        }
      },
    },
    open: () => open,
  };
}

describe('a candle that cannot be read', () => {
  it('faults nobody: who needs it stays due and runs once it can be read, the others trade at once (F82)', async () => {
    const [held, free] = [await make('BTC/USDT'), await make('ETH/USDT')];
    const scheduler = floor.scheduler();
    await scheduler.open();
    failing.add('BTC/USDT');
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1, faults: 0 });
    expect(await rowOf(held)).toMatchObject({
      status: 'running',
      hold: null,
      nextDueMarketMs: tickNow(),
    });
    expect((await db.select().from(fills).where(eq(fills.agentId, free))).length).toBe(1);
    // What everybody has is marked all the same.
    const { accountId } = await floor.call(uid, 'portfolio');
    const marked = await db
      .select()
      .from(equityPoints)
      .where(eq(equityPoints.accountId, accountId));
    expect(marked.map(({ atMarketMs }) => atMarketMs)).toContain(tickNow());
    failing.clear();
    vi.advanceTimersByTime(PAUSE_MS);
    expect(await scheduler.runOnce()).toMatchObject({ tick: tickNow(), agents: 1, trades: 1 });
    expect([await looksOf(held), await looksOf(free)]).toEqual([1, 1]);
    expect(await record()).toEqual([{ state: 'done', agents: 2 }]);
    expect(await scheduler.runOnce()).toMatchObject({ tick: null });
    expect(floor.errors).toEqual([]);
  });

  it('is asked for again after a pause, not at every look, and said once a tick (F82)', async () => {
    await make('BTC/USDT');
    const scheduler = floor.scheduler();
    await scheduler.open();
    failing.add('BTC/USDT');
    floor.market.step();
    for (let look = 0; look < 5; look += 1) await scheduler.runOnce();
    expect(asked.filter((pair) => pair === 'BTC/USDT')).toHaveLength(1);
    vi.advanceTimersByTime(PAUSE_MS);
    for (let look = 0; look < 5; look += 1) await scheduler.runOnce();
    expect(asked.filter((pair) => pair === 'BTC/USDT')).toHaveLength(2);
    expect(floor.warnings).toEqual([expect.stringContaining('request timed out')]);
  });

  it('leaves its agents to the next close, where they come as late ones (F82)', async () => {
    const held = await make('BTC/USDT');
    const scheduler = floor.scheduler();
    await scheduler.open();
    failing.add('BTC/USDT');
    await floor.run(scheduler, 2);
    failing.clear();
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1, late: 1, faults: 0 });
    expect(await looksOf(held)).toBe(1);
    expect((await record()).map(({ state }) => state)).toEqual([
      'unfinished',
      'unfinished',
      'done',
    ]);
  });

  it('holds nobody back, however many wait for it before them (F82)', async () => {
    const held: string[] = [];
    for (let i = 0; i < 5; i += 1) held.push(await make('BTC/USDT'));
    const free = [await make('ETH/USDT'), await make('SOL/USDT')];
    const scheduler = floor.scheduler(undefined, 2);
    await scheduler.open();
    for (const id of held)
      await db.update(agents).set({ nextDueMarketMs: tickNow() }).where(eq(agents.id, id));
    failing.add('BTC/USDT');
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 2, faults: 0 });
    for (const id of free) expect(await looksOf(id)).toBe(1);
    for (const id of held) expect(await rowOf(id)).toMatchObject({ status: 'running' });
  });
});

describe('a pair whose candles do not come any more', () => {
  const reasonsOf = async (id: string) =>
    Object.fromEntries(
      (
        await db
          .select({ pair: decisions.pair, reason: decisions.reason })
          .from(decisions)
          .where(and(eq(decisions.agentId, id), eq(decisions.atMarketMs, tickNow())))
      ).map(({ pair, reason }) => [pair, reason]),
    );
  /** As an exchange's list has it. */
  const rest = (pair: string, notTraded: 'halted' | 'gone'): void => {
    const list = floor.market
      .pairs()
      .map((rules) => (rules.pair === pair ? { ...rules, notTraded } : rules));
    floor.market.pairs = () => list;
    floor.market.rules = (name) => list.find((rules) => rules.pair === name) ?? null;
  };
  const makePool = (): Promise<string> =>
    make('BTC/USDT', { trading_pairs: [...AGGRESSIVE.trading_pairs] });

  it('takes no agent along: from the second close on they are run without its signal (F101)', async () => {
    const pool = await makePool();
    const scheduler = floor.scheduler();
    await scheduler.open();
    failing.add('BTC/USDT');
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 0, faults: 0 });
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1, faults: 0 });
    const reasons = await reasonsOf(pool);
    expect(reasons).toMatchObject({ 'BTC/USDT': 'no_signal' });
    expect([reasons['ETH/USDT'], reasons['SOL/USDT']]).not.toContain('no_signal');
    expect((await record()).map(({ state }) => state)).toEqual(['unfinished', 'done']);
    failing.clear();
    await floor.run(scheduler, 1);
    expect((await reasonsOf(pool))['BTC/USDT']).not.toBe('no_signal');
    expect(floor.errors).toEqual([]);
  });

  it('is waited for as long as more pairs have none than have some (F82)', async () => {
    const pool = await makePool();
    const scheduler = floor.scheduler();
    await scheduler.open();
    for (const pair of AGGRESSIVE.trading_pairs) failing.add(pair);
    await floor.run(scheduler, 2);
    failing.delete('SOL/USDT');
    await floor.run(scheduler, 1);
    expect(await looksOf(pool)).toBe(0);
    failing.clear();
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1, late: 1 });
    expect(Object.values(await reasonsOf(pool))).not.toContain('no_signal');
  });

  it('is done without at once where its exchange has halted it, and nothing is decided on it (F101)', async () => {
    const pool = await makePool();
    const scheduler = floor.scheduler();
    await scheduler.open();
    rest('BTC/USDT', 'halted');
    await floor.run(scheduler, 1);
    expect(await reasonsOf(pool)).toMatchObject({ 'BTC/USDT': 'no_signal' });
    failing.add('BTC/USDT');
    await floor.run(scheduler, 1);
    expect(await looksOf(pool)).toBe(6);
    expect(await reasonsOf(pool)).toMatchObject({ 'BTC/USDT': 'no_signal' });
    expect(floor.warnings).toEqual([]);
  });

  it('is no pair of an agent once its exchange has it no more, and is held on (F101)', async () => {
    const holder = await makePool();
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    const held = async (): Promise<string[]> =>
      (
        await db
          .select({ pair: positions.pair })
          .from(positions)
          .where(and(eq(positions.agentId, holder), isNull(positions.closedMarketMs)))
      ).map(({ pair }) => pair);
    expect(await held()).toContain('BTC/USDT');
    rest('BTC/USDT', 'gone');
    failing.add('BTC/USDT');
    const other = await makePool();
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 2, faults: 0 });
    expect(await reasonsOf(holder)).toMatchObject({ 'BTC/USDT': 'no_signal' });
    expect(await held()).toContain('BTC/USDT');
    expect(Object.keys(await reasonsOf(other)).sort()).toEqual(['ETH/USDT', 'SOL/USDT']);
    expect(floor.warnings).toEqual([]);
  });

  it('holds back nobody where it is gone and has had no price since the start (F101)', async () => {
    const holder = await makePool();
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    rest('BTC/USDT', 'gone');
    failing.add('BTC/USDT');
    const other = await make('SOL/USDT');
    floor.market.step(1, ['BTC/USDT']);
    floor.market.unquote('BTC/USDT');
    expect(await scheduler.runOnce()).toMatchObject({ agents: 2, faults: 0 });
    expect(await reasonsOf(other)).toEqual({ 'SOL/USDT': 'entered' });
    const reasons = await reasonsOf(holder);
    expect([reasons['ETH/USDT'], reasons['SOL/USDT']]).not.toContain('no_price');
    const { accountId } = await floor.call(uid, 'portfolio');
    const marks = await db
      .select()
      .from(equityPoints)
      .where(and(eq(equityPoints.accountId, accountId), eq(equityPoints.atMarketMs, tickNow())));
    expect(marks).toHaveLength(1);
  });
});

describe('the candles of a tick', () => {
  it('that tell a peg alone are waited for a few seconds: they only hold back purchases (F83)', async () => {
    const pegged = await openFloor(
      { candles: 300, sourceId: `pegs${tape}`, pairs: ['BTC/USDT', 'USDC/USDT'] },
      database,
    );
    await pegged.join('pegged');
    const body = { ...AGGRESSIVE, trading_pairs: ['BTC/USDT'] };
    const { agent } = await pegged.call('pegged', 'createAgent', { body });
    const history = pegged.market.history.bind(pegged.market);
    pegged.market.history = (pair, lookbackMs, to) =>
      pair === 'USDC/USDT' ? new Promise(() => undefined) : history(pair, lookbackMs, to);
    const scheduler = pegged.scheduler();
    await scheduler.open();
    pegged.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1, faults: 0 });
    expect(await looksOf(agent.id)).toBe(1);
  }, 30_000);

  it('are read while no transaction is open, so that a stop waits for no exchange (F83)', async () => {
    await make('BTC/USDT');
    await make('ETH/USDT', { execution_interval: '20-minute', trading_frequency: 'long-haul' });
    await make('SOL/USDT', { pool: 'all_pools', trading_pairs: [] });
    await floor.join(`${uid}-other`);
    const stopped = await floor.call(`${uid}-other`, 'createAgent', {
      body: { ...AGGRESSIVE, enabled: false },
    });
    await db.update(agents).set({ nextDueMarketMs: 0 }).where(eq(agents.uid, uid));
    const { database: watched, open } = counting();
    const scheduler = floor.scheduler(watched);
    await scheduler.open();
    const history = floor.market.history.bind(floor.market);
    const held: number[] = [];
    let stops = 0;
    floor.market.history = async (pair, lookbackMs, to) => {
      held.push(open());
      if (open() === 0 && (stops += 1) === 1)
        await floor.call(`${uid}-other`, 'stopAgent', {
          params: { id: stopped.agent.id },
          body: {},
        });
      return history(pair, lookbackMs, to);
    };
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 3, faults: 0 });
    expect(held.length).toBeGreaterThan(3);
    expect(new Set(held)).toEqual(new Set([0]));
    expect(stops).toBeGreaterThan(0);
  });

  it('are read for whoever became due meanwhile at a later look (F83)', async () => {
    const [one, other] = [await make('BTC/USDT'), await make('ETH/USDT')];
    const scheduler = floor.scheduler();
    await scheduler.open();
    const history = floor.market.history.bind(floor.market);
    let edited = false;
    floor.market.history = async (pair, lookbackMs, to) => {
      if (!edited) {
        edited = true;
        await db
          .update(agents)
          .set({ tradingPairs: ['SOL/USDT'] })
          .where(eq(agents.id, other));
      }
      return history(pair, lookbackMs, to);
    };
    floor.market.step();
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1, faults: 0 });
    expect([await looksOf(one), await looksOf(other)]).toEqual([1, 0]);
    expect(await rowOf(other)).toMatchObject({ status: 'running', nextDueMarketMs: tickNow() });
    vi.advanceTimersByTime(PAUSE_MS);
    expect(await scheduler.runOnce()).toMatchObject({ agents: 1 });
    expect(await looksOf(other)).toBe(1);
    expect(await record()).toEqual([{ state: 'done', agents: 2 }]);
  });
});

describe('the candles of a sale by hand', () => {
  const holding = async (): Promise<string> => {
    const id = await make('BTC/USDT');
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    await scheduler.stop();
    expect((await openOf(id)).length).toBe(1);
    return id;
  };
  const openOf = (id: string) =>
    db
      .select()
      .from(positions)
      .where(and(eq(positions.agentId, id), isNull(positions.closedMarketMs)));

  it('keep no agent from being stopped: what cannot be sold now stays on guard and is named (F91)', async () => {
    const id = await holding();
    failing.add('BTC/USDT');
    const said = await floor.call(uid, 'liquidateAgent', { params: { id } });
    expect(said).toMatchObject({
      agent: { status: 'stopped' },
      fills: [],
      unsold: [{ pair: 'BTC/USDT' }],
    });
    expect(said.unsold[0]?.message).toContain('keeps its stop loss');
    expect(await rowOf(id)).toMatchObject({ status: 'stopped' });
    const [position] = await openOf(id);
    expect(position?.stopPrice).not.toBeNull();
    await expect(
      floor.call(uid, 'closePosition', { params: { id: position?.id ?? '' } }),
    ).rejects.toMatchObject({ code: 'market_unavailable' });
    failing.clear();
    const sold = await floor.call(uid, 'liquidateAgent', { params: { id } });
    expect([sold.fills.length, sold.unsold]).toEqual([1, []]);
  });

  it('are waited for by nobody else: no transaction is open meanwhile (F91)', async () => {
    const [one, other] = [await holding(), await holding()];
    const { database: watched, open } = counting();
    const watching = await openFloor({ candles: 300, sourceId: floor.market.source.id }, watched);
    const history = watching.market.history.bind(watching.market);
    const held: number[] = [];
    watching.market.history = (pair, lookbackMs, to) => {
      held.push(open());
      return history(pair, lookbackMs, to);
    };
    const [position] = await openOf(other);
    await watching.call(uid, 'closePosition', { params: { id: position?.id ?? '' } });
    await watching.call(uid, 'liquidateAgent', { params: { id: one } });
    expect(await openOf(one)).toEqual([]);
    expect(held.length).toBeGreaterThan(1);
    expect(new Set(held)).toEqual(new Set([0]));
  });
});

describe('the candles of what people look at', () => {
  /** An agent that was tested, and has traded since. */
  const testedAgent = async (): Promise<string> => {
    const id = await make('BTC/USDT', { enabled: false });
    await floor.call(uid, 'startAgent', {
      params: { id },
      body: {
        tested: {
          settings: 'a'.repeat(64),
          data: 'd'.repeat(64),
          engine: '',
          from: 0,
          to: 1,
          trades: 2,
          totalReturn: 0.01,
          daily: [0.01, -0.01, 0.02],
          slippageBps: 3,
        },
      },
    });
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 3);
    await scheduler.stop();
    expect((await floor.call(uid, 'history')).fills.length).toBeGreaterThan(0);
    return id;
  };

  it('are asked for while no transaction is open, so that no Stop waits for them (F83)', async () => {
    const id = await testedAgent();
    const { market } = floor;
    let asked = 0;
    // The floor's market refuses whoever asks it within a transaction.
    const candles = market.candles.bind(market);
    market.candles = async (...about) => {
      asked += 1;
      await floor.call(uid, 'stopAgent', { params: { id }, body: {} });
      return candles(...about);
    };
    const { tests = [] } = await floor.call(uid, 'agentInsight');
    expect(tests[0]?.delayUnread).toBeUndefined();
    expect(tests[0]?.delayBps).not.toBeNull();
    const { benchmark } = await floor.call(uid, 'analytics');
    expect(benchmark).not.toBeNull();
    await floor.call(uid, 'previewAgent', { body: { agentId: id } });
    expect(asked).toBeGreaterThan(3);
  });

  it('are waited for no longer than two seconds, and what is missing is said (F98)', async () => {
    await testedAgent();
    floor.market.candles = () => new Promise(() => undefined);
    const begunAt = Date.now();
    const { tests = [], series } = await floor.call(uid, 'agentInsight');
    expect(Date.now() - begunAt).toBeLessThan(10_000);
    expect(tests).toMatchObject([{ delayBps: null, delayUnread: true }]);
    expect(tests[0]?.fills).toBeGreaterThan(0);
    expect(series[0]?.points.length).toBeGreaterThan(0);
  });
});
