/** Agents that run on paper beside their live selves, and what the two are compared by. */
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountOf as moneyOf } from '../../../contract/agent-account.ts';
import type { CallBody } from '../../../contract/calls.ts';
import { Shadow } from '../../../contract/live.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
}, 60_000);
afterEach(async () => {
  await world.close();
});

const call: LiveWorld['floor']['call'] = (uid, name, more) => world.floor.call(uid, name, more);
const agents = async () => (await call(PERSON, 'agents')).agents;
const agent = async (id: string) => (await agents()).find((one) => one.id === id);
const plan = (set: Partial<typeof subscriptions.$inferInsert>) =>
  world.floor.database.db.update(subscriptions).set(set).where(eq(subscriptions.uid, PERSON));
const SETTINGS = {
  risk_profile: 'Moderate',
  max_position_size: 60,
  execution_interval: '20-minute',
  enabled: true,
} as const;
const paper = (): CallBody<'createAgent'> => ({
  name: 'Paper',
  trading_pairs: [world.pair],
  risk_profile: 'Moderate',
  max_position_size: 100,
  execution_interval: '5-minute',
  enabled: false,
});
const shadowOf = (id: string) => call(PERSON, 'liveShadow', { params: { id } });

async function bothTraded(): Promise<string> {
  const id = await world.startAgent({ shadow: true });
  await world.tickUntil(async () => {
    await world.look();
    const { rows } = await shadowOf(id);
    return rows.some(({ live, paper }) => live.quantity !== null && paper.quantity !== null);
  });
  return id;
}

