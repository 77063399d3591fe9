/** Passkeys made here, and what is signed with them, from the server's calls to the real signer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { StepUpStatement, StepUpToken } from '../../../contract/signer.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { softAuthenticator, type SigningManner } from '../../support/live/soft-authenticator.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';
import { PUBLIC_ORIGIN } from '../../support/trading.ts';

let world: LiveWorld;
const phone = softAuthenticator({ origin: PUBLIC_ORIGIN });
beforeEach(async () => {
  world = await openLiveWorld();
}, 60_000);
afterEach(async () => {
  await world.close();
});

const call: LiveWorld['floor']['call'] = (uid, name, more) => world.floor.call(uid, name, more);

async function addPasskey(uid = PERSON, manner: SigningManner = {}, authenticator = phone) {
  const { options } = await call(uid, 'passkeyOptions');
  const response = authenticator.create({ challenge: String(options.challenge) }, manner);
  return call(uid, 'addPasskey', { body: { label: 'Phone', response } });
}

/** A second exchange account that is bound to the passkey, and an agent of it. */
async function connectByPasskey() {
  const { passkey } = await addPasskey();
  await world.advance(20_000);
  const { connection } = await call(PERSON, 'connectExchange', {
    body: {
      exchange: 'kraken',
      label: 'By passkey',
      ...world.standIn.issueKey('main'),
      stepUpKeys: [passkey.key],
    },
  });
  if (connection === null) throw new Error('The key was not taken');
  const { agent } = await call(PERSON, 'createAgent', {
    body: {
      name: 'Momentum',
      trading_pairs: [world.pair],
      risk_profile: 'Moderate',
      max_position_size: 100,
      execution_interval: '5-minute',
      enabled: false,
      connectionId: connection.id,
    },
  });
  return { passkey, connection, agent };
}

async function confirmationOf(connectionId: string, agentId: string, manner: SigningManner = {}) {
  const reply = await call(PERSON, 'confirmLive', {
    params: { id: connectionId },
    body: { purpose: 'start_agent', agentId, limits: null },
  });
  const statement = z.decode(StepUpStatement, reply.statement);
  const [key] = reply.keys;
  return { reply, stepUp: phone.agree(statement, manner, key?.id ?? '') };
}

const wire = (token: StepUpToken) => ({ stepUp: z.encode(StepUpToken, token) });

