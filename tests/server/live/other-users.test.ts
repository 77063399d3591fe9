/**
 * Objects of one user under the hands of another, by every call that names one: answered like
 * objects that are not there, and left as they are.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { CALLS, type CallBody, type CallName } from '../../../contract/calls.ts';
import { StepUpToken } from '../../../contract/signer.ts';
import { Refusal } from '../../../contract/errors.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';
import { softAuthenticator } from '../../support/live/soft-authenticator.ts';
import { stepUpDevice } from '../../support/signer/desk-world.ts';
import { AGGRESSIVE, PUBLIC_ORIGIN } from '../../support/trading.ts';

const THIEF = 'another';

let world: LiveWorld;
/** Ids of what the person has, by kind. */
let ids: Record<string, string>;

async function passkeyOf(uid: string): Promise<string> {
  const phone = softAuthenticator({ origin: PUBLIC_ORIGIN });
  const { options } = await world.floor.call(uid, 'passkeyOptions');
  const response = phone.create({ challenge: String(options.challenge) }, {});
  const body = { label: 'Phone', response } as CallBody<'addPasskey'>;
  const { passkey } = await world.floor.call(uid, 'addPasskey', { body });
  return passkey.id;
}

const alertBody = (seenVersion: number | null): CallBody<'setAlert'> => ({
  symbol: world.pair,
  condition: { kind: 'above', price: '900000' },
  repeatMinutes: null,
  note: '',
  active: true,
  seenVersion,
  seen: null,
});

beforeAll(async () => {
  world = await openLiveWorld();
  const { floor, connection } = world;
  await floor.join(THIEF);
  await world.look();
  const liveAgent = await world.startAgent({ shadow: true });
  const { agent } = await floor.call(PERSON, 'createAgent', {
    body: { ...AGGRESSIVE, trading_pairs: [world.pair] },
  });
  const params = { id: connection.id };
  await world.tickUntil(async () => {
    await world.look();
    const live = await floor.call(PERSON, 'liveAccount', { params });
    const paper = await floor.call(PERSON, 'portfolio');
    return live.positions.length > 0 && live.orders.length > 0 && paper.positions.length > 0;
  }, 400);
  const live = await floor.call(PERSON, 'liveAccount', { params });
  const paper = await floor.call(PERSON, 'portfolio');
  const alert = randomUUID();
  await floor.call(PERSON, 'setAlert', { params: { id: alert }, body: alertBody(null) });
  ids = {
    agent: agent.id,
    liveAgent,
    connection: connection.id,
    position: paper.positions[0]?.id ?? '',
    livePosition: live.positions[0]?.id ?? '',
    order: live.orders[0]?.clientOrderId ?? '',
    alert,
    passkey: await passkeyOf(PERSON),
  };
}, 120_000);
afterAll(() => world.close());

/** A confirmation by a device of the thief's own. */
function thiefsStepUp(): unknown {
  const { connection, floor } = world;
  const statement = {
    purpose: 'start_agent',
    connectionId: connection.id,
    accountId: connection.accountId,
    agentId: ids.liveAgent ?? '',
    limits: { maxOrder: 1n, maxExposure: 1n, maxDailyLoss: 1n },
    nonce: randomBytes(16).toString('base64url'),
    issuedAtMs: floor.clock.at,
  } as const;
  return z.encode(StepUpToken, stepUpDevice().agree(statement as never));
}

const settings = {
  risk_profile: 'Conservative',
  max_position_size: 100,
  execution_interval: 'daily',
  enabled: false,
} as const;

/** What a thief sends with each call that names an object in its path. */
const BODIES: Partial<Record<CallName, () => unknown[]>> = {
  updateAgent: () => [settings],
  setAlert: () => [alertBody(1)],
  setLiveLimits: () => [{ entriesAllowed: false }, { maxOrdersPerHour: 0 }],
  startLiveAgent: () => [{ stepUp: thiefsStepUp() }],
  writeOffPosition: () => [{ quantity: '0.0001', held: '0.0001' }],
  replaceExchangeKey: () => [
    { ...world.standIn.issueKey('main'), stepUp: thiefsStepUp() },
    { apiKey: 'theirs', secret: 'theirs', stepUp: thiefsStepUp() },
  ],
  confirmLive: () => [
    { purpose: 'start_agent', agentId: ids.liveAgent, limits: null },
    { purpose: 'start_agent', agentId: ids.agent, limits: null },
  ],
};
/** Proved where the handler is: `tests/server/wallet/link.test.ts`. */
const ELSEWHERE: readonly CallName[] = ['unlinkAddress'];

