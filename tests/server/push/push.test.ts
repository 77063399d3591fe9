/** Push from a committed event to the decrypted message at a push service over TLS. */
import { randomUUID } from 'node:crypto';
import { Agent as HttpsAgent } from 'node:https';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  DEFAULT_PUSH_SETTINGS,
  PUSH_PAYLOAD_MAX_BYTES,
  PushPayload,
  type PushSettings,
} from '../../../contract/push.ts';
import type { Fill } from '../../../contract/trading.ts';
import { readAgentList } from '../../../server/agents/read-agents.ts';
import {
  agents as agentRows,
  pushMessages,
  pushSubscriptions,
  users,
} from '../../../server/db/schema.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import type { DomainEvent } from '../../../server/db/user-events.ts';
import type { CallableHandlers } from '../../../server/http/callables.ts';
import { readPortfolio } from '../../../server/portfolio/read-portfolio.ts';
import { pushCallables } from '../../../server/push/push-callables.ts';
import { WAITING_MAX } from '../../../server/push/planner.ts';
import { removeEnded } from '../../../server/push/push-devices.ts';
import { PushSender } from '../../../server/push/sender.ts';
import { openVapid, type Vapid } from '../../../server/push/vapid.ts';
import { IdentityBook } from '../../support/identity-accounts.ts';
import { startPushService, type PushService } from '../../support/push-service.ts';
import { silentLog } from '../../support/app.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

const UNSET = {
  publicKey: null,
  privateKey: null,
  subject: 'mailto:ops@example.com',
  allowLocal: true,
};
const MINUTE_MS = 60_000;

let floor: Floor;
let service: PushService;
let provider: IdentityBook;
let vapid: Vapid;
let calls: Pick<
  CallableHandlers,
  'registerPush' | 'unregisterPush' | 'unregisterOtherPush' | 'pushSettings'
>;

function sender(): PushSender {
  return new PushSender({
    database: floor.database,
    clock: floor.clock,
    log: silentLog,
    vapid,
    agent: new HttpsAgent({ ca: service.ca, keepAlive: true }),
    readAgents: (uid) => readAgentList(floor.deps, uid),
    readPortfolio: (uid) => readPortfolio(floor.deps, uid),
    readValidSince: (uid) => provider.validSince(uid),
  });
}

beforeAll(async () => {
  floor = await openFloor();
  service = await startPushService();
  provider = new IdentityBook(() => floor.clock.now());
  vapid = await openVapid(floor.database, UNSET);
  calls = pushCallables({
    database: floor.database,
    clock: floor.clock,
    publicKey: vapid.publicKey,
    allowLocal: true,
  });
}, 60_000);
afterAll(async () => {
  await service.close();
  await floor.close();
});
beforeEach(async () => {
  service.taken.length = 0;
  provider.answers = true;
  provider.askedAbout.length = 0;
  await floor.database.db.delete(pushMessages);
  await floor.database.db.delete(pushSubscriptions);
});

async function person(settings: Partial<PushSettings> = {}): Promise<{
  uid: string;
  caller: { uid: string; email: null };
  agentId: string;
  endpoint: string;
}> {
  const uid = `p-${randomUUID().slice(0, 8)}`;
  await floor.join(uid);
  const { agent } = await floor.call(uid, 'createAgent', {
    body: { ...AGGRESSIVE, name: 'Harbour', enabled: false },
  });
  const caller = { uid, email: null };
  const subscription = service.subscribe();
  await calls.registerPush(caller, { subscription });
  await calls.pushSettings(caller, { settings: { ...DEFAULT_PUSH_SETTINGS, ...settings } });
  return { uid, caller, agentId: agent.id, endpoint: subscription.endpoint };
}

const fill = (agentId: string, reason: string): Fill => ({
  id: randomUUID(),
  orderId: randomUUID(),
  agentId,
  agentName: 'Harbour',
  pair: 'ETH/USDT',
  side: 'sell',
  quantity: '1',
  price: '2400',
  notional: '2400',
  fee: '2.4',
  feeBps: '10',
  slippageBps: '3',
  realized: '-52.4',
  reason,
  decidedAt: 1,
  filledAt: 2,
  tickId: `t:${randomUUID()}`,
});
const record = (uid: string, ...fills: Fill[]): Promise<unknown> =>
  floor.database.transaction((tx) =>
    floor.deps.events.append(
      tx,
      uid,
      fills.map((one) => ({ type: 'fill.recorded', fill: one })),
    ),
  );
