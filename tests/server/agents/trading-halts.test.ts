/**
 * The operator's switches on the real scheduler: who wins, what goes on, what people are told, and
 * that no row is ever changed.
 */
import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../contract/errors.ts';
import type { EntriesOff, HaltScope } from '../../../contract/halts.ts';
import { entriesOffFor } from '../../../contract/entries-off.ts';
import type { Database } from '../../../server/db/database.ts';
import { accounts, decisions, fills, users } from '../../../server/db/schema.ts';
import { halts } from '../../../server/db/schema-support.ts';
import {
  entriesOffOf,
  haltOn,
  haltsInForce,
  liftSwitch,
  listSwitches,
  throwSwitch,
  type HaltRequest,
} from '../../../server/agents/trading-halts.ts';
import { liveSource } from '../../../server/live/live-accounts.ts';
import { defaultSettings } from '../../../server/users/user-settings.ts';
import fc from '../../support/property.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

const HOUR = 3_600_000;
let database: Database;
let floor: Floor;
let made = 0;
let uid = '';
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  made += 1;
  uid = `held${made}`;
  floor = await openFloor({ candles: 400, sourceId: `halts${made}` }, database);
  await floor.join(uid);
  await database.db.delete(halts);
});

const ask = (scope: HaltScope, target: string, more: Partial<HaltRequest> = {}): HaltRequest => ({
  scope,
  target,
  reason: 'Checking prices',
  until: null,
  by: 'ops',
  ...more,
});
const halt = (what: HaltRequest) =>
  database.transaction((tx) => throwSwitch(tx, what, floor.clock.now()));
const lift = (what: HaltRequest) =>
  database.transaction((tx) => liftSwitch(tx, what, floor.clock.now()));
const agentOf = async () => (await floor.call(uid, 'createAgent', { body: AGGRESSIVE })).agent;
const bought = async (agentId: string) =>
  (
    await database.db
      .select()
      .from(fills)
      .where(and(eq(fills.agentId, agentId), eq(fills.side, 'buy')))
  ).length;
const settings = (more: object) =>
  database.db
    .update(users)
    .set({ settings: { ...defaultSettings('Held'), ...more } })
    .where(eq(users.uid, uid));
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('It was taken');
    },
    (error: unknown) => error,
  );

describe('a switch for a person by their address', () => {
  const address = 'somebody@bank.example';
  const named = (emailVerified: boolean | null, of = uid) =>
    database.db.update(users).set({ email: address, emailVerified }).where(eq(users.uid, of));

  it('needs one that is confirmed, and else names whose it may be', async () => {
    for (const isConfirmed of [false, null]) {
      await named(isConfirmed);
      expect(await failure(halt(ask('user', address)))).toMatchObject({
        code: 'invalid_request',
        message: `Nobody has confirmed the address ${address}: it may be someone else's. If you mean this user, give the uid: ${uid}.`,
      });
    }
    await named(true);
    await halt(ask('user', address));
    await named(false);
    await lift(ask('user', uid));
  });

  it('takes whoever has confirmed it, not who only says so', async () => {
    const [owner, other] = [uid, `${uid}x`];
    await floor.join(other);
    await named(true);
    await named(false, other);
    expect(await halt(ask('user', address))).toMatchObject({ target: owner });
    await named(true, other);
    expect(await failure(halt(ask('user', address)))).toMatchObject({
      message: expect.stringContaining('Several users') as string,
    });
    await named(null, other);
    await named(null);
  });
});

