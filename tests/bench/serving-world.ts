/**
 * A server to measure with people who have traded for a month: on PGlite or a PostgreSQL of its own,
 * of this checkout or of another (`BENCH_BASE`).
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { multiply, parseFixed, type Fixed } from '../../contract/money.ts';
import { applyBuy, applySell, depositEntries } from '../../engine/accounting/ledger.ts';
import { paperFill, quoteAround } from '../../engine/execution/fills.ts';
import type { OpenPosition } from '../../engine/execution/agent-types.ts';
import { insertRows } from '../../server/db/bulk.ts';
import type { Database, Tx } from '../../server/db/database.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { subscriptions } from '../../server/db/schema-plans.ts';
import { accounts, agents, users } from '../../server/db/schema.ts';
import {
  rulesOf,
  SIMULATED_PAIRS,
  type SimulatedPair,
} from '../../server/market/simulated-universe.ts';
import { post, recordTrades, type TradeToRecord } from '../../server/portfolio/record-trades.ts';
import { defaultSettings } from '../../server/users/user-settings.ts';
import { silentLog } from '../support/app.ts';
import { startTestKeys, TEST_PROJECT, type TestKeys } from '../support/keys.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { random } from '../support/tape.ts';

export type DatabaseKind = 'pglite' | 'postgres';

const DAY_MS = 86_400_000;
const STEP_MS = 300_000;
export const AGENTS_EACH = 4;
const ROUNDS = 50;
const HISTORY_DAYS = 30;
const QUOTE = 'USDT';
const DEPOSIT = '10000';
const DEPTH = { candleVolume: 100_000, dayVolume: 100_000 * 288, dailyVolatility: 0.04 };

export interface Person {
  uid: string;
  token: string;
  agentIds: string[];
}

/** The market that people have traded on. */
interface Traded {
  source: string;
  pairs: readonly SimulatedPair[];
  /** Its clock at the start, ms. */
  now: number;
  /** For so many days. */
  days: number;
}

interface Laid {
  uid: string;
  accountId: string;
  agentIds: string[];
}

async function layPeople(
  tx: Tx,
  count: number,
  { source, pairs, now: marketNow }: Traded,
  from: number,
): Promise<Laid[]> {
  const now = Date.now();
  const people = Array.from({ length: count }, (_none, n) => ({
    uid: `bench-${n}`,
    accountId: randomUUID(),
    agentIds: Array.from({ length: AGENTS_EACH }, () => randomUUID()),
  }));
  await insertRows(
    tx.db,
    users,
    people.map(({ uid }) => ({
      uid,
      email: `${uid}@example.com`,
      createdAt: now,
      sequence: 0,
      settings: defaultSettings('Bench'),
      settingsVersion: 1,
    })),
  );
  await insertRows(
    tx.db,
    subscriptions,
    people.map(({ uid }) => ({
      uid,
      provider: 'test',
      status: 'active',
      tier: 'pro-max',
      cancelAtPeriodEnd: false,
      updatedAt: now,
      observation: 0,
    })),
  );
  await insertRows(
    tx.db,
    accounts,
    people.map(({ uid, accountId }) => ({
      id: accountId,
      uid,
      source,
      quote: QUOTE,
      book: 1,
      openedAt: from,
      openedMarketMs: from,
    })),
  );
  await post(
    tx,
    people.map(({ accountId }) => ({
      transactionId: randomUUID(),
      accountId,
      cause: 'deposit',
      fillId: null,
      at: from,
      entries: depositEntries(QUOTE, parseFixed(DEPOSIT)),
    })),
  );
  await insertRows(
    tx.db,
    agents,
    people.flatMap(({ uid, agentIds }) =>
      agentIds.map((id, n) => ({
        id,
        uid,
        source,
        quote: QUOTE,
        name: `Agent ${n}`,
        tradingPairs: [rulesOf(pairAt(pairs, n)).pair],
        pool: 'all_pools',
        riskProfile: 'Moderate',
        maxPositionSize: '500',
        executionInterval: '5-minute',
        tradingFrequency: 'high',
        enabled: true,
        status: 'running',
        generation: 1,
        version: 1,
        createdAt: from,
        startedAt: from,
        nextDueMarketMs: Math.ceil(marketNow / STEP_MS) * STEP_MS,
        memory: {},
      })),
    ),
  );
  return people;
}

const pairAt = (pairs: readonly SimulatedPair[], n: number): SimulatedPair => {
  const pair = pairs[n % pairs.length];
  if (pair === undefined) throw new Error('The market has no pairs');
  return pair;
};

