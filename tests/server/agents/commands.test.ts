/**
 * Commands about agents on a real database: what they change, what they refuse, and whose they are.
 */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallBody } from '../../../contract/calls.ts';
import { Refusal } from '../../../contract/errors.ts';
import { START_FRESH_MS, START_LAPSE_MS } from '../../../contract/limits.ts';
import type { Database } from '../../../server/db/database.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { events } from '../../../server/db/schema.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let floor: Floor;
let people = 0;
const person = async (
  tier: Parameters<Floor['join']>[1] = 'pro-max',
  status = 'active',
): Promise<string> => {
  const uid = `person${(people += 1)}`;
  await floor.join(uid, tier, status);
  return uid;
};
const BODY: CallBody<'createAgent'> = {
  ...AGGRESSIVE,
  enabled: false,
  pool: undefined,
  trading_pairs: ['BTC/USDT'],
};

beforeAll(async () => {
  database = await openTestDatabase();
  floor = await openFloor({ candles: 50, pairs: ['BTC/USDT', 'ETH/USDT', 'USDC/USDT'] }, database);
});
afterAll(async () => {
  await database.close();
});

const refused = async (work: Promise<unknown>): Promise<Refusal> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw new Error(`Not refused: ${String(error)}`);
  return error;
};
const make = async (uid: string, more: Partial<CallBody<'createAgent'>> = {}) =>
  (await floor.call(uid, 'createAgent', { body: { ...BODY, ...more } })).agent;

describe('a start that comes late', () => {
  it('does not run after a stop that was pressed later, even where that stop found the agent stopped (R7-17)', async () => {
    const uid = await person();
    const { id, generation } = await make(uid);
    expect((await floor.call(uid, 'stopAgent', { params: { id }, body: {} })).outcome).toBe(
      'unchanged',
    );
    expect(
      await refused(
        floor.call(uid, 'startAgent', { params: { id }, body: { seenGeneration: generation } }),
      ),
    ).toMatchObject({ code: 'agent_changed' });
    const [agent] = (await floor.call(uid, 'agents')).agents;
    expect(agent?.status).toBe('stopped');
    expect(
      (
        await floor.call(uid, 'startAgent', {
          params: { id },
          body: { seenGeneration: agent?.generation ?? 0 },
        })
      ).outcome,
    ).toBe('started');
  });

  it('is told apart from one that saw a stop-all (R7-18)', async () => {
    const uid = await person();
    const { id, generation } = await make(uid);
    await floor.call(uid, 'stopAll', { body: {} });
    const { results } = await floor.call(uid, 'startAll', {
      body: { agents: [{ id, seenGeneration: generation }] },
    });
    expect(results).toMatchObject([{ agentId: id, outcome: 'refused', code: 'agent_changed' }]);
  });

  it.each(['liquidateAgent', 'resetPaper'] as const)(
    'does not run after %s, which found the agent stopped (R7-17)',
    async (later) => {
      const uid = await person();
      const { id, generation } = await make(uid);
      await floor.call(uid, later, later === 'liquidateAgent' ? { params: { id } } : {});
      const [agent] = (await floor.call(uid, 'agents')).agents;
      expect(agent).toMatchObject({ status: 'stopped', generation: generation + 1 });
      expect(
        await refused(
          floor.call(uid, 'startAgent', {
            params: { id },
            body: { seenGeneration: generation, ageMs: 10 * 60_000 },
          }),
        ),
      ).toMatchObject({ code: 'agent_changed', more: { details: { agent: { id } } } });
    },
  );
});

