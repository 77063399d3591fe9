/**
 * A plan with fewer places than agents that run: who goes on opening, who only exits, and what a
 * start is told.
 */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BatchState } from '../../../server/agents/batch-state.ts';
import { asAgentRow } from '../../../server/agents/read-agents.ts';
import { agents } from '../../../server/db/schema.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let floor: Floor;
beforeAll(async () => {
  floor = await openFloor();
});
afterAll(() => floor.close());

it('lets as many open as the plan has places for, stops all, and starts one only where a place is free (R6-03, R9-04)', async () => {
  const uid = `Person${randomUUID().slice(0, 8)}`;
  await floor.join(uid, 'standard');
  const ids: string[] = [];
  for (const name of ['One', 'Two', 'Three']) {
    ids.push(
      (await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE, pool: 'all_pools', name } }))
        .agent.id,
    );
    floor.clock.at += 1_000;
  }
  await floor.database.db
    .update(subscriptions)
    .set({ tier: 'starter' })
    .where(eq(subscriptions.uid, uid));
  const mayOpen = () =>
    floor.database.transaction(async (tx) => {
      const rows = (
        await tx.db.select().from(agents).where(eq(agents.uid, uid)).orderBy(agents.createdAt)
      ).map(asAgentRow);
      const state = await BatchState.load(tx, floor.deps, rows);
      return rows.map((row) => state.input(row, new Map()).entriesAllowed.allowed);
    });
  expect(await mayOpen()).toEqual([true, true, false]);
  const start = (id = '') => floor.call(uid, 'startAgent', { params: { id }, body: {} });
  const stop = (id = '') => floor.call(uid, 'stopAgent', { params: { id }, body: {} });
  expect((await stop(ids[2])).outcome).toBe('stopped');
  await expect(start(ids[2])).rejects.toMatchObject({ code: 'agent_cap_reached', status: 403 });
  expect((await stop(ids[0])).outcome).toBe('stopped');
  expect((await mayOpen())[1]).toBe(true);
  const both = await Promise.allSettled([start(ids[2]), start(ids[0])]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const all = await floor.call(uid, 'startAll', { body: {} });
  expect(all.results.filter(({ outcome }) => outcome === 'refused')).toMatchObject([
    { code: 'agent_cap_reached' },
  ]);
  const rows = await floor.database.db.select().from(agents).where(eq(agents.uid, uid));
  expect([rows.length, rows.filter(({ status }) => status === 'running').length]).toEqual([3, 2]);
  expect(
    (await floor.call(uid, 'stopAll', { body: {} })).results.filter(
      ({ outcome }) => outcome === 'stopped',
    ),
  ).toHaveLength(2);
}, 120_000);