/** Every agent buys and sells in turn over the whole time, and holds something at its end. */
async function layTrades(
  database: Database,
  people: readonly Laid[],
  { source, pairs, now, days }: Traded,
  from: number,
): Promise<void> {
  const open = new Map<string, OpenPosition & { positionId: string }>();
  const every = Math.floor((days * DAY_MS) / (ROUNDS + 1));
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = from + (round + 1) * every;
    await database.transaction(async (tx) => {
      const trades: TradeToRecord[] = people.flatMap(({ accountId, agentIds }) =>
        agentIds.map((agentId, n) => {
          const rules = rulesOf(pairAt(pairs, n));
          const price = multiply(
            parseFixed(String(pairAt(pairs, n).anchor)),
            parseFixed((1 + ((round * 7 + n) % 11) / 500).toFixed(6)),
            'half-even',
          );
          const held = open.get(agentId);
          const quantity = held?.quantity ?? parseFixed((400 / pairAt(pairs, n).anchor).toFixed(6));
          const fill = paperFill({
            side: held === undefined ? 'buy' : 'sell',
            wanted: quantity,
            quantity,
            quote: quoteAround(rules, at, price),
            rules,
            depth: DEPTH,
            reason: 'bench',
          });
          return {
            accountId,
            agentId,
            positionId: held?.positionId ?? null,
            tickId: randomUUID(),
            decidedAt: at,
            trade:
              held === undefined
                ? { fill, after: applyBuy(null, fill, 1n as Fixed) }
                : applySell(held, fill),
          };
        }),
      );
      const done = await recordTrades(tx, trades);
      done.forEach(({ positionId }, index) => {
        const { agentId, trade } = trades[index] as TradeToRecord;
        if (trade.fill.side === 'sell') open.delete(agentId);
        else
          open.set(agentId, {
            id: positionId,
            positionId,
            pair: trade.fill.pair,
            quantity: trade.after.quantity,
            cost: trade.after.cost,
            stopPrice: trade.after.stopPrice,
            openedAt: at,
          });
      });
    });
  }
  await database.db.execute(sql`
    insert into equity_points (account_id, at_market_ms, equity)
    select id, at, ${DEPOSIT}::numeric + case when at = ${from}::bigint then 0 else round((sin(at / 8.64e7)::numeric) * 200, 4) end
    from accounts cross join generate_series(${from}::bigint, ${now}::bigint, ${STEP_MS}::bigint) as at
    where source = ${source} on conflict do nothing`);
  await database.db.execute(sql`
    insert into decisions (id, agent_id, pair, tick_id, at_market_ms, recorded_at, action, reason, strength, threshold, text)
    select gen_random_uuid(), agents.id, agents.trading_pairs[1], 'bench-' || at, at, at + ${Date.now() - now}::bigint, 'hold', 'weak_signal', 0.2, 0.6, 'The signal is too weak to enter.'
    from agents cross join generate_series(${now - DAY_MS}::bigint, ${now}::bigint, ${STEP_MS}::bigint) as at`);
  await database.db.execute(sql`vacuum analyze`);
}

/** The books of these people in a database that has none; answers who they are. */
async function lay(database: Database, count: number, traded: Traded): Promise<Laid[]> {
  const from = Math.floor((traded.now - traded.days * DAY_MS) / STEP_MS) * STEP_MS;
  const people = await database.transaction((tx) => layPeople(tx, count, traded, from));
  await layTrades(database, people, traded, from);
  return people;
}

export interface ProbeLine {
  at: number;
  longestMs: number;
  p99Ms: number;
  rss: number;
  heapUsed: number;
  cpuMs: number;
}