describe('a switch', () => {
  it.each(['platform', 'venue', 'user', 'agent'] as const)(
    'for %s stops the very next purchase, says who and why, and lets go at once',
    async (scope) => {
      const agent = await agentOf();
      const target = { platform: '', venue: floor.market.source.id, user: uid, agent: agent.id }[
        scope
      ];
      const scheduler = floor.scheduler();
      await scheduler.open();
      await halt(ask(scope, target));
      expect(await floor.run(scheduler, 3)).toBe(0);
      const said = await database.db
        .select()
        .from(decisions)
        .where(and(eq(decisions.agentId, agent.id), eq(decisions.reason, 'entries_stopped')));
      expect(said.length).toBeGreaterThan(0);
      const whom = {
        platform: 'for everyone',
        venue: 'at this exchange',
        user: 'for your account',
        agent: 'for this agent',
      }[scope];
      expect(said[0]?.text).toBe(
        `No trade: the operator has paused new trades ${whom} (Checking prices).`,
      );
      await lift(ask(scope, target));
      expect(await floor.run(scheduler, 1)).toBeGreaterThan(0);
      expect(await bought(agent.id)).toBeGreaterThan(0);
    },
  );

  it('names no live account as a venue: it would stop nobody, and only its owner can be halted', async () => {
    const source = liveSource(randomUUID());
    await database.db.insert(accounts).values({
      id: randomUUID(),
      uid,
      source,
      quote: 'USD',
      book: 0,
      openedAt: 0,
      openedMarketMs: 0,
    });
    const refused = (await failure(halt(ask('venue', source)))) as Refusal;
    expect(refused.message).toContain(`--user ${uid}`);
    expect(await listSwitches(database.db, true, floor.clock.now())).toEqual([]);
    const unknown = (await failure(halt(ask('venue', 'nowhere')))) as Refusal;
    expect(unknown.message).not.toContain('live:');
    // One that was taken before.
    const old = { ...ask('venue', source), act: 'halt', at: floor.clock.now() };
    await database.db.insert(halts).values(old);
    expect((await lift(ask('venue', source))).act).toBe('lift');
  });

  it('ends by itself, and leaves other venues, people and agents alone', async () => {
    const agent = await agentOf();
    const other = await openFloor({ candles: 400, sourceId: `elsewhere${made}` }, database);
    await other.join(`other${made}`);
    const scheduler = floor.scheduler();
    await scheduler.open();
    await halt(ask('user', uid, { until: floor.clock.now() + HOUR }));
    await floor.run(scheduler, 1);
    expect(await bought(agent.id)).toBe(0);
    expect(
      await haltsInForce(
        database.db,
        other.market.source.id,
        [`other${made}`],
        [],
        floor.clock.now(),
      ),
    ).toEqual([]);
    floor.clock.at += HOUR;
    await floor.run(scheduler, 1);
    expect(await bought(agent.id)).toBeGreaterThan(0);
  });

  it('holds no exit, stop, sale or Stop back', async () => {
    const agent = await agentOf();
    const scheduler = floor.scheduler();
    await scheduler.open();
    await floor.run(scheduler, 1);
    await scheduler.open();
    const { positions } = await floor.call(uid, 'portfolio');
    expect(positions.length).toBeGreaterThan(1);
    for (const [scope, target] of [
      ['platform', ''],
      ['venue', floor.market.source.id],
      ['user', uid],
      ['agent', agent.id],
    ] as const)
      await halt(ask(scope, target));
    // The stop of one, by its price.
    const [first, second] = positions;
    floor.market.say(first?.pair ?? '', Number(first?.stopPrice) * 0.99);
    await scheduler.settled();
    expect((await floor.call(uid, 'portfolio')).positions.map(({ pair }) => pair)).not.toContain(
      first?.pair,
    );
    // A person's own sale of another, Stop, and what is left by "Stop and sell".
    await floor.call(uid, 'closePosition', { params: { id: second?.id ?? '' } });
    await floor.call(uid, 'stopAgent', { params: { id: agent.id }, body: {} });
    await floor.call(uid, 'liquidateAgent', { params: { id: agent.id } });
    expect((await floor.call(uid, 'portfolio')).positions).toEqual([]);
    expect((await floor.call(uid, 'agents')).agents[0]).toMatchObject({
      status: 'stopped',
      openPositions: 0,
    });
    // Starting is not forbidden either: it runs, and opens nothing.
    await floor.call(uid, 'startAgent', { params: { id: agent.id }, body: {} });
    const before = await bought(agent.id);
    await floor.run(scheduler, 2);
    expect(await bought(agent.id)).toBe(before);
  });

  it('is told with the list, before a start and in a preview, the widest first', async () => {
    const agent = await agentOf();
    await settings({ tradingMode: 'paused' });
    await halt(ask('agent', agent.id, { reason: 'Odd orders' }));
    expect((await floor.call(uid, 'agents')).entriesOff).toMatchObject([
      { scope: 'user', by: 'you', reason: 'paused' },
      {
        scope: 'agent',
        by: 'operator',
        agentId: agent.id,
        reason: 'Odd orders',
        since: floor.clock.now(),
        until: null,
      },
    ]);
    await halt(ask('platform', '', { until: floor.clock.now() + HOUR }));
    const off = (await floor.call(uid, 'agents')).entriesOff ?? [];
    expect(off.map(({ scope, by }) => `${scope} ${by}`)).toEqual([
      'platform operator',
      'user you',
      'agent operator',
    ]);
    expect(off[0]?.until).toBe(floor.clock.now() + HOUR);
    floor.market.step();
    const preview = await floor.call(uid, 'previewAgent', { body: { agentId: agent.id } });
    expect(
      preview.pairs.filter(({ reason }) => reason === 'entries_stopped').length,
    ).toBeGreaterThan(0);
    expect(preview.pairs.every(({ order }) => order === null)).toBe(true);
    // Another person hears of the platform alone.
    await floor.join(`apart${made}`);
    expect(
      (await floor.call(`apart${made}`, 'agents')).entriesOff?.map(({ scope }) => scope),
    ).toEqual(['platform']);
  });

  it('is written down and never changed: who, when, why, thrown and lifted', async () => {
    await halt(ask('platform', '', { reason: 'One' }));
    floor.clock.at += 5;
    await halt(ask('platform', '', { reason: 'Two', by: 'eve' }));
    floor.clock.at += 5;
    await lift(ask('platform', '', { reason: 'Checked' }));
    expect(
      (await listSwitches(database.db, true, floor.clock.now())).map(
        ({ act, reason, by }) => `${act} ${reason} ${by}`,
      ),
    ).toEqual(['halt One ops', 'halt Two eve', 'lift Checked ops']);
    expect(await listSwitches(database.db, false, floor.clock.now())).toEqual([]);
  });

  it('refuses what would stop nothing, with what there is', async () => {
    expect(await failure(halt(ask('platform', '', { reason: ' ' })))).toBeInstanceOf(Refusal);
    expect(await failure(halt(ask('platform', '', { until: floor.clock.now() })))).toMatchObject({
      message: 'The end time is in the past.',
    });
    expect(String(await failure(halt(ask('venue', 'nowhere'))))).toContain(floor.market.source.id);
    expect(String(await failure(halt(ask('user', 'nobody'))))).toContain('nobody');
    expect(String(await failure(halt(ask('agent', 'none'))))).toContain('none');
    expect(String(await failure(lift(ask('platform', ''))))).toContain(
      'There is no trading halt to lift',
    );
    // By address, as an operator knows people.
    await database.db.update(users).set({ emailVerified: true }).where(eq(users.uid, uid));
    expect((await halt(ask('user', `${uid}@example.com`))).target).toBe(uid);
  });
});

