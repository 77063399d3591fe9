/**
 * A person exchanges the key of an exchange account: agents go on where they were, and an order that
 * was given up meanwhile is booked as what really became of it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { GIVE_UP_UNREAD_AFTER_MS } from '../../../contract/live-state.ts';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import { StepUpStatement, StepUpToken, type ApiKey } from '../../../contract/signer.ts';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { keyDigest } from '../../../signer/replace-key.ts';
import { decideTrade } from '../../support/live/agent-decision.ts';
import { expectBooksEqual, filledSales, restingStops } from '../../support/live/live-findings.ts';
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
  world = await openLiveWorld({
    otherAccounts: [{ name: 'second', balances: { USD: '10000', BTC: '0.5' } }],
  });
  await world.look();
  agentId = await world.startAgent();
  await world.look();
  await buy();
  await settle(world, 20);
  expect(restingStops(world)).toHaveLength(1);
}, 120_000);
afterEach(async () => {
  await world.close();
});

const params = () => ({ id: world.connection.id });
const buy = () =>
  decideTrade(world.deps, world.desk, {
    connectionId: world.connection.id,
    agentId,
    symbol: world.pair,
    budget: 60,
    tickId: 'purchase',
  });

function revoke(): void {
  for (const { apiKey } of world.standIn.accounts.keysOf('main'))
    world.standIn.person.revokeKey(apiKey);
}

async function confirmed(key: ApiKey) {
  const { statement } = await world.floor.call(PERSON, 'confirmLive', {
    params: params(),
    body: { purpose: 'replace_key', agentId: null, limits: null, keyDigest: keyDigest(key) },
  });
  return z.encode(StepUpToken, world.device.agree(z.decode(StepUpStatement, statement)));
}

async function replace(key: ApiKey, more: { key?: string } = {}) {
  const stepUp = await confirmed(key);
  return world.floor.call(PERSON, 'replaceExchangeKey', {
    params: params(),
    body: { ...key, stepUp },
    ...more,
  });
}

const kinds = async () => (await account(world)).alarms.map(({ kind }) => kind);

/** The key is revoked, the person is told, and gives up the stop that rests. */
async function stopGivenUp(): Promise<void> {
  revoke();
  for (let waited = 0; waited < 20 && (await kinds()).length === 0; waited += 1)
    await settle(world, 60, 60);
  await settle(world, GIVE_UP_UNREAD_AFTER_MS / 1_000, 60);
  const stop = (await account(world)).orders.find(({ state }) => state === 'open');
  await world.floor.call(PERSON, 'giveUpOrder', { params: { id: stop?.clientOrderId ?? '' } });
}

describe('a key that was exchanged', () => {
  it('lets agents go on where the old one was revoked, with the same ledger, stop and limits (F72)', async () => {
    const before = await account(world);
    revoke();
    await settle(world, 15 * 60, 60);
    expect((await account(world)).connection.keyFaults).toEqual(['invalid_key']);
    const { report, connection } = await replace(world.standIn.issueKey('main'));
    expect(report).toMatchObject({ accepted: true, faults: [] });
    expect(connection).toMatchObject({ keyFaults: [], ordersUnreadSince: null });
    await settle(world, 30);
    const after = await account(world);
    expect(after.connection).toMatchObject({
      id: before.connection.id,
      limits: before.connection.limits,
      waitsFor: [],
      unknownOrders: 0,
    });
    expect(after.positions).toMatchObject([{ quantity: before.positions[0]?.quantity }]);
    expect(restingStops(world)).toHaveLength(1);
    // It cancels and places by the new key.
    const [held] = after.positions;
    await world.floor.call(PERSON, 'closeLivePosition', { params: { id: held?.id ?? '' } });
    await settle(world, 30);
    expect((await account(world)).positions).toEqual([]);
    expect(filledSales(world)).toHaveLength(1);
    await expectBooksEqual(world);
  }, 120_000);

  it('takes the place of one that still works, without a moment in which nothing is read', async () => {
    const key = world.standIn.issueKey('main');
    expect((await replace(key)).report.accepted).toBe(true);
    for (const { apiKey } of world.standIn.accounts.keysOf('main'))
      if (apiKey !== key.apiKey) world.standIn.person.revokeKey(apiKey);
    await settle(world, 300, 10);
    expect(await kinds()).toEqual([]);
    await expectBooksEqual(world);
  }, 120_000);

  it('is not one of the person’s second account: nothing of that is booked', async () => {
    const { report, connection } = await replace(world.standIn.issueKey('second'));
    expect(report).toMatchObject({ accepted: false, faults: ['other_account'], balances: [] });
    expect(connection).toMatchObject({ state: 'open', keyFaults: [] });
    await settle(world, 300, 10);
    expect((await account(world)).external.map(({ kind }) => kind)).not.toContain('withdrawal');
    await expectBooksEqual(world);
  }, 120_000);

  it('is answered as it was to the same command, and its confirmation counts for no other', async () => {
    const key = world.standIn.issueKey('main');
    const stepUp = await confirmed(key);
    const ask = (body: ApiKey, commandId: string) =>
      world.floor.call(PERSON, 'replaceExchangeKey', {
        params: params(),
        body: { ...body, stepUp },
        key: commandId,
      });
    const commandId = randomUUID();
    const first = await ask(key, commandId);
    await world.advance(1_000);
    expect(await ask(key, commandId)).toEqual(first);
    const other = world.standIn.issueKey('main');
    await world.advance(3_000);
    await expect(ask(other, randomUUID())).rejects.toMatchObject({ code: 'step_up_required' });
  }, 120_000);

  it('needs a confirmation that names it and nothing else', async () => {
    const ask = (body: object) =>
      world.floor.call(PERSON, 'confirmLive', {
        params: params(),
        body: { purpose: 'replace_key', agentId: null, limits: null, ...body },
      });
    const digest = randomBytes(32).toString('base64url');
    for (const body of [{}, { keyDigest: digest, agentId }])
      await expect(ask(body)).rejects.toMatchObject({ code: 'invalid_request' });
    const { statement } = await ask({ keyDigest: digest });
    expect(statement).toMatchObject({ purpose: 'replace_key', agentId: null, keyDigest: digest });
  }, 120_000);
});

