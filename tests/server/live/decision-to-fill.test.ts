/** From a live agent's decision to its fill in the books, before the stand-in exchange. */
import { and, eq, isNull } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import { fills, positions } from '../../../server/db/schema.ts';
import { liveOrders, venueFills } from '../../../server/db/schema-live.ts';
import { expectBooksEqual } from '../../support/live/live-findings.ts';
import { openLiveWorld, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const rowsOf = (one: LiveWorld) => ({
  orders: () => one.floor.database.db.select().from(liveOrders).orderBy(liveOrders.plannedAt),
  trades: () => one.floor.database.db.select().from(venueFills),
  fills: () => one.floor.database.db.select().from(fills),
  open: () =>
    one.floor.database.db.select().from(positions).where(isNull(positions.closedMarketMs)),
});

describe('a live agent', () => {
  it('turns a decision into one order, and its fill into ledger, position and view', async () => {
    world = await openLiveWorld();
    const { standIn, look, tickUntil } = world;
    const rows = rowsOf(world);
    const agentId = await world.startAgent();
    await look();
    await expectBooksEqual(world);
    await tickUntil(async () => (await rows.orders()).length > 0);
    const [planned] = await rows.orders();
    expect(planned).toMatchObject({ agentId, state: 'planned', side: 'buy', attempts: 0 });
    expect(standIn.journal.orders({ by: 'api' })).toHaveLength(0);

    await look();
    const sent = standIn.journal.orders({ by: 'api' });
    const bought = sent.filter(({ accepted }) => accepted.side === 'buy');
    expect(bought).toHaveLength(1);
    expect(bought[0]?.accepted.clientOrderId).toBe(planned?.clientOrderId);
    const [order] = await rows.orders();
    expect(order).toMatchObject({ state: 'filled', attempts: 1 });
    const [position] = await rows.open();
    expect(position).toMatchObject({ agentId, pair: world.pair });
    expect(parseFixed(position?.quantity ?? '')).toBe(bought[0]?.filled);
    const shown = await rows.fills();
    expect(shown).toHaveLength((await rows.trades()).length);
    expect(shown[0]).toMatchObject({ agentId, side: 'buy', ruleVersion: 0 });
    await expectBooksEqual(world);
    expect(world.floor.errors).toEqual([]);
    expect(world.floor.warnings).toEqual([]);

    // A stop for all of it rests at the exchange.
    const stops = sent.filter(({ accepted }) => accepted.type === 'stop-limit');
    expect(stops).toHaveLength(1);
    expect(stops[0]?.accepted.quantity).toBe(bought[0]?.filled);
    const [stop] = await world.floor.database.db
      .select()
      .from(liveOrders)
      .where(and(eq(liveOrders.type, 'stop'), eq(liveOrders.state, 'open')));
    expect(formatFixed(parseFixed(stop?.stopPrice ?? '0'))).not.toBe('0');
  }, 60_000);
});
