/**
 * A price falls through the stops of thousands at the close of a candle: sales a minute, and the
 * tick beside them. `BENCH_BASE` names the folder of another checkout that is measured as well.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { median, type Measurement } from './measurement.ts';
import type { FromStopWorker, StopTask, ToStopWorker } from './stop-worker.ts';

const HERE = fileURLToPath(new URL('../..', import.meta.url));
const HOLDERS = Number(process.env.STOP_HOLDERS ?? 4_000);
/** Agents that are due at the same close. */
const RUNNING = Number(process.env.STOP_RUNNING ?? 1_000);
const PROCESSES = (process.env.STOP_PROCESSES ?? '1,2').split(',').map(Number);
const ROUNDS = Number(process.env.STOP_ROUNDS ?? 1);
const BASES: [string, string][] = [
  ...(process.env.BENCH_BASE === undefined
    ? []
    : [['before', process.env.BENCH_BASE] as [string, string]]),
  ['now', HERE],
];
const SETTINGS = ['shared_buffers=1GB', 'max_wal_size=4GB', 'checkpoint_timeout=15min'];
const section = 'stops';

function worker(task: StopTask): Promise<ChildProcess> {
  const child = fork(
    fileURLToPath(new URL('./stop-worker.ts', import.meta.url)),
    [JSON.stringify(task)],
    { execArgv: ['--import', 'tsx', ...(process.env.STOP_NODE ?? '').split(' ').filter(Boolean)] },
  );
  return new Promise((resolve, reject) => {
    child.once('message', () => {
      resolve(child);
    });
    child.once('exit', (code) => {
      reject(new Error(`A process ended with ${code ?? 'a signal'}`));
    });
  });
}

function ask(child: ChildProcess, step: ToStopWorker['step']): Promise<FromStopWorker> {
  return new Promise((resolve, reject) => {
    child.once('message', (reply) => {
      resolve(reply as FromStopWorker);
    });
    child.once('exit', () => {
      reject(new Error('A process died'));
    });
    child.send({ step } satisfies ToStopWorker);
  });
}

async function end(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit');
  const gone = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.send({ step: 'end' } satisfies ToStopWorker);
  await gone;
}

interface Fall {
  perMinute: number;
  perCpuMinute: number;
  tickAlone: number;
  tickBeside: number;
  late: number;
  digest: string;
}

/** Every position is sold once, every agent is run, and the books add up, or nothing is counted. */
async function fall(
  cluster: TestPostgres | null,
  base: string,
  processes: number,
  name: string,
): Promise<Fall> {
  const url = cluster?.fresh(name) ?? null;
  const task = { base, url, holders: HOLDERS, running: RUNNING };
  const children: ChildProcess[] = [];
  try {
    for (let n = 0; n < processes; n += 1) children.push(await worker({ ...task, lays: n === 0 }));
    const each = (step: 'tick' | 'crash'): Promise<FromStopWorker[]> =>
      Promise.all(children.map((child) => ask(child, step)));
    // The first reads a month of candles; the second is a tick as any.
    await each('tick');
    const alone = await each('tick');
    const crash = await each('crash');
    const [first] = children;
    if (first === undefined) throw new Error('No process');
    const { sales, digest, problems } = await ask(first, 'judge');
    const ran = crash.reduce((all, one) => all + one.ran, 0);
    const faults = [...problems, ...crash.flatMap((one) => one.problems)];
    if (faults[0] !== undefined) throw new Error(faults[0]);
    if (sales !== HOLDERS) throw new Error(`${sales} of ${HOLDERS} positions were sold`);
    if (ran !== RUNNING) throw new Error(`${ran} of ${RUNNING} agents were run`);
    const seconds = Math.max(...crash.map((one) => one.seconds));
    const cpu = crash.reduce((all, one) => all + one.cpuSeconds, 0);
    process.stderr.write(
      `${name}: ${HOLDERS} sales in ${seconds.toFixed(1)} s, processor ${cpu.toFixed(1)} s, tick alone ${Math.max(...alone.map((one) => one.tickSeconds)).toFixed(2)} s, beside ${Math.max(...crash.map((one) => one.tickSeconds)).toFixed(2)} s, load ${loadavg()[0]?.toFixed(1)}\n`,
    );
    return {
      perMinute: (HOLDERS / seconds) * 60,
      perCpuMinute: (HOLDERS / cpu) * 60,
      tickAlone: Math.max(...alone.map((one) => one.tickSeconds)),
      tickBeside: Math.max(...crash.map((one) => one.tickSeconds)),
      late: crash.reduce((all, one) => all + one.left, 0),
      digest,
    };
  } finally {
    for (const child of children) await end(child);
  }
}

function shown(name: string, falls: readonly Fall[], processes: number): Measurement[] {
  const of = (read: (one: Fall) => number): number | null => median(falls.map(read));
  const perMinute = of((one) => one.perMinute) ?? 0;
  return [
    { section, what: `${name}: sold`, value: perMinute, unit: 'positions/min' },
    { section, what: `${name}: a process`, value: perMinute / processes, unit: 'positions/min' },
    {
      section,
      what: `${name}: for a minute of the processes' own processor time`,
      value: of((one) => one.perCpuMinute),
      unit: 'positions',
    },
    {
      section,
      what: `${name}: a tick of ${RUNNING} agents without sales`,
      value: of((one) => one.tickAlone),
      unit: 's',
    },
    {
      section,
      what: `${name}: the tick at which the price fell`,
      value: of((one) => one.tickBeside),
      unit: 's',
    },
    { section, what: `${name}: agents late`, value: of((one) => one.late), unit: 'agents' },
  ];
}

export async function measure(): Promise<Measurement[]> {
  const results: Measurement[] = [];
  const digests = new Set<string>();
  const cases: [string, number][] = [
    ['PGlite', 1],
    ...PROCESSES.map((n): [string, number] => ['PostgreSQL', n]),
  ];
  for (const [kind, processes] of cases) {
    const cluster = kind === 'PGlite' ? null : await startPostgres(SETTINGS);
    if (kind !== 'PGlite' && cluster === null) {
      results.push({ section, what: 'PostgreSQL is not there', value: null, unit: '' });
      break;
    }
    try {
      for (const [when, base] of BASES) {
        const falls: Fall[] = [];
        for (let round = 0; round < ROUNDS; round += 1)
          falls.push(await fall(cluster, base, processes, `${when}_${processes}_${round}`));
        for (const { digest } of falls) digests.add(digest);
        const how = processes === 1 ? '1 process' : `${processes} processes`;
        results.push(...shown(`${HOLDERS} stops, ${kind}, ${how}, ${when}`, falls, processes));
      }
    } finally {
      cluster?.stop();
    }
  }
  // Whoever sells, and however many at once: the same sales.
  results.push({ section, what: 'different sets of sales', value: digests.size, unit: 'sets' });
  if (digests.size !== 1) throw new Error('The sales differ');
  return results;
}
