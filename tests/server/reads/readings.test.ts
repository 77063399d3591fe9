/**
 * Replies that are kept: never older than an event that was told, always at the present prices, each
 * worked out once, and a person's own.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eq } from 'drizzle-orm';
import { CALLS, type CallName } from '../../../contract/calls.ts';
import { Refusal } from '../../../contract/errors.ts';
import { agentReadings } from '../../../server/agents/agent-readings.ts';
import { liftSwitch, throwSwitch } from '../../../server/agents/trading-halts.ts';
import type { Scheduler } from '../../../server/agents/scheduler.ts';
import type { Database, Tx } from '../../../server/db/database.ts';
import { accountAlarms, accounts, users } from '../../../server/db/schema.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { portfolioReadings } from '../../../server/portfolio/portfolio-readings.ts';
import { openReads } from '../../../server/reads/open-reads.ts';
import { ReplyCache } from '../../../server/reads/reply-cache.ts';
import { makeOf, type Reading, type Readings } from '../../../server/reads/reading.ts';
import { userHandlers } from '../../../server/users/user-handlers.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import fc from '../../support/property.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

const NAMES = [
  'portfolio',
  'analytics',
  'history',
  'agents',
  'agentSummary',
  'agentInsight',
] as const;
type Name = (typeof NAMES)[number];

let database: Database;
let floor: Floor;
let uid = '';
let scheduler: Scheduler;
let count = 0;
let server: Server;

/** One server's readings over the floor, as HTTP asks for them. */
class Server {
  private readonly readings: Readings;
  private readonly replies: ReplyCache;
  private readonly turn;
  loads = 0;

  constructor(on: Floor) {
    const { deps } = openReads({ databasePoolMax: 10, readsAtOnce: 2 }, on.deps, on.deps);
    this.turn = <T>(whose: string, work: () => Promise<T>): Promise<T> => {
      this.loads += 1;
      return deps.turn(whose, work);
    };
    const counted = { ...deps, turn: this.turn };
    this.readings = { ...portfolioReadings(counted), ...agentReadings(counted) };
    this.replies = new ReplyCache(on.clock);
  }

  async ask(
    whose: string,
    name: Name,
    has?: string,
  ): Promise<{ etag: string; text: string | null }> {
    const query = CALLS[name].query.parse({});
    const reading = this.readings[name] as (context: unknown) => Promise<Reading<CallName>>;
    const found = await reading({
      caller: { uid: whose, email: null },
      params: {},
      query,
    });
    const { etag, text } = await this.replies.answer(
      { name, uid: whose, of: [{}, query], has },
      found.validator,
      this.turn,
      async () => {
        const make = await makeOf(found);
        return async () => JSON.stringify(CALLS[name].reply.parse(await make()));
      },
    );
    return { etag: etag ?? '', text };
  }
}

const fresh = async (whose: string, name: Name): Promise<unknown> =>
  JSON.parse(JSON.stringify(CALLS[name].reply.parse(await floor.call(whose, name))));

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  uid = `reader${(count += 1)}`;
  floor = await openFloor({ candles: 1_200, sourceId: `reads${count}` }, database);
  await floor.join(uid);
  scheduler = floor.scheduler();
  await scheduler.open();
  server = new Server(floor);
});

/** The kept reply is the one that is worked out afresh. Answers the validators. */
async function expectSame(): Promise<Record<string, string>> {
  const etags: Record<string, string> = {};
  for (const name of NAMES) {
    const { etag, text } = await server.ask(uid, name);
    expect({ name, reply: JSON.parse(text ?? 'null') as unknown }).toEqual({
      name,
      reply: await fresh(uid, name),
    });
    etags[name] = etag;
  }
  return etags;
}

const once = { once: <T>(effect: (tx: Tx) => Promise<T>) => database.transaction(effect) };
const asked = () => ({ caller: { uid, email: null }, ip: '', commandId: randomUUID() });

const ownRisk = (percentage: number): Promise<unknown> =>
  userHandlers(floor.deps).riskProfile({
    ...asked(),
    ...once,
    params: {},
    query: {},
    body: {
      profile: 'Aggressive',
      max_position_percentage: percentage,
      confidence_threshold: 0.5,
      stop_loss_percentage: 5,
    },
  });