const stopLate = (uid: string, id: string, ageMs: number) =>
  floor.call(uid, 'stopAgent', { params: { id }, body: { ageMs } });
const messages = (): PushPayload[] =>
  service.taken.map(({ text }) => PushPayload.parse(JSON.parse(text)));
/**
 * What the push service would hold of them for a device that is off: what has no topic, and of each
 * topic the newest.
 */
const held = (): PushPayload[] => {
  const newest = new Map<unknown, PushPayload>();
  for (const [index, { headers }] of service.taken.entries()) {
    const message = messages()[index];
    if (message !== undefined) newest.set(headers.topic ?? message.id, message);
  }
  return [...newest.values()];
};
const waiting = async () =>
  (await floor.database.db.select().from(pushMessages)).filter(({ state }) => state === 'waiting');

const firing = (pair: string, price: string, at = 2): DomainEvent => {
  const common = { symbol: pair, condition: { kind: 'above' as const, price }, note: '' };
  const alertId = randomUUID();
  return {
    type: 'alert.fired',
    alert: {
      id: alertId,
      ...common,
      repeatMinutes: null,
      active: false,
      phase: 'fired',
      version: 1,
      restsUntil: null,
      lastFiredAt: 2,
      createdAt: 1,
    },
    firing: {
      id: randomUUID(),
      alertId,
      ...common,
      price,
      movedBps: null,
      at,
      late: false,
      simulated: true,
      recordedAt: 3,
    },
  };
};
const reach = (uid: string, ...events: DomainEvent[]): Promise<unknown> =>
  floor.database.transaction((tx) => floor.deps.events.append(tx, uid, events));

