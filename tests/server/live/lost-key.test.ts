/**
 * A key that was revoked while an order rests: the order can be given up, live trading ended, and
 * the exchange account and the Tradewind account removed. What it left behind throws nowhere.
 */
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GIVE_UP_UNREAD_AFTER_MS } from '../../../contract/live-state.ts';
import { accounts, positions, users } from '../../../server/db/schema.ts';
import { liveExits, liveMarks, liveOrders } from '../../../server/db/schema-live.ts';
import { deletionsOf } from '../../support/deletions.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
import { restingStops } from '../../support/live/live-findings.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld;
let agentId: string;
beforeEach(async () => {
  world = await openLiveWorld();
  await world.look();
  agentId = await world.startAgent();
  await world.look();
  await decideTrade(world.deps, world.desk, {
    connectionId: world.connection.id,
    agentId,
    symbol: world.pair,
    budget: 60,
    tickId: 'purchase',
  });
  await settle(world, 20);
  expect(restingStops(world)).toHaveLength(1);
}, 120_000);
afterEach(async () => {
  await world.close();
});

const params = () => ({ id: world.connection.id });
const db = () => world.floor.database.db;
const openOrders = async () =>
  (await account(world)).orders.filter(({ state }) => state === 'open' || state === 'unknown');

function revoke(): void {
  const [key] = world.standIn.accounts.keysOf('main');
  world.standIn.person.revokeKey(key?.apiKey ?? '');
}

/** Until the person was told, and for as long again as they have to wait. */
async function refusedFor(ms: number): Promise<void> {
  for (let waited = 0; waited < 20 && (await account(world)).alarms.length === 0; waited += 1)
    await settle(world, 60, 60);
  await settle(world, ms / 1_000, 60);
}

async function giveUp(): Promise<string> {
  const [order] = await openOrders();
  const id = order?.clientOrderId ?? '';
  await world.floor.call(PERSON, 'giveUpOrder', { params: { id } });
  return id;
}

async function removed(): Promise<void> {
  revoke();
  await refusedFor(GIVE_UP_UNREAD_AFTER_MS);
  await world.floor.call(PERSON, 'endLiveTrading', { params: params() });
  await giveUp();
  await settle(world, 60, 20);
  await world.floor.call(PERSON, 'removeConnection', { params: params() });
}