describe('creating', () => {
  it('makes an agent as asked for, stopped or running as the person wishes (R7-15)', async () => {
    const uid = await person('standard');
    const stopped = await make(uid);
    expect(stopped).toMatchObject({
      status: 'stopped',
      enabled: false,
      pool: 'all_pools',
      nextRunAt: null,
      generation: 1,
      quote: 'USDT',
    });
    const running = await make(uid, { enabled: true });
    expect(running).toMatchObject({ status: 'running', enabled: true });
    expect(running.nextRunAt).toBeGreaterThan(floor.market.now());
  });

  it('says which pairs were chosen, and that none were where the pool’s list is traded', async () => {
    const uid = await person('pro');
    const ofPair = await make(uid);
    expect(ofPair.ownPairs).toEqual(['BTC/USDT']);
    const ofPool = await make(uid, { trading_pairs: [], pool: 'stablecoin_arbitrage' });
    expect(ofPool).toMatchObject({ ownPairs: [], trading_pairs: ['USDC/USDT'] });
    const { agents } = await floor.call(uid, 'agents');
    expect(new Map(agents.map(({ id, ownPairs }) => [id, ownPairs]))).toEqual(
      new Map([
        [ofPair.id, ['BTC/USDT']],
        [ofPool.id, []],
      ]),
    );
  });

  it.each([
    ['starter', 2, 'R6-03'],
    ['standard', 5, 'R6-04'],
    ['pro', 10, 'R6-05'],
    ['pro-max', 25, 'R6-06'],
  ] as const)('gives %s %i places and refuses one more (%s, R9-04)', async (tier, cap, _row) => {
    const uid = await person(tier);
    for (let i = 0; i < cap; i += 1) await make(uid);
    expect(await refused(make(uid))).toMatchObject({ code: 'agent_cap_reached', status: 403 });
    expect((await floor.call(uid, 'agentSummary')).total).toBe(cap);
  });

  it('lets parallel creates take no place twice (R9-04)', async () => {
    const uid = await person('starter');
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => make(uid)));
    expect(answers.filter((answer) => answer.status === 'fulfilled').length).toBe(2);
  });

  it('refuses free and lapsed plans, unknown pairs, other quotes, and an agent without pairs or pool', async () => {
    expect(await refused(make(await person(null)))).toMatchObject({
      code: 'insufficient_permissions',
      status: 403,
    });
    expect(await refused(make(await person('pro', 'canceled')))).toMatchObject({
      code: 'plan_lapsed',
      status: 403,
    });
    const uid = await person('pro');
    expect(await refused(make(uid, { trading_pairs: ['BTC/USDT', 'NOPE/USDT'] }))).toMatchObject({
      code: 'unknown_symbol',
      status: 400,
      more: { field: 'trading_pairs.1' },
    });
    expect(await refused(make(uid, { trading_pairs: ['BTC/EUR'] }))).toMatchObject({
      code: 'wrong_quote',
      more: { field: 'trading_pairs.0' },
    });
    expect(await refused(make(uid, { trading_pairs: [] }))).toMatchObject({
      code: 'invalid_request',
      more: { field: 'trading_pairs' },
    });
    expect(
      (await make(uid, { trading_pairs: [], pool: 'stablecoin_arbitrage' })).trading_pairs,
    ).toEqual(['USDC/USDT']);
    expect(await refused(make(await person('standard'), { pool: 'momentum_24h' }))).toMatchObject({
      code: 'insufficient_permissions',
    });
  });

  it('makes one agent for each pool that suits the profile, up to the free places (R7-14, R9-05)', async () => {
    const uid = await person('pro');
    const all = await floor.call(uid, 'createPool', { body: { subscription_tier: 'pro' } });
    expect(
      new Set(all.agents.map((agent) => `${agent.tradingFrequency} ${agent.execution_interval}`)),
    ).toEqual(new Set(['optimized 20-minute']));
    expect(all.agents.map((agent) => agent.pool)).toEqual([
      'stablecoin_arbitrage',
      'base_ecosystem',
      'weekly_leaders',
      'all_pools',
    ]);
    expect(new Set(all.agents.map((agent) => `${agent.status} ${agent.risk_profile}`))).toEqual(
      new Set(['stopped Moderate']),
    );
    const small = await person('starter');
    await make(small);
    expect(
      (
        await floor.call(small, 'createPool', {
          body: { subscription_tier: 'starter', risk_profile: 'aggressive' },
        })
      ).agents.length,
    ).toBe(1);
    expect(
      await refused(floor.call(small, 'createPool', { body: { subscription_tier: 'pro' } })),
    ).toMatchObject({ code: 'invalid_subscription_parameters', status: 400 });
  });
});