describe('a price alert by push (A-07)', () => {
  it('is told at once, those of one moment in one, and each once', async () => {
    const { uid } = await person();
    await reach(uid, firing('BTC/USDT', '65000'));
    await sender().runOnce();
    await reach(
      uid,
      firing('BTC/USDT', '66000'),
      firing('ETH/USDT', '2500'),
      firing('ETH/USDT', '2600'),
    );
    await sender().runOnce();
    await sender().runOnce();
    expect(
      messages().map(({ kind, facts }) => [kind, facts.count, facts.pairs, facts.firing?.price]),
    ).toEqual([
      ['priceAlert', 1, ['BTC/USDT'], '65000'],
      ['priceAlert', 3, ['BTC/USDT', 'ETH/USDT'], '2600'],
    ]);
    expect(service.taken[0]?.headers).toMatchObject({ urgency: 'high', ttl: '43200' });
  });

  it('leaves the push service what it holds of earlier ones, also of the same pair', async () => {
    const { uid } = await person();
    for (const events of [
      [firing('BTC/USDT', '65000')],
      [firing('BTC/USDT', '62000')],
      [firing('BTC/USDT', '61000'), firing('ETH/USDT', '2400'), firing('SOL/USDT', '90')],
      [firing('SOL/USDT', '80')],
    ]) {
      await reach(uid, ...events);
      await sender().runOnce();
    }
    expect(held().map(({ facts }) => [facts.pairs?.length, facts.firing?.price])).toEqual([
      [1, '65000'],
      [1, '62000'],
      [3, '90'],
      [1, '80'],
    ]);
  });

  it('waits for the end of quiet hours in one message', async () => {
    floor.clock.at = Date.UTC(2026, 0, 5, 23);
    const { uid } = await person({ quietHours: { from: '22:00', to: '07:00', timeZone: 'UTC' } });
    for (const price of ['1', '2', '3']) {
      await reach(uid, firing('BTC/USDT', price));
      await sender().runOnce();
    }
    expect(service.taken).toEqual([]);
    floor.clock.at = Date.UTC(2026, 0, 6, 7, 1);
    await sender().runOnce();
    expect(messages().map(({ facts }) => [facts.count, facts.firing?.price])).toEqual([[3, '3']]);
  });

  it('names the newest by the time it was reached, and says how many pairs it does not name', async () => {
    floor.clock.at = Date.UTC(2026, 0, 5, 23);
    const { uid } = await person({ quietHours: { from: '22:00', to: '07:00', timeZone: 'UTC' } });
    const pairs = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((coin) => `${coin}/USDT`);
    await reach(uid, ...pairs.slice(0, 7).map((pair, index) => firing(pair, '1', index)));
    await sender().runOnce();
    // Found afterwards, in candles of an earlier time; its pair, and one that is not named, again.
    await reach(uid, firing('H/USDT', '2', 5), firing('G/USDT', '3', 4), firing('A/USDT', '4', 3));
    await sender().runOnce();
    floor.clock.at = Date.UTC(2026, 0, 6, 7, 1);
    await sender().runOnce();
    expect(messages().map(({ facts }) => facts)).toMatchObject([
      {
        count: 10,
        pair: 'G/USDT',
        firing: { symbol: 'G/USDT', price: '1', at: 6 },
        pairs: pairs.slice(0, 6),
        morePairs: 2,
      },
    ]);
  });

  it('is told unless its own switch is off, also to whoever chose before there were alerts', async () => {
    const { uid, caller } = await person();
    const off = {
      ...DEFAULT_PUSH_SETTINGS,
      kinds: { ...DEFAULT_PUSH_SETTINGS.kinds, priceAlert: false },
    };
    await calls.pushSettings(caller, { settings: off });
    // An older build knows nothing of the switch, and leaves it as it is.
    expect(
      (await calls.pushSettings(caller, { settings: DEFAULT_PUSH_SETTINGS })).settings.kinds
        .priceAlert,
    ).toBe(false);
    await reach(uid, firing('BTC/USDT', '1'));
    await sender().runOnce();
    expect(service.taken).toEqual([]);
    await calls.pushSettings(caller, {
      settings: { ...off, kinds: { ...off.kinds, priceAlert: true } },
    });
    await reach(uid, firing('BTC/USDT', '2'));
    await sender().runOnce();
    expect(messages().map(({ facts }) => facts.firing?.price)).toEqual(['2']);
  });
});