const named = (Object.keys(CALLS) as CallName[]).filter(
  (name) => CALLS[name].path.includes(':id') && !ELSEWHERE.includes(name),
);

/** What each call is about, in an order in which nothing is gone before it is asked for. */
const OWN: readonly [CallName, string][] = [
  ['agentPerformance', 'agent'],
  ['liveAccount', 'connection'],
  ['liveShadow', 'liveAgent'],
  ['liveTaxLots', 'connection'],
  ['giveUpOrder', 'order'],
  ['confirmLive', 'connection'],
  ['setLiveLimits', 'connection'],
  ['replaceExchangeKey', 'connection'],
  ['startLiveAgent', 'liveAgent'],
  ['setAlert', 'alert'],
  ['deleteAlert', 'alert'],
  ['updateAgent', 'agent'],
  ['startAgent', 'agent'],
  ['stopAgent', 'agent'],
  ['deleteAgent', 'agent'],
  ['closePosition', 'position'],
  ['liquidateAgent', 'agent'],
  ['writeOffPosition', 'livePosition'],
  ['closeLivePosition', 'livePosition'],
  ['endLiveTrading', 'connection'],
  ['removeConnection', 'connection'],
  ['deletePasskey', 'passkey'],
];

/** What it says, without the ids that it was sent. */
async function asked(
  name: CallName,
  id: string,
  body: unknown,
  uid: string = THIEF,
): Promise<unknown> {
  try {
    const reply = await world.floor.call(uid, name, { params: { id }, body } as never);
    const said = JSON.stringify({ ...(reply as object), commandId: undefined });
    return said.replaceAll(id, 'ID');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, message: error.message.replaceAll(id, 'ID') };
  }
}

async function seenByOwner(): Promise<unknown> {
  const { floor, connection } = world;
  const call: typeof floor.call = (uid, name, more) => floor.call(uid, name, more);
  return {
    agents: await call(PERSON, 'agents'),
    portfolio: await call(PERSON, 'portfolio'),
    alerts: await call(PERSON, 'alerts'),
    passkeys: await call(PERSON, 'passkeys'),
    live: await call(PERSON, 'liveAccount', { params: { id: connection.id } }),
  };
}

describe('an object of another user', () => {
  it('is there, of every kind', () => {
    expect(Object.values(ids).every((id) => id !== '')).toBe(true);
    expect(new Set(Object.values(ids)).size).toBe(8);
  });

  it.each(named)(
    'is answered by %s as if it were not there, and stays as it is (F50)',
    async (name) => {
      const before = await seenByOwner();
      for (const [kind, id] of Object.entries(ids))
        for (const body of BODIES[name]?.() ?? [undefined]) {
          const missing = kind === 'order' ? randomUUID().replaceAll('-', '') : randomUUID();
          const answer = await asked(name, id, body);
          expect(answer, kind).toEqual(await asked(name, missing, body));
          expect(answer, kind).toEqual(
            // What is gone already is deleted.
            name === 'deleteAlert'
              ? '{"alertId":"ID"}'
              : expect.objectContaining({ code: 'not_found' }),
          );
        }
      expect(await seenByOwner()).toEqual(before);
    },
  );

  // Last, because it changes them: what is not found for another user is found for its owner.
  it.each(OWN)('is found by its owner: %s of %s', async (name, kind) => {
    const body = BODIES[name]?.()[0];
    const answer = await asked(name, ids[kind] ?? '', body, PERSON);
    expect(answer).not.toMatchObject({ code: 'not_found' });
  });

  it('is looked for by every call in the form that its owner finds it by', () => {
    expect(OWN.map(([name]) => name).sort()).toEqual([...named].sort());
  });
});