export interface World {
  server: TestServer;
  people: Person[];
  keys: TestKeys;
  postgres: TestPostgres | null;
  /** What the server's own probe wrote since then (wall clock, ms). */
  probe(since: number): ProbeLine[];
  /** The same of a process beside it that does nothing: what the machine itself holds up. */
  idle(since: number): ProbeLine[];
  /** A query of the world's database, once its server has ended. */
  afterwards<T>(work: (database: Database) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface WorldOptions {
  database: DatabaseKind;
  people: number;
  /** Another checkout's folder; this one's without. */
  checkout?: string | undefined;
  env?: Record<string, string>;
  /** How long they have traded; a month unless told. */
  days?: number;
  /** A made tape that runs so much faster than the clock, for ticks in a short time. */
  speed?: number;
}

/** Four pairs on a made walk, long enough for every strategy to look back on. */
function layTape(
  dataDir: string,
  speed: number,
  days: number,
): { traded: Traded; env: Record<string, string> } {
  const pairs = SIMULATED_PAIRS.slice(0, AGENTS_EACH);
  const folder = join(dataDir, 'tape');
  mkdirSync(folder);
  const first = Date.UTC(2024, 0, 1);
  const now = first + 60 * DAY_MS;
  const count = Math.ceil((62 * DAY_MS) / STEP_MS);
  pairs.forEach(({ base, anchor }, index) => {
    const next = random(index * 7_919 + 3);
    let price = anchor;
    const rows = Array.from({ length: count }, (_none, n) => {
      const open = price;
      price = open * Math.exp(0.004 * (next() - 0.5) + Math.log(anchor / open) / 2_000);
      const figures = [open, Math.max(open, price) * 1.0003, Math.min(open, price) * 0.9997, price];
      return [
        (first + n * STEP_MS) / 1_000,
        ...figures.map((one) => one.toFixed(6)),
        1e7 / price,
      ].join();
    });
    const head = 'time,open,high,low,close,volume';
    writeFileSync(join(folder, `${base}-${QUOTE}.csv`), `${[head, ...rows].join('\n')}\n`);
  });
  return {
    traded: { source: 'replay:tape', pairs, now, days },
    env: {
      MARKET_SOURCE: `replay:${folder}`,
      REPLAY_SPEED: String(speed),
      REPLAY_START: new Date(now).toISOString(),
    },
  };
}

const HERE = fileURLToPath(new URL('../..', import.meta.url));
const PROBE = fileURLToPath(new URL('./loop-probe.mjs', import.meta.url));

async function laidIn(
  folder: string,
  url: string | null,
  count: number,
  traded: Traded,
): Promise<{ people: Laid[]; open: () => Promise<Database> }> {
  const open = (): Promise<Database> =>
    url === null ? openPglite(folder) : openPostgres(url, { poolMax: 4, log: silentLog });
  const database = await open();
  try {
    return { people: await lay(database, count, traded), open };
  } finally {
    await database.close();
  }
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const postgres = options.database === 'postgres' ? await startPostgres() : null;
  if (options.database === 'postgres' && postgres === null) throw new Error('No PostgreSQL here');
  const dataDir = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
  const url = postgres?.fresh('bench') ?? null;
  const days = options.days ?? HISTORY_DAYS;
  const { traded, env } =
    options.speed === undefined
      ? { traded: { source: 'simulated', pairs: SIMULATED_PAIRS, now: Date.now(), days }, env: {} }
      : layTape(dataDir, options.speed, days);
  const { people, open } = await laidIn(dataDir, url, options.people, traded);
  const keys = await startTestKeys();
  const probeFile = join(dataDir, 'probe.jsonl');
  const server = await startServer({
    dataDir,
    checkout: options.checkout ?? HERE,
    env: {
      VITE_FIREBASE_PROJECT_ID: TEST_PROJECT,
      FIREBASE_KEYS_URL: keys.url,
      RATE_LIMIT_USER_PER_SECOND: '1000000',
      RATE_LIMIT_IP_PER_SECOND: '1000000',
      LOG_LEVEL: 'info',
      NODE_OPTIONS: `--import ${PROBE}`,
      LOOP_PROBE_FILE: probeFile,
      ...(process.env.BENCH_PROFILE === undefined
        ? {}
        : { BENCH_PROFILE: process.env.BENCH_PROFILE }),
      ...(url === null ? {} : { DATABASE_URL: url }),
      ...env,
      ...options.env,
    },
  });
  const idleFile = join(dataDir, 'idle.jsonl');
  const idle = spawn(process.execPath, ['--import', PROBE, '-e', 'setInterval(() => {}, 1e6)'], {
    env: { LOOP_PROBE_FILE: idleFile },
    stdio: 'ignore',
  });
  const linesOf = (file: string, since: number): ProbeLine[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ProbeLine)
      .filter(({ at }) => at >= since);
  let ended = false;
  return {
    server,
    keys,
    postgres,
    people: await Promise.all(
      people.map(async ({ uid, agentIds }) => ({ uid, agentIds, token: await keys.sign(uid) })),
    ),
    probe: (since) => linesOf(probeFile, since),
    idle: (since) => linesOf(idleFile, since),
    async afterwards(work) {
      ended = true;
      await server.stop();
      const database = await open();
      try {
        return await work(database);
      } finally {
        await database.close();
      }
    },
    async close() {
      idle.kill('SIGKILL');
      if (!ended) await server.stop();
      await keys.close();
      postgres?.stop();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** What is measured: another checkout's server first, where `BENCH_BASE` names its folder. */
export const sides = (): { side: string; checkout: string | undefined }[] => [
  ...(process.env.BENCH_BASE === undefined
    ? []
    : [{ side: 'before', checkout: process.env.BENCH_BASE }]),
  { side: 'now', checkout: undefined },
];

/** `BENCH_DATABASES` selects a part. */
export const databases = (): DatabaseKind[] =>
  (['pglite', 'postgres'] as const).filter((kind) =>
    (process.env.BENCH_DATABASES ?? 'pglite,postgres').split(',').includes(kind),
  );
