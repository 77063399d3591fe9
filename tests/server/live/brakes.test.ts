/** A person's brakes: what was decided before them does not leave, and limits are the signer's. */
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { CallBody } from '../../../contract/calls.ts';
import { parseFixed } from '../../../contract/money.ts';
import type { HaltScope } from '../../../contract/halts.ts';
import { StepUpToken } from '../../../contract/signer.ts';
import { StreamEvent } from '../../../contract/stream.ts';
import { events } from '../../../server/db/schema.ts';
import { liveConnections, liveOrders } from '../../../server/db/schema-live.ts';
import { operate } from '../../../server/support/operator-socket.ts';
import { account, openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

const DAY_MS = 86_400_000;

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
}, 60_000);
afterEach(async () => {
  world.interfere(null);
  await world.close();
});

const db = () => world.floor.database.db;
const orders = () => db().select().from(liveOrders).orderBy(liveOrders.plannedAt);
const atExchange = () => world.standIn.journal.orders({ by: 'api' });
const setBrakes = (body: CallBody<'setLiveLimits'>) =>
  world.floor.call(PERSON, 'setLiveLimits', { params: { id: world.connection.id }, body });
/** What the person's pages were told, oldest first. */
const toldEvents = async () =>
  (await db().select().from(events).where(eq(events.uid, PERSON)).orderBy(events.sequence)).map(
    ({ payload }) => StreamEvent.parse(payload),
  );
const told = async () =>
  (await toldEvents()).flatMap((event) =>
    event.type === 'live_connection' ? [event.connection] : [],
  );
const toldOrders = async () =>
  (await toldEvents()).flatMap((event) => (event.type === 'live_order' ? [event.order] : []));

const halt = (scope: HaltScope, target: string) =>
  operate(world.floor.database, world.floor.clock, {
    act: 'halt',
    scope,
    target,
    reason: 'Prices look wrong',
    until: null,
    by: 'operator',
  });

/** Until the agent's first order was planned; it has not left. */
async function untilPlanned(): Promise<void> {
  await world.startAgent();
  await world.tickUntil(async () => (await orders()).length > 0);
  expect(await orders()).toMatchObject([{ state: 'planned', side: 'buy' }]);
}

describe('a purchase that has not left', () => {
  it('never does once purchases are off (F99)', async () => {
    await untilPlanned();
    const { connection } = await setBrakes({ entriesAllowed: false });
    expect(connection.entriesOffSince).not.toBeNull();
    expect(await orders()).toMatchObject([{ state: 'cancelled', ending: 'withdrawn' }]);
    await world.look();
    await world.advance(60_000);
    await world.look();
    expect(atExchange()).toEqual([]);
    expect((await account(world)).orders).toMatchObject([{ state: 'cancelled', reserved: '0' }]);
  }, 60_000);

  it.each([
    ['turned off', { tradingEnabled: false }],
    ['paused', { tradingMode: 'paused' }],
  ] as const)(
    'never does once all trading is %s (F99)',
    async (_, change) => {
      await untilPlanned();
      const { settings, version } = await world.floor.call(PERSON, 'tradingSettings');
      await world.floor.call(PERSON, 'updateTradingSettings', {
        body: { ...settings, ...change, version },
      });
      expect(await orders()).toMatchObject([{ state: 'cancelled', ending: 'withdrawn' }]);
      expect((await toldOrders()).at(-1)).toMatchObject({ state: 'cancelled', reserved: '0' });
      await world.look();
      expect(atExchange()).toEqual([]);
    },
    60_000,
  );

  it('does not leave where fewer orders an hour are allowed than that', async () => {
    await untilPlanned();
    await setBrakes({ maxOrdersPerHour: 0 });
    expect(await orders()).toMatchObject([{ state: 'cancelled', ending: 'withdrawn' }]);
    await world.look();
    expect(atExchange()).toEqual([]);
  }, 60_000);

  it.each(['platform', 'venue', 'user', 'agent'] as const)(
    'never does once the operator has halted its %s',
    async (scope) => {
      await untilPlanned();
      const [planned] = await orders();
      const target = {
        platform: '',
        venue: world.floor.market.source.id,
        user: PERSON,
        agent: planned?.agentId ?? '',
      }[scope];
      await halt(scope, target);
      await world.look();
      expect(await orders()).toMatchObject([{ state: 'cancelled', ending: 'withdrawn' }]);
      expect((await toldOrders()).at(-1)).toMatchObject({ state: 'cancelled', reserved: '0' });
      expect(atExchange()).toEqual([]);
    },
    60_000,
  );

  it('leaves where the operator has halted somebody else', async () => {
    await world.floor.join('another');
    await untilPlanned();
    await halt('user', 'another');
    await world.look();
    expect((await orders())[0]).toMatchObject({ state: 'filled' });
  }, 60_000);

  it('leaves where the brakes allow it', async () => {
    await untilPlanned();
    await setBrakes({ maxOrdersPerHour: 1, entriesAllowed: true });
    await world.look();
    expect((await orders())[0]).toMatchObject({ state: 'filled' });
  }, 60_000);
});