describe('a passkey', () => {
  it('is made, listed and deleted, by its owner alone', async () => {
    const { passkey } = await addPasskey();
    expect(passkey).toMatchObject({ label: 'Phone', lastUsedAt: null });
    expect(passkey.key).toMatchObject({
      kind: 'passkey',
      id: passkey.id,
      transports: ['internal'],
    });
    expect((await call(PERSON, 'passkeys')).passkeys).toEqual([passkey]);
    await world.floor.join('another');
    expect(await call('another', 'passkeys')).toEqual({ passkeys: [] });
    const params = { id: passkey.id };
    await expect(call('another', 'deletePasskey', { params })).rejects.toMatchObject({
      code: 'not_found',
    });
    await call(PERSON, 'deletePasskey', { params });
    expect(await call(PERSON, 'passkeys')).toEqual({ passkeys: [] });
  });

  it('asks to be verified, and makes none twice', async () => {
    const { passkey } = await addPasskey();
    const { options } = await call(PERSON, 'passkeyOptions');
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      authenticatorSelection: { userVerification: 'required' },
      excludeCredentials: [{ id: passkey.key.credentialId }],
    });
    await expect(addPasskey()).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    ['made on another origin', { origin: 'http://localhost:9999' }],
    ['made for another domain', { rpId: 'evil.example' }],
    ['made without a verified person', { unverified: true }],
    ['made for another challenge', { challenge: 'bm90LW91cnM' }],
  ])('is not kept where it was %s', async (_what, manner) => {
    await expect(addPasskey(PERSON, manner)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await call(PERSON, 'passkeys')).toEqual({ passkeys: [] });
  });

  it('is not kept for a challenge of another person, an old one, or one that was used', async () => {
    await world.floor.join('another');
    const { options } = await call('another', 'passkeyOptions');
    const of = (challenge: unknown) => ({
      body: { label: 'Phone', response: phone.create({ challenge: String(challenge) }) },
    });
    await expect(call(PERSON, 'addPasskey', of(options.challenge))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const mine = await call(PERSON, 'passkeyOptions');
    world.floor.clock.at += 5 * 60_000 + 1;
    await expect(call(PERSON, 'addPasskey', of(mine.options.challenge))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const fresh = await call(PERSON, 'passkeyOptions');
    const { passkey } = await call(PERSON, 'addPasskey', of(fresh.options.challenge));
    await call(PERSON, 'deletePasskey', { params: { id: passkey.id } });
    await expect(call(PERSON, 'addPasskey', of(fresh.options.challenge))).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('an exchange account', () => {
  it('is bound to no passkey that is another person’s', async () => {
    await world.floor.join('another');
    const { passkey } = await addPasskey('another');
    await world.advance(20_000);
    const body = { exchange: 'kraken', label: 'Mine', ...world.standIn.issueKey('main') } as const;
    await expect(
      call(PERSON, 'connectExchange', { body: { ...body, stepUpKeys: [passkey.key] } }),
    ).rejects.toMatchObject({ code: 'invalid_request', more: { field: 'stepUpKeys' } });
  });

  it('says before it is connected what its key may do, and what could be traded', async () => {
    await world.advance(20_000);
    const reply = await call(PERSON, 'checkExchangeKey', {
      body: { exchange: 'kraken', ...world.standIn.issueKey('main') },
    });
    expect(reply.report.accepted).toBe(true);
    expect(reply.firstWeek).toEqual({ maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' });
    expect(reply.pairs).toEqual([world.pair]);
  });
});

describe('a start by passkey', () => {
  it('is bound to agent, account and limits, and counts once', async () => {
    const { passkey, connection, agent } = await connectByPasskey();
    const { reply, stepUp } = await confirmationOf(connection.id, agent.id);
    expect(reply.statement).toMatchObject({
      purpose: 'start_agent',
      connectionId: connection.id,
      accountId: connection.accountId,
      agentId: agent.id,
      limits: connection.limits,
    });
    expect(reply).toMatchObject({
      rpId: 'localhost',
      keys: [{ id: passkey.id, kind: 'passkey', credentialId: passkey.key.credentialId }],
    });
    expect(connection.stepUpKeys).toEqual(reply.keys);
    const params = { id: agent.id };
    const started = await call(PERSON, 'startLiveAgent', { params, body: wire(stepUp) });
    expect(started).toMatchObject({ outcome: 'started', agent: { status: 'running' } });
    expect((await call(PERSON, 'passkeys')).passkeys[0]?.lastUsedAt).toBe(world.floor.clock.at);
    await call(PERSON, 'stopAgent', { params, body: {} });
    await expect(
      call(PERSON, 'startLiveAgent', { params, body: wire(stepUp) }),
    ).rejects.toMatchObject({
      code: 'step_up_required',
      more: { details: { code: 'step_up_used' } },
    });
  });

  it.each([
    ['on a foreign origin', { origin: 'http://localhost:9999' }],
    ['without a verified person', { unverified: true }],
  ])('is refused where it was signed %s', async (_what, manner) => {
    const { connection, agent } = await connectByPasskey();
    const { stepUp } = await confirmationOf(connection.id, agent.id, manner);
    await expect(
      call(PERSON, 'startLiveAgent', { params: { id: agent.id }, body: wire(stepUp) }),
    ).rejects.toMatchObject({ more: { details: { code: 'step_up_invalid' } } });
  });

  it('is refused five minutes later', async () => {
    const { connection, agent } = await connectByPasskey();
    const { stepUp } = await confirmationOf(connection.id, agent.id);
    await world.advance(5 * 60_000 + 1_000);
    await expect(
      call(PERSON, 'startLiveAgent', { params: { id: agent.id }, body: wire(stepUp) }),
    ).rejects.toMatchObject({ more: { details: { code: 'step_up_expired' } } });
  });

  it('is asked of no one else’s account, and of no agent that trades elsewhere', async () => {
    const { connection, agent } = await connectByPasskey();
    await world.floor.join('another');
    const body = { purpose: 'start_agent', agentId: agent.id, limits: null } as const;
    await expect(
      call('another', 'confirmLive', { params: { id: connection.id }, body }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      call(PERSON, 'confirmLive', { params: { id: world.connection.id }, body }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is refused where the plan does not allow agents, and is not used up by that', async () => {
    const { connection, agent } = await connectByPasskey();
    const { db } = world.floor.database;
    const { stepUp } = await confirmationOf(connection.id, agent.id);
    const params = { id: agent.id };
    await db.update(subscriptions).set({ status: 'canceled', currentPeriodEnd: 1 });
    await expect(
      call(PERSON, 'startLiveAgent', { params, body: wire(stepUp) }),
    ).rejects.toMatchObject({ code: 'plan_lapsed' });
    const [plan] = await db.delete(subscriptions).returning();
    await expect(
      call(PERSON, 'startLiveAgent', { params, body: wire(stepUp) }),
    ).rejects.toMatchObject({ code: 'insufficient_permissions' });
    if (plan === undefined) throw new Error('No plan');
    await db.insert(subscriptions).values({ ...plan, status: 'active', currentPeriodEnd: null });
    expect(await call(PERSON, 'startLiveAgent', { params, body: wire(stepUp) })).toMatchObject({
      outcome: 'started',
    });
  });
});

it('raises limits by a passkey, and by nothing less', async () => {
  const { connection } = await connectByPasskey();
  const params = { id: connection.id };
  const limits = { maxOrder: '90', maxExposure: '400', maxDailyLoss: '20' };
  await call(PERSON, 'setLiveLimits', { params, body: { limits } });
  const higher = { ...limits, maxOrder: '95' };
  await expect(
    call(PERSON, 'setLiveLimits', { params, body: { limits: higher } }),
  ).rejects.toMatchObject({ code: 'step_up_required' });
  const { statement, keys } = await call(PERSON, 'confirmLive', {
    params,
    body: { purpose: 'raise_limits', agentId: null, limits: higher },
  });
  const token = phone.agree(z.decode(StepUpStatement, statement), {}, keys[0]?.id);
  const raised = await call(PERSON, 'setLiveLimits', {
    params,
    body: { limits: higher, ...wire(token) },
  });
  expect(raised.connection.limits).toEqual(higher);
});