describe('start and stop', () => {
  it('carries each once, grows the generation and tells it in the same transaction (R7-17)', async () => {
    const uid = await person('starter');
    const { id } = await make(uid);
    const key = randomUUID();
    const started = await floor.call(uid, 'startAgent', {
      params: { id },
      body: { seenGeneration: 1 },
      key,
    });
    expect(started).toMatchObject({
      commandId: key,
      outcome: 'started',
      agent: { status: 'running', enabled: true, generation: 2 },
    });
    expect(
      await floor.call(uid, 'startAgent', { params: { id }, body: { seenGeneration: 1 }, key }),
    ).toEqual(started);
    expect((await floor.call(uid, 'startAgent', { params: { id }, body: {} })).outcome).toBe(
      'unchanged',
    );
    expect(await floor.call(uid, 'stopAgent', { params: { id }, body: {} })).toMatchObject({
      outcome: 'stopped',
      agent: { status: 'stopped', enabled: false, generation: 3, nextRunAt: null },
    });
    expect((await floor.call(uid, 'stopAgent', { params: { id }, body: {} })).outcome).toBe(
      'unchanged',
    );
    const told = await database.db
      .select()
      .from(events)
      .where(eq(events.uid, uid))
      .orderBy(events.sequence);
    expect(
      told.map(({ payload }) => (payload as { agent: { generation: number } }).agent.generation),
    ).toEqual([1, 2, 3, 4]);
  });

  it('asks before a start that saw another agent or waited too long, and drops one that waited a day (R7-17)', async () => {
    const uid = await person('starter');
    const { id, generation } = await make(uid);
    const start = (command: object) =>
      floor.call(uid, 'startAgent', { params: { id }, body: command });
    expect(await refused(start({ seenGeneration: 9 }))).toMatchObject({
      code: 'agent_changed',
      status: 409,
    });
    expect(
      await refused(start({ seenGeneration: generation, ageMs: START_FRESH_MS + 1 })),
    ).toMatchObject({ code: 'agent_changed' });
    expect(await refused(start({ ageMs: START_LAPSE_MS + 1, confirmed: true }))).toMatchObject({
      code: 'command_lapsed',
      status: 410,
    });
    expect(
      (await start({ seenGeneration: generation, ageMs: START_FRESH_MS + 1, confirmed: true }))
        .outcome,
    ).toBe('started');
  });

  it('a start that was confirmed does not outlive a stop that came after its confirmation (R7-17, R7-18)', async () => {
    const uid = await person('starter');
    const { id, generation } = await make(uid);
    await floor.call(uid, 'stopAgent', { params: { id }, body: {} });
    const late = { seenGeneration: generation, ageMs: START_FRESH_MS + 1, confirmed: true };
    expect(
      await refused(floor.call(uid, 'startAgent', { params: { id }, body: late })),
    ).toMatchObject({ code: 'agent_changed', status: 409 });
    const all = await floor.call(uid, 'startAll', {
      body: { ageMs: late.ageMs, confirmed: true, agents: [{ id, seenGeneration: generation }] },
    });
    expect(all.results).toMatchObject([{ outcome: 'refused', code: 'agent_changed' }]);
    expect(all.agents[0]?.status).toBe('stopped');
  });

  it('refuses start on a lapsed plan and never refuses stop (R7-17)', async () => {
    const uid = await person('pro');
    const { id } = await make(uid, { enabled: true });
    await database.db
      .update(subscriptions)
      .set({ status: 'canceled' })
      .where(eq(subscriptions.uid, uid));
    expect(
      (
        await floor.call(uid, 'stopAgent', {
          params: { id },
          body: { ageMs: START_LAPSE_MS * 9, seenGeneration: 77 },
        })
      ).outcome,
    ).toBe('stopped');
    expect(
      await refused(floor.call(uid, 'startAgent', { params: { id }, body: {} })),
    ).toMatchObject({ code: 'plan_lapsed', status: 403 });
    const settings = {
      risk_profile: 'Moderate',
      max_position_size: 10,
      execution_interval: 'daily',
      enabled: true,
    } as const;
    expect(
      await refused(floor.call(uid, 'updateAgent', { params: { id }, body: settings })),
    ).toMatchObject({ code: 'plan_lapsed' });
  });

  it('starts the agents that were seen, each by its own merit, and stops all (R7-18)', async () => {
    const uid = await person('standard');
    const [one, two, three] = [
      await make(uid),
      await make(uid),
      await make(uid, { enabled: true }),
    ];
    const gone = randomUUID();
    const started = await floor.call(uid, 'startAll', {
      body: {
        agents: [
          { id: one.id, seenGeneration: 1 },
          { id: two.id, seenGeneration: 5 },
          { id: gone },
        ],
      },
    });
    expect(
      Object.fromEntries(
        started.results.map((result) => [result.agentId, result.code ?? result.outcome]),
      ),
    ).toEqual({ [one.id]: 'started', [two.id]: 'agent_changed', [gone]: 'not_found' });
    const stopped = await floor.call(uid, 'stopAll', { body: { agents: [] } });
    expect(
      Object.fromEntries(stopped.results.map((result) => [result.agentId, result.outcome])),
    ).toEqual({ [one.id]: 'stopped', [two.id]: 'unchanged', [three.id]: 'stopped' });
    expect(
      (await floor.call(uid, 'startAll', { body: {} })).results.map((result) => result.outcome),
    ).toEqual(['started', 'started', 'started']);
  });

  it('knows an agent in whatever case its id is written, and what was seen of it', async () => {
    const uid = await person();
    const { id, generation } = await make(uid);
    const start = (seenGeneration: number) =>
      floor.call(uid, 'startAll', { body: { agents: [{ id: id.toUpperCase(), seenGeneration }] } });
    expect((await start(generation + 1)).results).toMatchObject([
      { agentId: id, outcome: 'refused', code: 'agent_changed' },
    ]);
    expect((await start(generation)).results).toEqual([{ agentId: id, outcome: 'started' }]);
  });
});

