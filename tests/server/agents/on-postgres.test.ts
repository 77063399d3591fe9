/**
 * The trading tests once more on a real PostgreSQL, and what only it can show: two schedulers,
 * races, locks.
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { Refusal } from '../../../contract/errors.ts';
import { parseFixed, toNumber } from '../../../contract/money.ts';
import { Scheduler } from '../../../server/agents/scheduler.ts';
import type { Database } from '../../../server/db/database.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import {
  accounts,
  agents,
  equityPoints,
  events,
  fills,
  positions,
  ticks,
  users,
} from '../../../server/db/schema.ts';
import { EventNotifier, EventLog } from '../../../server/db/user-events.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { silentLog } from '../../support/app.ts';
import {
  postgresBinaries,
  startPostgres,
  WITHOUT_SYNC,
  type TestPostgres,
} from '../../support/postgres.ts';
import { STEP_MS } from '../../support/tape-market.ts';
import { useDatabase } from '../../support/test-database.ts';
import { until } from '../../support/until.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

const POOL = 12;
let cluster: TestPostgres | null = null;
let made = 0;
const freshUrl = (): string => {
  if (cluster === null) throw new Error('PostgreSQL did not start');
  return cluster.fresh(`trading${(made += 1)}`);
};
const openAt = (url: string): Promise<Database> =>
  openPostgres(url, { poolMax: POOL, log: silentLog });

const deadlocksOf = async (database: Database): Promise<number> =>
  Number(
    (
      await rowsOf<{ n: string }>(
        database.db,
        sql`select deadlocks::text as n from pg_stat_database where datname = current_database()`,
      )
    )[0]?.n ?? 0,
  );

/** Something that one waits for and another opens. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const first = (schedulers: readonly Scheduler[]): Scheduler => {
  if (schedulers[0] === undefined) throw new Error('No scheduler');
  return schedulers[0];
};

/**
 * Every agent decided each pair once at each tick it was asked for, no order without its one fill,
 * and books that add up.
 */
async function expectOnce({ db }: Database, decisionsEach: number): Promise<void> {
  const counts = await rowsOf<{ agent: string; n: number }>(
    db,
    sql`select agent_id::text as agent, count(*)::int as n from decisions group by 1`,
  );
  expect(counts.filter(({ n }) => n !== decisionsEach)).toEqual([]);
  const [pairs] = await rowsOf<{ orders: number; fills: number; ledger: number }>(
    db,
    sql`
    select (select count(*)::int from orders) as orders, (select count(distinct order_id)::int from fills) as fills,
      (select count(distinct fill_id)::int from ledger where fill_id is not null) as ledger`,
  );
  expect(pairs?.orders).toBeGreaterThan(0);
  expect([pairs?.fills, pairs?.ledger]).toEqual([pairs?.orders, pairs?.orders]);
  expect((await checkLedger(db)).problems).toEqual([]);
}