it('a sale leaves though the operator has halted trading', async () => {
  await untilPlanned();
  await world.look();
  await world.look();
  await halt('platform', '');
  const [position] = (await account(world)).positions;
  await world.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
  for (let round = 0; round < 4; round += 1) {
    await world.advance(5_000);
    await world.look();
  }
  expect((await account(world)).positions).toEqual([]);
}, 60_000);

it('a stop loss stays at the exchange when purchases are turned off (F99)', async () => {
  await untilPlanned();
  await world.look();
  await world.look();
  const isStop = ({ type, state }: { type: string; state: string }): boolean =>
    type === 'stop' && state === 'open';
  const before = (await account(world)).orders.filter(isStop);
  expect(before).toHaveLength(1);
  await setBrakes({ entriesAllowed: false });
  await world.look();
  const after = (await account(world)).orders.filter(isStop);
  expect(after.map(({ clientOrderId }) => clientOrderId)).toEqual(
    before.map(({ clientOrderId }) => clientOrderId),
  );
}, 60_000);

it('brakes of an account whose key was never taken are refused', async () => {
  const id = '11111111-2222-4333-8444-555555555555';
  await db()
    .insert(liveConnections)
    .values({ ...world.connection, id, accountId: id, state: 'ended' });
  await expect(
    world.floor.call(PERSON, 'setLiveLimits', { params: { id }, body: { entriesAllowed: false } }),
  ).rejects.toMatchObject({ code: 'connection_ended' });
});

it('a comparison that began before the brakes tells them as they are', async () => {
  await world.look();
  await world.advance(300_000);
  let release: (value: null) => void = () => undefined;
  const held = new Promise<null>((resolve) => {
    release = resolve;
  });
  let isAsked = false;
  world.interfere((act) => {
    if (act !== 'balances') return null;
    isAsked = true;
    return held;
  });
  const looked = world.look();
  await expect.poll(() => isAsked, { timeout: 20_000 }).toBe(true);
  await setBrakes({ entriesAllowed: false });
  const before = (await told()).length;
  release(null);
  await looked;
  const all = await told();
  // One of the comparison itself, after that of the brakes.
  expect(all.length).toBeGreaterThan(before);
  expect(all.at(-1)?.entriesOffSince).not.toBeNull();
}, 60_000);

