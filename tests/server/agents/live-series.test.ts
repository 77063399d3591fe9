/** The line of an agent at an exchange, rebuilt from its real fills: coin fees and dust included. */
import { afterEach, expect, it } from 'vitest';
import {
  account,
  openLiveWorld,
  PERSON,
  settle,
  type LiveWorld,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

it('of real money a line is drawn from its own trades, without what fees and dust took of the coin', async () => {
  // At Binance the fee of a purchase is taken in the coin, and a sale of all leaves dust.
  const one = await openLiveWorld({ dialect: 'binance' });
  world = one;
  await one.look();
  const id = await one.startAgent();
  const read = async () => {
    const { series, asOf, stepMs } = await one.floor.call(PERSON, 'agentInsight');
    const { agents } = await one.floor.call(PERSON, 'agents');
    const agent = agents.find((each) => each.id === id);
    const points = series.find(({ agentId }) => agentId === id)?.points ?? [];
    return { points, asOf, stepMs, total: Number(agent?.total), realized: Number(agent?.realized) };
  };
  expect((await read()).points).toEqual([]);
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  for (let ticks = 0; ticks < 4; ticks += 1) {
    await one.look();
    await one.tick();
  }
  const holding = await read();
  expect(holding.stepMs).toBe(300_000);
  expect(holding.points.length).toBeGreaterThan(3);
  expect(holding.points.at(-1)).toEqual([holding.asOf, holding.total]);
  // A close marks at the candle, the last point at the bid: half a spread apart and no more.
  const [position] = (await account(one)).positions;
  const apart = Math.abs((holding.points.at(-2)?.[1] ?? 0) - holding.total);
  expect(apart).toBeLessThan(Number(position?.cost) * 0.0005);
  await one.floor.call(PERSON, 'liquidateAgent', { params: { id } });
  await settle(one, 60);
  expect((await account(one)).writeOffs).toHaveLength(1);
  for (let ticks = 0; ticks < 3; ticks += 1) await one.tick();
  const sold = await read();
  // Nothing is held any more, so closes change nothing.
  expect(sold.total).toBe(sold.realized);
  const [before, last] = [sold.points.at(-2)?.[1] ?? 0, sold.points.at(-1)?.[1] ?? 0];
  expect(last).toBe(sold.total);
  expect(before).toBeCloseTo(sold.total, 5);
}, 60_000);
