/** Comparisons that fail: what makes them fail for good, and who is told. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { ordersToReconcile, tradesToReconcile } from '../../../server/live/order-rows.ts';
import { account, type LiveWorld, openLiveWorld, settle } from '../../support/live/live-world.ts';
import { openTestDatabase } from '../../support/test-database.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

describe('a comparison', () => {
  it('takes as many orders and trades as an exchange shows', async () => {
    const database = await openTestDatabase();
    const { db } = database;
    const many = Array.from({ length: 70_000 }, (_, at) => `O${at}`);
    const named = { clientOrderIds: many, exchangeOrderIds: many };
    expect(await ordersToReconcile(db, randomUUID(), 0, named)).toEqual([]);
    expect(await tradesToReconcile(db, randomUUID(), 0, many)).toEqual([]);
    await database.close();
  });

  it('that throws is told after five minutes, as one that cannot be read is', async () => {
    const one = await openLiveWorld();
    world = one;
    await one.look();
    const { signer } = one.deps;
    const kinds = async (): Promise<string[]> =>
      (await account(one)).alarms.map(({ kind }) => kind);
    // Balances in a form that nothing here can be made of.
    one.deps.signer = {
      ask: async (ask) =>
        ask.act === 'balances' ? ({ kind: 'read', value: [null] } as never) : signer.ask(ask),
    };
    await settle(one, 260, 20);
    expect(await kinds()).toEqual([]);
    await settle(one, 300, 20);
    expect(await kinds()).toEqual(['unreachable']);
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('closed');
    one.deps.signer = signer;
    await settle(one, 40, 20);
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('open');
  }, 60_000);

  it('that throws each time is made ever less often, as one that cannot be read is', async () => {
    const one = await openLiveWorld();
    world = one;
    await one.look();
    const { signer } = one.deps;
    let asked = 0;
    one.deps.signer = {
      ask: async (ask) => {
        if (ask.act !== 'balances') return signer.ask(ask);
        asked += 1;
        return { kind: 'read', value: [null] } as never;
      },
    };
    one.desk.run(one.connection.id)?.close();
    await settle(one, 100, 5);
    asked = 0;
    await settle(one, 300, 5);
    expect(asked).toBeLessThanOrEqual(11);
    one.deps.signer = signer;
    await settle(one, 40, 5);
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('open');
  }, 60_000);
});
