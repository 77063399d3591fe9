/** A push service that sends the server elsewhere, as somebody would who owns the address. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_PUSH_SETTINGS } from '../../../contract/push.ts';
import { readAgentList } from '../../../server/agents/read-agents.ts';
import { pushMessages, pushSubscriptions } from '../../../server/db/schema.ts';
import { readPortfolio } from '../../../server/portfolio/read-portfolio.ts';
import { pushCallables } from '../../../server/push/push-callables.ts';
import { PushSender } from '../../../server/push/sender.ts';
import { openVapid, type Vapid } from '../../../server/push/vapid.ts';
import { silentLog } from '../../support/app.ts';
import { startPushService, type PushService } from '../../support/push-service.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

const VAPID = { publicKey: null, privateKey: null, subject: 'mailto:ops@example.com' };

let floor: Floor;
let service: PushService;
let vapid: Vapid;
let inner: Server;
let innerUrl = '';
let innerAsked: string[] = [];

beforeAll(async () => {
  floor = await openFloor();
  service = await startPushService();
  vapid = await openVapid(floor.database, { ...VAPID, allowLocal: true });
  inner = createServer((request, response) => {
    innerAsked.push(`${request.method} ${request.url}`);
    response.end('secret');
  });
  await new Promise<void>((resolve) => {
    inner.listen(0, '127.0.0.1', resolve);
  });
  innerUrl = `http://127.0.0.1:${(inner.address() as AddressInfo).port}`;
}, 60_000);
afterAll(async () => {
  inner.close();
  await service.close();
  await floor.close();
});
beforeEach(async () => {
  await floor.database.db.delete(pushMessages);
  await floor.database.db.delete(pushSubscriptions);
  innerAsked = [];
  service.taken.length = 0;
});

/** Somebody whose next stop is pushed to this service. */
async function listener(): Promise<{ uid: string; agentId: string; endpoint: string }> {
  const uid = `p-${randomUUID().slice(0, 8)}`;
  await floor.join(uid);
  const { agent } = await floor.call(uid, 'createAgent', {
    body: { ...AGGRESSIVE, name: 'Harbour', enabled: false },
  });
  const caller = { uid, email: null };
  const subscription = service.subscribe();
  const calls = pushCallables({
    database: floor.database,
    clock: floor.clock,
    publicKey: vapid.publicKey,
    allowLocal: true,
  });
  await calls.registerPush(caller, { subscription });
  await calls.pushSettings(caller, { settings: DEFAULT_PUSH_SETTINGS });
  return { uid, agentId: agent.id, endpoint: subscription.endpoint };
}

/** A stop loss of theirs was hit, which is pushed at once. */
const hitStop = ({ uid, agentId }: { uid: string; agentId: string }): Promise<unknown> =>
  floor.database.transaction((tx) =>
    floor.deps.events.append(tx, uid, [
      {
        type: 'fill.recorded',
        fill: {
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
          reason: 'stop_loss',
          decidedAt: 1,
          filledAt: 2,
          tickId: `t:${randomUUID()}`,
        },
      },
    ]),
  );

const sendDue = (): Promise<void> =>
  new PushSender({
    database: floor.database,
    clock: floor.clock,
    log: silentLog,
    vapid,
    agent: new HttpsAgent({ ca: service.ca }),
    readAgents: (uid) => readAgentList(floor.deps, uid),
    readPortfolio: (uid) => readPortfolio(floor.deps, uid),
    readValidSince: async () => 0,
  }).runOnce();

describe('a push service that answers with a redirect', () => {
  it.each([
    [301, '/latest/meta-data'],
    [302, '/latest/meta-data'],
    [303, '/'],
    [307, '/internal'],
    [308, '/internal'],
  ])('by %s leads nowhere: no other address is asked (F53)', async (status, path) => {
    const device = await listener();
    service.answer(device.endpoint, status, { location: `${innerUrl}${path}` });
    await hitStop(device);
    await sendDue();
    expect(innerAsked).toEqual([]);
    // The service itself was asked, once, and has not taken it.
    const rows = await floor.database.db.select().from(pushMessages);
    expect(rows.map(({ attempts, state }) => [attempts, state])).toEqual([[1, 'waiting']]);
  });

  it('is told from one that takes the message', async () => {
    await hitStop(await listener());
    await sendDue();
    const rows = await floor.database.db.select().from(pushMessages);
    expect(rows.map(({ state }) => state)).toEqual(['sent']);
  });
});