describe('a twin', () => {
  it('starts and stops with its live self, takes no place, and is no live agent', async () => {
    const id = await world.startAgent({ shadow: true });
    const [live, twin] = (await agents()).sort((a) => (a.id === id ? -1 : 1));
    expect(live).toMatchObject({ status: 'running', shadow: { agentId: twin?.id } });
    expect(twin).toMatchObject({
      status: 'running',
      shadowOf: id,
      name: 'Live momentum (paper)',
      max_position_size: live?.max_position_size,
    });
    expect(live === undefined ? null : moneyOf(live)).toMatchObject({
      kind: 'live',
      connectionId: world.connection.id,
      exchange: 'kraken',
      label: 'My account',
      quote: world.quote,
    });
    expect(twin === undefined ? null : moneyOf(twin)).toEqual({ kind: 'paper' });
    await call(PERSON, 'stopAgent', { params: { id }, body: {} });
    expect((await agents()).map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    const params = { id: twin?.id ?? '' };
    await expect(call(PERSON, 'startAgent', { params, body: {} })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(call(PERSON, 'deleteAgent', { params })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  }, 60_000);

  it('changes with its live self, and is let go by its word', async () => {
    const id = await world.startAgent({ shadow: true });
    await call(PERSON, 'updateAgent', { params: { id }, body: SETTINGS });
    const twin = (await agents()).find(({ shadowOf: of }) => of === id);
    expect(twin).toMatchObject({ risk_profile: 'Moderate', max_position_size: 60 });
    await call(PERSON, 'updateAgent', { params: { id }, body: { ...SETTINGS, shadow: false } });
    const free = (await agents()).find((one) => one.id === twin?.id);
    expect(free).toMatchObject({ status: 'stopped' });
    expect(free?.shadowOf).toBeUndefined();
    await expect(shadowOf(id)).rejects.toMatchObject({ code: 'not_found' });
    await call(PERSON, 'updateAgent', { params: { id }, body: { ...SETTINGS, shadow: true } });
    expect((await agents()).find(({ shadowOf: of }) => of === id)).toMatchObject({
      status: 'running',
    });
  }, 60_000);

  it('comes to a live agent that goes on as it is, whatever was last seen of it (R7-16)', async () => {
    const id = await world.startAgent();
    const wish = (enabled: boolean, shadow: boolean) =>
      call(PERSON, 'updateAgent', {
        params: { id },
        query: { enabled: 'keep' },
        body: { ...SETTINGS, enabled, shadow },
      });
    await wish(false, true);
    expect((await agents()).map(({ status }) => status)).toEqual(['running', 'running']);
    await call(PERSON, 'stopAgent', { params: { id }, body: {} });
    await wish(true, true);
    expect((await agents()).map(({ status }) => status)).toEqual(['stopped', 'stopped']);
  }, 60_000);

  it('needs a free place to be let go, however often it is tried, and is kept without one (R9-04)', async () => {
    const id = await world.startAgent({ shadow: true });
    await plan({ tier: 'starter' });
    const { agent: other } = await call(PERSON, 'createAgent', { body: paper() });
    const letGo = { params: { id }, body: { ...SETTINGS, shadow: false } };
    await expect(call(PERSON, 'updateAgent', letGo)).rejects.toMatchObject({
      code: 'agent_cap_reached',
      status: 403,
      more: { details: { cap: 2 } },
      message: expect.stringMatching(/the twin needs a place/i) as string,
    });
    const [live, twin] = [await agent(id), (await agents()).find(({ shadowOf: of }) => of === id)];
    expect(twin).toMatchObject({ status: 'running' });
    expect(live?.max_position_size).not.toBe(SETTINGS.max_position_size);
    await call(PERSON, 'deleteAgent', { params: { id: other.id } });
    await call(PERSON, 'updateAgent', letGo);
    await call(PERSON, 'updateAgent', { params: { id }, body: { ...SETTINGS, shadow: true } });
    await expect(call(PERSON, 'updateAgent', letGo)).rejects.toMatchObject({
      code: 'agent_cap_reached',
    });
    expect(await agents()).toHaveLength(3);
  }, 60_000);

  it('takes over the place of its live self that is deleted', async () => {
    const id = await world.startAgent({ shadow: true });
    await plan({ tier: 'starter' });
    await call(PERSON, 'createAgent', { body: paper() });
    await call(PERSON, 'stopAgent', { params: { id }, body: {} });
    await call(PERSON, 'deleteAgent', { params: { id } });
    expect((await agents()).map(({ shadowOf: of }) => of)).toEqual([undefined, undefined]);
  }, 60_000);

  it('comes and goes by the word of a plan that permits agents, and keeps no stop from its effect (R7-16)', async () => {
    const [bare, id] = [await world.startAgent(), await world.startAgent({ shadow: true })];
    await plan({ status: 'canceled' });
    for (const [one, shadow] of [
      [bare, true],
      [id, false],
    ] as const)
      await expect(
        call(PERSON, 'updateAgent', { params: { id: one }, body: { ...SETTINGS, shadow } }),
      ).rejects.toMatchObject({ code: 'plan_lapsed', status: 403 });
    expect(await agents()).toHaveLength(3);
    for (const [one, shadow] of [
      [bare, true],
      [id, false],
    ] as const)
      await call(PERSON, 'updateAgent', {
        params: { id: one },
        body: { ...SETTINGS, enabled: false, shadow },
      });
    expect((await agents()).map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped']);
    expect((await agents()).filter(({ shadowOf: of }) => of === id)).toHaveLength(1);
  }, 60_000);

  it('that is let go while it is stopped is started by no word from before (R7-17)', async () => {
    const id = await world.startAgent({ shadow: true });
    await call(PERSON, 'stopAgent', { params: { id }, body: {} });
    const twin = (await agents()).find(({ shadowOf: of }) => of === id);
    await call(PERSON, 'updateAgent', {
      params: { id },
      body: { ...SETTINGS, enabled: false, shadow: false },
    });
    await expect(
      call(PERSON, 'startAgent', {
        params: { id: twin?.id ?? '' },
        body: { seenGeneration: twin?.generation ?? 0 },
      }),
    ).rejects.toMatchObject({ code: 'agent_changed' });
  }, 60_000);

  it('is not made of an agent on paper', async () => {
    await expect(
      call(PERSON, 'createAgent', { body: { ...paper(), shadow: true } }),
    ).rejects.toMatchObject({ code: 'invalid_request', more: { field: 'shadow' } });
  });

  it('stops with its live self that is stopped and sold, and keeps what it holds on paper (R7-17)', async () => {
    const id = await bothTraded();
    const before = (await agents()).find(({ shadowOf: of }) => of === id);
    expect(before?.openPositions).toBeGreaterThan(0);
    await call(PERSON, 'liquidateAgent', { params: { id } });
    expect((await agents()).map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    expect((await agents()).find((one) => one.id === before?.id)).toMatchObject({
      enabled: false,
      nextRunAt: null,
      openPositions: before?.openPositions,
    });
  }, 60_000);

  it('stops when live trading ends', async () => {
    await world.startAgent({ shadow: true });
    await call(PERSON, 'endLiveTrading', { params: { id: world.connection.id } });
    expect((await agents()).map(({ status }) => status)).toEqual(['stopped', 'stopped']);
  }, 60_000);
});

describe('the comparison', () => {
  it('shows both trades of one decision, and why they differ, to the last digit', async () => {
    const id = await bothTraded();
    const report = Shadow.parse(await shadowOf(id));
    const row = report.rows.find(
      ({ live, paper }) => live.quantity !== null && paper.quantity !== null,
    );
    if (row === undefined) throw new Error('No trade of both');
    const [order] = world.standIn.journal.orders({ by: 'api' });
    expect(row).toMatchObject({ pair: world.pair, side: 'buy', live: { state: 'filled' } });
    expect(order?.accepted.side).toBe('buy');
    // The first week's caps cut the live order; the exchange has its own price and fee.
    expect(row.reasons).toEqual(expect.arrayContaining(['size', 'price', 'fee']));
    const { realized } = report.live;
    expect(report.live).toMatchObject({ agentId: id, trades: 1, quote: world.quote, realized });
    expect(report.paper.trades).toBeGreaterThan(0);
    expect(row.live.text).toMatch(/^Ordered /);
    expect(row.paper.text).toMatch(/^Bought /);
  }, 60_000);

  it('says what was held back, and keeps the two sums apart', async () => {
    await call(PERSON, 'setLiveLimits', {
      params: { id: world.connection.id },
      body: { entriesAllowed: false },
    });
    const id = await world.startAgent({ shadow: true });
    await world.tickUntil(async () => (await shadowOf(id)).rows.length > 0);
    const { rows, live } = await shadowOf(id);
    expect(rows[0]).toMatchObject({
      reasons: ['held_back'],
      live: { quantity: null, text: expect.stringMatching(/turned off purchases/) as string },
      difference: null,
    });
    expect(live).toMatchObject({ trades: 0, realized: '0', fees: '0' });
    const summary = await call(PERSON, 'agentSummary');
    expect(summary).toMatchObject({ total: 1, running: 1, openPositions: 1 });
    expect(summary.live).toMatchObject([
      { connectionId: world.connection.id, total: 1, openPositions: 0, value: '0', fees: '0' },
    ]);
  }, 60_000);
});
