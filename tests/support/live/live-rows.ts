/** A row of an exchange account that has ended in every table of live trading. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../../server/db/database.ts';
import * as live from '../../../server/db/schema-live.ts';

export async function writeLiveRows(
  db: Database['db'],
  {
    uid,
    agentId,
    accountId,
    now,
  }: { uid: string; agentId: string; accountId: string; now: number },
): Promise<void> {
  const connectionId = randomUUID();
  const orderId = randomUUID();
  const clientOrderId = orderId.replaceAll('-', '');
  const of = { connectionId, accountId };
  const terms = { agentId, symbol: 'BTC/USD', side: 'buy', quantity: '0.01' };
  await db.insert(live.liveConnections).values({
    id: connectionId,
    uid,
    accountId,
    exchange: 'kraken',
    label: `Mine of ${uid}`,
    state: 'ended',
    abilities: { replaysIds: false, restingStops: true },
    permissions: null,
    permissionsReadAt: now,
    maxOrder: '100',
    maxExposure: '500',
    maxDailyLoss: '25',
    maxOrdersPerHour: 30,
    createdAt: now,
    endedAt: now,
  });
  await db.insert(live.liveOrders).values({
    ...of,
    ...terms,
    clientOrderId,
    id: orderId,
    type: 'market',
    deadlineMs: now,
    cause: 'signal_up',
    reservationAsset: 'USD',
    reservationAmount: '700',
    tickId: 'tick',
    decidedMarketMs: now,
    plannedAt: now,
    state: 'filled',
    attempts: 1,
    booked: '0.01',
    reserved: '0',
    alarms: [],
    changedAt: now,
  });
  await db.insert(live.liveOrderEvents).values({
    clientOrderId,
    atMs: now,
    kind: 'planned',
    event: { agentId },
    effects: [],
    state: 'planned',
  });
  await db.insert(live.venueFills).values({
    ...of,
    ...terms,
    tradeId: `trade-${uid}`,
    clientOrderId,
    fillId: randomUUID(),
    price: '64000',
    quoteAmount: '640',
    fees: [{ asset: 'USD', amount: '1.6' }],
    exchangeOrderId: `order-${uid}`,
    atMs: now,
    bookedAt: now,
  });
  const moved = { kind: 'opening', asset: 'USD', amount: '1000', atMs: now, bookedAt: now };
  await db.insert(live.externalMovements).values({ ...of, ...moved, id: randomUUID() });
  await db.insert(live.liveWriteOffs).values({
    ...of,
    id: randomUUID(),
    agentId,
    positionId: randomUUID(),
    symbol: 'BTC/USD',
    quantity: '0.01',
    cost: '640',
    worth: '650',
    afterTrade: 0,
    atMarketMs: now,
    bookedAt: now,
  });
  await db.insert(live.liveMarks).values({
    connectionId,
    reconciledToMs: now,
    pending: {},
    missing: {},
    orphans: [],
    foreignOrders: [{ exchangeOrderId: `by-hand-${uid}` }],
    gateReasons: [],
    readAt: now,
  });
  const exit = { reason: 'closed', tickId: 'tick', askedAt: now, askedMarketMs: now };
  await db.insert(live.liveExits).values({ ...of, ...exit, agentId, symbol: 'BTC/USD' });
  await db.insert(live.liveFailedStops).values({
    agentId,
    symbol: 'BTC/USD',
    quantity: '0.01',
    stopPrice: '60000',
    why: 'rejected',
    told: false,
  });
  await db.insert(live.liveAlarms).values({
    id: randomUUID(),
    connectionId,
    kind: 'orphan',
    about: `order-${uid}`,
    detail: {},
    raisedAt: now,
  });
  await db.insert(live.passkeys).values({
    id: randomUUID(),
    uid,
    credentialId: `credential-${uid}`,
    publicKey: `key-of-${uid}`,
    counter: 0,
    transports: ['internal'],
    label: `Phone of ${uid}`,
    createdAt: now,
    lastUsedAt: null,
  });
  await db
    .insert(live.passkeyChallenges)
    .values({ challenge: `challenge-${uid}`, uid, createdAt: now });
}
