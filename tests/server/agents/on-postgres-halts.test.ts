/**
 * A switch thrown while batches are under way, on a real PostgreSQL with two schedulers: after it
 * is committed nothing is bought.
 */
import { setTimeout } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../../server/db/postgres.ts';
import type { WallClock } from '../../../server/clock.ts';
import type { Database } from '../../../server/db/database.ts';
import { BatchState } from '../../../server/agents/batch-state.ts';
import { asAgentRow } from '../../../server/agents/read-agents.ts';
import { agents, fills, users } from '../../../server/db/schema.ts';
import { liftSwitch, throwSwitch, type HaltRequest } from '../../../server/agents/trading-halts.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { userHandlers } from '../../../server/users/user-handlers.ts';
import { defaultSettings } from '../../../server/users/user-settings.ts';
import { runOnce } from '../../../server/http/command-receipts.ts';
import { randomUUID } from 'node:crypto';
import { silentLog } from '../../support/app.ts';
import {
  postgresBinaries,
  startPostgres,
  WITHOUT_SYNC,
  type TestPostgres,
} from '../../support/postgres.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let cluster: TestPostgres | null = null;
let made = 0;
const openAt = (url: string): Promise<Database> =>
  openPostgres(url, { poolMax: 8, log: silentLog });
const PLATFORM: HaltRequest = {
  scope: 'platform',
  target: '',
  reason: 'Race',
  until: null,
  by: 'test',
};

async function floorAt(
  people: number,
  agentsEach: number,
): Promise<{ floor: Floor; one: Database; two: Database }> {
  const url = cluster?.fresh(`halts${(made += 1)}`) ?? '';
  const [one, two] = [await openAt(url), await openAt(url)];
  const floor = await openFloor({ candles: 800, seed: 5 + made }, one);
  for (let person = 0; person < people; person += 1) {
    await floor.join(`p${person}`);
    for (let i = 0; i < agentsEach; i += 1)
      await floor.call(`p${person}`, 'createAgent', {
        body: { ...AGGRESSIVE, max_position_size: 300 },
      });
  }
  return { floor, one, two };
}
const buys = async (database: Database): Promise<number> =>
  (await database.db.select({ id: fills.id }).from(fills).where(eq(fills.side, 'buy'))).length;
const deadlocks = async (database: Database): Promise<number> =>
  Number(
    (
      await rowsOf<{ n: string }>(
        database.db,
        sql`select deadlocks::text as n from pg_stat_database where datname = current_database()`,
      )
    )[0]?.n ?? 0,
  );

/** A call of `p0` as HTTP makes it. */
function asked(
  database: Database,
  clock: WallClock,
  handler: unknown,
  body: object,
): Promise<unknown> {
  const commandId = randomUUID();
  const once = (effect: Parameters<typeof runOnce>[4]) =>
    runOnce(
      database,
      clock,
      { uid: 'p0', commandId, bodyHash: commandId },
      (reply) => reply as object,
      effect,
    );
  return (handler as (context: object) => Promise<unknown>)({
    caller: { uid: 'p0', email: null },
    commandId,
    query: {},
    body,
    once,
  });
}

const OWN_LIMITS = {
  profile: 'Aggressive',
  max_position_percentage: 1,
  confidence_threshold: 0.9,
  stop_loss_percentage: 1,
};

