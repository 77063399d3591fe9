/** A server without agents and real workers beside it on one PostgreSQL: who runs what, and what is seen. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamEvent } from '../../contract/stream.ts';
import type { Database } from '../../server/db/database.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { fills, ticks } from '../../server/db/schema.ts';
import { subscriptions } from '../../server/db/schema-plans.ts';
import { checkLedger } from '../../server/portfolio/check-ledger.ts';
import { silentLog } from '../support/app.ts';
import { postgresBinaries, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { callApi, createUser, startServer, type TestServer, type TestUser } from '../support/server.ts';
import { STEP_MS, TapeMarket } from '../support/tape-market.ts';
import { AGGRESSIVE } from '../support/trading.ts';
import { until } from '../support/until.ts';
import { startWorker } from '../support/worker.ts';
import { asCsv, writeTape } from './market/tape-on-disk.ts';

const PEOPLE = 3;
const AGENTS_EACH = 8;
/** A candle a second. */
const SPEED = 300;

let cluster: TestPostgres | null = null;
let database: Database;
let server: TestServer;
let workerEnv: Record<string, string>;
const people: TestUser[] = [];

async function world(): Promise<void> {
  cluster = await startPostgres();
  if (cluster === null) return;
  const url = cluster.fresh('workers');
  const tape = new TapeMarket({ candles: 600 }).tape;
  const folder = await writeTape(Object.fromEntries([...tape].map(([pair, candles]) => [`${pair.replace('/', '-')}.csv`, asCsv(candles)])));
  const start = (tape.get('BTC/USDT')?.[36 * 288]?.time ?? 0) + STEP_MS;
  workerEnv = {
    NODE_ENV: 'test', LOG_LEVEL: 'info', DATABASE_URL: url, MARKET_SOURCE: `replay:${folder}`, REPLAY_SPEED: String(SPEED), REPLAY_START: new Date(start).toISOString(),
  };
  server = await startServer({ env: { ...workerEnv, RUN_AGENTS: 'false', LOG_LEVEL: 'warn' } });
  database = await openPostgres(url, { poolMax: 3, log: silentLog });
  for (let n = 0; n < PEOPLE; n += 1) {
    const person = await createUser(server.url);
    people.push(person);
    await callApi(server.url, person.idToken, 'portfolio');
    await database.db.insert(subscriptions).values({ uid: person.uid, provider: 'test', status: 'active', tier: 'pro-max', updatedAt: Date.now() });
    for (let i = 0; i < AGENTS_EACH; i += 1) await callApi(server.url, person.idToken, 'createAgent', { body: { ...AGGRESSIVE, max_position_size: 400 } });
  }
}

/** What a person's stream says, until it is left. */
async function listen(person: TestUser, heard: StreamEvent[]): Promise<() => void> {
  const abort = new AbortController();
  const response = await fetch(`${server.url}/api/stream`, { headers: { authorization: `Bearer ${person.idToken}` }, signal: abort.signal });
  const body = response.body;
  if (body === null) throw new Error('no body');
  void (async () => {
    let text = '';
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) heard.push(StreamEvent.parse(JSON.parse(part.slice(part.indexOf('data: ') + 6))));
    }
  })().catch(() => undefined);
  return () => { abort.abort(); };
}

const tickRows = () => database.db.select().from(ticks).orderBy(ticks.closeMarketMs);

describe.skipIf(postgresBinaries() === null)('workers beside a server (skipped where PostgreSQL cannot be installed)', () => {
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
    const fill = (await until(async () => heard, (events) => events.some(({ type }) => type === 'fill.recorded'))).find((event) => event.type === 'fill.recorded');
    expect(await database.db.select({ id: fills.id }).from(fills).where(eq(fills.id, fill?.type === 'fill.recorded' ? fill.fill.id : ''))).toHaveLength(1);
    leave();
    expect(await worker.stop()).toBe(0);
    expect(worker.logs()).toContain('A tick was run');
    // Ended between batches: whatever it began is whole.
    expect((await checkLedger(database.db)).problems).toEqual([]);
  });
});
