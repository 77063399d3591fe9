/**
 * `npm run test:live -- --runs 30000 --dialect all --seed 1 --workers 2`: seeded runs of live
 * trading, and what was found. `--fault NAME` plants a fault, which the same seeds must find.
 * `--database postgres` takes a private PostgreSQL in place of PGlite: a third less processor time.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LiveExchange } from '../../../contract/signer.ts';
import { beginProof, keepResult } from '../../../scripts/proof/result.ts';
import { PLANTED, type Planted } from './planted-faults.ts';
import { describe, dialectOf, isBad, runSeed, type Verdict } from './seeded-run.ts';
import { startPostgres, type TestPostgres } from '../postgres.ts';
import { FAST_FOLDER, openRunDatabase } from './seeded-world.ts';

/** A process begins anew after so many runs: what ccxt and PGlite keep adds up. */
const RUNS_A_PROCESS = 500;
const SAY_EVERY = 50;
/** Of the runs that ask the exchange in the process, one in ten goes over sockets all the same. */
const HTTP_EVERY = 10;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '300' },
    dialect: { type: 'string', default: 'all' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    fault: { type: 'string' },
    /** Seconds after which no run begins any more. */
    seconds: { type: 'string', default: '0' },
    database: { type: 'string', default: 'pglite' },
    /** Every run over sockets. */
    http: { type: 'boolean', default: false },
    /** Of a process that another one has started: its seeds, and the database it works on. */
    only: { type: 'string' },
    url: { type: 'string' },
  },
});

const dialects =
  values.dialect === 'all' ? LiveExchange.options : [LiveExchange.parse(values.dialect)];
const first = Number(values.seed);
const count = Number(values.runs);
const fault = PLANTED.find((name) => name === values.fault) ?? null;
if (values.fault !== undefined && fault === null)
  throw new RangeError(`--fault is one of: ${PLANTED.join(', ')}`);

interface Sums {
  runs: number;
  bad: number;
  faults: number;
  orders: number;
  fills: number;
  writeOffs: number;
  dustLeft: number;
  serverKills: number;
  signerKills: number;
  fewestFaults: number;
  cpuMs: number;
}
const NOTHING: Sums = {
  runs: 0,
  bad: 0,
  faults: 0,
  orders: 0,
  fills: 0,
  writeOffs: 0,
  dustLeft: 0,
  serverKills: 0,
  signerKills: 0,
  fewestFaults: Number.POSITIVE_INFINITY,
  cpuMs: 0,
};

const plus = (sums: Sums, more: Sums): Sums => ({
  runs: sums.runs + more.runs,
  bad: sums.bad + more.bad,
  faults: sums.faults + more.faults,
  orders: sums.orders + more.orders,
  fills: sums.fills + more.fills,
  writeOffs: sums.writeOffs + more.writeOffs,
  dustLeft: sums.dustLeft + more.dustLeft,
  serverKills: sums.serverKills + more.serverKills,
  signerKills: sums.signerKills + more.signerKills,
  fewestFaults: Math.min(sums.fewestFaults, more.fewestFaults),
  cpuMs: sums.cpuMs + more.cpuMs,
});

/** `told` hears of each run when it is over: what is ended early has its sums all the same. */
async function runThese(
  seeds: readonly number[],
  planted: Planted | null,
  told: (run: Sums) => void,
): Promise<void> {
  const database = await openRunDatabase(values.url);
  for (const seed of seeds) {
    const verdict: Verdict = await runSeed(database, {
      seed,
      dialect: dialectOf(seed, dialects),
      fault: planted,
      transport: values.http || seed % HTTP_EVERY === 0 ? 'http' : 'in process',
    });
    const bad = isBad(verdict) ? 1 : 0;
    if (bad > 0) process.stdout.write(`${describe(verdict)}\n`);
    const { faults, orders, fills, writeOffs, dustLeft, serverKills, signerKills, cpuMs } = verdict;
    const counts = { faults, orders, fills, writeOffs, dustLeft, serverKills, signerKills, cpuMs };
    told({ ...counts, runs: 1, bad, fewestFaults: faults });
  }
  await database.close();
}

