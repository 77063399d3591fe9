/** Our clocks are wrong by minutes or hours: the exchange's decides what is there. */
import { afterEach, describe, expect, it } from 'vitest';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { expectBooksEqual, filledSales, restingStops } from '../../support/live/live-findings.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const HOUR_MS = 3_600_000;
/** So long the exchange's clock is taken to run like ours. */
const TIME_KEPT_MS = 601_000;

async function holding(dialect: 'kraken' | 'coinbase' | 'binance', skewMs: number) {
  const one = await openLiveWorld({ dialect });
  world = one;
  one.standIn.clock.skewMs = skewMs;
  await one.advance(TIME_KEPT_MS);
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await settle(one, 20);
  expect((await account(one)).positions).toHaveLength(1);
  expect(restingStops(one)).toHaveLength(1);
  return one;
}

describe('a server and a signer whose clocks are wrong', () => {
  it.each([
    ['kraken', 'ahead', -HOUR_MS],
    ['coinbase', 'ahead', -HOUR_MS],
    ['binance', 'ahead', -HOUR_MS],
    ['kraken', 'behind', HOUR_MS],
  ] as const)(
    'find a sale at %s whose answer was lost, an hour %s, and do it once',
    async (dialect, _which, skewMs) => {
      const one = await holding(dialect, skewMs);
      one.standIn.faults.add({ name: 'drop-response', when: { call: 'place', nth: 1 } });
      const [position] = (await account(one)).positions;
      await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
      await settle(one, 360);
      expect(filledSales(one)).toHaveLength(1);
      // Of a fee in the coin dust is left.
      for (const { quantity } of (await account(one)).positions)
        expect(Number(quantity)).toBeLessThan(0.00005);
      await expectBooksEqual(one);
    },
    120_000,
  );
});

describe('a clock of the exchange that jumps', () => {
  it('makes it turn down a stop for its deadline, which is placed again', async () => {
    const one = await holding('kraken', 0);
    expect(one.standIn.core.expireStops('main')).toBe(1);
    one.standIn.clock.skewMs = 120_000;
    await settle(one, 40);
    expect(restingStops(one)).toHaveLength(1);
    const codes = (await one.floor.database.db.select().from(liveOrders)).map(({ code }) => code);
    expect(codes).toContain('EService:Deadline elapsed');
    await expectBooksEqual(one);
  }, 60_000);
});