async function turnedOff(off: boolean): Promise<void> {
  const handlers = userHandlers(floor.deps);
  const plain = { ...asked(), ...once, params: {}, query: {} };
  const { settings } = await handlers.tradingSettings({ ...plain, body: {} });
  await handlers.updateTradingSettings({
    ...plain,
    body: { ...settings, tradingEnabled: !off },
  });
}

const halt = (on: boolean, until: number | null = null): Promise<unknown> =>
  database.transaction((tx) =>
    (on ? throwSwitch : liftSwitch)(
      tx,
      { scope: 'user', target: uid, reason: 'a test', until, by: 'operator' },
      floor.clock.now(),
    ),
  );

const holding = async (): Promise<string> => {
  const { agent } = await floor.call(uid, 'createAgent', { body: AGGRESSIVE });
  await floor.run(scheduler, 2);
  expect((await floor.call(uid, 'portfolio')).positions.length).toBeGreaterThan(0);
  return agent.id;
};

describe('a kept reply', () => {
  it('equals the one worked out afresh, whatever was done and whatever prices did (property)', async () => {
    const act = fc.record({
      kind: fc.constantFrom(
        'stop',
        'start',
        'create',
        'edit',
        'close',
        'tick',
        'price',
        'risk',
        'off',
        'halt',
        'plan',
        'reset',
        'wait',
      ),
      by: fc.integer({ min: 0, max: 1_000 }),
    });
    const acts: Record<string, (by: number) => Promise<unknown>> = {
      stop: () => floor.call(uid, 'stopAll', { body: {} }),
      start: () => floor.call(uid, 'startAll', { body: {} }),
      create: async () => {
        const { agents } = await floor.call(uid, 'agents');
        if (agents.length < 3) await floor.call(uid, 'createAgent', { body: AGGRESSIVE });
      },
      edit: async (by) => {
        const [agent] = (await floor.call(uid, 'agents')).agents;
        if (agent === undefined) return;
        await floor.call(uid, 'updateAgent', {
          params: { id: agent.id },
          body: {
            version: agent.version,
            risk_profile: 'Aggressive',
            max_position_size: 1_000 + by,
            execution_interval: '5-minute',
            enabled: agent.enabled,
          },
        });
      },
      close: async () => {
        const [held] = (await floor.call(uid, 'portfolio')).positions;
        if (held !== undefined) await floor.call(uid, 'closePosition', { params: { id: held.id } });
      },
      tick: () => floor.run(scheduler, 1),
      price: async (by) => {
        floor.market.say('BTC/USDT', 90 + by / 50);
        await scheduler.settled();
      },
      risk: (by) => ownRisk(5 + (by % 10)),
      off: (by) => turnedOff(by % 2 === 0),
      halt: (by) => halt(by % 2 === 0),
      plan: (by) =>
        database.transaction(({ db }) =>
          db
            .update(subscriptions)
            .set({ tier: by % 2 === 0 ? 'starter' : 'pro-max', updatedAt: floor.clock.now() + by })
            .where(eq(subscriptions.uid, uid)),
        ),
      reset: () => floor.call(uid, 'resetPaper', { body: {} }),
      wait: async (by) => {
        floor.clock.at += 1_000 + by;
      },
    };
    await holding();
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (list) => {
        for (const { kind, by } of list) {
          // A plan may refuse what is asked: then nothing has changed.
          await acts[kind]?.(by).catch((error: unknown) => {
            if (!(error instanceof Refusal)) throw error;
          });
          await expectSame();
        }
      }),
      { numRuns: 8 },
    );
  }, 120_000);

  it('has another validator after everything that changes it, with an event or without', async () => {
    const id = await holding();
    const changes: [string, Name[], () => Promise<unknown>][] = [
      [
        'a stop',
        ['agents', 'agentSummary'],
        () => floor.call(uid, 'stopAgent', { params: { id }, body: {} }),
      ],
      ['a start', ['agents'], () => floor.call(uid, 'startAgent', { params: { id }, body: {} })],
      [
        'a price',
        ['portfolio', 'agents', 'analytics', 'agentSummary', 'agentInsight'],
        async () => floor.market.say('BTC/USDT', 140),
      ],
      ['a tick', NAMES.filter((name) => name !== 'history'), () => floor.run(scheduler, 1)],
      [
        'a sale',
        [...NAMES],
        async () => {
          const [held] = (await floor.call(uid, 'portfolio')).positions;
          await floor.call(uid, 'closePosition', { params: { id: held?.id ?? '' } });
        },
      ],
      ['own risk values', ['agentInsight'], () => ownRisk(7)],
      ['trading turned off', ['agents'], () => turnedOff(true)],
      ["an operator's switch", ['agents'], () => halt(true, floor.clock.now() + 5_000)],
      [
        'the end of it',
        ['agents'],
        async () => {
          floor.clock.at += 6_000;
        },
      ],
      [
        'doubt about the ledger',
        ['portfolio'],
        async () => {
          const [account] = await database.db
            .select({ id: accounts.id })
            .from(accounts)
            .where(eq(accounts.uid, uid));
          await database.db.insert(accountAlarms).values({
            accountId: account?.id ?? '',
            foundAt: 1,
            checkedAt: 1,
            count: 1,
            differences: [],
          });
        },
      ],
      [
        'a smaller plan',
        ['analytics', 'agentInsight', 'agentSummary'],
        () =>
          database.db
            .update(subscriptions)
            .set({ tier: 'starter', updatedAt: 77 })
            .where(eq(subscriptions.uid, uid)),
      ],
      ['a new account', [...NAMES], () => floor.call(uid, 'resetPaper', { body: {} })],
    ];
    let before = await expectSame();
    for (const [what, names, change] of changes) {
      await change();
      await scheduler.settled();
      const after = await expectSame();
      for (const name of names)
        expect(`${what}: ${name} ${after[name]}`).not.toBe(`${what}: ${name} ${before[name]}`);
      before = after;
    }
  });

  it('is not worked out where the caller has it: nothing is read, and nothing sent', async () => {
    await holding();
    const first = await server.ask(uid, 'portfolio');
    const loads = server.loads;
    floor.clock.at += 10_000;
    expect(await server.ask(uid, 'portfolio', first.etag)).toEqual({
      etag: first.etag,
      text: null,
    });
    expect((await server.ask(uid, 'portfolio', `"other", ${first.etag}`)).text).toBeNull();
    expect(server.loads).toBe(loads);
    expect((await server.ask(uid, 'portfolio', '"other"')).text).not.toBeNull();
  });

  it('is worked out once for all who ask at one moment', async () => {
    await holding();
    const told = await Promise.all(Array.from({ length: 40 }, () => server.ask(uid, 'analytics')));
    expect(new Set(told.map(({ text }) => text)).size).toBe(1);
    // Once for what is in the database, once for the prices.
    expect(server.loads).toBe(2);
    floor.market.say('BTC/USDT', 120);
    await scheduler.settled();
    const sold = (await floor.call(uid, 'portfolio')).positions.length === 0;
    await Promise.all(Array.from({ length: 40 }, () => server.ask(uid, 'analytics')));
    expect(server.loads).toBe(sold ? 4 : 3);
  });

  it('of the history is not read again at a tick in which nothing was traded', async () => {
    await holding();
    await floor.call(uid, 'stopAll', { body: {} });
    const [held] = (await floor.call(uid, 'portfolio')).positions;
    await floor.call(uid, 'closePosition', { params: { id: held?.id ?? '' } });
    for (const name of ['history', 'portfolio'] as const) await server.ask(uid, name);
    const { loads } = server;
    await floor.run(scheduler, 1);
    const { etag } = await server.ask(uid, 'history');
    expect((await server.ask(uid, 'history', etag)).text).toBeNull();
    expect(server.loads - loads).toBeLessThanOrEqual(1);
  });

  it('states a moment of its own again after a second, without reading anything', async () => {
    const first = await server.ask(uid, 'portfolio');
    floor.clock.at += 1_500;
    const later = await server.ask(uid, 'portfolio');
    expect(later.etag).toBe(first.etag);
    const servedAt = ({ text }: { text: string | null }): number =>
      (JSON.parse(text ?? '{}') as { servedAt: number }).servedAt;
    expect(servedAt(later) - servedAt(first)).toBe(1_500);
  });

  it("is never another person's, even where both have done nothing yet", async () => {
    const other = `${uid}x`;
    await floor.join(other);
    for (const name of NAMES) {
      const [mine, theirs] = [await server.ask(uid, name), await server.ask(other, name)];
      expect(theirs.etag).not.toBe(mine.etag);
      expect((await server.ask(other, name, mine.etag)).text).not.toBeNull();
      expect(JSON.parse(theirs.text ?? 'null')).toEqual(await fresh(other, name));
    }
  });

  it('is as new on a server that had no part in the change, before any word of it came', async () => {
    const second = new Server(floor);
    const id = await holding();
    const before = await second.ask(uid, 'agents');
    await floor.call(uid, 'stopAgent', { params: { id }, body: {} });
    const after = await second.ask(uid, 'agents', before.etag);
    expect(JSON.parse(after.text ?? 'null')).toEqual(await fresh(uid, 'agents'));
    expect((await server.ask(uid, 'agents')).etag).toBe(after.etag);
  });

  it('of somebody whose row is gone is not kept', async () => {
    await database.db.delete(users).where(eq(users.uid, uid));
    const first = await server.ask(uid, 'agents');
    const loads = server.loads;
    await server.ask(uid, 'agents');
    expect(server.loads).toBeGreaterThan(loads);
    expect(JSON.parse(first.text ?? '{}')).toMatchObject({ agents: [], sequence: 0 });
  });
});

