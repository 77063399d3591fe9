/**
 * Alerts on a real PostgreSQL with two processes' worth of watches: each arming fires once, whoever
 * dies.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AlertWatch } from '../../../server/alerts/alert-watch.ts';
import type { Database } from '../../../server/db/database.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { alertFirings, alerts } from '../../../server/db/schema-alerts.ts';
import { EventNotifier, EventLog } from '../../../server/db/user-events.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { silentLog } from '../../support/app.ts';
import {
  postgresBinaries,
  startPostgres,
  WITHOUT_SYNC,
  type TestPostgres,
} from '../../support/postgres.ts';
import { openFloor, type Floor } from '../../support/trading.ts';

const PAIR = 'BTC/USDT';
const PEOPLE = 8;
const EACH = 25;
let cluster: TestPostgres | null = null;
let made = 0;
const openAt = (url: string): Promise<Database> =>
  openPostgres(url, { poolMax: 6, log: silentLog });

async function floorAt(
  repeatMinutes: 5 | null,
): Promise<{ floor: Floor; url: string; one: Database }> {
  const url = cluster?.fresh(`alerts${(made += 1)}`) ?? '';
  const one = await openAt(url);
  const floor = await openFloor({ candles: 60, warmUpDays: 2 }, one);
  floor.market.say(PAIR, 100);
  for (let person = 0; person < PEOPLE; person += 1) {
    await floor.join(`p${person}`, null);
    for (let index = 0; index < EACH; index += 1) {
      await floor.call(`p${person}`, 'setAlert', {
        params: { id: randomUUID() },
        body: {
          symbol: PAIR,
          condition: { kind: 'above', price: String(101 + index) },
          repeatMinutes,
          note: '',
          active: true,
          seenVersion: null,
          seen: { price: '100', at: floor.market.now() },
        },
      });
    }
  }
  return { floor, url, one };
}

/** A process of its own: its own connections, over the same market. */
async function processOn(
  floor: Floor,
  url: string,
): Promise<{ watch: AlertWatch; database: Database }> {
  const database = await openAt(url);
  const watch = new AlertWatch({
    ...floor.deps,
    database,
    events: new EventLog(new EventNotifier(), floor.clock),
  });
  await watch.start();
  return { watch, database };
}

/** One firing an arming, one event a firing, and numbers without gaps for everybody. */
async function expectOnce({ db }: Database, firings: number): Promise<void> {
  const [row] = await rowsOf<{ firings: number; armings: number; events: number; gaps: number }>(
    db,
    sql`
    select (select count(*)::int from alert_firings) as firings, (select count(distinct (alert_id, arming))::int from alert_firings) as armings,
      (select count(*)::int from events where payload->>'type' = 'alert.fired') as events,
      (select count(*)::int from users u where u.sequence <> (select count(*) from events e where e.uid = u.uid)) as gaps`,
  );
  expect(row).toEqual({ firings, armings: firings, events: firings, gaps: 0 });
}

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

    it('three watches of one market fire each arming once, over a price that comes and goes', async () => {
      const { floor, url, one } = await floorAt(5);
      const all = await Promise.all([
        processOn(floor, url),
        processOn(floor, url),
        processOn(floor, url),
      ]);
      for (const price of [110, 90, 130, 90, 140]) {
        floor.market.sleep(6 * 60_000);
        floor.market.say(PAIR, price);
        // Not waited for: the next price meets what is being written.
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
      }
      await Promise.all(all.map(({ watch }) => watch.settled()));
      await Promise.all(all.map(({ watch }) => watch.stop()));
      // At 110 the first ten of each person, and at 130 and 140 every one.
      await expectOnce(one, PEOPLE * (10 + EACH + EACH));
      await Promise.all(all.map(({ database }) => database.close()));
      await floor.close();
    }, 120_000);

    it('what a process saw and died with is found by whoever comes after, once', async () => {
      const { floor, url, one } = await floorAt(null);
      const dying = await processOn(floor, url);
      // It sees the price, and its connections are cut before anything of it is committed.
      dying.database.transaction = () => new Promise(() => undefined);
      floor.market.sleep(1_000);
      floor.market.say(PAIR, 500);
      expect(await one.db.select().from(alertFirings)).toEqual([]);
      floor.market.sleep(1_000);
      const next = await processOn(floor, url);
      await next.watch.settled();
      await next.watch.stop();
      await expectOnce(one, PEOPLE * EACH);
      expect(
        (await one.db.select().from(alerts)).every(
          ({ phase, active }) => phase === 'fired' && !active,
        ),
      ).toBe(true);
      await dying.database.close();
      await next.database.close();
      await floor.close();
    }, 120_000);
  },
);
