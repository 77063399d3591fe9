/** Sales of a pair that this server has no price of: the exchange's own market is what counts. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { divide, parseFixed } from '../../../contract/money.ts';
import { positions } from '../../../server/db/schema.ts';
import { liveExits } from '../../../server/db/schema-live.ts';
import { askExit } from '../../../server/live/ask-exit.ts';
import { lockBooks } from '../../../server/live/live-accounts.ts';
import { rejectSales } from '../../support/live/reject-sales.ts';
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
  vi.restoreAllMocks();
  await world?.close();
  world = null;
});

/** An agent that holds something under its stop, and a server that was started since. */
async function heldWithoutQuote(): Promise<LiveWorld> {
  const one = await openLiveWorld();
  world = one;
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await settle(one, 20);
  expect((await account(one)).positions).toHaveLength(1);
  expect(restingStops(one)).toHaveLength(1);
  vi.spyOn(one.floor.market, 'quote').mockReturnValue(null);
  one.restart();
  await settle(one, 10);
  return one;
}

describe('without a price of the pair', () => {
  it('a position that is to be sold goes with its stop', async () => {
    const one = await heldWithoutQuote();
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await settle(one, 30);
    expect(restingStops(one)).toEqual([]);
    expect(filledSales(one).map(({ accepted }) => accepted.type)).toEqual(['limit']);
    expect((await account(one)).positions).toEqual([]);
    expect(await one.floor.database.db.select().from(liveExits)).toEqual([]);
    await expectBooksEqual(one);
  }, 60_000);

  it('a sale that the exchange rejects is tried less and less often, and at once with a price', async () => {
    const one = await heldWithoutQuote();
    const [position] = (await account(one)).positions;
    const tried = rejectSales(one);
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await settle(one, 300);
    expect(tried.count).toBeGreaterThan(3);
    expect(tried.count).toBeLessThan(8);
    expect((await account(one)).alarms).toMatchObject([
      { kind: 'sale_refused', detail: { symbol: one.pair, isRejected: true } },
    ]);
    vi.restoreAllMocks();
    await settle(one, 10);
    expect((await account(one)).positions).toEqual([]);
    await expectBooksEqual(one);
  }, 60_000);

  it('a part is sold once, and the rest keeps a stop', async () => {
    const one = await heldWithoutQuote();
    const { database } = one.floor;
    const [held] = await database.db.select().from(positions);
    if (held?.agentId === undefined) throw new Error('Nothing is held');
    const { agentId, pair: symbol } = held;
    await database.transaction(async (tx) => {
      await lockBooks(tx, one.connection, [agentId]);
      await askExit(tx, one.deps, one.desk, {
        connectionId: one.connection.id,
        agentId,
        symbol,
        reason: 'signal_down',
        quantity: divide(parseFixed(held.quantity), parseFixed('3'), 'down'),
        tickId: 'part',
      });
    });
    await settle(one, 40);
    expect(filledSales(one).map(({ accepted }) => accepted.type)).toEqual(['limit']);
    expect((await account(one)).positions).toHaveLength(1);
    expect(restingStops(one)).toHaveLength(1);
    expect(await database.db.select().from(liveExits)).toEqual([]);
    await expectBooksEqual(one);
  }, 60_000);
});