describe('push from event to device', () => {
  it('tells of a stop that was delivered late, once, with the agent and the portfolio as they are, encrypted and small', async () => {
    const { uid, agentId } = await person();
    await floor.call(uid, 'startAgent', { params: { id: agentId }, body: {} });
    await stopLate(uid, agentId, 5 * MINUTE_MS);
    await sender().runOnce();
    await sender().runOnce();
    expect(service.taken).toHaveLength(1);
    const [raw] = service.taken;
    expect(raw?.headers).toMatchObject({ urgency: 'high', ttl: '86400' });
    expect(raw?.headers.topic).toMatch(/^[\w-]{32}$/);
    expect(Buffer.byteLength(raw?.text ?? '')).toBeLessThanOrEqual(PUSH_PAYLOAD_MAX_BYTES);
    const [message] = messages();
    expect(message).toMatchObject({
      uid,
      kind: 'lateStop',
      showDetails: false,
      facts: { agentId, waitedMs: 5 * MINUTE_MS },
    });
    const [row] = await floor.database.db.select().from(users).where(eq(users.uid, uid));
    expect(message?.sequence).toBe(row?.sequence);
    expect(message?.state).toMatchObject({
      wholeAgents: true,
      agents: [{ id: agentId, status: 'stopped' }],
      portfolio: { cash: '10000', equity: '10000' },
    });
  });

  it('says nothing of a stop that was pressed and carried out at once', async () => {
    const { uid, agentId } = await person();
    await floor.call(uid, 'startAgent', { params: { id: agentId }, body: {} });
    await stopLate(uid, agentId, 2_000);
    await sender().runOnce();
    expect(service.taken).toEqual([]);
  });

  it('tells of a halt once, though the halted agent is told of again, and of the next halt again', async () => {
    const { uid, agentId } = await person();
    const tell = async (until: number) => {
      await floor.database.db
        .update(agentRows)
        .set({ status: 'halted', hold: { code: 'day_loss', text: 'Day loss above 6 %', until } })
        .where(eq(agentRows.id, agentId));
      const { agents } = await readAgentList(floor.deps, uid);
      await floor.database.transaction((tx) =>
        floor.deps.events.append(
          tx,
          uid,
          agents.map((agent) => ({ type: 'agent.changed', agent })),
        ),
      );
    };
    for (const until of [1_000, 1_000, 2_000]) {
      await tell(until);
      await sender().runOnce();
    }
    expect(messages().map(({ kind, facts }) => [kind, facts.status, facts.text])).toEqual([
      ['agentHeld', 'halted', 'Day loss above 6 %'],
      ['agentHeld', 'halted', 'Day loss above 6 %'],
    ]);
  });

  it('tells of a stop loss, and of other fills only on request, those of one moment in one message', async () => {
    const { uid, caller, agentId } = await person();
    await record(uid, fill(agentId, 'stop_loss'), fill(agentId, 'signal'));
    await sender().runOnce();
    expect(messages().map(({ kind }) => kind)).toEqual(['stopLoss']);
    expect(messages()[0]?.state.fill).toMatchObject({ pair: 'ETH/USDT', reason: 'stop_loss' });
    await calls.pushSettings(caller, {
      settings: {
        ...DEFAULT_PUSH_SETTINGS,
        kinds: { ...DEFAULT_PUSH_SETTINGS.kinds, fills: true },
      },
    });
    await record(uid, fill(agentId, 'signal'), {
      ...fill(agentId, 'signal'),
      filledAt: 4,
      pair: 'A/B',
    });
    await sender().runOnce();
    await record(uid, { ...fill(agentId, 'signal'), filledAt: 3 });
    await sender().runOnce();
    expect(service.taken).toHaveLength(1);
    floor.clock.at += MINUTE_MS;
    await sender().runOnce();
    expect(
      messages()
        .slice(1)
        .map(({ kind, facts, state }) => [kind, facts.count, facts.pair, state.fill?.pair]),
    ).toEqual([['fills', 3, 'A/B', 'A/B']]);
  });

  it('has a later late stop replace the one that the push service holds, and a later stop loss none', async () => {
    const { uid, agentId } = await person();
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    for (const age of [5, 7]) {
      await floor.call(uid, 'startAgent', { params: { id: agentId }, body: {} });
      await stopLate(uid, agentId, age * MINUTE_MS);
      await sender().runOnce();
    }
    expect(messages()).toHaveLength(4);
    expect(held().map(({ kind, facts }) => [kind, facts.waitedMs])).toEqual([
      ['stopLoss', undefined],
      ['stopLoss', undefined],
      ['lateStop', 7 * MINUTE_MS],
    ]);
  });

  it('tells of a trial about to end and of a payment that failed, once each', async () => {
    const { uid } = await person();
    await floor.database.db
      .update(subscriptions)
      .set({ status: 'past_due', currentPeriodEnd: floor.clock.at - 5 * 86_400_000 })
      .where(eq(subscriptions.uid, uid));
    await floor.database.db
      .update(users)
      .set({ trialEndsAt: floor.clock.at + 86_400_000 })
      .where(eq(users.uid, uid));
    await sender().runOnce();
    await sender().runOnce();
    expect(
      messages()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['paymentFailed', 'trialEnding']);
  });

  it('tells of a renewal that failed at the end of a month in which a change was declined', async () => {
    const { uid } = await person();
    await floor.database.db
      .update(subscriptions)
      .set({ status: 'past_due', currentPeriodEnd: floor.clock.at + MINUTE_MS })
      .where(eq(subscriptions.uid, uid));
    await sender().runOnce();
    await sender().runOnce();
    expect(messages().map(({ kind }) => kind)).toEqual(['paymentFailed']);
    floor.clock.at += 2 * MINUTE_MS;
    await sender().runOnce();
    await sender().runOnce();
    expect(messages().map(({ kind }) => kind)).toEqual(['paymentFailed', 'paymentFailed']);
  });

  it('keeps still while the master switch is off, and does not catch up afterwards', async () => {
    const { uid, agentId } = await person();
    const [row] = await floor.database.db.select().from(users).where(eq(users.uid, uid));
    const settings = row?.settings as Record<string, unknown>;
    await floor.database.db
      .update(users)
      .set({ settings: { ...settings, notificationsEnabled: false } })
      .where(eq(users.uid, uid));
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    await floor.database.db.update(users).set({ settings }).where(eq(users.uid, uid));
    await sender().runOnce();
    expect(service.taken).toEqual([]);
  });

  it('tells nothing that still waited when the master switch went off, nor afterwards', async () => {
    floor.clock.at = Date.UTC(2026, 5, 9, 22, 30);
    const { uid, agentId } = await person({
      quietHours: { from: '22:00', to: '07:00', timeZone: 'UTC' },
    });
    const other = await person();
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    expect(await waiting()).toHaveLength(1);
    const [row] = await floor.database.db.select().from(users).where(eq(users.uid, uid));
    const settings = row?.settings as Record<string, unknown>;
    const set = (notificationsEnabled: boolean) =>
      floor.database.db
        .update(users)
        .set({ settings: { ...settings, notificationsEnabled } })
        .where(eq(users.uid, uid));
    await set(false);
    floor.clock.at = Date.UTC(2026, 5, 10, 7, 0);
    await record(other.uid, fill(other.agentId, 'stop_loss'));
    await sender().runOnce();
    await set(true);
    floor.clock.at += 2 * MINUTE_MS;
    await sender().runOnce();
    expect(service.taken.map(({ path }) => path)).toEqual([new URL(other.endpoint).pathname]);
    expect(await waiting()).toEqual([]);
  });

  it('holds back in quiet hours and sends when they end', async () => {
    floor.clock.at = Date.UTC(2026, 5, 10, 22, 30);
    // 22:30 UTC is 00:30 in Berlin.
    const { uid, agentId } = await person({
      quietHours: { from: '23:00', to: '07:00', timeZone: 'Europe/Berlin' },
    });
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    floor.clock.at = Date.UTC(2026, 5, 11, 4, 59);
    await sender().runOnce();
    expect(service.taken).toEqual([]);
    floor.clock.at = Date.UTC(2026, 5, 11, 5, 0);
    await sender().runOnce();
    expect(messages().map(({ kind }) => kind)).toEqual(['stopLoss']);
  });

  describe('at the end of quiet hours', () => {
    const quietHours = { from: '22:00', to: '07:00', timeZone: 'UTC' };
    const MORNING = Date.UTC(2026, 5, 12, 7, 0);
    const plan = (uid: string, status: string, currentPeriodEnd: number) =>
      floor.database.db
        .update(subscriptions)
        .set({ status, currentPeriodEnd })
        .where(eq(subscriptions.uid, uid));
    /** A trial that ends an hour after the quiet, and a payment that failed. */
    const inTrouble = async () => {
      floor.clock.at = Date.UTC(2026, 5, 11, 23, 0);
      const one = await person({ quietHours });
      await plan(one.uid, 'past_due', floor.clock.at - 5 * 86_400_000);
      await floor.database.db
        .update(users)
        .set({ trialEndsAt: MORNING + 60 * MINUTE_MS })
        .where(eq(users.uid, one.uid));
      await record(one.uid, fill(one.agentId, 'stop_loss'));
      await sender().runOnce();
      expect(await waiting()).toHaveLength(3);
      return one;
    };
    const sentInTheMorning = async (): Promise<string[]> => {
      floor.clock.at = MORNING;
      await sender().runOnce();
      return messages()
        .map(({ kind }) => kind)
        .sort();
    };

    it('sends what still holds, and has the end of a trial held no longer than to that end', async () => {
      await inTrouble();
      expect(await sentInTheMorning()).toEqual(['paymentFailed', 'stopLoss', 'trialEnding']);
      const ending = messages().findIndex(({ kind }) => kind === 'trialEnding');
      expect(service.taken[ending]?.headers.ttl).toBe('3600');
    });

    it('sends nothing of a kind that was switched off meanwhile, nor when it is on again (A-07)', async () => {
      const { caller } = await inTrouble();
      const kinds = { ...DEFAULT_PUSH_SETTINGS.kinds, stopLoss: false, trialEnding: false };
      const settings = { ...DEFAULT_PUSH_SETTINGS, quietHours };
      await calls.pushSettings(caller, { settings: { ...settings, kinds } });
      await calls.pushSettings(caller, { settings });
      expect(await sentInTheMorning()).toEqual(['paymentFailed']);
    });

    it('asks nobody to pay who has paid meanwhile', async () => {
      const { uid } = await inTrouble();
      await plan(uid, 'active', MORNING + 30 * 86_400_000);
      expect(await sentInTheMorning()).toEqual(['stopLoss']);
      expect(await waiting()).toEqual([]);
    });

    it('asks after all once the same payment fails again', async () => {
      const { uid } = await inTrouble();
      const periodEnd = floor.clock.at - 5 * 86_400_000;
      await plan(uid, 'active', MORNING + 30 * 86_400_000);
      expect(await sentInTheMorning()).toEqual(['stopLoss']);
      await plan(uid, 'past_due', periodEnd);
      floor.clock.at += MINUTE_MS;
      await sender().runOnce();
      await sender().runOnce();
      expect(messages().filter(({ kind }) => kind === 'paymentFailed')).toHaveLength(1);
    });
  });

  it('sends after a restart what waited, tries again what was not taken, and obeys Retry-After', async () => {
    const { uid, agentId, endpoint } = await person();
    service.answer(endpoint, 503, { 'retry-after': '120' });
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    service.answer(endpoint, 201);
    await sender().runOnce();
    floor.clock.at += 119_000;
    await sender().runOnce();
    expect(service.taken).toEqual([]);
    floor.clock.at += 2_000;
    await sender().runOnce();
    expect(service.taken).toHaveLength(1);
  });

  it.each([503, 429])(
    'tries for hours what a push service answers %s to, and has it held no longer than it is worth',
    async (status) => {
      const { uid, agentId, endpoint } = await person();
      service.answer(endpoint, status);
      await record(uid, fill(agentId, 'stop_loss'));
      const one = sender();
      for (let minutes = 0; minutes < 20 * 60; minutes += 10) {
        await one.runOnce();
        floor.clock.at += 10 * MINUTE_MS;
      }
      service.answer(endpoint, 201);
      floor.clock.at += 15 * MINUTE_MS;
      await one.runOnce();
      expect(messages().map(({ kind }) => kind)).toEqual(['stopLoss']);
      // Of its 24 hours.
      expect(service.taken[0]?.headers.ttl).toBe(String((4 * 60 - 15) * 60));
    },
  );

  it('gives up at the end of its time what a push service has not taken, and does not ask again', async () => {
    const { uid, agentId, endpoint } = await person();
    service.answer(endpoint, 503);
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    service.answer(endpoint, 201);
    floor.clock.at += 24 * 60 * MINUTE_MS + 1;
    await sender().runOnce();
    expect(service.taken).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  it('gives up at once what a push service says it will never take', async () => {
    const { uid, agentId, endpoint } = await person();
    service.answer(endpoint, 413);
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    expect(await waiting()).toEqual([]);
    expect(await floor.database.db.select().from(pushSubscriptions)).toHaveLength(1);
  });

  it('forgets an address that the push service has given up', async () => {
    const { uid, agentId, endpoint } = await person();
    service.answer(endpoint, 410);
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    expect(await floor.database.db.select().from(pushSubscriptions)).toEqual([]);
    expect(await floor.database.db.select().from(pushMessages)).toEqual([]);
  });

  it('keeps a bounded number waiting for a device that cannot be reached: fills give way first', async () => {
    const { uid, agentId, endpoint } = await person({
      kinds: { ...DEFAULT_PUSH_SETTINGS.kinds, fills: true },
    });
    service.answer(endpoint, 500);
    await record(uid, fill(agentId, 'signal'));
    for (let i = 0; i < 3; i += 1)
      await record(uid, ...Array.from({ length: 30 }, () => fill(agentId, 'stop_loss')));
    await sender().runOnce();
    const left = await waiting();
    expect(left).toHaveLength(WAITING_MAX);
    expect(left.every(({ kind }) => kind === 'stopLoss')).toBe(true);
  });

  it('moves with the browser when another person signs in on it, and the first is told nothing more', async () => {
    const first = await person();
    const second = await person();
    const subscription = { endpoint: first.endpoint, keys: service.subscribe().keys };
    await calls.registerPush(second.caller, { subscription });
    const rows = await floor.database.db
      .select()
      .from(pushSubscriptions)
      .where(eq(pushSubscriptions.endpoint, first.endpoint));
    expect(rows.map(({ uid }) => uid)).toEqual([second.uid]);
    await calls.unregisterPush(first.caller, { endpoint: first.endpoint });
    expect(await floor.database.db.select().from(pushSubscriptions)).toHaveLength(2);
    expect((await calls.unregisterPush(second.caller, { endpoint: first.endpoint })).devices).toBe(
      1,
    );
  });

  it('after a change of the password is told nothing more, unless the password was changed on it', async () => {
    const { uid, caller, agentId, endpoint } = await person();
    const stranger = await person();
    await calls.registerPush(caller, { subscription: service.subscribe() });
    await record(uid, fill(agentId, 'stop_loss'));
    expect((await calls.unregisterOtherPush(caller, { endpoint })).devices).toBe(1);
    await sender().runOnce();
    expect(service.taken.map(({ path }) => path)).toEqual([new URL(endpoint).pathname]);
    expect((await calls.unregisterOtherPush(caller, { endpoint: null })).devices).toBe(0);
    expect((await calls.pushSettings(stranger.caller, {})).devices).toBe(1);
  });

  it('keeps the key pair it made: a second start and a second server know the same', async () => {
    expect(await openVapid(floor.database, UNSET)).toEqual(vapid);
    expect(
      await openVapid(floor.database, { ...UNSET, publicKey: 'pub', privateKey: 'priv' }),
    ).toEqual({ publicKey: 'pub', privateKey: 'priv', subject: 'mailto:ops@example.com' });
  });
});

describe('a device whose login has ended', () => {
  /** A device that registers now, with a token of now. */
  const join = async (uid: string): Promise<string> => {
    const subscription = service.subscribe();
    await calls.registerPush({ uid, email: null, issuedAtMs: floor.clock.at }, { subscription });
    return subscription.endpoint;
  };
  const told = (): string[] => service.taken.map(({ path }) => path);
  const pathOf = (endpoint: string): string => new URL(endpoint).pathname;
  const devices = async (): Promise<string[]> =>
    (await floor.database.db.select().from(pushSubscriptions)).map(({ endpoint }) => endpoint);
  const HOUR_MS = 60 * MINUTE_MS;

  it('by a reset of the password elsewhere is told nothing more, and one that logged in since is', async () => {
    // Its first device is of a build that kept no time of a token.
    const { uid, agentId } = await person();
    await join(uid);
    await record(uid, fill(agentId, 'stop_loss'));
    floor.clock.at += MINUTE_MS;
    await provider.revoke(uid);
    floor.clock.at += 3 * MINUTE_MS;
    const own = await join(uid);
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    expect(told()).toEqual([pathOf(own)]);
    expect(await devices()).toEqual([own]);
    expect(await waiting()).toEqual([]);
  });

  it('and that logs in again is told on', async () => {
    const { uid, agentId } = await person();
    floor.clock.at += MINUTE_MS;
    await provider.revoke(uid);
    const [row] = await floor.database.db.select().from(pushSubscriptions);
    const endpoint = row?.endpoint ?? '';
    await calls.registerPush(
      { uid, email: null, issuedAtMs: floor.clock.at },
      { subscription: { endpoint, keys: service.subscribe().keys } },
    );
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    expect(await devices()).toEqual([endpoint]);
  });

  it('is told nothing until it has had time to say that its password was changed on it', async () => {
    const { uid, agentId, endpoint } = await person();
    floor.clock.at += MINUTE_MS;
    await provider.revoke(uid);
    await record(uid, fill(agentId, 'stop_loss'));
    const one = sender();
    await one.runOnce();
    expect(told()).toEqual([]);
    expect(await waiting()).toHaveLength(1);
    floor.clock.at += MINUTE_MS;
    const changed = { uid, email: null, issuedAtMs: floor.clock.at };
    await calls.unregisterOtherPush(changed, { endpoint });
    floor.clock.at += MINUTE_MS;
    await one.runOnce();
    expect(told()).toEqual([pathOf(endpoint)]);
    expect(await devices()).toEqual([endpoint]);
  });

  it('stays where it registers again while the provider is asked', async () => {
    const { uid, endpoint } = await person();
    const [asRead] = await floor.database.db.select().from(pushSubscriptions);
    if (asRead === undefined) throw new Error('No device');
    await calls.registerPush(
      { uid, email: null, issuedAtMs: floor.clock.at + 1 },
      { subscription: { endpoint, keys: service.subscribe().keys } },
    );
    await floor.database.transaction((tx) => removeEnded(tx, asRead));
    expect(await devices()).toEqual([endpoint]);
    const [now] = await floor.database.db.select().from(pushSubscriptions);
    await floor.database.transaction((tx) => removeEnded(tx, now ?? asRead));
    expect(await devices()).toEqual([]);
  });

  it('is not the one on which the password was changed', async () => {
    const { uid, agentId, endpoint } = await person();
    const other = await join(uid);
    floor.clock.at += MINUTE_MS;
    await provider.revoke(uid);
    const changed = { uid, email: null, issuedAtMs: floor.clock.at };
    await calls.unregisterOtherPush(changed, { endpoint });
    await record(uid, fill(agentId, 'stop_loss'));
    await sender().runOnce();
    expect(told()).toEqual([pathOf(endpoint)]);
    expect(await devices()).not.toContain(other);
  });

  it('as its account was disabled or deleted at the provider is told nothing more', async () => {
    const { uid, agentId } = await person();
    await join(uid);
    await record(uid, fill(agentId, 'stop_loss'));
    floor.clock.at += MINUTE_MS;
    await provider.remove(uid);
    const one = sender();
    await one.runOnce();
    floor.clock.at += 3 * MINUTE_MS;
    await one.runOnce();
    expect(told()).toEqual([]);
    expect(await devices()).toEqual([]);
  });

  it('is asked about at most once an hour for a person, and for nobody while nothing is sent', async () => {
    const { uid, agentId } = await person();
    await join(uid);
    const one = sender();
    await one.runOnce();
    expect(provider.askedAbout).toEqual([]);
    for (let minutes = 0; minutes <= 60; minutes += 10) {
      await record(uid, fill(agentId, 'stop_loss'));
      await one.runOnce();
      expect(provider.askedAbout).toHaveLength(minutes < 60 ? 1 : 2);
      floor.clock.at += 10 * MINUTE_MS;
    }
    await provider.revoke(uid);
    floor.clock.at += HOUR_MS;
    service.taken.length = 0;
    await record(uid, fill(agentId, 'stop_loss'));
    await one.runOnce();
    expect(told()).toEqual([]);
  });

  it('is not looked for at a provider that does not answer, and everybody is told', async () => {
    const people = [await person(), await person(), await person()];
    provider.answers = false;
    const one = sender();
    const [first, ...others] = people;
    await record(first?.uid ?? '', fill(first?.agentId ?? '', 'stop_loss'));
    await one.runOnce();
    for (const { uid, agentId } of others) await record(uid, fill(agentId, 'stop_loss'));
    await one.runOnce();
    expect(told().sort()).toEqual(people.map(({ endpoint }) => pathOf(endpoint)).sort());
    // Its failure for one is not waited for again by the next.
    expect(provider.askedAbout).toEqual([first?.uid]);
    provider.answers = true;
    floor.clock.at += 5 * MINUTE_MS;
    const [second] = others;
    await record(second?.uid ?? '', fill(second?.agentId ?? '', 'stop_loss'));
    await one.runOnce();
    expect(provider.askedAbout).toEqual([first?.uid, second?.uid]);
  });
});