/** A process that takes these seeds; what it found is printed by itself. */
function inProcess(
  seeds: readonly number[],
  url: string | undefined,
  told: (run: Sums) => void,
): Promise<void> {
  const args = ['--dialect', values.dialect, '--only', seeds.join(',')];
  if (url !== undefined) args.push('--url', url);
  if (values.fault !== undefined) args.push('--fault', values.fault);
  if (values.http) args.push('--http');
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), fileURLToPath(import.meta.url), ...args],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  child.on('message', (run) => {
    told(run as Sums);
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(new Error(`A process of seeds ${seeds[0] ?? ''}… ended with ${code ?? 'a signal'}`));
    });
  });
}

async function runAll(postgres: TestPostgres | null): Promise<Sums> {
  const workers = Number(values.workers);
  const endsAt =
    Number(values.seconds) === 0 ? Infinity : Date.now() + Number(values.seconds) * 1_000;
  const size = Math.max(1, Math.min(RUNS_A_PROCESS, Math.ceil(count / workers)));
  let next = first;
  let sums = NOTHING;
  const note = (run: Sums): void => {
    sums = plus(sums, run);
    if (sums.runs % SAY_EVERY === 0) process.stdout.write(`so far: ${textOf(sums)}\n`);
  };
  const work = async (worker: number): Promise<void> => {
    const url = postgres?.fresh(`seeded_${worker}`);
    while (next < first + count && Date.now() < endsAt) {
      const from = next;
      next = Math.min(first + count, from + size);
      const seeds = Array.from({ length: next - from }, (_, index) => from + index);
      await inProcess(seeds, url, note);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return sums;
}

function textOf(sums: Sums): string {
  const { runs, bad, faults, orders, fills, writeOffs, dustLeft, serverKills, signerKills } = sums;
  const seconds = (sums.cpuMs / runs / 1_000).toFixed(2);
  return (
    `${runs} runs from seed ${first} (${dialects.join(', ')}): ${bad} wrong; ${faults} faults, ` +
    `at least ${sums.fewestFaults} a run; ${orders} orders, ${fills} fills, ${writeOffs} write-offs, ${dustLeft} times dust left, server killed ` +
    `${serverKills} times, signer ${signerKills} times; ${seconds} s of processor time a run ` +
    `without the database's`
  );
}

/** In memory and without fsync: what is lost with a machine is not what these runs are about. */
async function openPostgresServer(): Promise<TestPostgres> {
  const postgres = await startPostgres(
    ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'],
    FAST_FOLDER,
  );
  if (postgres === null)
    throw new Error('This machine has no PostgreSQL, and none can be installed');
  return postgres;
}

if (values.only !== undefined) {
  await runThese(values.only.split(',').map(Number), fault, (run) => process.send?.(run));
  process.disconnect();
} else {
  // A planted fault proves the judge, not the product.
  if (fault === null) beginProof('live-seeds');
  const startedAt = Date.now();
  const postgres = values.database === 'postgres' ? await openPostgresServer() : null;
  const sums = await runAll(postgres).finally(() => {
    postgres?.stop();
  });
  process.stdout.write(`${textOf(sums)}\n`);
  process.exitCode = (fault === null) === (sums.bad === 0) ? 0 : 1;
  if (fault === null)
    keepResult({
      part: 'live-seeds',
      command: `npm run test:live -- --runs ${count} --dialect ${values.dialect} --seed ${first}`,
      ok: sums.bad === 0 && sums.runs > 0,
      seed: first,
      seconds: (Date.now() - startedAt) / 1_000,
      figures: {
        'seeded runs': sums.runs,
        'runs that went wrong': sums.bad,
        'faults of the exchange': sums.faults,
        'faults in a run, at least': sums.runs === 0 ? 0 : sums.fewestFaults,
        orders: sums.orders,
        fills: sums.fills,
        'write-offs': sums.writeOffs,
        'dust left to the person': sums.dustLeft,
        'server killed': sums.serverKills,
        'signer killed': sums.signerKills,
      },
    });
}
