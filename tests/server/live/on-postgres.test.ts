/** Live trading once more on a real PostgreSQL, and of several servers one that sends. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import type { LiveOrder, OrderIntent } from '../../../engine/orders/live-order.ts';
import type { Gate } from '../../../engine/orders/may-send.ts';
import type { Database } from '../../../server/db/database.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { lockBooks, type ConnectionRow } from '../../../server/live/live-accounts.ts';
import { loadLiveAccounts } from '../../../server/live/live-batch.ts';
import { LiveDesk } from '../../../server/live/live-desk.ts';
import { liveOrdersOf } from '../../../server/live/order-rows.ts';
import { applyEvents, insertOrder } from '../../../server/live/order-store.ts';
import { newClientOrderId, ORDER_LIFE_MS } from '../../../server/live/pair-plan.ts';
import { claimSending } from '../../../server/live/send-order.ts';
import { operate } from '../../../server/support/operator-socket.ts';
import { silentLog } from '../../support/app.ts';
import { openLiveWorld, PERSON } from '../../support/live/live-world.ts';
import {
  postgresBinaries,
  startPostgres,
  WITHOUT_SYNC,
  type TestPostgres,
} from '../../support/postgres.ts';
import { useDatabase } from '../../support/test-database.ts';

const OPEN: Gate = { kind: 'open', doubtfulAssets: new Set(), doubtfulSymbols: new Set() };

const purchase = (
  { id: connectionId, accountId }: ConnectionRow,
  agentId: string,
  symbol: string,
  now: number,
): OrderIntent => ({
  clientOrderId: newClientOrderId(),
  connectionId,
  accountId,
  agentId,
  symbol,
  side: 'buy',
  type: 'market',
  quantity: parseFixed('0.001'),
  limitPrice: null,
  stopPrice: null,
  deadlineMs: now + ORDER_LIFE_MS,
  cause: 'signal_up',
  reservation: { asset: 'USD', amount: parseFixed('70') },
});

let cluster: TestPostgres | null = null;
let made = 0;
const freshUrl = (): string => {
  if (cluster === null) throw new Error('PostgreSQL did not start');
  return cluster.fresh(`live${(made += 1)}`);
};
const openAt = (url: string): Promise<Database> =>
  openPostgres(url, { poolMax: 8, log: silentLog });

describe.skipIf(postgresBinaries() === null)('on PostgreSQL', async () => {
  beforeAll(async () => {
    cluster = await startPostgres(WITHOUT_SYNC);
    await cluster?.prepare(async (url) => (await openAt(url)).close());
  }, 120_000);
  afterAll(() => {
    cluster?.stop();
  });
  useDatabase(() => openAt(freshUrl()));

  await import('./decision-to-fill.test.ts');
  await import('./lost-answers.test.ts');
  await import('./live-calls.test.ts');

  it('of three servers that see a planned order at once, one sends it', async () => {
    const url = freshUrl();
    const world = await openLiveWorld({ database: await openAt(url) });
    const databases = [await openAt(url), await openAt(url)];
    try {
      await world.startAgent();
      await world.look();
      const others = databases.map((database) => new LiveDesk({ ...world.deps, database }));
      for (const desk of others) await desk.runAll();
      const orders = () => world.floor.database.db.select().from(liveOrders);
      await world.tickUntil(async () => (await orders()).length > 0);
      await Promise.all([world.desk, ...others].map((desk) => desk.runAll()));
      await world.look();
      const bought = world.standIn.journal
        .orders({ by: 'api' })
        .filter(({ accepted }) => accepted.side === 'buy');
      expect(bought).toHaveLength(1);
      const [first] = (await orders()).filter(({ side }) => side === 'buy');
      expect(first).toMatchObject({ state: 'filled', attempts: 1 });
      const stops = world.standIn.journal
        .orders({ by: 'api' })
        .filter(({ accepted, end }) => accepted.type === 'stop-limit' && end === null);
      expect(stops).toHaveLength(1);
      for (const [coin, [ledger, exchange]] of Object.entries(await world.books()))
        expect([coin, ledger]).toEqual([coin, exchange]);
      expect(await world.problems()).toEqual([]);
    } finally {
      await world.close();
      for (const database of databases) await database.close();
    }
  }, 90_000);

  it('purchases that are turned off wait for the batch that has read them as on (F99)', async () => {
    const url = freshUrl();
    const world = await openLiveWorld({ database: await openAt(url) });
    const other = await openAt(url);
    const { connection, deps, desk, floor, pair } = world;
    try {
      const agentId = await world.startAgent();
      await world.look();
      let isOff = false;
      let turnedOff: Promise<unknown> = Promise.resolve();
      await other.transaction(async (tx) => {
        const state = (await loadLiveAccounts(tx, deps, [connection.id])).get(connection.id);
        expect(state?.entriesOff(desk)).toBeNull();
        turnedOff = floor
          .call(PERSON, 'setLiveLimits', {
            params: { id: connection.id },
            body: { entriesAllowed: false },
          })
          .then(() => {
            isOff = true;
          });
        // Long enough for one that does not wait to be answered.
        await setTimeout(500);
        expect(isOff).toBe(false);
        await insertOrder(tx, deps, purchase(connection, agentId, pair, deps.clock.now()), {
          tickId: 'late',
          decidedMarketMs: 0,
          protectAt: null,
          holding: null,
        });
      });
      await turnedOff;
      expect(await other.db.select().from(liveOrders)).toMatchObject([
        { state: 'cancelled', attempts: 0 },
      ]);
      await world.look();
      expect(world.standIn.journal.orders({ by: 'api' })).toEqual([]);
    } finally {
      await world.close();
      await other.close();
    }
  }, 90_000);

  it('an operator’s halt waits for a purchase that is leaving, and lets none leave after it', async () => {
    const url = freshUrl();
    const world = await openLiveWorld({ database: await openAt(url) });
    const other = await openAt(url);
    const { connection, deps, floor } = world;
    try {
      const agentId = await world.startAgent();
      await world.look();
      const plan = async (): Promise<OrderIntent> => {
        const intent = purchase(connection, agentId, world.pair, floor.clock.at);
        await floor.database.transaction((tx) =>
          insertOrder(tx, deps, intent, {
            tickId: intent.clientOrderId,
            decidedMarketMs: 0,
            protectAt: null,
            holding: null,
          }),
        );
        return intent;
      };
      const [first, second] = [await plan(), await plan()];
      const ended: string[] = [];
      let leaving: Promise<unknown> = Promise.resolve();
      let halting: Promise<unknown> = Promise.resolve();
      await floor.database.transaction(async (tx) => {
        await lockBooks(tx, connection, 'all');
        // It waits for the account, and has read no halt.
        leaving = claimSending({ ...deps, database: other }, connection, first, OPEN).then((one) =>
          ended.push(one === null ? 'taken back' : 'left'),
        );
        await setTimeout(300);
        halting = operate(other, floor.clock, {
          act: 'halt',
          scope: 'platform',
          target: '',
          reason: 'Prices look wrong',
          until: null,
          by: 'operator',
        }).then(() => ended.push('halted'));
        await setTimeout(300);
        expect(ended).toEqual([]);
      });
      await Promise.all([leaving, halting]);
      expect(ended).toEqual(['left', 'halted']);
      expect(await claimSending(deps, connection, second, OPEN)).toBeNull();
      const states = (await floor.database.db.select().from(liveOrders)).map((one) => one.state);
      expect(states.toSorted()).toEqual(['cancelled', 'sending']);
    } finally {
      await world.close();
      await other.close();
    }
  }, 90_000);

  it('an order does not leave while a plan that has read it is made', async () => {
    const url = freshUrl();
    const world = await openLiveWorld({ database: await openAt(url) });
    const other = await openAt(url);
    const { connection, deps, floor } = world;
    try {
      await world.startAgent();
      await world.look();
      const orders = () => liveOrdersOf(floor.database.db, connection.id);
      await world.tickUntil(async () => (await orders()).length > 0);
      let claim: Promise<LiveOrder | null> = Promise.resolve(null);
      await floor.database.transaction(async (tx) => {
        await lockBooks(tx, connection, 'all');
        const [stored] = await liveOrdersOf(tx.db, connection.id);
        if (stored === undefined) throw new Error('Nothing is planned');
        claim = claimSending({ ...deps, database: other }, connection, stored.order.intent, OPEN);
        // Long enough for one that does not wait to be committed.
        await setTimeout(500);
        const event = { kind: 'cancel_asked', atMs: deps.clock.now() } as const;
        await applyEvents(tx, deps, connection, stored, [event]);
      });
      expect(await claim).toBeNull();
      expect(await floor.database.db.select().from(liveOrders)).toMatchObject([
        { state: 'cancelled', attempts: 0 },
      ]);
    } finally {
      await world.close();
      await other.close();
    }
  }, 90_000);
});
