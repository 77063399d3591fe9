/**
 * Money on a real database: the portfolio's equation, closing, liquidation, a new book, and books
 * that always balance.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, lt } from 'drizzle-orm';
import fc from '../../support/property.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  add,
  formatFixed,
  multiply,
  parseFixed,
  subtract,
  sum,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import { paperFill, quoteAround } from '../../../engine/execution/fills.ts';
import { applyBuy, applySell } from '../../../engine/accounting/ledger.ts';
import { keepTidy } from '../../../server/retention.ts';
import type { Database, Db } from '../../../server/db/database.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import {
  accounts,
  balances,
  decisionCounts,
  decisions,
  equityPoints,
  positions,
  ticks as tickRows,
  users,
} from '../../../server/db/schema.ts';
import { recordTrades } from '../../../server/portfolio/record-trades.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { lockAccount, openPositionsOf, toOpenPosition } from '../../../server/portfolio/marks.ts';
import { openAccount } from '../../../server/portfolio/open-account.ts';
import { ruleFor } from '../../support/tape-market.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let db: Db;
let floor: Floor;
let tape = 0;
let uid = '';

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  uid = `owner${(tape += 1)}`;
  floor = await openFloor({ candles: 700, sourceId: `money${tape}` }, database);
  await floor.join(uid);
});

const total = (list: readonly (string | null)[]): Fixed =>
  sum(list.map((text) => parseFixed(text ?? '0')));
async function trading(agentCount = 1, ticks = 2) {
  const made = [];
  for (let i = 0; i < agentCount; i += 1)
    made.push((await floor.call(uid, 'createAgent', { body: AGGRESSIVE })).agent);
  const scheduler = floor.scheduler();
  await scheduler.open();
  await floor.run(scheduler, ticks);
  return { made, scheduler };
}

describe('the portfolio', () => {
  it('opens with the deposit, once, however often it is asked for (R1-04)', async () => {
    await Promise.all(
      Array.from({ length: 5 }, () =>
        database.transaction((tx) => openAccount(tx, uid, floor.market, floor.clock)),
      ),
    );
    expect(await floor.call(uid, 'portfolio')).toMatchObject({
      book: 1,
      cash: '10000',
      equity: '10000',
      deposits: '10000',
      positions: [],
      paper: true,
      dayChange: '0',
    });
  });

  it('is cash + positions at bid = deposits + realized + unrealized, to the last digit (R7-24)', async () => {
    const { made, scheduler } = await trading(2);
    floor.market.say('BTC/USDT', 97.123456);
    await scheduler.settled();
    const portfolio = await floor.call(uid, 'portfolio');
    expect(portfolio.positions.length).toBeGreaterThan(0);
    const values = portfolio.positions.map((position) =>
      multiply(
        parseFixed(position.quantity),
        floor.market.quote(position.pair)?.bid ?? ZERO,
        'down',
      ),
    );
    expect(portfolio.equity).toBe(formatFixed(add(parseFixed(portfolio.cash), sum(values))));
    expect(portfolio.positionsValue).toBe(
      formatFixed(total(portfolio.positions.map((position) => position.value))),
    );
    expect(portfolio.equity).toBe(
      formatFixed(total([portfolio.deposits, portfolio.realized, portfolio.unrealized])),
    );
    const { agents } = await floor.call(uid, 'agents');
    expect(formatFixed(total(agents.map((agent) => agent.total)))).toBe(
      formatFixed(total([portfolio.realized, portfolio.unrealized])),
    );
    expect(formatFixed(total(agents.map((agent) => agent.fees)))).toBe(portfolio.fees);
    expect((await checkLedger(db)).problems).toEqual([]);
    expect(made.length).toBe(2);
  });

  it('keeps two agents on one pair apart', async () => {
    const { made } = await trading(2);
    const { positions: held } = await floor.call(uid, 'portfolio');
    const btc = held.filter((position) => position.pair === 'BTC/USDT');
    expect(new Set(btc.map((position) => position.agentId))).toEqual(
      new Set(made.map((agent) => agent.id)),
    );
    expect(btc.length).toBe(2);
  });

  it('lists fills newest first with what they were made on, and measures the account (R7-25, R7-26)', async () => {
    const { made, scheduler } = await trading(1, 1);
    const [agent] = made;
    await floor.call(uid, 'liquidateAgent', { params: { id: agent?.id ?? '' } });
    await scheduler.settled();
    const { fills } = await floor.call(uid, 'history');
    expect(fills.map((fill) => fill.filledAt)).toEqual(
      fills.map((fill) => fill.filledAt).sort((a, b) => b - a),
    );
    for (const fill of fills)
      expect(
        parseFixed(fill.fee) > ZERO && fill.feeBps === '10' && fill.decidedAt <= fill.filledAt,
      ).toBe(true);
    const analytics = await floor.call(uid, 'analytics');
    expect(analytics.trades).toBe(fills.length);
    expect(formatFixed(total(analytics.perAgent.map((row) => row.realized)))).toBe(
      formatFixed(total(analytics.perPair.map((row) => row.realized))),
    );
    expect(analytics.metrics.winRate).not.toBeNull();
    const performance = await floor.call(uid, 'agentPerformance', {
      params: { id: agent?.id ?? '' },
    });
    expect(performance.trades).toBe(fills.length);
    expect(performance.decisions.length).toBe(3);
    expect(performance.agent.realized).toBe(formatFixed(total(fills.map((fill) => fill.realized))));
  });
});

describe('getting out', () => {
  it('closes one position at the bid, once, and only for its owner', async () => {
    await trading();
    const { positions: held } = await floor.call(uid, 'portfolio');
    const [first] = held;
    const params = { id: first?.id ?? '' };
    await floor.join(`other${tape}`);
    await expect(floor.call(`other${tape}`, 'closePosition', { params })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(floor.call(uid, 'closePosition', { params: { id: 'x' } })).rejects.toMatchObject({
      code: 'not_found',
    });
    const { fill } = await floor.call(uid, 'closePosition', { params });
    expect(fill).toMatchObject({ side: 'sell', quantity: first?.quantity, reason: 'closed' });
    await expect(floor.call(uid, 'closePosition', { params })).rejects.toMatchObject({
      code: 'position_closed',
      status: 409,
    });
    expect((await floor.call(uid, 'portfolio')).positions.length).toBe(held.length - 1);
    expect((await checkLedger(db)).problems).toEqual([]);
  });

  it('stops and sells; what has no fresh price is listed and kept, and an agent that holds is not deleted', async () => {
    const { made } = await trading();
    const params = { id: made[0]?.id ?? '' };
    floor.market.silence('ETH/USDT');
    const held = (await floor.call(uid, 'portfolio')).positions.length;
    await expect(floor.call(uid, 'deleteAgent', { params })).rejects.toMatchObject({
      code: 'agent_holds_positions',
    });
    const sold = await floor.call(uid, 'liquidateAgent', { params });
    expect(sold.agent).toMatchObject({ status: 'stopped', openPositions: 1 });
    expect(sold.unsold.map(({ pair }) => pair)).toEqual(['ETH/USDT']);
    expect(sold.fills.length).toBe(held - 1);
  });

  it('stops and sells what a stopped agent still holds, and no start from before it buys again (R7-17)', async () => {
    const { made, scheduler } = await trading();
    const params = { id: made[0]?.id ?? '' };
    const { agent: stopped } = await floor.call(uid, 'stopAgent', { params, body: {} });
    expect(stopped.openPositions).toBeGreaterThan(0);
    const sold = await floor.call(uid, 'liquidateAgent', { params });
    expect(sold.fills.length).toBe(stopped.openPositions);
    await expect(
      floor.call(uid, 'startAgent', {
        params,
        body: { seenGeneration: stopped.generation, ageMs: 10 * 60_000 },
      }),
    ).rejects.toMatchObject({ code: 'agent_changed', status: 409 });
    expect(await floor.run(scheduler, 2)).toBe(0);
    expect((await floor.call(uid, 'portfolio')).positions).toEqual([]);
  });

  it('loses nothing on the days after: the account is marked once it holds nothing (R7-24)', async () => {
    const { made, scheduler } = await trading(1, 1);
    floor.market.say('BTC/USDT', 80);
    await floor.call(uid, 'liquidateAgent', { params: { id: made[0]?.id ?? '' } });
    await scheduler.settled();
    const { accountId, cash, equity, dayChange } = await floor.call(uid, 'portfolio');
    expect(Number(dayChange)).toBeLessThan(0);
    expect(cash).toBe(equity);
    const points = async () =>
      (await db.select().from(equityPoints).where(eq(equityPoints.accountId, accountId))).map(
        (row) => formatFixed(parseFixed(row.equity)),
      );
    await floor.run(scheduler, 1);
    const flat = await points();
    expect(flat).toContain(cash);
    // Two days later: nothing has happened, and nothing more is written down.
    floor.market.step(2 * 288);
    await floor.run(scheduler, 2);
    expect(await points()).toHaveLength(flat.length);
    expect(await floor.call(uid, 'portfolio')).toMatchObject({ equity: cash, dayChange: '0' });
    await scheduler.stop();
  });

  it('stops and sells once where the queued stop comes after the sale (R7-17)', async () => {
    const { made } = await trading();
    const params = { id: made[0]?.id ?? '' };
    const { agent: sold, fills } = await floor.call(uid, 'liquidateAgent', { params });
    expect([sold.status, sold.openPositions, fills.length > 0]).toEqual(['stopped', 0, true]);
    const stop = await floor.call(uid, 'stopAgent', {
      params,
      body: { seenGeneration: sold.generation - 1, ageMs: 30_000 },
    });
    expect(stop).toMatchObject({ outcome: 'unchanged', agent: { openPositions: 0 } });
    const { fills: all } = await floor.call(uid, 'history');
    expect(all.filter(({ side }) => side === 'sell')).toHaveLength(fills.length);
  });

  it('resets to a new book; the old one still adds up, is shown only where it is named, and only to its owner', async () => {
    const { made, scheduler } = await trading();
    floor.market.say('BTC/USDT', 95.5);
    await scheduler.settled();
    const last = await floor.call(uid, 'portfolio');
    const history = await floor.call(uid, 'history');
    const { portfolio } = await floor.call(uid, 'resetPaper');
    expect(portfolio).toMatchObject({
      book: 2,
      cash: '10000',
      equity: '10000',
      realized: '0',
      fees: '0',
      positions: [],
    });
    expect((await floor.call(uid, 'agents')).agents[0]).toMatchObject({
      id: made[0]?.id,
      status: 'stopped',
      total: '0',
      openPositions: 0,
    });
    expect((await floor.call(uid, 'history')).fills).toEqual([]);
    floor.market.say('BTC/USDT', 50);
    const old = await floor.call(uid, 'portfolio', { query: { book: 1 } });
    // It was valued as a whole: nothing of it counts at cost for want of a price.
    expect(old.unpriced).toEqual([]);
    const { accountId, book, cash, equity, positionsValue, deposits, realized, unrealized, fees } =
      last;
    expect(old).toMatchObject({
      accountId,
      book,
      cash,
      equity,
      positionsValue,
      deposits,
      realized,
      unrealized,
      fees,
      dayChange: null,
    });
    expect(old.positions.map(({ pair, quantity, value }) => [pair, quantity, value])).toEqual(
      last.positions.map(({ pair, quantity }) => [pair, quantity, null]),
    );
    expect(old.positions.length).toBeGreaterThan(0);
    expect(old.equityCurve.at(-1)?.[1]).toBe(equity);
    expect((await floor.call(uid, 'history', { query: { book: 1 } })).fills).toEqual(history.fills);
    expect(old.books).toMatchObject([
      { book: 1, equity, closedAt: floor.clock.now() },
      { book: 2, equity: '10000', closedAt: null },
    ]);
    expect(portfolio.books?.length).toBe(2);
    await expect(floor.call(uid, 'portfolio', { query: { book: 3 } })).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
    });
    await floor.join(`other${tape}`);
    await expect(
      floor.call(`other${tape}`, 'history', { query: { book: 2 } }),
    ).rejects.toMatchObject({ code: 'not_found' });
    const check = await checkLedger(db);
    expect(check.problems).toEqual([]);
    await floor.call(uid, 'startAgent', { params: { id: made[0]?.id ?? '' }, body: {} });
    expect(await floor.run(scheduler, 2)).toBeGreaterThan(0);
    expect((await checkLedger(db)).problems).toEqual([]);
  });
});

describe('resets', () => {
  const DAY_MS = 86_400_000;
  const reset = () => floor.call(uid, 'resetPaper');

  it('are twenty a day, then refused with the time until the next one', async () => {
    const startedAt = floor.clock.at;
    for (let done = 0; done < 20; done += 1) {
      floor.clock.at += 60_000;
      await reset();
    }
    const first = startedAt + 60_000;
    await expect(reset()).rejects.toMatchObject({
      code: 'limit_reached',
      status: 429,
      more: { retryAfterMs: first + DAY_MS - floor.clock.at },
    });
    expect((await floor.call(uid, 'portfolio')).book).toBe(21);
    await floor.join(`other${tape}`);
    expect((await floor.call(`other${tape}`, 'resetPaper')).portfolio.book).toBe(2);
    floor.clock.at = first + DAY_MS;
    expect((await reset()).portfolio.book).toBe(22);
    await expect(reset()).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('leave the newest hundred accounts in the list, and the one that is looked at', async () => {
    const [open] = await db.select().from(accounts).where(eq(accounts.uid, uid));
    if (open === undefined) throw new Error('There is no account');
    const closed = { closedAt: 1, openedAt: 1 };
    await db.update(accounts).set({ book: 103 }).where(eq(accounts.id, open.id));
    await db.insert(accounts).values(
      Array.from({ length: 102 }, (_, index) => ({
        ...open,
        ...closed,
        id: randomUUID(),
        book: index + 1,
      })),
    );
    const numbers = async (book?: number) => {
      const { books = [] } = await floor.call(
        uid,
        'portfolio',
        book === undefined ? {} : { query: { book } },
      );
      return books.map((one) => one.book);
    };
    const newest = Array.from({ length: 100 }, (_, index) => index + 4);
    expect(await numbers()).toEqual(newest);
    expect(await numbers(2)).toEqual([2, ...newest]);
    // They have no deposits: no ledger is to be read with them.
    await db.delete(accounts).where(and(eq(accounts.uid, uid), lt(accounts.book, 103)));
  });
});

describe('the ledger', () => {
  it('balances after any trading, and refuses what would spend cash that is not there', async () => {
    const order = fc.record({
      pair: fc.constantFrom('BTC/USDT', 'ETH/USDT'),
      buy: fc.boolean(),
      size: fc.integer({ min: 1, max: 4_000_000 }),
      price: fc.integer({ min: 1, max: 900_000_000 }),
      agent: fc.integer({ min: 0, max: 1 }),
    });
    const agentIds = [randomUUID(), randomUUID()];
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 12 }), async (list) => {
        for (const { pair, buy, size, price, agent } of list) {
          await database
            .transaction(async (tx) => {
              const account = await openAccount(tx, uid, floor.market, floor.clock);
              await lockAccount(tx, account.id);
              const agentId = agentIds[agent] ?? '';
              const held = (await openPositionsOf(tx.db, [account.id])).find(
                (row) => row.agentId === agentId && row.pair === pair,
              );
              const quote = quoteAround(
                ruleFor(pair),
                floor.market.now(),
                (BigInt(price) * 1_000_003n) as Fixed,
              );
              const wanted = (BigInt(size) * 1_000_003n) as Fixed;
              const open = held === undefined ? null : toOpenPosition(held);
              if (!buy && open === null) return;
              const quantity =
                buy || open === null || wanted < open.quantity ? wanted : open.quantity;
              const fill = paperFill({
                side: buy ? 'buy' : 'sell',
                wanted,
                quantity,
                quote,
                rules: ruleFor(pair),
                depth: { candleVolume: 1_000, dayVolume: 1_000 * 288, dailyVolatility: 0.04 },
                reason: 'test',
              });
              const trade =
                buy || open === null
                  ? { fill, after: applyBuy(open, fill, 1n as Fixed) }
                  : applySell(open, fill);
              await recordTrades(tx, [
                {
                  accountId: account.id,
                  agentId,
                  positionId: held?.id ?? null,
                  tickId: randomUUID(),
                  decidedAt: fill.filledAt,
                  trade,
                },
              ]);
            })
            .catch((error: unknown) => {
              if (!String(error).includes('cash that is not there')) throw error;
            });
        }
        const check = await checkLedger(db);
        expect(check.problems).toEqual([]);
        expect(new Set(Object.values(check.totals))).toEqual(new Set(['0']));
      }),
      { numRuns: 15 },
    );
  });

  it('says so when a balance or a position was tampered with', async () => {
    await trading();
    const account = (await floor.call(uid, 'portfolio')).accountId;
    const [held] = await db.select().from(positions).where(eq(positions.accountId, account));
    const broken = await database
      .transaction(async (tx) => {
        await tx.db.update(balances).set({ amount: '1' }).where(eq(balances.accountId, account));
        await tx.db
          .update(positions)
          .set({ quantity: formatFixed(subtract(parseFixed(held?.quantity ?? '0'), 1n as Fixed)) })
          .where(eq(positions.id, held?.id ?? ''));
        const found = await checkLedger(tx.db);
        throw Object.assign(new Error('undo'), { found });
      })
      .catch(
        (error: unknown) => (error as { found: Awaited<ReturnType<typeof checkLedger>> }).found,
      );
    expect(broken.ok).toBe(false);
    expect(broken.problems.join('\n')).toMatch(/balance that is not/);
    expect(broken.problems.join('\n')).toMatch(/position that is not/);
  });
});

describe('retention', () => {
  it('folds decisions older than 30 days into daily counts and thins old marks, money untouched', async () => {
    const { made } = await trading(1, 3);
    const before = await checkLedger(db);
    floor.clock.at += 31 * 86_400_000;
    floor.market.sleep(8 * 86_400_000);
    const points = (await db.select().from(equityPoints)).length;
    await keepTidy(floor.deps);
    const id = made[0]?.id ?? '';
    expect(await db.select().from(decisions).where(eq(decisions.agentId, id))).toEqual([]);
    const counts = await db.select().from(decisionCounts).where(eq(decisionCounts.agentId, id));
    expect(counts.reduce((all, row) => all + row.count, 0)).toBe(9);
    expect((await db.select().from(equityPoints)).length).toBeLessThan(points);
    const after = await checkLedger(db);
    expect([after.entries, after.ok]).toEqual([before.entries, true]);
    expect(
      (await floor.call(uid, 'agentPerformance', { params: { id } })).decisionCounts.length,
    ).toBeGreaterThan(0);
    expect((await db.select().from(users)).length).toBeGreaterThan(0);
  });

  it('goes on behind a step that fails, which is said', async () => {
    const { market, clock } = floor;
    const left = { source: `left-${market.source.id}`, interval: market.baseInterval };
    const old = { ...left, state: 'done', finishedAt: clock.now() - 31 * 86_400_000 };
    await db.insert(tickRows).values([
      { ...old, closeMarketMs: 0 },
      { ...old, closeMarketMs: 300_000 },
      // One that was under way when the source was left.
      { ...old, closeMarketMs: 600_000, state: 'running', finishedAt: null },
    ]);
    let asked = 0;
    const failing: Database = {
      ...database,
      transaction: (work) =>
        (asked += 1) === 1 ? Promise.reject(new Error('no room')) : database.transaction(work),
    };
    await keepTidy({ ...floor.deps, database: failing });
    const kept = await db.select().from(tickRows).where(eq(tickRows.source, left.source));
    expect(kept.map(({ closeMarketMs }) => closeMarketMs).sort((a, b) => a - b)).toEqual([
      300_000, 600_000,
    ]);
    expect(floor.warnings).toEqual([expect.stringContaining('Old decisions')]);
  });
});
