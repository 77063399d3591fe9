/**
 * `npm run check [<commit>]`: types, lint, format and the nearest tests of what changed since a
 * commit; by default since the last one, or in it where nothing has changed since.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { bin, runLanes, typesOf, type Step } from './check-steps.ts';
import { relatedTests } from './related-tests.ts';

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

function changedSince(commit: string): string[] {
  return [
    ...git('diff', '--name-only', '--diff-filter=d', commit),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/** Which files each part's types are made of. */
const PROJECTS: readonly (readonly [name: string, files: RegExp])[] = [
  ['page', /^(contract|engine|src)\//],
  ['worker', /^(contract|sw|src\/(offline|identity|format))\//],
  ['server', /^(contract|engine|server|scripts)\/|^vite\.config/],
  ['tests', /^(contract|engine|server|src|sw|scripts|tests)\/|^(vitest|drizzle)\./],
];
/** What is tested by a browser or by hand only. */
const HAS_NO_UNIT_TEST = /\.(e2e|browser)\.ts$|^tests\/(bench|e2e|faults|browsers)\//;

/**
 * A component that every screen uses is reached by a hundred test files. The nearest answer in
 * seconds; `npm test` runs all of them.
 */
const MOST_TEST_FILES = 5;

function nearestTests(changed: readonly string[]): Step[] {
  const files = git(
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    '*.ts',
    '*.tsx',
  );
  const related = relatedTests(
    changed,
    files.filter((file) => existsSync(file)),
  );
  const left = related.length - MOST_TEST_FILES;
  if (left > 0) console.log(`${left} more test files reach this change: npm run test:unit`);
  return [
    {
      name: 'tests of what changed',
      // The rules of imports, names and unused code hold for every change.
      command: [bin('vitest'), 'run', 'tests/architecture', ...related.slice(0, MOST_TEST_FILES)],
    },
  ];
}

function stepsFor(changed: readonly string[]): Step[][] {
  const code = changed.filter((file) => /\.tsx?$/.test(file));
  const whole = changed.some((file) => /^(package|tsconfig)[^/]*\.json$/.test(file));
  const types = PROJECTS.filter(([, files]) => whole || code.some((file) => files.test(file))).map(
    ([name]) => typesOf(name),
  );
  const tests =
    code.length === 0 ? [] : nearestTests(code.filter((file) => !HAS_NO_UNIT_TEST.test(file)));
  const lint: Step[] =
    code.length === 0 ? [] : [{ name: 'lint', command: [bin('oxlint'), ...code] }];
  const format: Step = {
    name: 'format',
    command: [bin('oxfmt'), '--check', '--no-error-on-unmatched-pattern', ...changed],
  };
  return [
    [...types, format],
    [...lint, ...tests],
  ];
}

const [since = 'HEAD'] = process.argv.slice(2);
const found = changedSince(since);
const changed = found.length === 0 && since === 'HEAD' ? changedSince('HEAD~1') : found;
if (changed.length === 0) console.log('Nothing has changed.');
else {
  console.log(`${changed.length} changed ${changed.length === 1 ? 'file' : 'files'}`);
  await runLanes(stepsFor(changed));
}
