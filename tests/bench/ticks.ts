/**
 * Whole ticks through real workers on a real PostgreSQL, by number of agents and of workers;
 * refuses to count what was not run.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import type { Database } from '../../server/db/database.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import { rowsOf } from '../../server/db/sql-rows.ts';
import { measureAgentTicks } from '../support/agent-ticks.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { median, type Measurement } from './measurement.ts';
import type { FromWorker, ToWorker } from './tick-worker.ts';
import { layAgents, PAIRS, PAIRS_EACH } from './tick-world.ts';

const numbers = (name: string, usual: string): number[] =>
  (process.env[name] ?? usual).split(',').map(Number);
const AGENTS = numbers('TICK_AGENTS', '1000,10000,100000');
const WORKERS = numbers('TICK_WORKERS', '1,2,3');
/** Ticks that are measured, after a first in which everybody enters. */
const TICKS = Number(process.env.TICK_COUNT ?? 3);
const BATCH = process.env.TICK_BATCH ?? '250';
/** As a machine of this size is set up; `fsync` and `synchronous_commit` stay on. */
const SETTINGS = [
  'shared_buffers=2GB',
  'max_wal_size=8GB',
  'checkpoint_timeout=15min',
  'wal_compression=on',
];
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface Tick {
  seconds: number;
  agents: number;
  trades: number;
  filling: number;
  cpuSeconds: number;
  databaseSeconds: number;
  grownMb: number;
}

function worker(url: string): Promise<ChildProcess> {
  const child = fork(
    fileURLToPath(new URL('./tick-worker.ts', import.meta.url)),
    [url, String(TICKS + 2), BATCH],
    {
      execArgv: [
        '--import',
        'tsx',
        '--max-old-space-size=4096',
        ...(process.env.TICK_NODE ?? '').split(' ').filter(Boolean),
      ],
    },
  );
  return new Promise((resolve, reject) => {
    child.once('message', () => {
      resolve(child);
    });
    child.once('exit', (code) => {
      reject(new Error(`A worker ended with ${code ?? 'a signal'}`));
    });
  });
}

function ask(child: ChildProcess, message: ToWorker): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    child.once('message', (reply) => {
      resolve(reply as FromWorker);
    });
    child.once('exit', () => {
      reject(new Error('A worker died'));
    });
    child.send(message);
  });
}

async function oneTick(
  cluster: TestPostgres,
  database: Database,
  children: readonly ChildProcess[],
  tick: number,
): Promise<Tick> {
  const sizeOf = async (): Promise<number> =>
    (
      await rowsOf<{ mb: number }>(
        database.db,
        sql`select (pg_database_size(current_database()) / 1e6)::float8 as mb`,
      )
    )[0]?.mb ?? 0;
  const sizeBefore = await sizeOf();
  const before = cluster.cpuSeconds();
  const began = performance.now();
  const reports = await Promise.all(children.map((child) => ask(child, { tick })));
  const seconds = (performance.now() - began) / 1_000;
  const databaseSeconds = cluster.cpuSeconds() - before;
  const errors = reports.flatMap((report) => report.errors);
  if (errors[0] !== undefined || reports.some(({ faults }) => faults > 0))
    throw new Error(errors[0] ?? 'An agent failed');
  const total = (key: 'agents' | 'trades' | 'cpuSeconds'): number =>
    reports.reduce((all, report) => all + report[key], 0);
  const [row] = await rowsOf<{ n: number }>(
    database.db,
    sql`select count(distinct agent_id)::int as n from fills where decided_market_ms = (select max(close_market_ms) from ticks)`,
  );
  return {
    seconds,
    agents: total('agents'),
    trades: total('trades'),
    filling: row?.n ?? 0,
    cpuSeconds: total('cpuSeconds'),
    databaseSeconds,
    grownMb: (await sizeOf()) - sizeBefore,
  };
}

/**
 * So many agents run by so many workers, over a first tick and some more; the books are held
 * against the rules at the end.
 */
