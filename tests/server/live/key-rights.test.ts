/** What the signer finds of a key after it was connected: kept, told once, and nothing is bought. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decideTrade } from '../../support/live/agent-decision.ts';
import { restingStops } from '../../support/live/live-findings.ts';
import { account, openLiveWorld, settle, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
}, 60_000);
afterEach(async () => {
  await world.close();
});

const key = () => {
  const [one] = world.standIn.accounts.keysOf('main');
  if (one === undefined) throw new Error('There is no key');
  return one;
};
/** As the signer does by itself, and the server's next look at it. */
async function readAgain(): Promise<void> {
  await world.client.ask({ act: 'recheck', connectionId: world.connection.id });
  await world.advance(61_000);
  await world.look();
}

it('a key that gains the right to withdraw is told once, and what it may do is kept', async () => {
  await world.look();
  const before = (await account(world)).connection;
  expect(before).toMatchObject({ permissions: { canWithdraw: false }, keyFaults: [] });
  await world.advance(60_000);
  key().permissions.withdraw = true;
  await readAgain();
  const { connection, alarms } = await account(world);
  expect(connection).toMatchObject({
    permissions: { canTrade: true, canWithdraw: true },
    keyFaults: ['can_withdraw'],
  });
  expect(connection.permissionsReadAt).toBeGreaterThan(before.permissionsReadAt);
  expect(alarms).toMatchObject([{ kind: 'key_refused', detail: { faults: ['can_withdraw'] } }]);
  await readAgain();
  expect((await account(world)).alarms).toHaveLength(1);
}, 60_000);

it('a key that can no longer read is told as that, and not as an exchange that cannot be reached', async () => {
  await world.look();
  key().permissions.read = false;
  for (let minute = 0; minute < 12; minute += 1) {
    await world.advance(60_000);
    await world.look();
  }
  const { connection, alarms } = await account(world);
  expect(alarms).toMatchObject([{ kind: 'key_refused', detail: { faults: ['cannot_read'] } }]);
  expect(connection.permissions?.missing).toEqual([
    'Query Funds',
    'Query Open Orders & Trades',
    'Query Closed Orders & Trades',
  ]);
}, 60_000);

it('an account whose key is gone is read seldom, and often again once it can be read', async () => {
  await world.look();
  let comparisons = 0;
  world.interfere((act) => {
    if (act === 'closed_orders') comparisons += 1;
    return null;
  });
  const within = async (minutes: number): Promise<number> => {
    comparisons = 0;
    for (let step = 0; step < minutes * 12; step += 1) {
      await world.advance(5_000);
      await world.look();
    }
    return comparisons;
  };
  key().permissions.read = false;
  // Nobody knows yet that it is the key.
  expect(await within(6)).toBeLessThan(25);
  expect(await within(5)).toBeLessThan(8);
  key().permissions.read = true;
  expect(await within(2)).toBeGreaterThan(0);
  expect(world.desk.isCompared(world.connection.id)).toBe(true);
}, 60_000);

it('agents order nothing by a key that is not accepted, and go on once it is', async () => {
  await world.look();
  key().permissions.withdraw = true;
  await readAgain();
  await world.startAgent();
  for (let candle = 0; candle < 20; candle += 1) {
    await world.look();
    await world.tick();
  }
  expect((await account(world)).orders).toEqual([]);
  key().permissions.withdraw = false;
  await readAgain();
  expect((await account(world)).connection.keyFaults).toEqual([]);
  await world.tickUntil(async () => (await account(world)).positions.length > 0);
  // One that gains it again is told again.
  key().permissions.withdraw = true;
  await readAgain();
  expect((await account(world)).alarms.map(({ kind }) => kind)).toEqual([
    'key_refused',
    'key_refused',
  ]);
}, 120_000);

it('a stop that was refused for want of a right is placed once the key has it again', async () => {
  await world.look();
  const agentId = await world.startAgent();
  // The right goes with the first order.
  let isGiven = false;
  Object.defineProperty(key().permissions, 'trade', {
    get: () => isGiven || world.standIn.journal.orders({ account: 'main' }).length === 0,
  });
  await decideTrade(world.deps, world.desk, {
    ...{ connectionId: world.connection.id, agentId, symbol: world.pair },
    ...{ budget: 60, tickId: 'purchase' },
  });
  await settle(world, 20);
  await readAgain();
  const refused = await account(world);
  expect(refused.positions).toHaveLength(1);
  expect(refused.connection.keyFaults).toEqual(['cannot_trade']);
  expect(refused.alarms.map(({ kind }) => kind).sort()).toEqual(['key_refused', 'stop_rejected']);
  expect(restingStops(world)).toEqual([]);
  isGiven = true;
  await readAgain();
  await settle(world, 120);
  expect((await account(world)).connection.keyFaults).toEqual([]);
  expect(restingStops(world)).toHaveLength(1);
}, 60_000);