describe('an order that rests when its key is revoked', () => {
  it('can be given up once the exchange has refused the key for ten minutes, and no sooner (F72)', async () => {
    revoke();
    await refusedFor(GIVE_UP_UNREAD_AFTER_MS / 2);
    await expect(giveUp()).rejects.toMatchObject({ code: 'live_orders_open' });
    await settle(world, GIVE_UP_UNREAD_AFTER_MS / 2_000, 60);
    const { ordersUnreadSince } = (await account(world)).connection;
    expect(ordersUnreadSince).toBeLessThanOrEqual(world.floor.clock.at - GIVE_UP_UNREAD_AFTER_MS);
    const id = await giveUp();
    const [row] = await db().select().from(liveOrders).where(eq(liveOrders.clientOrderId, id));
    expect(row).toMatchObject({ state: 'cancelled', ending: 'given_up' });
  }, 120_000);

  it('cannot be given up while the exchange does not answer, but has not refused the key', async () => {
    const reads = ['open_orders', 'closed_orders', 'trades', 'balances', 'look_up', 'recheck'];
    world.interfere((act) => (reads.includes(act) ? 'fail' : null));
    await settle(world, 30 * 60, 60);
    await expect(giveUp()).rejects.toMatchObject({ code: 'live_orders_open' });
    expect((await account(world)).connection.ordersUnreadSince).toBeNull();
    world.interfere(null);
  }, 120_000);

  it('cannot be given up by a right too many of the key, nor once the key is accepted again', async () => {
    const [key] = world.standIn.accounts.keysOf('main');
    if (key === undefined) throw new Error('There is no key');
    key.permissions.withdraw = true;
    await world.client.ask({ act: 'recheck', connectionId: world.connection.id });
    await settle(world, 20 * 60, 60);
    expect((await account(world)).connection.keyFaults).toEqual(['can_withdraw']);
    await expect(giveUp()).rejects.toMatchObject({ code: 'live_orders_open' });
    key.permissions.withdraw = false;
    key.revoked = true;
    await refusedFor(GIVE_UP_UNREAD_AFTER_MS + 10 * 60_000);
    expect((await account(world)).connection.ordersUnreadSince).not.toBeNull();
    key.revoked = false;
    await settle(world, 60, 10);
    await expect(giveUp()).rejects.toMatchObject({ code: 'live_orders_open' });
  }, 240_000);

  it('can be given up where the key is refused again for the same after the account was compared', async () => {
    revoke();
    await refusedFor(0);
    // A comparison that succeeds between two readings of the key leaves its faults as they were.
    await db().update(liveMarks).set({ reconciledToMs: world.floor.clock.at });
    await settle(world, 15 * 60, 60);
    const refusals = (await account(world)).alarms.filter(({ kind }) => kind === 'key_refused');
    expect(refusals).toHaveLength(2);
    expect((await account(world)).connection.ordersUnreadSince).not.toBeNull();
    await settle(world, GIVE_UP_UNREAD_AFTER_MS / 1_000, 60);
    await giveUp();
    const again = (await account(world)).alarms.filter(({ kind }) => kind === 'key_refused');
    expect(again).toHaveLength(2);
  }, 120_000);

  it('can be given up before live trading is ended as well', async () => {
    revoke();
    await refusedFor(GIVE_UP_UNREAD_AFTER_MS);
    await giveUp();
    await settle(world, 120, 10);
    await world.floor.call(PERSON, 'endLiveTrading', { params: params() });
    await settle(world, 20);
    const { connection } = await world.floor.call(PERSON, 'removeConnection', {
      params: params(),
    });
    expect(connection.state).toBe('ended');
  }, 120_000);

  it('keeps neither the exchange account nor the Tradewind account from being removed', async () => {
    await removed();
    const shown = await account(world);
    expect(shown.connection.state).toBe('ended');
    // The ledger keeps what was true when it was last read.
    expect(shown.positions).toHaveLength(1);
    expect(await world.problems()).toEqual([]);
    expect(await deletionsOf(world.floor).ask(PERSON)).toBe('done');
    expect(await db().select().from(users).where(eq(users.uid, PERSON))).toEqual([]);
    expect(await db().select().from(accounts).where(eq(accounts.uid, PERSON))).toEqual([]);
  }, 240_000);
});

describe('what an agent holds in an exchange account that was removed', () => {
  it('is not ordered to be sold, says so, and lets its agent be deleted', async () => {
    await removed();
    const [held] = await db().select().from(positions).where(eq(positions.agentId, agentId));
    const id = held?.id ?? '';
    await expect(
      world.floor.call(PERSON, 'closeLivePosition', { params: { id } }),
    ).rejects.toMatchObject({ code: 'connection_ended' });
    const { unsold } = await world.floor.call(PERSON, 'liquidateAgent', {
      params: { id: agentId },
    });
    expect(unsold).toMatchObject([
      { pair: world.pair, message: expect.stringContaining('at the exchange yourself') as string },
    ]);
    expect(await db().select().from(liveExits)).toEqual([]);
    const planned = eq(liveOrders.state, 'planned');
    expect(await db().select().from(liveOrders).where(planned)).toEqual([]);
    await world.floor.call(PERSON, 'stopAgent', { params: { id: agentId } });
    await world.floor.call(PERSON, 'deleteAgent', { params: { id: agentId } });
    const { agents } = await world.floor.call(PERSON, 'agents');
    expect(agents.map((agent) => agent.id)).not.toContain(agentId);
    expect(await world.problems()).toEqual([]);
  }, 240_000);

  it('has calls about its account answered as ended', async () => {
    await removed();
    const limits = { maxOrder: '1', maxExposure: '1', maxDailyLoss: '1' };
    await expect(
      world.floor.call(PERSON, 'setLiveLimits', { params: params(), body: { limits } }),
    ).rejects.toMatchObject({ code: 'connection_ended' });
    await expect(world.start(agentId)).rejects.toMatchObject({ code: 'connection_ended' });
    const alarms = (await account(world)).alarms.length;
    const { connection } = await world.floor.call(PERSON, 'endLiveTrading', { params: params() });
    expect(connection.state).toBe('ended');
    expect((await account(world)).alarms).toHaveLength(alarms);
  }, 240_000);
});
