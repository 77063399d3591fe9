/** What trades of a live agent cost beside its backtest: what no exchange tells is not made up. */
import { eq } from 'drizzle-orm';
import { afterEach, expect, it } from 'vitest';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { costsSince } from '../../../server/agents/live-costs.ts';
import { account, type LiveWorld, openLiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

it('of real fills neither spread nor slippage is known, and partly filled purchases are counted (R2-12)', async () => {
  world = await openLiveWorld();
  const one = world;
  await one.look();
  const agentId = await one.startAgent();
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await one.look();
  const { db } = one.floor.database;
  const costs = async () => {
    const asked = { accountId: one.connection.accountId, agentId, since: 0, isLive: true };
    return (await costsSince(db, one.floor.market.now(), asked)).costs;
  };
  const filled = await costs();
  expect(filled.fills).toBeGreaterThan(0);
  expect(filled).toMatchObject({ slippageBps: null, halfSpreadBps: null, partFills: 0 });
  // A purchase of which the exchange filled a part and cancelled the rest; one that is out is none.
  const partly = { quantity: '1', booked: '0.5' };
  await db
    .update(liveOrders)
    .set({ ...partly, state: 'cancelled' })
    .where(eq(liveOrders.side, 'buy'));
  expect((await costs()).partFills).toBe(1);
  await db
    .update(liveOrders)
    .set({ ...partly, state: 'open' })
    .where(eq(liveOrders.side, 'buy'));
  expect((await costs()).partFills).toBe(0);
}, 60_000);