describe('changing', () => {
  const settings = {
    risk_profile: 'Conservative',
    max_position_size: 250.5,
    execution_interval: '20-minute',
    enabled: true,
  } as const;

  it('takes every setting, and starts and stops by `enabled` (R7-16, R5-07)', async () => {
    const uid = await person('starter');
    const { id } = await make(uid);
    const { agent } = await floor.call(uid, 'updateAgent', {
      params: { id },
      body: { ...settings, version: 1 },
    });
    expect(agent).toMatchObject({ ...settings, status: 'running', version: 2 });
    expect(agent.generation).toBeGreaterThan(1);
    expect((agent.nextRunAt ?? 1) % 1_200_000).toBe(0);
    expect(
      await refused(
        floor.call(uid, 'updateAgent', { params: { id }, body: { ...settings, version: 1 } }),
      ),
    ).toMatchObject({
      code: 'agent_changed',
      status: 409,
      more: { details: { agent: { version: 2 } } },
    });
    expect(
      (
        await floor.call(uid, 'updateAgent', {
          params: { id },
          body: { ...settings, enabled: false, version: 2 },
        })
      ).agent.status,
    ).toBe('stopped');
  });

  it('leaves it stopped or running as it is where the edit says so, however old what it saw is (R7-16)', async () => {
    const uid = await person('starter');
    const { id } = await make(uid, { enabled: true });
    const keeping = async (enabled: boolean, size: number) =>
      (
        await floor.call(uid, 'updateAgent', {
          params: { id },
          query: { enabled: 'keep' },
          body: { ...settings, enabled, max_position_size: size },
        })
      ).agent;
    await floor.call(uid, 'stopAgent', { params: { id }, body: {} });
    expect(await keeping(true, 300)).toMatchObject({
      status: 'stopped',
      enabled: false,
      max_position_size: 300,
    });
    await floor.call(uid, 'startAgent', { params: { id }, body: {} });
    expect(await keeping(false, 400)).toMatchObject({
      status: 'running',
      enabled: true,
      max_position_size: 400,
    });
  });

  it('asks for no plan where the edit starts nothing (R7-16)', async () => {
    const uid = await person('pro');
    const { id } = await make(uid);
    await database.db
      .update(subscriptions)
      .set({ status: 'canceled' })
      .where(eq(subscriptions.uid, uid));
    const edit = { params: { id }, body: settings };
    expect(
      (await floor.call(uid, 'updateAgent', { ...edit, query: { enabled: 'keep' } })).agent,
    ).toMatchObject({ status: 'stopped', max_position_size: 250.5 });
    expect(await refused(floor.call(uid, 'updateAgent', edit))).toMatchObject({
      code: 'plan_lapsed',
    });
  });

  it('reconfigures all at once, from pro on (R7-21)', async () => {
    const uid = await person('pro');
    await make(uid);
    await make(uid, { enabled: true });
    const { agents } = await floor.call(uid, 'reconfigure', {
      body: { risk_profile: 'conservative', trading_frequency: 'weekly' },
    });
    expect(
      agents.map((agent) => [agent.risk_profile, agent.tradingFrequency, agent.version]),
    ).toEqual([
      ['Conservative', 'weekly', 2],
      ['Conservative', 'weekly', 2],
    ]);
    expect(
      await refused(
        floor.call(await person('standard'), 'reconfigure', {
          body: { risk_profile: 'moderate', trading_frequency: 'daily' },
        }),
      ),
    ).toMatchObject({ code: 'insufficient_permissions' });
  });

  it('deletes what holds nothing; it is gone from list, summary and every call (R7-20)', async () => {
    const uid = await person('starter');
    const { id } = await make(uid, { enabled: true });
    expect(await floor.call(uid, 'deleteAgent', { params: { id } })).toMatchObject({ agentId: id });
    expect((await floor.call(uid, 'agents')).agents).toEqual([]);
    expect(await floor.call(uid, 'agentSummary')).toMatchObject({ total: 0, cap: 2 });
    expect(
      await refused(floor.call(uid, 'startAgent', { params: { id }, body: {} })),
    ).toMatchObject({ code: 'not_found' });
  });

  it("finds nobody else's agent, by any call (R7-19)", async () => {
    const [owner, other] = [await person('pro'), await person('pro')];
    const { id } = await make(owner, { enabled: true });
    for (const strange of [id, randomUUID(), 'no-uuid']) {
      const params = { id: strange };
      const calls = [
        floor.call(other, 'startAgent', { params, body: {} }),
        floor.call(other, 'stopAgent', { params, body: {} }),
        floor.call(other, 'updateAgent', { params, body: settings }),
        floor.call(other, 'deleteAgent', { params }),
        floor.call(other, 'liquidateAgent', { params }),
        floor.call(other, 'agentPerformance', { params }),
      ];
      for (const refusal of await Promise.all(calls.map(refused)))
        expect(refusal).toMatchObject({ code: 'not_found', status: 404 });
    }
    expect((await floor.call(owner, 'agents')).agents[0]).toMatchObject({
      status: 'running',
      generation: 1,
    });
  });
});
