/**
 * A server without agents and real workers beside it on one PostgreSQL: who runs what, what is
 * seen, and what a kill leaves.
 */
import { and, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamEvent } from '../../contract/stream.ts';
import type { Candle } from '../../engine/market-types.ts';
import type { Database } from '../../server/db/database.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { agents, decisions, fills, ticks } from '../../server/db/schema.ts';
import { subscriptions } from '../../server/db/schema-plans.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import { rowsOf } from '../../server/db/sql-rows.ts';
import { silentLog } from '../support/app.ts';
import { postgresBinaries, startPostgres, type TestPostgres } from '../support/postgres.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { STEP_MS, TapeMarket } from '../support/tape-market.ts';
import { AGGRESSIVE } from '../support/trading.ts';
import { until } from '../support/until.ts';
import { startWorker, type TestWorker } from '../support/worker.ts';
import { asCsv, writeTape } from './market/tape-on-disk.ts';

/** How often a worker is killed: few in the suite, many in `npm run test:workers`. */
const KILLS = Number(process.env.WORKER_KILLS ?? 3);
const KILL_EVERY_MS = Number(process.env.WORKER_KILL_EVERY_MS ?? 1_500);
const PEOPLE = 3;
const AGENTS_EACH = 8;
const PAIRS = AGGRESSIVE.trading_pairs.length;
const WARM_UP = 36 * 288;
/** A candle in two seconds. */
const SPEED = 150;

let cluster: TestPostgres | null = null;
let database: Database;
let server: TestServer;
let workerEnv: Record<string, string>;
const people: TestUser[] = [];

/**
 * Up and down by a twentieth within the hour from the first tick on, each pair in its own time:
 * there is something to trade at every tick, and stops are hit.
 */
function rocked(candle: Candle, n: number, index: number): Candle {
  const swing = (at: number): number =>
    at < WARM_UP ? 1 : 1 + 0.05 * Math.sin((at - WARM_UP) * (Math.PI / 6) + index * 2);
  const [open, close] = [candle.open * swing(n), candle.close * swing(n + 1)];
  return {
    ...candle,
    open,
    close,
    high: Math.max(open, close) * 1.001,
    low: Math.min(open, close) * 0.999,
  };
}

async function world(): Promise<void> {
  cluster = await startPostgres();
  if (cluster === null) return;
  const url = cluster.fresh('workers');
  const tape = new TapeMarket({ candles: Math.max(600, KILLS * 12) }).tape;
  const folder = await writeTape(
    Object.fromEntries(
      [...tape].map(([pair, candles], index) => [
        `${pair.replace('/', '-')}.csv`,
        asCsv(candles.map((candle, n) => rocked(candle, n, index))),
      ]),
    ),
  );
  const start = (tape.get('BTC/USDT')?.[WARM_UP]?.time ?? 0) + STEP_MS;
  workerEnv = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'info',
    DATABASE_URL: url,
    MARKET_SOURCE: `replay:${folder}`,
    REPLAY_SPEED: String(SPEED),
    REPLAY_START: new Date(start).toISOString(),
    AGENT_BATCH: '3',
  };
  server = await startServer({ env: { ...workerEnv, RUN_AGENTS: 'false', LOG_LEVEL: 'warn' } });
  database = await openPostgres(url, { poolMax: 3, log: silentLog });
  for (let n = 0; n < PEOPLE; n += 1) {
    const person = await createUser(server.url);
    people.push(person);
    await callApi(server.url, person.idToken, 'portfolio');
    await database.db.insert(subscriptions).values({
      uid: person.uid,
      provider: 'test',
      status: 'active',
      tier: 'pro-max',
      updatedAt: Date.now(),
    });
    for (let i = 0; i < AGENTS_EACH; i += 1)
      await callApi(server.url, person.idToken, 'createAgent', {
        body: { ...AGGRESSIVE, max_position_size: 400 },
      });
  }
}

/** What a person's stream says, until it is left. */
async function listen(person: TestUser, heard: StreamEvent[]): Promise<() => void> {
  const abort = new AbortController();
  const response = await fetch(`${server.url}/api/stream`, {
    headers: { authorization: `Bearer ${person.idToken}` },
    signal: abort.signal,
  });
  const body = response.body;
  if (body === null) throw new Error('no body');
  void (async () => {
    let text = '';
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts)
        heard.push(StreamEvent.parse(JSON.parse(part.slice(part.indexOf('data: ') + 6))));
    }
  })().catch(() => undefined);
  return () => {
    abort.abort();
  };
}

const tickRows = () => database.db.select().from(ticks).orderBy(ticks.closeMarketMs);

