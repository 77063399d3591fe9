/** Money that a person takes out of the account at the exchange, or puts in, beside a live agent. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import { liveExits } from '../../../server/db/schema-live.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

const MINUTE_MS = 60_000;

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld({ balances: { USD: '2000' } });
}, 60_000);
afterEach(async () => {
  await world.close();
});

const riskOf = async (id: string) =>
  (await world.floor.call(PERSON, 'agentInsight')).pro?.risk.find(({ agentId }) => agentId === id);
const agentNow = async (id: string) =>
  (await world.floor.call(PERSON, 'agents')).agents.find((agent) => agent.id === id);
/** A difference counts once it has stayed the same in readings minutes apart. */
async function untilBooked(): Promise<void> {
  for (let looks = 0; looks < 10; looks += 1) {
    await world.advance(MINUTE_MS);
    // An exchange's market runs on the wall clock.
    world.floor.market.sleep(world.floor.clock.at - world.floor.market.now());
    await world.look();
  }
}

describe('a withdrawal at the exchange', () => {
  it('halts no agent, and the distance to its limits is that of its own account', async () => {
    const id = await world.startAgent();
    await world.tickUntil(async () => {
      await world.look();
      return ((await agentNow(id))?.openPositions ?? 0) > 0;
    });
    const before = await riskOf(id);
    expect(Number(before?.peak)).toBeGreaterThan(1_900);
    expect(Number(before?.peak)).toBeLessThan(2_100);
    world.standIn.person.withdraw('main', 'USD', '1500');
    await untilBooked();
    const told = await riskOf(id);
    await world.tick();
    expect((await agentNow(id))?.status).toBe('running');
    const after = await riskOf(id);
    for (const one of [told, after]) {
      expect(one?.drawdown).toBeLessThan(0.02);
      expect(one?.dayLoss).toBeLessThan(0.02);
      expect(Number(one?.peak)).toBeLessThan(600);
    }
    expect(await world.problems()).toEqual([]);
  }, 60_000);

  it('is no gain when money comes in', async () => {
    const id = await world.startAgent();
    await world.tick();
    world.standIn.person.deposit('main', 'USD', '20000');
    await untilBooked();
    await world.tick();
    expect(Number((await riskOf(id))?.peak)).toBeGreaterThan(21_000);
    world.standIn.person.withdraw('main', 'USD', '20000');
    await untilBooked();
    await world.tick();
    expect((await riskOf(id))?.drawdown).toBeLessThan(0.02);
    expect((await agentNow(id))?.status).toBe('running');
  }, 60_000);
});

describe('the curve of a live account', () => {
  const account = () =>
    world.floor.call(PERSON, 'liveAccount', { params: { id: world.connection.id } });
  /** The value now less the first one, and less what was paid in. */
  const resultOf = ({ equityCurve, flows, value }: Awaited<ReturnType<typeof account>>) =>
    Number(value) -
    Number(equityCurve[0]?.[1]) -
    (flows ?? []).reduce((all, [, amount]) => all + Number(amount), 0);

  it('comes with what was paid in and out, so that neither is a result', async () => {
    await world.look();
    await untilBooked();
    world.standIn.person.deposit('main', 'USD', '5000');
    await untilBooked();
    const paidIn = await account();
    expect(Number(paidIn.value)).toBe(7_000);
    expect(paidIn.flows?.map(([, amount]) => amount)).toEqual(['5000']);
    world.standIn.person.withdraw('main', 'USD', '600');
    await untilBooked();
    const paidOut = await account();
    expect(paidOut.flows?.map(([, amount]) => amount)).toEqual(['5000', '-600']);
    expect(resultOf(paidOut)).toBe(0);
    // The first point that has it.
    const [at] = paidOut.flows?.[0] ?? [];
    expect(paidOut.equityCurve.find(([moment]) => moment === at)?.[1]).toBe('7000');
  }, 60_000);

  it('says of another coin that came that its worth is not known', async () => {
    await world.look();
    world.standIn.person.deposit('main', 'BTC', '0.01');
    await untilBooked();
    expect((await account()).flows?.map(([, amount]) => amount)).toEqual([null]);
  }, 60_000);
});

describe('coins of an agent that the person takes out', () => {
  it('are sold as they were to be when they come back', async () => {
    const id = await world.startAgent();
    await world.tickUntil(async () => {
      await world.look();
      return ((await agentNow(id))?.openPositions ?? 0) > 0;
    });
    const { person } = world.standIn;
    person.cancelStops('main');
    const taken = person.withdrawShare('main', 'BTC', parseFixed('1'));
    await untilBooked();
    const account = () =>
      world.floor.call(PERSON, 'liveAccount', { params: { id: world.connection.id } });
    const [position] = (await account()).positions;
    await world.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await world.look();
    expect(await world.floor.database.db.select().from(liveExits)).toHaveLength(1);
    person.deposit('main', 'BTC', formatFixed(taken));
    await untilBooked();
    expect((await account()).positions).toEqual([]);
    expect(await world.problems()).toEqual([]);
  }, 60_000);
});