async function runOf(
  cluster: TestPostgres,
  agents: number,
  workers: number,
): Promise<{ first: Tick; later: Tick[] }> {
  const url = cluster.fresh(`ticks_${agents}_${workers}`);
  const database = await openPostgres(url, { poolMax: 2, log: silent });
  await layAgents(database, agents);
  const children = await Promise.all(Array.from({ length: workers }, () => worker(url)));
  try {
    const all: Tick[] = [];
    for (let tick = 0; tick <= TICKS; tick += 1) {
      const done = await oneTick(cluster, database, children, tick);
      if (done.agents !== agents) throw new Error(`${done.agents} of ${agents} agents were run`);
      all.push(done);
      process.stderr.write(
        `${agents} agents, ${workers} workers, tick ${tick}: ${done.seconds.toFixed(1)} s, ${done.trades} fills of ${done.filling} agents, processor: ${done.cpuSeconds.toFixed(1)} s workers, ${done.databaseSeconds.toFixed(1)} s database, ${done.grownMb.toFixed(0)} MB more, load ${loadavg()[0]?.toFixed(1)}\n`,
      );
    }
    const [first, ...later] = all;
    if (first === undefined) throw new Error('Nothing was run');
    const { problems } = agents <= 10_000 ? await checkLedger(database.db) : { problems: [] };
    if (problems[0] !== undefined) throw new Error(problems[0]);
    return { first, later };
  } finally {
    for (const child of children) {
      child.removeAllListeners('exit');
      child.send({ end: true });
    }
    await Promise.all(
      children.map(
        (child) =>
          new Promise((resolve) => {
            child.once('exit', resolve);
          }),
      ),
    );
    await database.close();
  }
}

export async function measure(): Promise<Measurement[]> {
  const section = 'ticks';
  const results: Measurement[] = [
    {
      section,
      what: '400 agents in one process on PGlite',
      value: (await measureAgentTicks(400, 5)).perSecond,
      unit: 'agent ticks/s',
    },
  ];
  for (const agents of AGENTS) {
    for (const workers of WORKERS) {
      const load = loadavg()[0] ?? 0;
      const cluster = await startPostgres(SETTINGS);
      if (cluster === null)
        return [...results, { section, what: 'PostgreSQL is not there', value: null, unit: '' }];
      try {
        const { first, later } = await runOf(cluster, agents, workers);
        const seconds = median(later.map((tick) => tick.seconds)) ?? 0;
        const name = `${agents.toLocaleString('en')} agents × ${PAIRS_EACH} of ${PAIRS} pairs, ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
        results.push(
          {
            section,
            what: `${name}: a tick, median of ${later.length}`,
            value: seconds,
            unit: 's',
          },
          {
            section,
            what: `${name}: the longest of them`,
            value: Math.max(...later.map((tick) => tick.seconds)),
            unit: 's',
          },
          { section, what: `${name}: an agent`, value: (seconds / agents) * 1e6, unit: 'µs' },
          {
            section,
            what: `${name}: an agent, processor of workers and database`,
            value:
              ((median(later.map((tick) => tick.cpuSeconds + tick.databaseSeconds)) ?? 0) /
                agents) *
              1e6,
            unit: 'µs',
          },
          {
            section,
            what: `${name}: the database grows by, a tick`,
            value: median(later.map((tick) => tick.grownMb)),
            unit: 'MB',
          },
          {
            section,
            what: `${name}: agents that fill, the fewest`,
            value: Math.min(...later.map((tick) => tick.filling / agents)) * 100,
            unit: '%',
          },
          {
            section,
            what: `${name}: first tick, ${Math.round((first.filling / agents) * 100)} % fill`,
            value: first.seconds,
            unit: 's',
          },
          { section, what: `${name}: the machine's load before`, value: load, unit: 'processes' },
        );
      } finally {
        cluster.stop();
      }
    }
  }
  return results;
}