/** Acts on a switchboard in any order, as an operator may come by. */
const ACT = fc.record({
  scope: fc.constantFrom<HaltScope>('platform', 'venue', 'user', 'agent'),
  mine: fc.boolean(),
  lift: fc.boolean(),
  lasts: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
});

describe('precedence', () => {
  it('is platform, venue, person, agent, whatever was thrown and lifted in which order and however long it lasts', async () => {
    const agent = await agentOf();
    const source = floor.market.source.id;
    const neighbour = await openFloor({ candles: 10, sourceId: `next${made}` }, database);
    await neighbour.join(`by${made}`);
    const targets = {
      platform: ['', ''],
      venue: [source, neighbour.market.source.id],
      user: [uid, `by${made}`],
      agent: [
        agent.id,
        (await neighbour.call(`by${made}`, 'createAgent', { body: AGGRESSIVE })).agent.id,
      ],
    } as const;
    await fc.assert(
      fc.asyncProperty(fc.array(ACT, { maxLength: 12 }), fc.boolean(), async (acts, paused) => {
        await database.db.delete(halts);
        await settings({ tradingEnabled: !paused });
        // The plain model: of each target the end of what was thrown last, nothing once lifted.
        const model = new Map<string, number>();
        const from = floor.clock.at;
        for (const act of acts) {
          floor.clock.at += 1;
          const target = targets[act.scope][act.mine || act.scope === 'platform' ? 0 : 1];
          const key = `${act.scope} ${target}`;
          const inForce = (model.get(key) ?? 0) > floor.clock.at;
          if (act.lift) {
            if (inForce) await lift(ask(act.scope, target));
            else expect(await failure(lift(ask(act.scope, target)))).toBeInstanceOf(Refusal);
            model.delete(key);
          } else {
            await halt(
              ask(act.scope, target, {
                until: act.lasts === null ? null : floor.clock.at + act.lasts,
              }),
            );
            model.set(
              key,
              act.lasts === null ? Number.POSITIVE_INFINITY : floor.clock.at + act.lasts,
            );
          }
        }
        const now = floor.clock.at;
        const mine = (['platform', 'venue', 'user', 'agent'] as const).filter(
          (scope) => (model.get(`${scope} ${targets[scope][0]}`) ?? 0) > now,
        );
        const list = await haltsInForce(database.db, source, [uid], [agent.id], now);
        expect(
          haltOn(list, uid, agent.id, ['platform', 'venue', 'user', 'agent'])?.scope ?? null,
        ).toBe(mine[0] ?? null);
        const off = (await entriesOffOf(database.db, source, [uid], now)).get(uid) ?? [];
        const expected = [
          ...mine.filter((scope) => scope !== 'agent'),
          ...(paused ? ['you'] : []),
          ...mine.filter((scope) => scope === 'agent'),
        ];
        expect(off.map(({ scope, by }) => (by === 'you' ? 'you' : scope))).toEqual(expected);
        const shown = entriesOffFor(off, agent.id, now);
        expect(shown === null ? undefined : shown.by === 'you' ? 'you' : shown.scope).toBe(
          expected[0],
        );
        floor.clock.at = from;
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('on a device drops what has ended, and what concerns another agent', () => {
    const off = (scope: HaltScope, more: Partial<EntriesOff> = {}): EntriesOff => ({
      scope,
      by: 'operator',
      agentId: null,
      reason: 'x',
      since: 0,
      until: null,
      ...more,
    });
    const list = [
      off('agent', { agentId: 'b' }),
      off('venue', { until: 10 }),
      off('agent', { agentId: 'a' }),
    ];
    expect(entriesOffFor(list, 'a', 9)?.scope).toBe('venue');
    expect(entriesOffFor(list, 'a', 10)?.agentId).toBe('a');
    expect(entriesOffFor(list, null, 10)).toBeNull();
  });
});
