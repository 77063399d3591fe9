/**
 * What an agent was tested with is kept with its start, told apart from what it trades with now,
 * and held against what it has done since.
 */
import { randomUUID } from 'node:crypto';
import { and, asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatFixed, parseFixed, subtract } from '../../../contract/money.ts';
import { AgentTest, type Tested } from '../../../contract/backtest-record.ts';
import { GUARD_CODES } from '../../../contract/guards.ts';
import { bandAfter, spreadOf } from '../../../engine/backtest/drift.ts';
import { DAY_MS } from '../../../engine/execution/schedule.ts';
import { settingsHash } from '../../../engine/backtest/backtest-hashes.ts';
import type { Database } from '../../../server/db/database.ts';
import { agentTests, decisions, fills, orders } from '../../../server/db/schema.ts';
import { engineHash } from '../../../server/engine-hash.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let floor: Floor;
const UID = 'kept';
const DAILY = Array.from({ length: 30 }, (_, day) => (day % 3 === 0 ? -0.01 : 0.008));

beforeAll(async () => {
  database = await openTestDatabase();
  floor = await openFloor({ candles: 3_000, sourceId: 'kept' }, database);
  await floor.join(UID);
});
afterAll(async () => {
  await database.close();
});

/** As a device would send it after a test of this agent. */
async function testedNow(agentId: string): Promise<Tested> {
  const terms = await floor.call(UID, 'backtestTerms', { body: { agentId, days: 30 } });
  expect(terms.keepsTests).toBe(true);
  const settings = await settingsHash({
    agent: { ...terms.agent, maxPositionSize: parseFixed(terms.agent.maxPositionSize) },
    maxTradeAmount: parseFixed(terms.maxTradeAmount),
  });
  return {
    settings,
    data: 'd'.repeat(64),
    engine: engineHash(),
    from: terms.from,
    to: terms.to,
    trades: 12,
    totalReturn: 0.03,
    daily: DAILY,
    slippageBps: 3.5,
  };
}
const testOf = async (agentId: string): Promise<AgentTest | undefined> =>
  (await floor.call(UID, 'agentInsight', {})).tests
    ?.map((test) => AgentTest.parse(test))
    .find((one) => one.agentId === agentId);