describe.skipIf(postgresBinaries() === null)(
  'PostgreSQL (skipped where it cannot be installed)',
  () => {
    beforeAll(async () => {
      cluster = await startPostgres(WITHOUT_SYNC);
      await cluster?.prepare(async (url) => (await openAt(url)).close());
      useDatabase(() => openAt(freshUrl()));
    }, 120_000);
    afterAll(() => {
      cluster?.stop();
    });

    describe('the scheduler', async () => {
      await import('./scheduler.test.ts');
    });
    describe('stops', async () => {
      await import('./stops.test.ts');
    });
    describe('sales of many stops', async () => {
      await import('./stop-sales.test.ts');
    });
    describe('shared ticks', async () => {
      await import('./shared-ticks.test.ts');
    });
    describe('candles that cannot be read', async () => {
      await import('./unread-candles.test.ts');
    });
    describe('commands', async () => {
      await import('./commands.test.ts');
    });
    describe('the portfolio', async () => {
      await import('../portfolio/portfolio.test.ts');
    });
    describe('the daily check', async () => {
      await import('../portfolio/ledger-check.test.ts');
    });

    describe('two servers on one database', () => {
      async function twoServers(
        people: number,
        agentsEach: number,
      ): Promise<{ floor: Floor; one: Database; two: Database }> {
        const url = freshUrl();
        const [one, two] = [await openAt(url), await openAt(url)];
        const floor = await openFloor({ candles: 400 }, one);
        for (let person = 0; person < people; person += 1) {
          await floor.join(`p${person}`);
          for (let i = 0; i < agentsEach; i += 1)
            await floor.call(`p${person}`, 'createAgent', {
              body: { ...AGGRESSIVE, max_position_size: 300 },
            });
        }
        return { floor, one, two };
      }

      it('run every due agent once between them, whoever takes it', async () => {
        const { floor, one, two } = await twoServers(6, 10);
        const schedulers = [floor.scheduler(one, 7), floor.scheduler(two, 7)];
        for (const scheduler of schedulers) await scheduler.open();
        const ran = [0, 0];
        for (let tick = 0; tick < 6; tick += 1) {
          floor.market.step();
          const reports = await Promise.all(schedulers.map((scheduler) => scheduler.runOnce()));
          reports.forEach((report, index) => {
            ran[index] = (ran[index] ?? 0) + report.agents;
          });
          for (const scheduler of schedulers) await scheduler.settled();
          // What one finished while the other held the last agents is due no more for either.
          expect(
            (
              await one.db
                .select({ id: agents.id })
                .from(agents)
                .where(sql`${agents.nextDueMarketMs} <= ${floor.market.now()}`)
            ).length,
          ).toBe(0);
        }
        expect(ran.reduce((all, n) => all + n, 0)).toBe(6 * 60);
        // Both had a share of the work, or this test shows nothing.
        expect(Math.min(...ran)).toBeGreaterThan(0);
        await expectOnce(one, 6 * 3);
        const told = await one.db.select().from(ticks);
        expect(told.map((tick) => [tick.state, tick.agents])).toEqual(Array(6).fill(['done', 60]));
        const points = await rowsOf<{ n: number }>(
          one.db,
          sql`select count(*)::int as n from ${equityPoints} group by account_id`,
        );
        expect(points.map(({ n }) => n)).toEqual(Array(6).fill(1 + 6));
        // Events are numbered without a gap, and none is told twice.
        for (const person of await one.db.select().from(users)) {
          const numbers = (
            await one.db
              .select({ sequence: events.sequence })
              .from(events)
              .where(eq(events.uid, person.uid))
              .orderBy(events.sequence)
          ).map((event) => event.sequence);
          expect(numbers).toEqual(Array.from({ length: person.sequence }, (_, i) => i + 1));
        }
        expect(floor.errors).toEqual([]);
        expect(await deadlocksOf(one)).toBe(0);
        for (const scheduler of schedulers) await scheduler.stop();
        await Promise.all([one.close(), two.close()]);
      });

      it("hear of each other's commits at once, and of nothing that was undone", async () => {
        const { floor, one, two } = await twoServers(1, 1);
        const heard: (string | null)[] = [];
        const deaf = await two.pubsub?.subscribe((name) => {
          heard.push(name);
        });
        // The beginning: whatever was said before may have been missed.
        expect(heard).toEqual([null]);
        const undone = one.transaction(async (tx) => {
          await one.pubsub?.publish(tx.db, ['nobody']);
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
        const events = new EventLog(new EventNotifier(), floor.clock, one.pubsub);
        await one.transaction((tx) => events.append(tx, 'p0', [{ type: 'portfolio.changed' }]));
        await until(
          async () => heard,
          (names) => names.length > 1,
        );
        expect(heard).toEqual([null, 'p0']);
        await deaf?.();
        await Promise.all([one.close(), two.close()]);
      });

      it('drop the positions of an account that one of them closes', async () => {
        const { floor, one, two } = await twoServers(2, 1);
        const notifier = new EventNotifier();
        const deaf = await two.pubsub?.subscribe((word) => {
          notifier.receive(word);
        });
        const here = floor.scheduler(one);
        const there = new Scheduler({
          ...floor.deps,
          database: two,
          events: new EventLog(notifier, floor.clock, two.pubsub),
        });
        await here.open();
        await floor.run(here, 1);
        // Opened without its loop: it never reads positions afresh, so only the word tells it.
        await there.open();
        const [all, of] = [there.protectedPositions, AGGRESSIVE.trading_pairs.length];
        expect(all).toBe(2 * of);
        await floor.call('p0', 'resetPaper');
        await until(
          async () => there.protectedPositions,
          (watched) => watched < all,
        );
        expect(there.protectedPositions).toBe(of);
        expect(floor.errors).toEqual([]);
        for (const scheduler of [here, there]) await scheduler.stop();
        await deaf?.();
        await Promise.all([one.close(), two.close()]);
      });

      it('sell once at a stop that both see while the tick runs and the owner closes', async () => {
        const { floor, one, two } = await twoServers(3, 4);
        const schedulers = [floor.scheduler(one, 5), floor.scheduler(two, 5)];
        for (const scheduler of schedulers) await scheduler.open();
        await floor.run(first(schedulers), 1);
        for (const scheduler of schedulers) await scheduler.open();
        const held = await one.db
          .select()
          .from(positions)
          .where(and(eq(positions.pair, 'BTC/USDT'), isNull(positions.closedMarketMs)));
        expect(held.length).toBe(12);
        const owners = new Map(
          (await one.db.select().from(accounts)).map((account) => [account.id, account.uid]),
        );
        const lowest = Math.min(
          ...held.map((position) => toNumber(parseFixed(position.stopPrice ?? '0'))),
        );
        const tick = (Math.floor(floor.market.now() / STEP_MS) + 1) * STEP_MS;
        floor.market.bend('BTC/USDT', tick, {
          open: lowest * 0.97,
          low: lowest * 0.9,
          close: lowest * 0.95,
        });
        floor.market.step();
        floor.market.say('BTC/USDT', lowest * 0.96);
        const closing = held.slice(0, 4).map((position) =>
          floor.call(owners.get(position.accountId) ?? '', 'closePosition', {
            params: { id: position.id },
          }),
        );
        const outcomes = await Promise.allSettled([
          ...schedulers.map((scheduler) => scheduler.runOnce()),
          ...closing,
        ]);
        for (const scheduler of schedulers) await scheduler.settled();
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Refusal);
        }
        for (const position of held) {
          const sales = await one.db
            .select()
            .from(fills)
            .where(
              and(
                eq(fills.agentId, position.agentId),
                eq(fills.pair, 'BTC/USDT'),
                eq(fills.side, 'sell'),
              ),
            );
          expect(sales.length, position.id).toBe(1);
        }
        expect((await checkLedger(one.db)).problems).toEqual([]);
        expect(floor.errors).toEqual([]);
        for (const scheduler of schedulers) await scheduler.stop();
        await Promise.all([one.close(), two.close()]);
      });

      it('share a crash: every stop is sold once, and none waits for an agent that is held', async () => {
        const { floor, one, two } = await twoServers(6, 10);
        const schedulers = [floor.scheduler(one, 25), floor.scheduler(two, 25)];
        for (const scheduler of schedulers) await scheduler.open();
        await floor.run(first(schedulers), 1);
        for (const scheduler of schedulers) await scheduler.open();
        const held = await one.db
          .select()
          .from(positions)
          .where(and(eq(positions.pair, 'BTC/USDT'), isNull(positions.closedMarketMs)));
        expect(held.length).toBe(60);
        const [blocked] = held;
        if (blocked === undefined) throw new Error('Nothing is held');
        const sold = () => one.db.select().from(fills).where(eq(fills.reason, 'stop_loss'));
        // Somebody holds one agent: the others of its batch do not wait for it.
        const [locked, free] = [gate(), gate()];
        const holding = two.transaction(async (tx) => {
          await tx.db
            .select({ id: agents.id })
            .from(agents)
            .where(eq(agents.id, blocked.agentId))
            .for('update');
          locked.open();
          await free.opened;
        });
        await locked.opened;
        const lowest = Math.min(
          ...held.map((position) => toNumber(parseFixed(position.stopPrice ?? '0'))),
        );
        floor.market.say('BTC/USDT', lowest * 0.9);
        await until(
          async () => (await sold()).length,
          (count) => count === held.length - 1,
        );
        expect((await sold()).map(({ agentId }) => agentId)).not.toContain(blocked.agentId);
        free.open();
        await holding;
        for (const scheduler of schedulers) await scheduler.settled();
        expect((await sold()).map(({ tickId }) => tickId).toSorted()).toEqual(
          held.map(({ id }) => `stop:${id}`).toSorted(),
        );
        expect((await checkLedger(one.db)).problems).toEqual([]);
        expect(floor.errors).toEqual([]);
        expect(await deadlocksOf(one)).toBe(0);
        for (const scheduler of schedulers) await scheduler.stop();
        await Promise.all([one.close(), two.close()]);
      });

      it('carry out 50 commands at once, each once, beside their ticks', async () => {
        const { floor, one, two } = await twoServers(2, 5);
        const schedulers = [floor.scheduler(one, 3), floor.scheduler(two, 3)];
        for (const scheduler of schedulers) await scheduler.open();
        await floor.run(first(schedulers), 2);
        const { agents: mine } = await floor.call('p0', 'agents');
        const settings = {
          risk_profile: 'Moderate',
          max_position_size: 200,
          execution_interval: '5-minute',
          enabled: true,
        } as const;
        const key = randomUUID();
        const commands = Array.from({ length: 50 }, (_, i) => {
          const params = { id: mine[i % mine.length]?.id ?? '' };
          switch (i % 8) {
            case 0:
              return () => floor.call('p0', 'startAgent', { params, body: {} });
            case 1:
              return () => floor.call('p0', 'stopAgent', { params, body: {} });
            case 2:
              return () => floor.call('p0', 'startAll', { body: {} });
            case 3:
              return () => floor.call('p0', 'stopAll', { body: {} });
            case 4:
              return () => floor.call('p0', 'updateAgent', { params, body: settings });
            case 5:
              return () => floor.call('p0', 'liquidateAgent', { params });
            case 6:
              return () =>
                floor.call('p0', 'createAgent', { body: { ...AGGRESSIVE, name: 'Once' }, key });
            default:
              return () => floor.call('p0', 'portfolio');
          }
        });
        floor.market.step();
        const outcomes = await Promise.allSettled([
          ...commands.map((command) => command()),
          ...schedulers.map((scheduler) => scheduler.runOnce()),
        ]);
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Refusal);
        }
        for (const scheduler of schedulers) await scheduler.settled();
        expect((await one.db.select().from(agents).where(eq(agents.name, 'Once'))).length).toBe(1);
        const numbers = (
          await one.db
            .select({ sequence: events.sequence })
            .from(events)
            .where(eq(events.uid, 'p0'))
            .orderBy(events.sequence)
        ).map((event) => event.sequence);
        expect(numbers).toEqual(numbers.map((_, i) => i + 1));
        expect((await checkLedger(one.db)).problems).toEqual([]);
        expect(floor.errors).toEqual([]);
        for (const scheduler of schedulers) await scheduler.stop();
        await Promise.all([one.close(), two.close()]);
      });
    });
  },
);
