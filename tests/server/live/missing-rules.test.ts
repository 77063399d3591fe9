/** A server that starts while an exchange does not say how its pairs are traded. */
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import { liveConnections, liveExits } from '../../../server/db/schema-live.ts';
import { restingStops } from '../../support/live/live-findings.ts';
import { account, type LiveWorld, openLiveWorld, settle } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

/** It holds a position, whose stop rests or is watched. */
async function holding(restingStop: boolean): Promise<LiveWorld> {
  const one = await openLiveWorld();
  world = one;
  await one.floor.database.db
    .update(liveConnections)
    .set({ abilities: { replaysIds: false, restingStops: restingStop } })
    .where(eq(liveConnections.id, one.connection.id));
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  await settle(one, 20);
  expect(restingStops(one).length > 0).toBe(restingStop);
  return one;
}

/** Another process, to which the signer has no list to give. */
async function restartWithoutRules(one: LiveWorld): Promise<void> {
  one.interfere((_, ask) => (ask.act === 'pair_rules' ? 'fail' : null));
  one.restart();
  one.desk.start();
  await settle(one, 15);
}

/** Our market falls to just below the stop. */
async function fall(one: LiveWorld): Promise<void> {
  const [position] = (await account(one)).positions;
  one.floor.market.say(one.pair, toNumber(parseFixed(position?.stopPrice ?? '0')) * 0.998);
  await one.desk.settled();
}

const exitsOf = ({ floor }: LiveWorld) => floor.database.db.select().from(liveExits);

async function alarms(one: LiveWorld): Promise<[string, unknown][]> {
  return (await account(one)).alarms.map(({ kind, detail }) => [kind, detail]);
}

describe('without the rules of pairs', () => {
  it('a stop that does not rest is watched, and its sale follows with the rules', async () => {
    const one = await holding(false);
    await restartWithoutRules(one);
    expect(one.desk.run(one.connection.id)?.watched).toHaveLength(1);
    await fall(one);
    expect(await exitsOf(one)).toHaveLength(1);
    await settle(one, 10);
    expect(one.desk.run(one.connection.id)?.watched).toEqual([]);
    expect((await account(one)).positions).toHaveLength(1);
    one.interfere(null);
    await settle(one, 20);
    expect((await account(one)).positions).toEqual([]);
    expect(await exitsOf(one)).toEqual([]);
  }, 60_000);

  it('a stop that rests is left to the exchange', async () => {
    const one = await holding(true);
    await restartWithoutRules(one);
    expect(one.desk.run(one.connection.id)?.watched).toEqual([]);
    await fall(one);
    expect(await exitsOf(one)).toEqual([]);
  }, 60_000);

  it('the person is told after a minute, once, where something is held', async () => {
    const one = await holding(false);
    await restartWithoutRules(one);
    await settle(one, 30);
    expect(await alarms(one)).toEqual([]);
    await settle(one, 30);
    expect(await alarms(one)).toEqual([['unreachable', { what: 'pair_rules' }]]);
    await settle(one, 120, 20);
    expect(await alarms(one)).toHaveLength(1);
  }, 60_000);

  it('nobody is told where nothing is held', async () => {
    const one = await openLiveWorld();
    world = one;
    await one.look();
    await restartWithoutRules(one);
    await settle(one, 120, 20);
    expect(await alarms(one)).toEqual([]);
  }, 60_000);

  it('a missing stop is placed as soon as they are known', async () => {
    const one = await holding(true);
    expect(one.standIn.core.expireStops('main')).toBeGreaterThan(0);
    await restartWithoutRules(one);
    await settle(one, 15);
    expect(restingStops(one)).toEqual([]);
    one.interfere(null);
    await settle(one, 15);
    expect(restingStops(one).length).toBeGreaterThan(0);
  }, 60_000);

  it('those that the signer last read are better than none, and asked for again', async () => {
    const one = await holding(false);
    const asked: (boolean | undefined)[] = [];
    // As while the exchange does not answer.
    one.interfere((_, ask) => {
      if (ask.act !== 'pair_rules' || ask.isNow === true) return null;
      asked.push(ask.orLast);
      return ask.orLast === true ? null : 'fail';
    });
    one.restart();
    one.desk.start();
    await settle(one, 20);
    expect(asked.slice(0, 2)).toEqual([true, undefined]);
    await fall(one);
    await settle(one, 20);
    expect((await account(one)).positions).toEqual([]);
  }, 60_000);
});