describe.skipIf(postgresBinaries() === null)(
  'workers beside a server (skipped where PostgreSQL cannot be installed)',
  () => {
    beforeAll(world, 180_000);
    afterAll(async () => {
      await server.stop();
      await database.close();
      cluster?.stop();
    });

    it('run the agents that the server leaves to them, and its streams tell of it', async () => {
      // The server tells prices meanwhile, and has run nothing.
      expect(await tickRows()).toEqual([]);
      const [person] = people;
      if (person === undefined) throw new Error('nobody');
      const heard: StreamEvent[] = [];
      const leave = await listen(person, heard);
      const worker = await startWorker(workerEnv);
      const fill = (
        await until(
          async () => heard,
          (events) => events.some(({ type }) => type === 'fill.recorded'),
        )
      ).find((event) => event.type === 'fill.recorded');
      expect(
        await database.db
          .select({ id: fills.id })
          .from(fills)
          .where(eq(fills.id, fill?.type === 'fill.recorded' ? fill.fill.id : '')),
      ).toHaveLength(1);
      leave();
      expect(await worker.stop()).toBe(0);
      expect(worker.logs()).toContain('A tick was run');
      // Ended between batches: whatever it began is whole.
      expect((await checkLedger(database.db)).problems).toEqual([]);
    });

    it(`decide and fill once, with one of three killed ${KILLS} times, and lose no tick`, async () => {
      const workers: TestWorker[] = await Promise.all([
        startWorker(workerEnv),
        startWorker(workerEnv),
        startWorker(workerEnv),
      ]);
      const from =
        (await until(tickRows, (rows) => rows.at(-1)?.state === 'done')).at(-1)?.closeMarketMs ?? 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        await new Promise((resolve) => {
          setTimeout(resolve, KILL_EVERY_MS * (0.5 + (kill % 5) / 4));
        });
        await workers[kill % 3]?.kill9();
        workers[kill % 3] = await startWorker(workerEnv);
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 2_000);
      });
      const codes = await Promise.all(workers.map((worker) => worker.stop()));
      expect(codes).toEqual([0, 0, 0]);
      const rows = (await tickRows()).filter(({ closeMarketMs }) => closeMarketMs > from);
      const done = rows.filter(({ state }) => state === 'done');
      // Who looked decided every pair, once; so many as the record says, and everybody where it
      // says done. The last may be cut off by the end.
      const looks = await rowsOf<{ at: string; agents: number; whole: number }>(
        database.db,
        sql`
      select at::text as at, count(*)::int as agents, (count(*) filter (where n = ${PAIRS}))::int as whole
      from (select at_market_ms as at, agent_id, count(*)::int as n from ${decisions} where at_market_ms > ${from}::bigint group by 1, 2) looked group by 1`,
      );
      const byTick = new Map(looks.map((look) => [Number(look.at), look]));
      const everybody = PEOPLE * AGENTS_EACH;
      for (const { closeMarketMs, state, agents: ran } of rows.slice(0, -1)) {
        expect([
          closeMarketMs,
          byTick.get(closeMarketMs)?.whole,
          byTick.get(closeMarketMs)?.agents,
        ]).toEqual([closeMarketMs, ran, ran]);
        expect(ran).toBeGreaterThan(0);
        if (state === 'done') expect(ran).toBe(everybody);
      }
      // Ticks without a hole, from the first to the last.
      expect(rows.map(({ closeMarketMs }) => closeMarketMs)).toEqual(
        Array.from({ length: rows.length }, (_none, i) => from + (i + 1) * STEP_MS),
      );
      const [counts] = await rowsOf<{ orders: number; fills: number; causes: number }>(
        database.db,
        sql`
      select (select count(*)::int from orders) as orders, (select count(distinct order_id)::int from fills) as fills,
        (select count(distinct fill_id)::int from ledger where fill_id is not null) as causes`,
      );
      expect(counts?.fills).toBeGreaterThan(0);
      expect([counts?.fills, counts?.causes]).toEqual([counts?.orders, counts?.orders]);
      const twice = await rowsOf<object>(
        database.db,
        sql`select pair, tick_id, quote_bid::text, quote_ask::text, reason, side, filled_market_ms, agent_id::text from fills f where tick_id not like 'stop:%' and exists (
      select 1 from fills o where o.pair = f.pair and o.tick_id = f.tick_id and (o.quote_bid, o.quote_ask) <> (f.quote_bid, f.quote_ask)) order by tick_id, pair limit 40`,
      );
      expect(twice, 'fills of one tick at different quotes').toEqual([]);
      expect((await checkLedger(database.db)).problems).toEqual([]);
      expect(
        await database.db
          .select()
          .from(agents)
          .where(and(eq(agents.status, 'faulted'))),
      ).toEqual([]);
      // None was passed over. One is given up where a worker that has just started, up to a second
      // ahead on the tape, begins the next, or the machine is too slow.
      expect(
        rows.slice(0, -1).filter(({ state }) => state !== 'done' && state !== 'unfinished'),
      ).toEqual([]);
      if (process.env.WORKER_KILLS !== undefined)
        console.log(
          `${KILLS} kills, ${done.length} of ${rows.length} ticks done, ${counts?.fills} fills, ${counts?.orders} orders`,
        );
    });
  },
);
