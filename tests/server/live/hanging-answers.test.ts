/** Answers that do not come: what one of them is about may wait, and nothing else. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { accounts } from '../../../server/db/schema.ts';
import { liveConnections, liveMarks } from '../../../server/db/schema-live.ts';
import { liveSource } from '../../../server/live/live-accounts.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
/** Lets go of what a test still holds back. */
let release: () => void = () => undefined;
afterEach(async () => {
  release();
  await world?.close();
  world = null;
});

const heldBack = (): Promise<null> =>
  new Promise((resolve) => {
    release = () => {
      resolve(null);
    };
  });

const WITHIN = { timeout: 20_000 };

async function holding(): Promise<LiveWorld> {
  const one = await openLiveWorld();
  world = one;
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  await settle(one, 20);
  return one;
}

async function closePosition(one: LiveWorld): Promise<void> {
  const [position] = (await account(one)).positions;
  await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
}

const soldAll = (one: LiveWorld) =>
  expect.poll(async () => (await account(one)).positions.length, WITHIN).toBe(0);

/** Another account, at an exchange of its own. */
async function connectElsewhere({ deps, connection }: LiveWorld): Promise<string> {
  const { db } = deps.database;
  const [row] = await db
    .select()
    .from(liveConnections)
    .where(eq(liveConnections.id, connection.id));
  const [held] = await db.select().from(accounts).where(eq(accounts.id, connection.accountId));
  if (row === undefined || held === undefined) throw new Error('The account is gone');
  const ids = { id: randomUUID(), accountId: randomUUID() };
  await db.insert(liveConnections).values({ ...row, ...ids, exchange: 'coinbase' });
  await db.insert(accounts).values({
    ...held,
    id: ids.accountId,
    connectionId: ids.id,
    source: liveSource(ids.id),
  });
  return ids.id;
}

const marksOf = ({ deps }: LiveWorld, connectionId: string) =>
  deps.database.db.select().from(liveMarks).where(eq(liveMarks.connectionId, connectionId));

/** From now on a process that knows nothing looks by itself, each second. */
function beginAnew(one: LiveWorld): void {
  one.restart();
  one.desk.start();
}