describe('an exchange that does not send its candles', () => {
  const hang = (): Promise<never> => new Promise(() => undefined);
  const fail = (): Promise<never> => Promise.reject(new Error('GET candles: 503'));
  const analyticsOf = async (whose: string) =>
    CALLS.analytics.reply.parse(JSON.parse((await server.ask(whose, 'analytics')).text ?? 'null'));

  it.each([
    ['hangs', hang],
    ['fails', fail],
  ])('and %s leaves out the benchmark alone, and says so (F98)', async (_, candles) => {
    await holding();
    const before = await analyticsOf(uid);
    expect(before.benchmark).not.toBeNull();
    expect(before.benchmarkUnread).toBeUndefined();
    floor.market.say('BTC/USDT', 130);
    floor.market.candles = candles;
    const { benchmark, benchmarkUnread, metrics, equity } = await analyticsOf(uid);
    expect([benchmark, benchmarkUnread]).toEqual([null, true]);
    expect(metrics.totalReturn).not.toBeNull();
    expect(equity.length).toBeGreaterThan(0);
  });

  it('leaves the lines of agents at the prices of their trades (F98)', async () => {
    const id = await holding();
    const [fill] = (await floor.call(uid, 'history')).fills;
    await floor.run(scheduler, 3);
    floor.market.candles = fail;
    const insight = CALLS.agentInsight.reply.parse(
      JSON.parse((await server.ask(uid, 'agentInsight')).text ?? 'null'),
    );
    const points = insight.series.find(({ agentId }) => agentId === id)?.points ?? [];
    expect(fill).toBeDefined();
    expect(points.length).toBeGreaterThan(2);
    const total = Number((await floor.call(uid, 'agents')).agents[0]?.total);
    expect(points.at(-1)?.[1]).toBe(total);
  });

  it('holds no place among heavy reads: others are answered meanwhile (F98)', async () => {
    await holding();
    const waiting = Array.from({ length: 5 }, (_, n) => `${uid}-${n}`);
    for (const one of waiting) await floor.join(one);
    const candles = floor.market.candles.bind(floor.market);
    let asked = 0;
    floor.market.candles = () => {
      asked += 1;
      return hang();
    };
    const hung = Promise.all(waiting.map((one) => analyticsOf(one)));
    await expect.poll(() => asked, { timeout: 20_000 }).toBeGreaterThanOrEqual(waiting.length);
    expect((await server.ask(uid, 'portfolio')).text).not.toBeNull();
    expect((await server.ask(uid, 'agents')).text).not.toBeNull();
    expect((await hung).map(({ benchmarkUnread }) => benchmarkUnread)).toEqual(
      waiting.map(() => true),
    );
    floor.market.candles = candles;
  });
});
