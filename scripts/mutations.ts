/**
 * `npm run test:mutations [-- ledger guards]`: changes the code of each module in every small way
 * that is known, and counts the changes that its tests notice. A change that no test notices is
 * printed with its place.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { MUTATED_MODULES } from './mutated-modules.ts';

/** No dependency of ours: it brings two hundred packages, and only this command runs it. */
const STRYKER = '9.6.1';
const FOLDER = join(tmpdir(), `tradewind-stryker-${STRYKER}`);
const COMMAND = join(FOLDER, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
const RUNNER = join(
  FOLDER,
  ...['node_modules', '@stryker-mutator', 'vitest-runner', 'dist', 'src', 'index.js'],
);
const ROOT = join(import.meta.dirname, '..');
const RESULTS = 'node_modules/.cache/tradewind/mutations';
const WORKERS = process.env.MUTATION_WORKERS ?? '2';

/** Ends that count as noticed, and as not; what does not compile or is never reached says neither. */
const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          status: z.string(),
          mutatorName: z.string(),
          replacement: z.optional(z.string()),
          location: z.object({
            start: z.object({ line: z.number(), column: z.number() }),
            end: z.object({ line: z.number(), column: z.number() }),
          }),
        }),
      ),
    }),
  ),
});

function fetchStryker(): void {
  if (!existsSync(COMMAND))
    execFileSync(
      'npm',
      [
        ...['install', '--prefix', FOLDER, '--no-audit', '--no-fund', '--ignore-scripts'],
        ...['--legacy-peer-deps', `@stryker-mutator/core@${STRYKER}`],
        `@stryker-mutator/vitest-runner@${STRYKER}`,
      ],
      { stdio: 'ignore' },
    );
  // The tests and what runs them must meet in one vitest: ours.
  for (const name of ['vitest', 'typescript']) {
    const link = join(FOLDER, 'node_modules', name);
    rmSync(link, { recursive: true, force: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
}

interface Score {
  module: string;
  noticed: number;
  total: number;
  unnoticed: string[];
}

function scoreOf(module: string, file: string): Score {
  const { files } = Report.parse(JSON.parse(readFileSync(file, 'utf8')));
  const score: Score = { module, noticed: 0, total: 0, unnoticed: [] };
  for (const [path, { mutants }] of Object.entries(files))
    for (const { status, mutatorName, replacement = '', location } of mutants) {
      if (![...NOTICED, ...UNNOTICED].includes(status)) continue;
      score.total += 1;
      if (NOTICED.includes(status)) score.noticed += 1;
      else
        score.unnoticed.push(
          `${path}:${location.start.line}:${location.start.column} ${mutatorName} ${replacement.replace(/\s+/g, ' ').slice(0, 60)}`,
        );
    }
  return score;
}

function mutate(module: keyof typeof MUTATED_MODULES): Score | null {
  const { files, tests } = MUTATED_MODULES[module];
  const report = join(ROOT, RESULTS, `${module}.json`);
  const config = join(FOLDER, `${module}.json`);
  rmSync(report, { force: true });
  writeFileSync(
    config,
    JSON.stringify({
      testRunner: 'vitest',
      plugins: [RUNNER],
      vitest: { configFile: 'vitest.mutations.config.ts', related: false },
      mutate: files,
      coverageAnalysis: 'perTest',
      concurrency: Number(WORKERS),
      reporters: ['json'],
      jsonReporter: { fileName: report },
      tempDirName: 'node_modules/.cache/tradewind/mutated',
      ignorePatterns: ['dist*', 'screenshots', '.data', 'public', 'docs'],
      checkers: [],
      timeoutMS: 15_000,
    }),
  );
  const { status } = spawnSync(process.execPath, [COMMAND, 'run', config], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, MUTATION_TESTS: JSON.stringify(tests) },
  });
  return status === 0 && existsSync(report) ? scoreOf(module, report) : null;
}

const asked = process.argv.slice(2);
const names = Object.keys(MUTATED_MODULES) as (keyof typeof MUTATED_MODULES)[];
const unknown = asked.filter((name) => !(names as string[]).includes(name));
if (unknown.length > 0)
  throw new RangeError(`No module ${unknown.join(', ')}: there are ${names.join(', ')}`);
fetchStryker();
mkdirSync(join(ROOT, RESULTS), { recursive: true });
const scores = names
  .filter((name) => asked.length === 0 || asked.includes(name))
  .map((name) => [name, mutate(name)] as const);
for (const [, score] of scores)
  for (const place of score?.unnoticed ?? []) console.log(`not noticed: ${place}`);
console.log('\n| Module | Changes | Noticed | Share |\n| --- | --- | --- | --- |');
for (const [name, score] of scores)
  console.log(
    score === null
      ? `| ${name} | — | — | could not be run |`
      : `| ${name} | ${score.total} | ${score.noticed} | ${((score.noticed / score.total) * 100).toFixed(1)} % |`,
  );
if (scores.some(([, score]) => score === null)) process.exitCode = 1;