describe('a kept test', () => {
  it('comes with a start, a creation or an edit, and is of these settings until one of them changes', async () => {
    const { agent } = await floor.call(UID, 'createAgent', {
      body: { ...AGGRESSIVE, name: 'Changing', enabled: false },
    });
    expect(await testOf(agent.id)).toBeUndefined();
    const tested = await testedNow(agent.id);
    await floor.call(UID, 'startAgent', { params: { id: agent.id }, body: { tested } });
    expect(await testOf(agent.id)).toMatchObject({
      sameSettings: true,
      sameEngine: true,
      equity: '10000',
      resultThen: '0',
      change: '0',
      days: 30,
      trades: 12,
      noBand: 'too_soon',
      band: [],
      keptAt: floor.clock.now(),
      since: floor.market.now(),
    });
    const { version } = (await floor.call(UID, 'agents', {})).agents.find(
      ({ id }) => id === agent.id,
    ) ?? { version: 0 };
    const edit = {
      risk_profile: 'Aggressive',
      max_position_size: 123,
      execution_interval: '5-minute',
      enabled: true,
    } as const;
    await floor.call(UID, 'updateAgent', { params: { id: agent.id }, body: { ...edit, version } });
    expect(await testOf(agent.id)).toMatchObject({ sameSettings: false });
    await floor.call(UID, 'updateAgent', {
      params: { id: agent.id },
      body: { ...edit, tested: { ...(await testedNow(agent.id)), engine: 'e'.repeat(64) } },
    });
    expect(await testOf(agent.id)).toMatchObject({ sameSettings: true, sameEngine: false });
    const made = await floor.call(UID, 'createAgent', {
      body: { ...AGGRESSIVE, name: 'Created', enabled: true, tested: { ...tested, engine: '' } },
    });
    expect(await testOf(made.agent.id)).toMatchObject({ sameEngine: null });
  });

  it('must be what the contract says of one, or the start is refused and nothing is kept', async () => {
    const { agent } = await floor.call(UID, 'createAgent', {
      body: { ...AGGRESSIVE, name: 'Refused', enabled: false },
    });
    const tested = await testedNow(agent.id);
    for (const part of [
      { settings: 'abc' },
      { daily: Array<number>(400).fill(0) },
      { daily: [Number.NaN] },
      { trades: -1 },
    ]) {
      await expect(
        floor.call(UID, 'startAgent', {
          params: { id: agent.id },
          body: { tested: { ...tested, ...part } },
        }),
      ).rejects.toThrow();
    }
    expect(
      await database.db.select().from(agentTests).where(eq(agentTests.agentId, agent.id)),
    ).toEqual([]);
  });

  it('is held against the result since the start, with the band of its days, what trades cost and what was missed; a new start measures anew', async () => {
    const { agent } = await floor.call(UID, 'createAgent', {
      body: { ...AGGRESSIVE, name: 'Measured', enabled: false },
    });
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.call(UID, 'startAgent', {
      params: { id: agent.id },
      body: { tested: await testedNow(agent.id) },
    });
    for (let look = 0; look < 12; look += 1) {
      floor.market.step(71);
      await floor.run(scheduler, 1);
    }
    const found = await testOf(agent.id);
    if (found === undefined) throw new Error('No test was kept');
    const days = (floor.market.now() - found.since) / DAY_MS;
    expect(days).toBeGreaterThan(2);
    const { low, middle, high } = bandAfter(spreadOf(DAILY), days);
    expect([found.noBand, found.band[0], found.band.at(-1)]).toEqual([
      null,
      [found.since, 0, 0, 0],
      [floor.market.now(), low, middle, high],
    ]);
    const { total } = (await floor.call(UID, 'agents', {})).agents.find(
      ({ id }) => id === agent.id,
    ) ?? { total: '0' };
    expect(found.change).toBe(
      formatFixed(subtract(parseFixed(total), parseFixed(found.resultThen))),
    );
    const mine = await database.db
      .select()
      .from(fills)
      .where(eq(fills.agentId, agent.id))
      .orderBy(asc(fills.filledMarketMs));
    expect(mine.length).toBeGreaterThan(2);
    const amount = mine.reduce((sum, fill) => sum + Number(fill.notional), 0);
    expect(found.slippageBps).toBeCloseTo(
      mine.reduce((sum, fill) => sum + Number(fill.slippageBps) * Number(fill.notional), 0) /
        amount,
      6,
    );
    expect(found.halfSpreadBps).toBeCloseTo(2, 1);
    expect(found.delayBps).not.toBeNull();
    expect([found.fills, found.testedSlippageBps]).toEqual([mine.length, 3.5]);
    expect(found.partFills).toBe(
      (
        await database.db
          .select()
          .from(orders)
          .where(and(eq(orders.agentId, agent.id), eq(orders.state, 'partly_filled')))
      ).filter(({ side }) => side === 'buy').length,
    );
    const said = await database.db.select().from(decisions).where(eq(decisions.agentId, agent.id));
    const isGuard = (reason: string) =>
      reason !== 'correlated_exposure' && (GUARD_CODES as readonly string[]).includes(reason);
    for (const { reason, count } of found.missed)
      expect(
        said.filter((one) => one.reason === reason && (!isGuard(reason) || one.action === 'skip'))
          .length,
      ).toBe(count);
    expect(
      found.missed.some(({ reason }) =>
        ['not_in_top', 'weak_signal', 'on_target', 'not_now'].includes(reason),
      ),
    ).toBe(false);

    // A halted agent that holds a pair may want no more of it: only the purchase of a new one is missed.
    const blocked = (action: 'hold' | 'skip', reason: string) => ({
      ...{ id: randomUUID(), agentId: agent.id, pair: 'BTC/USDT', tickId: `${reason}:${action}` },
      ...{ atMarketMs: floor.market.now(), recordedAt: Date.now(), action, reason },
      ...{ strength: 0.9, threshold: 0.1, text: '' },
    });
    const missed = async (of: string) =>
      (await testOf(agent.id))?.missed.find(({ reason }) => reason === of)?.count ?? 0;
    // What its size guard refuses was wanted, held or not.
    for (const [reason, more] of [
      ['day_loss', 1],
      ['correlated_exposure', 2],
    ] as const) {
      const before = await missed(reason);
      await database.db
        .insert(decisions)
        .values([blocked('hold', reason), blocked('skip', reason)]);
      expect(await missed(reason)).toBe(before + more);
    }

    await floor.call(UID, 'stopAgent', { params: { id: agent.id }, body: {} });
    await floor.call(UID, 'startAll', { body: { agents: [{ id: agent.id }] } });
    expect(await testOf(agent.id)).toMatchObject({
      since: floor.market.now(),
      change: '0',
      fills: 0,
      slippageBps: null,
      noBand: 'too_soon',
      keptAt: found.keptAt,
    });

    await floor.call(UID, 'resetPaper', {});
    expect((await floor.call(UID, 'agentInsight', {})).tests).toEqual([]);
    await scheduler.stop();
  }, 60_000);
});