describe('a stop that was given up while its key was refused', () => {
  it('and filled meanwhile is booked as the sale it was, and the person is told', async () => {
    await stopGivenUp();
    const price = toNumber(world.standIn.prices.mid(world.pair)) * 0.9;
    world.standIn.setPrice(world.pair, price.toFixed(1));
    world.floor.market.say(world.pair, price);
    await settle(world, 60, 10);
    expect(restingStops(world)).toEqual([]);
    expect(filledSales(world)).toHaveLength(1);
    expect((await replace(world.standIn.issueKey('main'))).report.accepted).toBe(true);
    await settle(world, 300, 10);
    const shown = await account(world);
    expect(shown.positions).toEqual([]);
    expect(shown.orders.filter(({ side }) => side === 'sell').map((one) => one.state)).toContain(
      'filled',
    );
    expect(await kinds()).toContain('found_after_end');
    expect(filledSales(world)).toHaveLength(1);
    await expectBooksEqual(world);
  }, 240_000);

  it('and still rests makes way for one stop when the key is accepted again, and nothing sells twice', async () => {
    await stopGivenUp();
    for (const key of world.standIn.accounts.keysOf('main')) key.revoked = false;
    await settle(world, 300, 5);
    expect(await kinds()).toContain('found_after_end');
    const [held] = (await account(world)).positions;
    const [stop, ...more] = restingStops(world);
    expect(more).toEqual([]);
    expect(stop?.quantity).toBeLessThanOrEqual(parseFixed(held?.quantity ?? '0'));
    expect(filledSales(world)).toEqual([]);
    await expectBooksEqual(world);
  }, 240_000);

  it('and still rests leaves the position guarded again, however long the key was refused after that', async () => {
    await stopGivenUp();
    const rows = () => world.floor.database.db.$count(liveOrders);
    const before = await rows();
    await settle(world, 200, 5);
    expect(await rows()).toBe(before);
    expect((await replace(world.standIn.issueKey('main'))).report.accepted).toBe(true);
    await settle(world, 300, 5);
    const [stop, ...more] = restingStops(world);
    expect(more).toEqual([]);
    expect(stop).toBeDefined();
    expect(await kinds()).not.toContain('stop_rejected');
    expect(filledSales(world)).toEqual([]);
    await expectBooksEqual(world);
  }, 240_000);

  it('sells nothing that was asked for meanwhile before the account is read again, and then all of it', async () => {
    await stopGivenUp();
    const rows = () => world.floor.database.db.$count(liveOrders);
    const before = await rows();
    const [held] = (await account(world)).positions;
    await world.floor.call(PERSON, 'closeLivePosition', { params: { id: held?.id ?? '' } });
    await settle(world, 200, 5);
    expect(await rows()).toBe(before);
    expect((await replace(world.standIn.issueKey('main'))).report.accepted).toBe(true);
    await settle(world, 300, 5);
    expect((await account(world)).positions).toEqual([]);
    expect(filledSales(world)).toHaveLength(1);
    expect(restingStops(world)).toEqual([]);
    await expectBooksEqual(world);
  }, 240_000);

  it('and still rests is cancelled when the key is accepted again after the end of live trading', async () => {
    await stopGivenUp();
    await world.floor.call(PERSON, 'endLiveTrading', { params: params() });
    await settle(world, 60, 20);
    expect(restingStops(world)).toHaveLength(1);
    expect((await replace(world.standIn.issueKey('main'))).report.accepted).toBe(true);
    await settle(world, 300, 5);
    expect(restingStops(world)).toEqual([]);
    expect(filledSales(world)).toEqual([]);
    await world.floor.call(PERSON, 'removeConnection', { params: params() });
  }, 240_000);
});
