/**
 * Every kind of push there is, brought about by the server's own scheduler, guards and sender on a
 * tape.
 */
import { randomUUID } from 'node:crypto';
import { Agent as HttpsAgent } from 'node:https';
import { eq, sql } from 'drizzle-orm';
import { DEFAULT_PUSH_SETTINGS, PushPayload } from '../../contract/push.ts';
import { AlertWatch } from '../../server/alerts/alert-watch.ts';
import { readAgentList } from '../../server/agents/read-agents.ts';
import { agents, events, positions, users } from '../../server/db/schema.ts';
import { liveConnections } from '../../server/db/schema-live.ts';
import { subscriptions } from '../../server/db/schema-plans.ts';
import { connectionsOf } from '../../server/live/live-accounts.ts';
import { raiseAlarms } from '../../server/live/live-alarms.ts';
import { publishLive } from '../../server/live/live-news.ts';
import { readPortfolio } from '../../server/portfolio/read-portfolio.ts';
import { pushCallables } from '../../server/push/push-callables.ts';
import { PushSender } from '../../server/push/sender.ts';
import { openVapid } from '../../server/push/vapid.ts';
import { silentLog } from './app.ts';
import type { PushService } from './push-service.ts';
import { AGGRESSIVE, openFloor, type Floor } from './trading.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * A fall under the stop, a strategy that cannot run, a day that went badly, a stop from a tunnel,
 * and a plan in trouble.
 */
async function trouble(floor: Floor, uid: string): Promise<void> {
  const { db } = floor.database;
  const made = async (name: string, pair: string): Promise<string> =>
    (await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE, name, trading_pairs: [pair] } }))
      .agent.id;
  const harbour = await made('Harbour', 'BTC/USDT');
  const ebb = await made('Ebb', 'ETH/USDT');
  const drift = await made('Drift', 'SOL/USDT');
  const scheduler = floor.scheduler();
  await scheduler.open();
  await floor.run(scheduler, 1);
  const [held] = await db.select().from(positions).where(eq(positions.agentId, harbour));
  floor.market.say('BTC/USDT', Number(held?.stopPrice ?? 0) * 0.99);
  await scheduler.settled();
  // No strategy knows this profile.
  await db.update(agents).set({ riskProfile: 'Reckless' }).where(eq(agents.id, ebb));
  const [row] = await db.select().from(agents).where(eq(agents.id, drift));
  const memory = row?.memory as { day: object };
  await db
    .update(agents)
    .set({ memory: { ...memory, day: { ...memory.day, equity: '20000' } } })
    .where(eq(agents.id, drift));
  await floor.run(scheduler, 1);
  // Nor does the app, which must be told of an agent as there can be one.
  await db.update(agents).set({ riskProfile: 'Aggressive' }).where(eq(agents.id, ebb));
  await db.update(events).set({
    payload: sql`replace(${events.payload}::text, 'Reckless', 'Aggressive')::jsonb`,
  });
  await floor.call(uid, 'stopAgent', { params: { id: harbour }, body: { ageMs: 5 * MINUTE_MS } });
  await db
    .update(subscriptions)
    .set({ status: 'past_due', currentPeriodEnd: floor.clock.at - 5 * DAY_MS })
    .where(eq(subscriptions.uid, uid));
  await db
    .update(users)
    .set({ trialEndsAt: floor.clock.at + DAY_MS })
    .where(eq(users.uid, uid));
}

/** An alert a little above the present price, which then goes there. */
async function reachAlert(floor: Floor, uid: string): Promise<void> {
  const watch = new AlertWatch(floor.deps);
  const at = floor.market.now();
  const price = '100000';
  floor.market.say('BTC/USDT', 99_999);
  await floor.call(uid, 'setAlert', {
    params: { id: randomUUID() },
    body: {
      symbol: 'BTC/USDT',
      condition: { kind: 'above', price },
      repeatMinutes: null,
      note: 'Harbour',
      active: true,
      seenVersion: null,
      seen: { price: '99999', at },
    },
  });
  await watch.start();
  floor.market.say('BTC/USDT', 100_001);
  await watch.settled();
  await watch.stop();
}

/** Everything that an exchange account is told of, in the server's own words. */
async function troubleAtExchange(floor: Floor, uid: string): Promise<void> {
  const { deps } = floor;
  const id = randomUUID();
  const now = floor.clock.at;
  await floor.database.db.insert(liveConnections).values({
    id,
    uid,
    accountId: randomUUID(),
    exchange: 'kraken',
    label: 'My account',
    state: 'open',
    abilities: { replaysIds: false, restingStops: true },
    permissions: null,
    permissionsReadAt: now,
    maxOrder: '100',
    maxExposure: '500',
    maxDailyLoss: '25',
    maxOrdersPerHour: 30,
    createdAt: now,
  });
  const [connection] = await connectionsOf(floor.database.db, uid);
  if (connection === undefined) throw new Error('No connection');
  const kinds = [
    'unknown_for_minutes',
    'stop_rejected',
    'too_small_to_sell',
    'sale_refused',
    'coins_missing',
    'unreachable',
    'daily_loss',
    'live_ended',
  ];
  await floor.database.transaction(async (tx) => {
    const detail = { symbol: 'BTC/USD' };
    await raiseAlarms(
      tx,
      deps,
      kinds.map((kind) => ({ connectionId: id, kind, about: kind, detail })),
    );
    await publishLive(tx, deps, connection);
  });
}

/**
 * The messages as `service` decrypted them, oldest first. The person's events are counted from
 * `sequence` on.
 */
export async function provokeEveryKind(
  service: PushService,
  uid: string,
  sequence: number,
): Promise<{ text: string; payload: PushPayload }[]> {
  const floor = await openFloor();
  try {
    await floor.join(uid);
    await floor.database.db.update(users).set({ sequence }).where(eq(users.uid, uid));
    const vapid = await openVapid(floor.database, {
      publicKey: null,
      privateKey: null,
      subject: 'mailto:ops@example.com',
      allowLocal: true,
    });
    const calls = pushCallables({
      database: floor.database,
      clock: floor.clock,
      publicKey: vapid.publicKey,
      allowLocal: true,
    });
    const subscription = service.subscribe();
    await calls.registerPush({ uid, email: null }, { subscription });
    await calls.pushSettings(
      { uid, email: null },
      {
        settings: {
          ...DEFAULT_PUSH_SETTINGS,
          kinds: { ...DEFAULT_PUSH_SETTINGS.kinds, fills: true },
        },
      },
    );
    const sender = new PushSender({
      database: floor.database,
      clock: floor.clock,
      log: silentLog,
      vapid,
      agent: new HttpsAgent({ ca: service.ca, keepAlive: true }),
      readAgents: (who) => readAgentList(floor.deps, who),
      readPortfolio: (who) => readPortfolio(floor.deps, who),
      readValidSince: async () => 0,
    });
    await trouble(floor, uid);
    await reachAlert(floor, uid);
    await troubleAtExchange(floor, uid);
    await sender.runOnce();
    // Fills wait for others of their moment.
    floor.clock.at += MINUTE_MS;
    await sender.runOnce();
    await sender.stop();
    const { pathname } = new URL(subscription.endpoint);
    return service.taken
      .filter(({ path }) => path === pathname)
      .map(({ text }) => ({ text, payload: PushPayload.parse(JSON.parse(text)) }));
  } finally {
    await floor.close();
  }
}