describe.skipIf(postgresBinaries() === null)(
  'PostgreSQL (skipped where it cannot be installed)',
  () => {
    beforeAll(async () => {
      cluster = await startPostgres(WITHOUT_SYNC);
      await cluster?.prepare(async (url) => (await openAt(url)).close());
    }, 120_000);
    afterAll(() => {
      cluster?.stop();
    });

    it('a switch waits for the batch that has read it, and no batch after it buys', async () => {
      const { floor, one, two } = await floorAt(1, 1);
      floor.market.step();
      let go = (): void => undefined;
      let reached = (): void => undefined;
      const atPlans = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const gate = new Promise<void>((resolve) => {
        go = resolve;
      });
      // The batch stands still after it has read the switches and before it decides.
      const { entitlement } = floor.deps;
      const tiersOf = entitlement.tiersOf.bind(entitlement);
      entitlement.tiersOf = async (uids, tx) => {
        reached();
        await gate;
        return tiersOf(uids, tx);
      };
      const held = floor.scheduler();
      await held.open();
      floor.market.step();
      const tick = held.runOnce();
      await atPlans;
      let thrown = false;
      const throwing = two
        .transaction((tx) => throwSwitch(tx, PLATFORM, floor.clock.now()))
        .then(() => {
          thrown = true;
        });
      // It stands in the queue for the lock, and is not there before the batch is done.
      for (;;) {
        const [waiting] = await rowsOf<{ n: number }>(
          two.db,
          sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`,
        );
        if ((waiting?.n ?? 0) > 0) break;
      }
      expect(thrown).toBe(false);
      go();
      const report = await tick;
      await throwing;
      expect(report.trades).toBeGreaterThan(0);
      const before = await buys(one);
      expect(before).toBe(report.trades);
      await floor.run(held, 3);
      expect(await buys(one)).toBe(before);
      await held.stop();
      await Promise.all([one.close(), two.close()]);
    });

    it('thrown and lifted at any moment while two schedulers trade: what is bought is bought while it is off the switch', async () => {
      const { floor, one, two } = await floorAt(4, 6);
      const schedulers = [floor.scheduler(one, 3), floor.scheduler(two, 3)];
      for (const scheduler of schedulers) await scheduler.open();
      let running = true;
      let traded = 0;
      const trade = async (): Promise<void> => {
        while (running) {
          floor.market.step();
          for (const report of await Promise.all(
            schedulers.map((scheduler) => scheduler.runOnce()),
          ))
            traded += report.trades;
          for (const scheduler of schedulers) await scheduler.settled();
        }
      };
      const trading = trade();
      const bought: number[] = [];
      for (let round = 0; round < 12; round += 1) {
        const operator = round % 2 === 0 ? one : two;
        await operator.transaction((tx) => throwSwitch(tx, PLATFORM, floor.clock.now()));
        const before = await buys(operator);
        const until = performance.now() + 40 + round * 7;
        while (performance.now() < until) await setTimeout(5);
        expect(await buys(operator)).toBe(before);
        await operator.transaction((tx) => liftSwitch(tx, PLATFORM, floor.clock.now()));
        bought.push(before);
        // Until something is bought again, so that the next switch interrupts something; the tape
        // may have nothing more to buy.
        for (let turn = 0; turn < 40 && (await buys(operator)) === before; turn += 1)
          await setTimeout(10);
      }
      running = false;
      await trading;
      expect(traded).toBeGreaterThan(0);
      expect(new Set(bought).size).toBeGreaterThan(1);
      expect((await checkLedger(one.db)).problems).toEqual([]);
      expect(await deadlocks(one)).toBe(0);
      expect(floor.errors).toEqual([]);
      for (const scheduler of schedulers) await scheduler.stop();
      await Promise.all([one.close(), two.close()]);
    }, 60_000);

    it("the person's own switch is off for every purchase once its reply is there", async () => {
      const { floor, one, two } = await floorAt(1, 2);
      const { events, entitlement, clock } = floor.deps;
      const handlers = userHandlers({ database: two, events, entitlement });
      const save = (tradingEnabled: boolean): Promise<unknown> =>
        asked(two, clock, handlers.updateTradingSettings, {
          ...defaultSettings('P'),
          maxTradeAmount: 10_000,
          tradingEnabled,
        });
      const scheduler = floor.scheduler(one, 1);
      await scheduler.open();
      let running = true;
      const trading = (async () => {
        while (running) {
          floor.market.step();
          await scheduler.runOnce();
          await scheduler.settled();
        }
      })();
      for (let round = 0; round < 8; round += 1) {
        await save(false);
        const before = await buys(two);
        await setTimeout(30 + round * 5);
        expect(await buys(two)).toBe(before);
        await save(true);
        await setTimeout(40);
      }
      running = false;
      await trading;
      expect(await buys(two)).toBeGreaterThan(0);
      expect((await two.db.select().from(users))[0]?.settingsVersion).toBe(17);
      expect(await deadlocks(one)).toBe(0);
      await scheduler.stop();
      await Promise.all([one.close(), two.close()]);
    }, 60_000);

    it.each([
      ['riskProfile', OWN_LIMITS],
      ['usePresets', { profile: 'Aggressive' }],
    ] as const)(
      'own risk limits wait for the batch that decides by those before them: %s',
      async (name, body) => {
        const { floor, one, two } = await floorAt(1, 1);
        const { events, entitlement, clock } = floor.deps;
        const handlers = userHandlers({ database: two, events, entitlement });
        let isSet = false;
        let setting: Promise<unknown> = Promise.resolve();
        await one.transaction(async (tx) => {
          const rows = (await tx.db.select().from(agents)).map(asAgentRow);
          await BatchState.load(tx, floor.deps, rows);
          setting = asked(two, clock, handlers[name], body).then(() => {
            isSet = true;
          });
          // Long enough for one that does not wait to be answered.
          await setTimeout(500);
          expect(isSet).toBe(false);
        });
        await setting;
        expect(isSet).toBe(true);
        await Promise.all([one.close(), two.close()]);
      },
    );
  },
);