describe('an answer that does not come', () => {
  it('about the rules of pairs holds up no sale of an account whose rules are known (F94)', async () => {
    const one = await holding();
    const held = heldBack();
    let isAsked = false;
    one.interfere((_, ask) => {
      if (ask.act !== 'pair_rules' || ask.isNow === true) return null;
      isAsked = true;
      return held;
    });
    await one.advance(11 * 60_000);
    one.desk.start();
    await expect.poll(() => isAsked, WITHIN).toBe(true);
    await closePosition(one);
    await soldAll(one);
  }, 60_000);

  it('about the rules of one exchange holds up no account at another (F94)', async () => {
    const one = await holding();
    const elsewhere = await connectElsewhere(one);
    const held = heldBack();
    let asked = 0;
    one.interfere((_, ask) => {
      if (ask.act !== 'pair_rules' || ask.exchange !== 'coinbase') return null;
      asked += 1;
      return held;
    });
    beginAnew(one);
    await expect.poll(() => asked, WITHIN).toBe(1);
    await closePosition(one);
    await soldAll(one);
    // Its own account has waited for them, and not for good.
    await one.advance(11_000);
    await expect.poll(() => one.desk.run(elsewhere), WITHIN).not.toBeNull();
    expect(asked).toBe(1);
  }, 60_000);

  it('to the word that an agent was stopped holds up no comparison and no other account (F94)', async () => {
    const one = await holding();
    const elsewhere = await connectElsewhere(one);
    const held = heldBack();
    let isAsked = false;
    one.interfere((act) => {
      // A signer that hangs answers neither.
      if (act !== 'hello' && act !== 'end_agent') return null;
      isAsked = true;
      return held;
    });
    const [{ agentId } = { agentId: '' }] = (await account(one)).orders;
    await one.floor.call(PERSON, 'stopAgent', { params: { id: agentId } });
    await one.advance(180_000);
    beginAnew(one);
    await expect.poll(() => isAsked, WITHIN).toBe(true);
    await expect.poll(() => one.desk.run(one.connection.id)?.gate.kind, WITHIN).toBe('open');
    await expect.poll(async () => (await marksOf(one, elsewhere)).length, WITHIN).toBe(1);
  }, 60_000);

  it.each(['the deletion of a key', 'a start'])(
    'to %s holds up nobody else’s command',
    async (what) => {
      const one = await openLiveWorld();
      world = one;
      const held = heldBack();
      let isAsked = false;
      one.interfere((act) => {
        if (act !== 'hello' && act !== 'disconnect' && act !== 'start_agent') return null;
        isAsked = true;
        return held;
      });
      const asking =
        what === 'a start'
          ? one.startAgent()
          : one.floor.call(PERSON, 'removeConnection', { params: { id: one.connection.id } });
      await expect.poll(() => isAsked, WITHIN).toBe(true);
      await one.floor.join('bystander');
      release();
      await asking;
    },
    20_000,
  );

  it('is found out before a start or the deletion of a key, and said; what is done stays answered', async () => {
    const one = await openLiveWorld();
    world = one;
    const params = { id: one.connection.id };
    one.interfere((act) => (act === 'hello' ? 'fail' : null));
    await expect(one.startAgent()).rejects.toMatchObject({ code: 'signer_unavailable' });
    await expect(one.floor.call(PERSON, 'removeConnection', { params })).rejects.toMatchObject({
      code: 'signer_unavailable',
    });
    one.interfere(null);
    const key = randomUUID();
    const remove = () => one.floor.call(PERSON, 'removeConnection', { params, key });
    expect((await remove()).connection.state).toBe('ended');
    one.interfere((act) => (act === 'hello' ? 'fail' : null));
    expect((await remove()).connection.state).toBe('ended');
  });

  it('about what the signer lets buy holds up no sale of the account itself (F94)', async () => {
    const one = await holding();
    const held = heldBack();
    let isAsked = false;
    one.interfere((act) => {
      if (act !== 'state') return null;
      isAsked = true;
      return held;
    });
    beginAnew(one);
    await expect.poll(() => isAsked, WITHIN).toBe(true);
    await closePosition(one);
    await soldAll(one);
  }, 60_000);

  it('about whether a pair takes orders holds up its sale for half a minute only (F94)', async () => {
    const one = await holding();
    const held = heldBack();
    let isAsked = false;
    one.interfere((_, ask) => {
      if (ask.act !== 'pair_rules' || ask.isNow !== true) return null;
      isAsked = true;
      return held;
    });
    const restingStops = async (): Promise<string[]> =>
      (await account(one)).orders
        .filter(({ type, state }) => type === 'stop' && state === 'open')
        .map(({ clientOrderId }) => clientOrderId);
    const stops = await restingStops();
    expect(stops).not.toEqual([]);
    one.desk.start();
    await closePosition(one);
    await expect.poll(() => isAsked, WITHIN).toBe(true);
    // The stop stays meanwhile: where the pair takes no orders it would go for nothing.
    for (let waited = 0; waited < 20_000; waited += 10_000) {
      await one.advance(10_000);
      // It is looked at once a second.
      await sleep(1_500);
      expect(await restingStops()).toEqual(stops);
    }
    await one.advance(11_000);
    await soldAll(one);
  }, 60_000);

  it('about a connecting that broke off holds up nothing (F94)', async () => {
    const one = await holding();
    const broken = await connectElsewhere(one);
    await one.deps.database.db
      .update(liveConnections)
      .set({ state: 'connecting', createdAt: 0 })
      .where(eq(liveConnections.id, broken));
    const held = heldBack();
    let asked = 0;
    one.interfere((act) => {
      if (act !== 'disconnect') return null;
      asked += 1;
      return held;
    });
    beginAnew(one);
    await expect.poll(() => asked, WITHIN).toBe(1);
    await closePosition(one);
    await soldAll(one);
    expect(asked).toBe(1);
  }, 60_000);
});
