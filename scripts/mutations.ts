/**
 * `npm run test:mutations [-- ledger guards]`: changes the code of each module in every small way
 * that is known, and counts the changes that its tests notice. A change that no test notices is
 * printed with its place, unless `proof/explained-changes.ts` says why none can.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTATED_MODULES } from './mutated-modules.ts';
import { isGood, mutationScore, shareText } from './proof/mutation-score.ts';
import { beginProof, keepResult } from './proof/result.ts';

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

type Module = keyof typeof MUTATED_MODULES;
const reportOf = (module: Module): string => join(ROOT, RESULTS, `${module}.json`);

/** Leaves a report of the module, or none where it could not be run. */
function mutate(module: Module): void {
  const { files, tests } = MUTATED_MODULES[module];
  const report = reportOf(module);
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
      tempDirName: '.mutated',
      ignorePatterns: ['dist*', 'screenshots', '.data'],
      checkers: [],
      timeoutMS: 15_000,
    }),
  );
  spawnSync(process.execPath, [COMMAND, 'run', config], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, MUTATION_TESTS: JSON.stringify(tests) },
  });
}

const asked = process.argv.slice(2);
const names = Object.keys(MUTATED_MODULES) as Module[];
const unknown = asked.filter((name) => !(names as string[]).includes(name));
if (unknown.length > 0)
  throw new RangeError(`No module ${unknown.join(', ')}: there are ${names.join(', ')}`);
fetchStryker();
mkdirSync(join(ROOT, RESULTS), { recursive: true });

/** Measures one module and keeps its score. */
function measure(module: Module): void {
  const part = `mutation-${module}`;
  beginProof(part);
  const startedAt = Date.now();
  mutate(module);
  if (!existsSync(reportOf(module))) {
    console.log(`${module}: could not be measured`);
    process.exitCode = 1;
    return;
  }
  const score = mutationScore(readFileSync(reportOf(module), 'utf8'));
  for (const place of score.unnoticed) console.log(`not noticed: ${place}`);
  console.log(`${module}: ${score.noticed} of ${score.total}, ${shareText(score)}`);
  keepResult({
    part,
    command: `npm run test:mutations -- ${module}`,
    ok: isGood(score),
    seconds: (Date.now() - startedAt) / 1_000,
    figures: {
      'of the changes noticed': shareText(score),
      'changes of code': score.total,
      'noticed by a test': score.noticed,
      'unnoticed, and explained': score.explained,
      'unnoticed, and not explained': score.unnoticed.length,
    },
  });
}

for (const name of names) if (asked.length === 0 || asked.includes(name)) measure(name);
