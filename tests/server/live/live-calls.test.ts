/** The calls about live trading, as HTTP makes them: keys, starts, exits, limits and the end. */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { LiveAccount } from '../../../contract/live.ts';
import { StepUpToken, type SignerAsk } from '../../../contract/signer.ts';
import { events } from '../../../server/db/schema.ts';
import { liveConnections } from '../../../server/db/schema-live.ts';
import { connectionIdOf } from '../../../server/live/connect.ts';
import { deletionsOf } from '../../support/deletions.ts';
import { stepUpDevice } from '../../support/signer/desk-world.ts';
import { openFloor } from '../../support/trading.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
}, 60_000);
afterEach(async () => {
  await world.close();
});

const account = () =>
  world.floor.call(PERSON, 'liveAccount', { params: { id: world.connection.id } });

/** Until the agent holds something and its stop rests. */
async function untilHeld(): Promise<string> {
  const agentId = await world.startAgent();
  await world.tickUntil(async () => (await account()).orders.length > 0);
  await world.look();
  return agentId;
}

describe('a live account', () => {
  it('shows what the exchange has confirmed, apart from paper', async () => {
    await world.look();
    const agentId = await untilHeld();
    const shown = LiveAccount.parse(await account());
    expect(shown.connection).toMatchObject({ state: 'open', waitsFor: [], unknownOrders: 0 });
    expect(shown.external.map(({ kind }) => kind)).toEqual(['opening', 'opening']);
    expect(shown.positions).toHaveLength(1);
    expect(shown.positions[0]).toMatchObject({ agentId, pair: world.pair });
    expect(shown.fees[0]?.asset).toBe(world.quote);
    const { positions } = await world.floor.call(PERSON, 'portfolio');
    expect(positions).toEqual([]);
    const { agents } = await world.floor.call(PERSON, 'agents');
    expect(agents[0]).toMatchObject({ connectionId: world.connection.id, openPositions: 1 });
  }, 60_000);

  it('is found by its owner alone', async () => {
    await world.floor.join('another');
    await expect(
      world.floor.call('another', 'liveAccount', { params: { id: world.connection.id } }),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect(await world.floor.call('another', 'liveConnections')).toMatchObject({
      connections: [],
    });
  });
});

/** As the server paces questions that read an exchange account. */
const PAUSE_MS = 3_000;

type WantedConnect = ReturnType<typeof newConnect>;

/** A connecting of a new key, with the command that asks for it. */
function newConnect(rights: Parameters<typeof world.standIn.issueKey>[1] = {}) {
  const key = world.standIn.issueKey('main', rights);
  return {
    key: randomUUID(),
    body: {
      exchange: 'kraken' as const,
      label: 'Another',
      ...key,
      stepUpKeys: [stepUpDevice().key],
    },
  };
}

const connect = (wanted: WantedConnect, uid: string = PERSON) =>
  world.floor.call(uid, 'connectExchange', wanted);

/** How often the signer is asked each thing from now on. */
function countAsked(): ReadonlyMap<SignerAsk['act'], number> {
  const asked = new Map<SignerAsk['act'], number>();
  world.interfere((act) => {
    asked.set(act, (asked.get(act) ?? 0) + 1);
    return null;
  });
  return asked;
}

/** A confirmation by a device that the exchange account is not bound to. */
function strangersStepUp(agentId: string | null = null) {
  const { connection, floor } = world;
  const agreed = stepUpDevice('stranger').agree({
    purpose: agentId === null ? 'replace_key' : 'start_agent',
    connectionId: connection.id,
    accountId: connection.accountId,
    agentId,
    limits: { maxOrder: 100n, maxExposure: 500n, maxDailyLoss: 25n } as never,
    nonce: randomBytes(16).toString('base64url'),
    issuedAtMs: floor.clock.at,
  });
  return z.encode(StepUpToken, agreed);
}

describe('a key', () => {
  it('that can withdraw is not taken, and nothing is connected (F74)', async () => {
    await world.advance(PAUSE_MS);
    const key = world.standIn.issueKey('main', { withdraw: true });
    const body = { exchange: 'kraken', ...key } as const;
    const { report } = await world.floor.call(PERSON, 'checkExchangeKey', { body });
    expect(report).toMatchObject({ accepted: false, faults: ['can_withdraw'] });
    await world.advance(PAUSE_MS);
    const { connection } = await world.floor.call(PERSON, 'connectExchange', {
      body: { ...body, label: 'Second', stepUpKeys: [stepUpDevice().key] },
    });
    expect(connection).toBeNull();
    const { connections } = await world.floor.call(PERSON, 'liveConnections');
    expect(connections.map(({ state }) => state)).toEqual(['open', 'ended']);
  });

  it('is checked once at a time for a person, and again after a pause', async () => {
    await world.advance(PAUSE_MS);
    const body = { exchange: 'kraken', ...world.standIn.issueKey('main') } as const;
    let asked = 0;
    world.interfere((act) => {
      if (act === 'check_key') asked += 1;
      return null;
    });
    const check = () => world.floor.call(PERSON, 'checkExchangeKey', { body });
    const answers = await Promise.allSettled([check(), check(), check()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    await expect(check()).rejects.toMatchObject({
      code: 'rate_limited',
      more: { retryAfterMs: PAUSE_MS },
    });
    expect(asked).toBe(1);
    await world.advance(PAUSE_MS);
    expect((await check()).report.accepted).toBe(true);
    world.interfere(null);
  });

  it('is connected once at a time for a person, and the same command again asks no exchange', async () => {
    await world.advance(PAUSE_MS);
    const asked = countAsked();
    const [first, ...others] = [newConnect(), newConnect(), newConnect()];
    const answers = await Promise.allSettled([first, ...others].map((one) => connect(one)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(connect(newConnect())).rejects.toMatchObject({ code: 'rate_limited' });
    const again = await connect(first);
    expect({ status: 'fulfilled', value: again }).toEqual(answers[0]);
    await world.advance(PAUSE_MS);
    expect(await connect(first)).toEqual(again);
    expect(asked.get('connect')).toBe(1);
    // A pause is shared by every question that reads a person's account.
    const key = world.standIn.issueKey('main');
    await world.floor.call(PERSON, 'checkExchangeKey', { body: { exchange: 'kraken', ...key } });
    await expect(connect(newConnect())).rejects.toMatchObject({ code: 'rate_limited' });
    expect(asked.get('connect')).toBe(1);
  });

  it('that was not taken is answered so to the same command again', async () => {
    await world.advance(PAUSE_MS);
    const wanted = newConnect({ withdraw: true });
    const refused = await connect(wanted);
    expect(refused.connection).toBeNull();
    await world.advance(PAUSE_MS);
    expect(await connect(wanted)).toEqual(refused);
  });

  it('is replaced once at a time for a person', async () => {
    const asked = countAsked();
    await world.advance(PAUSE_MS);
    const replace = () =>
      world.floor.call(PERSON, 'replaceExchangeKey', {
        params: { id: world.connection.id },
        body: { ...world.standIn.issueKey('main'), stepUp: strangersStepUp() },
      });
    const answers = await Promise.allSettled([replace(), replace(), replace()]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(replace()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(asked.get('replace_key')).toBe(1);
  });

  it('is no more connected where a person has five exchange accounts', async () => {
    const asked = countAsked();
    for (let held = 1; held < 5; held += 1) {
      await world.advance(PAUSE_MS);
      expect((await connect(newConnect())).connection?.state).toBe('open');
    }
    await world.advance(PAUSE_MS);
    await expect(connect(newConnect())).rejects.toMatchObject({
      code: 'live_orders_open',
      message: expect.stringContaining('5 exchange accounts') as string,
    });
    expect(asked.get('connect')).toBe(4);
    const params = { id: world.connection.id };
    await world.floor.call(PERSON, 'removeConnection', { params });
    await world.advance(PAUSE_MS);
    expect((await connect(newConnect())).connection?.state).toBe('open');
  });
});

describe('a connecting that crosses the end of its person’s account', () => {
  const LEAVER = 'leaver';
  const rows = () =>
    world.floor.database.db.$count(liveConnections, eq(liveConnections.uid, LEAVER));
  const kept = async (wanted: WantedConnect) =>
    world.client.ask({ act: 'state', connectionId: connectionIdOf(LEAVER, wanted.key) });

  /** Holds back the answers to one kind of question until it is let go. */
  function hold(held: SignerAsk['act']): () => void {
    let letGo: () => void = () => undefined;
    const after = new Promise<null>((resolve) => {
      letGo = () => {
        resolve(null);
      };
    });
    world.interfere((act) => (act === held ? { after } : null));
    return letGo;
  }

  it('leaves no key with the signer where the account was deleted first', async () => {
    await world.floor.join(LEAVER);
    const wanted = newConnect();
    const letGo = hold('hello');
    const asked = connect(wanted, LEAVER);
    const refused = expect(asked).rejects.toMatchObject({ code: 'token_revoked' });
    expect(await deletionsOf(world.floor).ask(LEAVER)).toBe('done');
    letGo();
    await refused;
    expect([await rows(), (await kept(wanted)).kind]).toEqual([0, 'refused']);
  });

  it('keeps the account from being deleted once it has begun', async () => {
    await world.floor.join(LEAVER);
    const wanted = newConnect();
    const letGo = hold('connect');
    const asked = connect(wanted, LEAVER);
    await expect.poll(rows).toBe(1);
    await expect(deletionsOf(world.floor).ask(LEAVER)).rejects.toMatchObject({
      code: 'live_orders_open',
    });
    letGo();
    expect((await asked).connection?.state).toBe('open');
  });

  it('takes its key back where its row is gone when the signer has taken it', async () => {
    await world.floor.join(LEAVER);
    const wanted = newConnect();
    const letGo = hold('connect');
    const asked = connect(wanted, LEAVER);
    const refused = expect(asked).rejects.toMatchObject({ code: 'connection_ended' });
    await expect.poll(async () => (await kept(wanted)).kind).toBe('read');
    await world.floor.database.db.delete(liveConnections).where(eq(liveConnections.uid, LEAVER));
    letGo();
    await refused;
    expect(await kept(wanted)).toMatchObject({ kind: 'refused', code: 'no_connection' });
  });
});

it('is not connected where prices are made', async () => {
  const floor = await openFloor();
  floor.withLive(world.client);
  await floor.join(PERSON);
  const body = { exchange: 'kraken', ...world.standIn.issueKey('main'), label: 'Mine' } as const;
  await expect(
    floor.call(PERSON, 'connectExchange', { body: { ...body, stepUpKeys: [stepUpDevice().key] } }),
  ).rejects.toMatchObject({ code: 'trading_disabled' });
  await floor.close();
});

describe('a live start', () => {
  it('needs a confirmation that the signer accepts, once', async () => {
    const agentId = await world.startAgent();
    const { floor } = world;
    await floor.call(PERSON, 'stopAgent', { params: { id: agentId }, body: {} });
    const params = { id: agentId };
    await expect(floor.call(PERSON, 'startAgent', { params, body: {} })).rejects.toMatchObject({
      code: 'step_up_required',
    });
    const { results } = await floor.call(PERSON, 'startAll', { body: {} });
    expect(results).toMatchObject([{ outcome: 'refused', code: 'step_up_required' }]);
    await expect(
      floor.call(PERSON, 'startLiveAgent', {
        params,
        body: { stepUp: strangersStepUp(agentId) },
      }),
    ).rejects.toMatchObject({ code: 'step_up_required' });
    const { agents } = await floor.call(PERSON, 'agents');
    expect(agents[0]?.status).toBe('stopped');
  });
});

describe('what is held', () => {
  it.each([
    'is sold by Stop and sell: the stop loss goes first, then all of it',
    'is sold by Stop and sell where the queued stop came ahead of it',
    'is sold by Stop and sell where the queued stop comes after it',
  ])(
    '%s (R7-17)',
    async (title) => {
      await world.look();
      const agentId = await untilHeld();
      const params = { id: agentId };
      const stop = () => world.floor.call(PERSON, 'stopAgent', { params, body: {} });
      if (title.endsWith('came ahead of it')) await stop();
      const { unsold } = await world.floor.call(PERSON, 'liquidateAgent', { params });
      if (title.endsWith('comes after it')) expect((await stop()).agent.status).toBe('stopped');
      expect(unsold).toHaveLength(1);
      for (let i = 0; i < 6; i += 1) {
        await world.look();
        await world.advance(5_000);
      }
      const shown = await account();
      expect(shown.positions).toEqual([]);
      const sales = world.standIn.journal
        .orders({ by: 'api' })
        .filter(({ accepted }) => accepted.side === 'sell' && accepted.type === 'limit');
      expect(sales).toHaveLength(1);
      for (const [coin, [ledger, exchange]] of Object.entries(await world.books()))
        expect([coin, ledger]).toEqual([coin, exchange]);
      expect(await world.problems()).toEqual([]);
    },
    60_000,
  );

  it('is told of once when live trading ends, however often that is pressed', async () => {
    await world.look();
    const agentId = await untilHeld();
    const params = { id: world.connection.id };
    const { db } = world.floor.database;
    const pressedAgain = async () => {
      await world.advance(5_000);
      await world.floor.call(PERSON, 'endLiveTrading', { params });
      return [
        (await account()).alarms.filter(({ kind }) => kind === 'live_ended').length,
        await db.$count(events),
      ];
    };
    const [alarms, told] = await pressedAgain();
    expect(alarms).toBe(1);
    for (let looks = 0; looks < 4; looks += 1) {
      await world.look();
      await world.advance(5_000);
    }
    const settled = await db.$count(events);
    expect(settled).toBeGreaterThan(told ?? 0);
    expect(await pressedAgain()).toEqual([1, settled]);
    expect(await pressedAgain()).toEqual([1, settled]);
    await world.start(agentId);
    expect((await pressedAgain())[0]).toBe(2);
  }, 60_000);

  it('keeps its orders out of the way when live trading ends, and the key goes last', async () => {
    await world.look();
    await untilHeld();
    const params = { id: world.connection.id };
    await expect(world.floor.call(PERSON, 'removeConnection', { params })).rejects.toMatchObject({
      code: 'live_orders_open',
    });
    await world.floor.call(PERSON, 'endLiveTrading', { params });
    for (let i = 0; i < 6; i += 1) {
      await world.look();
      await world.advance(5_000);
    }
    const shown = await account();
    expect(shown.orders.filter(({ state }) => state === 'open')).toEqual([]);
    expect(shown.positions).toHaveLength(1);
    const open = world.standIn.journal.orders({ by: 'api' }).filter(({ end }) => end === null);
    expect(open).toEqual([]);
    const { connection } = await world.floor.call(PERSON, 'removeConnection', { params });
    expect(connection.state).toBe('ended');
  }, 60_000);
});
