/** A pair that an agent holds and does not list any more is judged on as long as it is held. */
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../server/db/database.ts';
import { agents, decisions, fills } from '../../../server/db/schema.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { AGGRESSIVE, openFloor } from '../../support/trading.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await database.close();
});

it('is left when its strategy leaves it, as by an agent that lists it, and the preview says the same', async () => {
  const floor = await openFloor({ candles: 600, sourceId: 'held-pairs' }, database);
  const create = async (uid: string): Promise<string> => {
    await floor.join(uid);
    return (await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE } })).agent.id;
  };
  const [listing, holding] = [await create('lists-it'), await create('holds-it')];
  const scheduler = floor.scheduler();
  await scheduler.open();
  const bought = async (id: string): Promise<number> =>
    (await database.db.select().from(fills).where(eq(fills.agentId, id))).length;
  for (let tick = 0; tick < 40 && (await bought(holding)) === 0; tick += 1)
    await floor.run(scheduler, 1);
  expect(await bought(holding)).toBeGreaterThan(0);
  await database.db
    .update(agents)
    .set({ tradingPairs: ['ETH/USDT', 'SOL/USDT'] })
    .where(eq(agents.id, holding));
  const journal = async (id: string) =>
    database.db
      .select({
        action: decisions.action,
        reason: decisions.reason,
        at: decisions.atMarketMs,
      })
      .from(decisions)
      .where(and(eq(decisions.agentId, id), eq(decisions.pair, 'BTC/USDT')))
      .orderBy(decisions.atMarketMs);
  const left = async (id: string) =>
    (await journal(id))
      .filter(({ action }) => action === 'exit')
      .map(({ reason, at }) => [reason, at]);
  // Who asks first within a tick has the list computed, for whoever asks after.
  for (let asked = 0; asked < 2; asked += 1) {
    const preview = await floor.call('holds-it', 'previewAgent', { body: { agentId: holding } });
    expect(preview.pairs.find(({ pair }) => pair === 'BTC/USDT')).toMatchObject({
      action: 'hold',
      reason: expect.stringMatching(/^(on_target|not_listed)$/) as string,
    });
  }
  for (let tick = 0; tick < 400 && (await left(listing)).length === 0; tick += 1)
    await floor.run(scheduler, 1);
  expect(await left(listing)).toMatchObject([['signal_left', expect.anything()]]);
  expect(await left(holding)).toEqual(await left(listing));
  const reasons = new Set((await journal(holding)).map(({ reason }) => reason));
  expect(reasons.has('not_offered') || reasons.has('no_signal')).toBe(false);
  expect(floor.errors).toEqual([]);
}, 120_000);