describe('limits', () => {
  const CAPS = { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' };
  const HIGHER = { maxOrder: '1000', maxExposure: '5000', maxDailyLoss: '250' };

  function raise(limits: typeof HIGHER) {
    const { connection, device, floor } = world;
    const stepUp = device.agree({
      purpose: 'raise_limits',
      connectionId: connection.id,
      accountId: connection.accountId,
      agentId: null,
      limits: {
        maxOrder: parseFixed(limits.maxOrder),
        maxExposure: parseFixed(limits.maxExposure),
        maxDailyLoss: parseFixed(limits.maxDailyLoss),
      },
      nonce: randomBytes(16).toString('base64url'),
      issuedAtMs: floor.clock.at,
    });
    return setBrakes({ limits, stepUp: z.encode(StepUpToken, stepUp) });
  }

  it('that were raised in the first week hold here too once it is over, and are told', async () => {
    await world.look();
    const { connection } = await raise(HIGHER);
    expect(connection.limits).toEqual(CAPS);
    expect(connection.firstWeekUntil).not.toBeNull();
    await world.advance(7 * DAY_MS);
    await world.look();
    expect((await account(world)).connection).toMatchObject({
      limits: HIGHER,
      firstWeekUntil: null,
    });
    expect((await told()).at(-1)).toMatchObject({ limits: HIGHER, firstWeekUntil: null });
    // Once.
    const before = (await told()).length;
    await world.advance(61_000);
    await world.look();
    expect((await told()).length).toBe(before);
  }, 60_000);

  it('that were raised in the first week are told beside those in force, and outlive other brakes', async () => {
    await world.look();
    expect((await account(world)).connection.limitsChosen).toBeNull();
    const { connection } = await raise(HIGHER);
    expect(connection).toMatchObject({ limits: CAPS, limitsChosen: HIGHER });
    const other = await setBrakes({ maxOrdersPerHour: 60 });
    expect(other.connection).toMatchObject({ limits: CAPS, limitsChosen: HIGHER });
    await world.advance(61_000);
    await world.look();
    expect((await account(world)).connection).toMatchObject({
      limits: CAPS,
      limitsChosen: HIGHER,
    });
    await world.advance(7 * DAY_MS);
    await world.look();
    expect((await account(world)).connection).toMatchObject({
      limits: HIGHER,
      limitsChosen: null,
    });
  }, 60_000);

  it('that are raised while the signer does not say what holds are not taken for those in force', async () => {
    await world.look();
    world.interfere((act) => (act === 'state' ? 'fail' : null));
    const { connection } = await raise(HIGHER);
    expect(connection).toMatchObject({ limits: CAPS, limitsChosen: HIGHER });
  }, 60_000);

  it('that were chosen elsewhere than here are told once the signer says so', async () => {
    await world.look();
    await raise(HIGHER);
    await db().update(liveConnections).set({ limitsChosen: null });
    await world.advance(61_000);
    await world.look();
    expect((await told()).at(-1)).toMatchObject({ limits: CAPS, limitsChosen: HIGHER });
  }, 60_000);

  it('within the caps stay as they are, and the end of the week is told', async () => {
    await world.look();
    const lower = { ...CAPS, maxOrder: '60' };
    await setBrakes({ limits: lower });
    await world.advance(7 * DAY_MS);
    await world.look();
    expect((await told()).at(-1)).toMatchObject({ limits: lower, firstWeekUntil: null });
  }, 60_000);

  it('that the person lowers while the signer is asked are not written over', async () => {
    await world.look();
    await raise(HIGHER);
    await world.advance(7 * DAY_MS);
    let release: (value: null) => void = () => undefined;
    const after = new Promise<null>((resolve) => {
      release = resolve;
    });
    let isAsked = false;
    world.interfere((act) => {
      if (act !== 'state' || isAsked) return null;
      isAsked = true;
      return { after };
    });
    const looked = world.look();
    await expect.poll(() => isAsked, { timeout: 20_000 }).toBe(true);
    const lower = { ...CAPS, maxOrder: '40' };
    await setBrakes({ limits: lower });
    release(null);
    await looked;
    expect((await account(world)).connection.limits).toEqual(lower);
  }, 60_000);

  it('are not said to be in their first week once it is over, while the signer is silent', async () => {
    await world.look();
    world.interfere((act) => (act === 'state' ? 'fail' : null));
    await world.advance(7 * DAY_MS);
    await world.look();
    const { connections } = await world.floor.call(PERSON, 'liveConnections');
    expect(connections).toMatchObject([{ limits: CAPS, firstWeekUntil: null }]);
  }, 60_000);
});
